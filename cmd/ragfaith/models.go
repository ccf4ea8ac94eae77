package main

import (
	"cmp"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strings"

	"github.com/dustin/go-humanize"
	"github.com/spf13/cobra"

	"github.com/ragfaith/ragfaith/internal/encoder/hub"
	"github.com/ragfaith/ragfaith/internal/safefile"
)

func newModels(sys system) *cobra.Command {
	cmd := &cobra.Command{
		Use:   "models",
		Short: "Download, list or verify models",
		Args:  unknownCommand,
		RunE:  func(cmd *cobra.Command, _ []string) error { return cmd.Help() },
	}
	cmd.AddCommand(newModelsPull(sys), newModelsList(sys), newModelsVerify(sys))
	return cmd
}

// modelsFlag returns the flag that all commands for models share.
func modelsFlag(to *string) flagSpec {
	return flagSpec{name: "models", arg: "DIR", value: to, path: dirPath, help: "model directory (default: in the user's cache directory)"}
}

// modelStore is where models are: in the folder given, or the usual one, and in
// the Hugging Face cache.
func modelStore(given string, sys system) (hub.Store, error) {
	if given == "" {
		if sys.CacheDir == nil {
			return hub.Store{}, errors.New("there is no folder for caches: name a folder with --models")
		}
		folder, err := sys.CacheDir()
		if err != nil {
			return hub.Store{}, fmt.Errorf("%w: name a folder with --models", err)
		}
		given = filepath.Join(folder, "ragfaith", "models")
	}
	dir, err := filepath.Abs(given)
	if err != nil {
		return hub.Store{}, fmt.Errorf("--models %s: %w", given, err)
	}
	cache := hubCache(sys)
	if cache != "" {
		if cache, err = filepath.Abs(cache); err != nil {
			return hub.Store{}, err
		}
	}
	return hub.Store{Dir: dir, Cache: cache}, nil
}

// The folders of the Hugging Face libraries are found by their own rules:
// https://huggingface.co/docs/huggingface_hub/package_reference/environment_variables

// hubHome is the folder of the Hugging Face libraries; empty where that can't be
// told.
func hubHome(sys system) string {
	if home := variable(sys, "HF_HOME"); home != "" {
		return expand(home, sys)
	}
	cache := variable(sys, "XDG_CACHE_HOME")
	if cache == "" {
		home := userHome(sys)
		if home == "" {
			return ""
		}
		cache = filepath.Join(home, ".cache")
	}
	return filepath.Join(cache, "huggingface")
}

// hubCache is the folder of models in it.
func hubCache(sys system) string {
	if cache := cmp.Or(variable(sys, "HF_HUB_CACHE"), variable(sys, "HUGGINGFACE_HUB_CACHE")); cache != "" {
		return expand(cache, sys)
	}
	if home := hubHome(sys); home != "" {
		return filepath.Join(home, "hub")
	}
	return ""
}

// mostToken is far more than a token of a hub takes.
const mostToken = 64 << 10

// hubToken is the token of HF_TOKEN, or of the file that a login leaves behind.
func hubToken(sys system) (string, error) {
	if token := strings.TrimSpace(variable(sys, "HF_TOKEN")); token != "" {
		return token, nil
	}
	path := expand(variable(sys, "HF_TOKEN_PATH"), sys)
	named := path != ""
	if !named {
		home := hubHome(sys)
		if home == "" {
			return "", nil
		}
		path = filepath.Join(home, "token")
	}
	content, err := safefile.ReadFile(path, mostToken)
	switch {
	case err == nil:
		return strings.TrimSpace(string(content)), nil
	case named:
		return "", fmt.Errorf("HF_TOKEN_PATH: %w", err)
	}
	return "", nil // nobody said that there is one
}

func variable(sys system, name string) string {
	value, _ := sys.LookupEnv(name)
	return value
}

func userHome(sys system) string {
	return cmp.Or(variable(sys, "HOME"), variable(sys, "USERPROFILE"))
}

// expand puts the user's folder in place of a ~ at the front.
func expand(path string, sys system) string {
	if rest, ok := strings.CutPrefix(path, "~"); ok && (rest == "" || os.IsPathSeparator(rest[0])) && userHome(sys) != "" {
		return filepath.Join(userHome(sys), rest)
	}
	return path
}

// shortNames are the models that have a name of their own.
func shortNames() []string {
	var names []string
	for _, n := range hub.Names() {
		names = append(names, n.Short)
	}
	return names
}

// resolveModel finds the model of a name that was typed.
func resolveModel(typed string) (hub.Name, error) {
	n, err := hub.Resolve(typed)
	if err == nil {
		return n, nil
	}
	if near := nearest(typed, shortNames()); near != "" {
		return n, usagef("unknown model %q, did you mean %s? (known: %s, or ORG/REPO)", typed, near, strings.Join(shortNames(), ", "))
	}
	return n, &usageError{err}
}

// completeModels offers the short names to the shell's completion.
func completeModels(*cobra.Command, []string, string) ([]string, cobra.ShellCompDirective) {
	return shortNames(), cobra.ShellCompDirectiveNoFileComp
}

// byteCount shows a number of bytes as a person reads it.
func byteCount(n int64) string { return humanize.Bytes(uint64(max(n, 0))) }

// shortCommit is as much of a commit as people tell them apart by.
func shortCommit(commit string) string { return commit[:min(len(commit), 7)] }
