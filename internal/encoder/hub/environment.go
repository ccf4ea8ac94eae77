package hub

import (
	"cmp"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"github.com/ragfaith/ragfaith/internal/safefile"
)

// An Environment returns the value of an environment variable, or "" if it is not set. Its methods
// follow https://huggingface.co/docs/huggingface_hub/package_reference/environment_variables
type Environment func(name string) string

// Store returns the store in dir or, if dir is empty, the Hugging Face cache. That is below
// userCache if the environment names no home directory.
func (env Environment) Store(dir, userCache string) (Store, error) {
	dir = cmp.Or(dir, env.cache())
	if dir == "" {
		if userCache == "" {
			return Store{}, errors.New("no home directory: use --models DIR")
		}
		dir = filepath.Join(userCache, "huggingface", "hub")
	}
	abs, err := filepath.Abs(dir)
	if err != nil {
		return Store{}, fmt.Errorf("--models %s: %w", dir, err)
	}
	return Store{Dir: abs}, nil
}

// cache returns the directory of the Hugging Face cache, or "" if it is unknown.
func (env Environment) cache() string {
	if cache := env("HF_HUB_CACHE"); cache != "" {
		return env.ExpandHome(cache)
	}
	return below(env.home(), "hub")
}

// below returns the path of name in dir, or "" if dir is "".
func below(dir, name string) string {
	if dir == "" {
		return ""
	}
	return filepath.Join(dir, name)
}

// home returns the home directory of the Hugging Face libraries, or "" if it is unknown.
func (env Environment) home() string {
	if home := env("HF_HOME"); home != "" {
		return env.ExpandHome(home)
	}
	cache := cmp.Or(env("XDG_CACHE_HOME"), below(env.userHome(), ".cache"))
	return below(env.ExpandHome(cache), "huggingface")
}

// Offline reports whether the environment forbids downloads.
func (env Environment) Offline() bool {
	return isTrue(cmp.Or(env("HF_HUB_OFFLINE"), env("TRANSFORMERS_OFFLINE")))
}

// isTrue reports whether the value of a variable of the Hugging Face libraries is true.
func isTrue(value string) bool {
	return slices.Contains([]string{"1", "ON", "YES", "TRUE"}, strings.ToUpper(value))
}

// maxToken limits the size of a token file; real tokens are far shorter.
const maxToken = 64 << 10

// Token returns the token from the environment or, if unset, from the file that the
// Hugging Face login writes. It is "" if there is none, or none may be sent.
func (env Environment) Token() string {
	if isTrue(env("HF_HUB_DISABLE_IMPLICIT_TOKEN")) {
		return ""
	}
	if token := strings.TrimSpace(env("HF_TOKEN")); token != "" {
		return token
	}
	content, err := safefile.ReadFile(below(env.home(), "token"), maxToken)
	if err != nil { // not logged in
		return ""
	}
	return strings.TrimSpace(string(content))
}

func (env Environment) userHome() string { return cmp.Or(env("HOME"), env("USERPROFILE")) }

// ExpandHome replaces a leading ~ with the user's home directory.
func (env Environment) ExpandHome(path string) string {
	if rest, ok := strings.CutPrefix(path, "~"); ok && (rest == "" || os.IsPathSeparator(rest[0])) && env.userHome() != "" {
		return filepath.Join(env.userHome(), rest)
	}
	return path
}
