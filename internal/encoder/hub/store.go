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

// A Store is a directory of models in the layout of the Hugging Face cache:
//
//	Dir/models--ORG--REPO/blobs/HASH              content, named by SHA-256 or git's SHA-1
//	Dir/models--ORG--REPO/refs/REVISION           text file with the commit
//	Dir/models--ORG--REPO/snapshots/COMMIT/FILE   link to the blob, or the file itself
//	Dir/models--ORG--REPO/ragfaith/SHORT/COMMIT/  the same, if the tokenizer is in another repository
//	Dir/.locks/models--ORG--REPO/HASH.lock        held while a blob is downloaded
type Store struct {
	Dir string // need not exist
}

// A Model is a complete model on disk.
type Model struct {
	Name     Name
	Revision string // DefaultRevision, or "" if it is another one
	Commit   string
	Dir      string // directory with the files
	Files    []File

	blobs []string // directories of the blobs of the files
}

// Size returns the size of all files in bytes.
func (m *Model) Size() int64 {
	var n int64
	for _, f := range m.Files {
		n += f.Size
	}
	return n
}

// A File is a file of a model.
type File struct {
	Name string // path with slashes
	Size int64  // in bytes

	path string
	hash string // name of the blob; "" if the file is not a link
}

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

// A MissingError reports a model that is not on disk, or not complete.
type MissingError struct {
	Name   Name
	Reason string // "" means that nothing was found
}

func (e *MissingError) Error() string {
	text := fmt.Sprintf("model %s %s; run: ragfaith models pull %s", e.Name, cmp.Or(e.Reason, "not found"), e.Name)
	if e.Reason == "" && e.Name.Short == "" { // perhaps openai/gpt-4o
		text += "; a model on a server needs --judge llm --model NAME"
	}
	return text
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
