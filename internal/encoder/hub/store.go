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

// List returns the models in the store that can judge or embed texts. They are sorted
// by repository, then as by Copies. The error reports an unreadable directory.
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
			found, _ := s.Copies(n) // none if all are incomplete
			models = append(models, slices.DeleteFunc(found, func(m Model) bool { return !isUsable(n, m.Dir) })...)
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
	m, err := s.Lookup(name)
	_, isUnknown := errors.AsType[*UnknownError](err)
	_, isMissing := errors.AsType[*MissingError](err)
	switch {
	case err == nil:
		return m.Dir, nil
	case isDir && (isUnknown || isMissing):
		return "", fmt.Errorf("%s: not a model directory: missing %s", name, configFile)
	case isUnknown && isPath(name):
		return "", fmt.Errorf("%s: no such directory", name)
	}
	return "", err
}

// isPath reports whether s must be a path because it cannot be a model name.
func isPath(s string) bool {
	return filepath.IsAbs(s) || strings.HasPrefix(s, ".") || strings.HasPrefix(s, "~") ||
		strings.ContainsRune(s, filepath.Separator) && strings.Count(s, "/") != 1
}

// Lookup returns the model that Find selects for a short name or ORG/REPO. The
// error is a *MissingError or an *UnknownError.
func (s Store) Lookup(name string) (*Model, error) {
	n, err := Resolve(name)
	if err != nil {
		return nil, err
	}
	all, err := s.Copies(n)
	if err != nil {
		return nil, err
	}
	return &all[0], nil
}

// Copies returns the complete commits of a model on disk: that of the branch main,
// then the others, latest first. The error is a *MissingError.
func (s Store) Copies(n Name) ([]Model, error) {
	var models []Model
	missing := &MissingError{Name: n}
	for _, commit := range s.commits(n) {
		m, err := s.at(n, commit)
		if e, ok := errors.AsType[*MissingError](err); ok {
			missing.Reason = cmp.Or(missing.Reason, e.Reason)
			continue
		}
		models = append(models, *m)
	}
	if len(models) == 0 {
		return nil, missing
	}
	return models, nil
}
