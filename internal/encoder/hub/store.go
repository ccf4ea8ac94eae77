package hub

import (
	"cmp"
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"github.com/ragfaith/ragfaith/internal/safefile"
)

// List returns the models in the store that can judge or embed texts, sorted by
// repository. The error reports an unreadable directory.
func (s Store) List() ([]Model, error) {
	entries, err := os.ReadDir(s.Dir)
	if err != nil && !errors.Is(err, fs.ErrNotExist) {
		return nil, err
	}
	var models []Model
	for _, entry := range entries {
		repo, ok := strings.CutPrefix(entry.Name(), "models--")
		if repo = strings.Replace(repo, "--", "/", 1); !ok || !isRepo(repo) {
			continue
		}
		for _, n := range namesIn(repo) {
			if m, err := s.Lookup(n); err == nil && isUsable(n, m.Dir) {
				models = append(models, *m)
			}
		}
	}
	slices.SortStableFunc(models, func(a, b Model) int { return cmp.Compare(a.Name.Repo, b.Name.Repo) })
	return models, nil
}

// maxConfigSize limits the size of a configuration file in bytes.
const maxConfigSize = 4 << 20

// isUsable reports whether the model in dir is a classifier or embeds texts. The store may
// contain many other models, downloaded by other programs.
func isUsable(n Name, dir string) bool {
	if _, err := os.Lstat(filepath.Join(dir, modulesFile)); err == nil || n.Short != "" {
		return true
	}
	var config struct {
		Architectures []string `json:"architectures"`
	}
	content, err := safefile.ReadFile(filepath.Join(dir, configFile), maxConfigSize)
	if err != nil || json.Unmarshal(content, &config) != nil {
		return true // verify and score report the damage
	}
	return slices.ContainsFunc(config.Architectures, func(s string) bool {
		return strings.HasSuffix(s, "ForSequenceClassification") || strings.HasSuffix(s, "ForTokenClassification")
	})
}

// Find returns the directory of a model, given as a directory, a short name or
// ORG/REPO. Existing directories have priority over names. The error is a
// *MissingError, an *UnknownError, or describes why a directory is not a model.
func (s Store) Find(name string) (string, error) {
	info, err := os.Stat(name)
	isDir := err == nil && info.IsDir()
	if isDir {
		if _, err := os.Stat(filepath.Join(name, configFile)); err == nil {
			return name, nil
		}
	}
	n, err := Resolve(name)
	isKnown := err == nil
	if isKnown {
		m, missing := s.Lookup(n)
		if missing == nil {
			return m.Dir, nil
		}
		err = missing
	}
	switch {
	case isDir:
		return "", fmt.Errorf("%s: not a model directory: missing %s", name, configFile)
	case !isKnown && isPath(name):
		return "", fmt.Errorf("%s: no such directory", name)
	}
	return "", err
}

// isPath reports whether s must be a path because it cannot be a model name.
func isPath(s string) bool {
	return filepath.IsAbs(s) || strings.HasPrefix(s, ".") || strings.HasPrefix(s, "~") ||
		strings.ContainsRune(s, filepath.Separator) && strings.Count(s, "/") != 1
}

// Lookup returns a model on disk: the complete commit of the branch main, or else the
// latest one. The error is a *MissingError.
func (s Store) Lookup(n Name) (*Model, error) {
	var first error
	for _, commit := range s.commits(n) {
		m, err := s.at(n, commit)
		if err == nil {
			return m, nil
		}
		first = cmp.Or(first, err)
	}
	return nil, cmp.Or(first, error(&MissingError{Name: n}))
}
