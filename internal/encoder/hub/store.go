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
	"time"

	"github.com/ragfaith/ragfaith/internal/safefile"
)

const (
	// manifestFile describes a model in its directory.
	manifestFile    = "ragfaith-model.json"
	manifestFormat  = 1
	maxManifestSize = 8 << 20 // bytes
	locksDir        = ".locks"
)

// A Store is a directory of models:
//
//	Dir/ORG--REPO/COMMIT/ragfaith-model.json   manifest with sizes and SHA-256
//	Dir/ORG--REPO/COMMIT/config.json …         files of the model
//	Dir/ORG--REPO/.COMMIT.part/                incomplete download
//
// If the repository contains several models, ORG--REPO is followed by "--" and the name
// of the weights.
type Store struct {
	Dir   string // need not exist
	Cache string // hub directory of the Hugging Face cache, or ""
}

// A Model is a model on disk.
type Model struct {
	Name     Name
	Revision string // as requested; "" if unknown
	Commit   string
	Dir      string // directory with the files
	Shared   bool   // Dir is in the Hugging Face cache
	Pulled   time.Time
	Files    []File
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
	Name   string `json:"name"` // path with slashes
	Size   int64  `json:"size"`
	SHA256 string `json:"sha256"`
	// Repo and Commit are set if the file comes from another repository.
	Repo   string `json:"repo,omitempty"`
	Commit string `json:"commit,omitempty"`

	blob string // git's SHA-1; used if SHA256 is unknown
}

// A manifest is the content of manifestFile.
type manifest struct {
	Format   int       `json:"format"`
	Repo     string    `json:"repo"`
	Revision string    `json:"revision"`
	Commit   string    `json:"commit"`
	Endpoint string    `json:"endpoint"`
	Pulled   time.Time `json:"pulled"`
	Dir      string    `json:"dir,omitempty"` // directory with the files, if it is another
	Files    []File    `json:"files"`
}

// modelDir returns the directory of a model.
func (s Store) modelDir(n Name, commit string) string {
	return filepath.Join(s.Dir, n.dir(), commit)
}

// stagingDir returns the directory of an incomplete model.
func (s Store) stagingDir(n Name, commit string) string {
	return filepath.Join(s.Dir, n.dir(), "."+commit+partSuffix)
}

// read returns the model described by a manifest. If the manifest does not exist,
// the error is fs.ErrNotExist.
func (s Store) read(n Name, commit string) (*Model, error) {
	dir := s.modelDir(n, commit)
	path := filepath.Join(dir, manifestFile)
	content, err := safefile.ReadFile(path, maxManifestSize)
	if err != nil {
		return nil, err
	}
	m, err := parseManifest(content)
	if err == nil && (m.Repo != n.Repo || m.Commit != commit) {
		err = fmt.Errorf("manifest is for %s at %s", m.Repo, m.Commit)
	}
	if err != nil {
		return nil, fmt.Errorf("%s: %w", path, err)
	}
	model := &Model{Name: n, Revision: m.Revision, Commit: m.Commit, Dir: dir, Pulled: m.Pulled, Files: m.Files}
	if m.Dir != "" {
		model.Dir, model.Shared = m.Dir, true
	}
	return model, nil
}

// parseManifest parses and validates a manifest.
func parseManifest(content []byte) (*manifest, error) {
	var m manifest
	if err := json.Unmarshal(content, &m); err != nil {
		return nil, err
	}
	if m.Format != manifestFormat {
		return nil, fmt.Errorf("format is %d, want %d", m.Format, manifestFormat)
	}
	if !isRepo(m.Repo) || !isHash(m.Commit, sha1Digits) {
		return nil, errors.New("missing repository or commit")
	}
	for _, f := range m.Files {
		if checkFileName(f.Name) != nil || !isHash(f.SHA256, sha256Digits) || f.Size < 0 || f.Size > maxFileSize {
			return nil, fmt.Errorf("file %q has no valid name, size or SHA-256", f.Name)
		}
	}
	return &m, nil
}

// writeManifest atomically writes the manifest to a directory.
func writeManifest(modelDir string, m *manifest) error {
	content, err := json.MarshalIndent(m, "", "  ")
	if err != nil {
		return err
	}
	path := filepath.Join(modelDir, manifestFile)
	return safefile.WriteFile(path, append(content, '\n'), 0o644)
}

// isPresent reports whether all files exist and have the expected sizes.
func (m *Model) isPresent() bool {
	for _, f := range m.Files {
		info, err := os.Stat(filepath.Join(m.Dir, filepath.FromSlash(f.Name)))
		if err != nil || !info.Mode().IsRegular() || info.Size() != f.Size {
			return false
		}
	}
	return len(m.Files) > 0
}

// List returns the models in the store, and those in the Hugging Face cache that
// have a short name. They are sorted by repository and then latest first. List
// skips models that cannot be read and returns their errors.
func (s Store) List() ([]Model, error) {
	var models []Model
	var errs []error
	repos, err := os.ReadDir(s.Dir)
	if err != nil && !errors.Is(err, fs.ErrNotExist) {
		errs = append(errs, err)
	}
	names := Names()
	for _, entry := range repos {
		repo := strings.Replace(entry.Name(), "--", "/", 1)
		if n, err := Resolve(repo); err == nil && n.Short == "" {
			names = append(names, n)
		}
	}
	for _, n := range names {
		var found []Model
		if n.Short != "" {
			found, err = s.Copies(n)
		} else { // the cache may contain many unrelated models
			found, err = s.stored(n)
		}
		models = append(models, found...)
		if _, missing := errors.AsType[*MissingError](err); !missing {
			errs = append(errs, err)
		}
	}
	slices.SortStableFunc(models, func(a, b Model) int { return cmp.Compare(a.Name.Repo, b.Name.Repo) })
	return models, errors.Join(errs...)
}

// stored returns the copies of a model in the store, latest first.
func (s Store) stored(n Name) ([]Model, error) {
	var models []Model
	var errs []error
	commits, err := os.ReadDir(filepath.Join(s.Dir, n.dir()))
	if err != nil && !errors.Is(err, fs.ErrNotExist) {
		return nil, err
	}
	for _, entry := range commits {
		if !isHash(entry.Name(), sha1Digits) {
			continue
		}
		m, err := s.read(n, entry.Name())
		if err != nil {
			errs = append(errs, err)
			continue
		}
		models = append(models, *m)
	}
	slices.SortStableFunc(models, func(a, b Model) int { return b.Pulled.Compare(a.Pulled) })
	return models, errors.Join(errs...)
}

// A MissingError reports a model that is not on disk.
type MissingError struct{ Name Name }

func (e *MissingError) Error() string {
	return fmt.Sprintf("model %s not found; run: ragfaith models pull %s", e.Name, e.Name)
}

// Find returns the directory of a model, given as a directory, a short name or
// ORG/REPO. Existing directories have priority over names, the store over the
// Hugging Face cache, and revisions pulled later over earlier ones. The error is a
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
	unknownErr, isUnknown := errors.AsType[*UnknownError](err)
	_, isMissing := errors.AsType[*MissingError](err)
	switch {
	case err == nil:
		return m.Dir, nil
	case isDir && (isUnknown || isMissing):
		return "", fmt.Errorf("%s: not a model directory: missing %s", name, configFile)
	case isUnknown && isPath(name):
		return "", fmt.Errorf("%s: no such directory", name)
	case isUnknown:
		return "", unknownErr
	}
	return "", err
}

// isPath reports whether s must be a path because it cannot be a model name.
func isPath(s string) bool {
	return filepath.IsAbs(s) || strings.HasPrefix(s, ".") || strings.HasPrefix(s, "~") ||
		strings.ContainsRune(s, filepath.Separator) && strings.Count(s, "/") != 1
}

// Lookup returns the model that Find selects for a short name or ORG/REPO. The
// error is a *MissingError, an *UnknownError, or a read error.
func (s Store) Lookup(name string) (*Model, error) {
	n, err := Resolve(name)
	if err != nil {
		return nil, err
	}
	all, err := s.Copies(n)
	for i := range all {
		if all[i].isPresent() {
			return &all[i], nil
		}
	}
	if err != nil { // an unreadable manifest may be the cause
		return nil, err
	}
	return nil, &MissingError{n}
}

// Copies returns the copies of a model on disk: first those in the store, latest
// first, then the one in the Hugging Face cache. The error is a *MissingError or
// reports copies that cannot be read.
func (s Store) Copies(n Name) ([]Model, error) {
	models, err := s.stored(n)
	if m, ok := s.cachedModel(n); ok {
		same := func(o Model) bool { return o.Commit == m.Commit && o.Dir == m.Dir }
		if !slices.ContainsFunc(models, same) {
			models = append(models, m)
		}
	}
	if len(models) == 0 && err == nil {
		err = &MissingError{n}
	}
	return models, err
}
