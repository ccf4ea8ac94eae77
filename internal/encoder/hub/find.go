package hub

import (
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
)

// A MissingError says that a model is not on the disk.
type MissingError struct{ Name Name }

// Error says how to get it.
func (e *MissingError) Error() string {
	return fmt.Sprintf("the model %s is not here: run: ragfaith models pull %s", e.Name, e.Name)
}

// Find returns the folder with the files of a model, which is named by a folder,
// a short name, or ORG/REPO. A folder that is there goes before a name. Of
// several revisions it is the one that was pulled last, and the store's own goes
// before the Hugging Face cache. The error is a *MissingError or an
// *UnknownError, or tells why a folder is none with a model.
func (s Store) Find(name string) (string, error) {
	info, err := os.Stat(name)
	isFolder := err == nil && info.IsDir()
	if isFolder {
		if _, err := os.Stat(filepath.Join(name, configFile)); err == nil {
			return name, nil
		}
	}
	m, err := s.Lookup(name)
	unknown, isUnknown := errors.AsType[*UnknownError](err)
	_, missing := errors.AsType[*MissingError](err)
	switch {
	case err == nil:
		return m.Dir, nil
	case isFolder && (isUnknown || missing):
		return "", fmt.Errorf("%s: the folder holds no model: it has no %s", name, configFile)
	case isUnknown && looksLikePath(name):
		return "", fmt.Errorf("%s: there is no such folder", name)
	case isUnknown:
		return "", unknown
	}
	return "", err
}

// looksLikePath reports whether a text can't have been meant as a name.
func looksLikePath(s string) bool {
	return filepath.IsAbs(s) || strings.HasPrefix(s, ".") || strings.HasPrefix(s, "~") ||
		strings.ContainsRune(s, filepath.Separator) && strings.Count(s, "/") != 1
}

// Lookup returns the model of a short name or ORG/REPO that is on the disk, the
// one that Find takes. Its error is a *MissingError or an *UnknownError, or that
// of reading.
func (s Store) Lookup(name string) (*Model, error) {
	n, err := Resolve(name)
	if err != nil {
		return nil, err
	}
	all, err := s.Of(n)
	for i := range all {
		if all[i].present() {
			return &all[i], nil
		}
	}
	if err != nil { // a model that can't be read may be the one
		return nil, err
	}
	return nil, &MissingError{n}
}

// Of returns what is on the disk of a model, the store's own first and the
// latest of them before the others. The error is a *MissingError, or tells of
// those that can't be read and stands beside the others.
func (s Store) Of(n Name) ([]Model, error) {
	models, err := s.ofRepo(n.Repo)
	if m, ok := s.shared(n); ok {
		known := func(o Model) bool { return o.Commit == m.Commit && o.Dir == m.Dir }
		if !slices.ContainsFunc(models, known) {
			models = append(models, m)
		}
	}
	if len(models) == 0 && err == nil {
		err = &MissingError{n}
	}
	return models, err
}
