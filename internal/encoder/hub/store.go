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
	// manifestFile says in each model's folder what is in it.
	manifestFile   = "ragfaith-model.json"
	manifestFormat = 1
	mostManifest   = 8 << 20 // bytes
	locksFolder    = ".locks"
)

// A Store is where models lie:
//
//	Dir/ORG--REPO/COMMIT/ragfaith-model.json   what there is, with sizes and SHA-256
//	Dir/ORG--REPO/COMMIT/config.json …         the files
//	Dir/ORG--REPO/.COMMIT.part/                what is not complete
type Store struct {
	Dir   string // ragfaith's own folder, which need not exist
	Cache string // the hub folder of the Hugging Face cache; empty for none
}

// A Model is one that is on the disk.
type Model struct {
	Name     Name
	Revision string // that was asked for; empty where that is unknown
	Commit   string
	Dir      string // where its files are
	Shared   bool   // that is the Hugging Face cache
	Pulled   time.Time
	Files    []File
}

// Size is that of all files, in bytes.
func (m *Model) Size() int64 {
	var n int64
	for _, f := range m.Files {
		n += f.Size
	}
	return n
}

// A File is one of a model.
type File struct {
	Name   string `json:"name"` // with slashes
	Size   int64  `json:"size"`
	SHA256 string `json:"sha256"`
	// Repo and Commit are where it comes from, if not from those of the model.
	Repo   string `json:"repo,omitempty"`
	Commit string `json:"commit,omitempty"`

	blob string // git's SHA-1, where nothing but that is known
}

// A manifest is what manifestFile holds.
type manifest struct {
	Format   int       `json:"format"`
	Repo     string    `json:"repo"`
	Revision string    `json:"revision"`
	Commit   string    `json:"commit"`
	Endpoint string    `json:"endpoint"`
	Pulled   time.Time `json:"pulled"`
	Dir      string    `json:"dir,omitempty"` // where the files are, if not here
	Files    []File    `json:"files"`
}

// folder is where a model of the store's own lies.
func (s Store) folder(repo, commit string) string {
	return filepath.Join(s.Dir, folderOf(repo), commit)
}

// staging is where the model is while it is not complete.
func (s Store) staging(repo, commit string) string {
	return filepath.Join(s.Dir, folderOf(repo), "."+commit+partSuffix)
}

// own reads what the store says of a model. Its error is fs.ErrNotExist where
// there is none.
func (s Store) own(repo, commit string) (*Model, error) {
	dir := s.folder(repo, commit)
	path := filepath.Join(dir, manifestFile)
	content, err := safefile.ReadFile(path, mostManifest)
	if err != nil {
		return nil, err
	}
	m, err := parseManifest(content)
	if err == nil && (m.Repo != repo || m.Commit != commit) {
		err = fmt.Errorf("it is of %s at %s", m.Repo, m.Commit)
	}
	if err != nil {
		return nil, fmt.Errorf("%s: %w", path, err)
	}
	name, err := Resolve(m.Repo)
	if err != nil {
		return nil, fmt.Errorf("%s: %w", path, err)
	}
	model := &Model{Name: name, Revision: m.Revision, Commit: m.Commit, Dir: dir, Pulled: m.Pulled, Files: m.Files}
	if m.Dir != "" {
		model.Dir, model.Shared = m.Dir, true
	}
	return model, nil
}

// parseManifest reads a manifest and checks what is in it.
func parseManifest(content []byte) (*manifest, error) {
	var m manifest
	if err := json.Unmarshal(content, &m); err != nil {
		return nil, err
	}
	if m.Format != manifestFormat {
		return nil, fmt.Errorf("its format is %d, want %d", m.Format, manifestFormat)
	}
	if !isRepo(m.Repo) || !isHash(m.Commit, sha1Digits) {
		return nil, errors.New("it names no repository and commit")
	}
	for _, f := range m.Files {
		if checkFileName(f.Name) != nil || !isHash(f.SHA256, sha256Digits) || f.Size < 0 || f.Size > mostBytes {
			return nil, fmt.Errorf("it has a file %q without a size or a SHA-256", f.Name)
		}
	}
	return &m, nil
}

// writeManifest makes the manifest appear in a folder, in place of an older one.
func writeManifest(folder string, m *manifest) error {
	content, err := json.MarshalIndent(m, "", "  ")
	if err != nil {
		return err
	}
	path := filepath.Join(folder, manifestFile)
	return safefile.WriteFile(path, append(content, '\n'), 0o644)
}

// present reports whether all files are there with their sizes.
func (m *Model) present() bool {
	for _, f := range m.Files {
		info, err := os.Stat(filepath.Join(m.Dir, filepath.FromSlash(f.Name)))
		if err != nil || !info.Mode().IsRegular() || info.Size() != f.Size {
			return false
		}
	}
	return len(m.Files) > 0
}

// List returns the models of the store, and of the Hugging Face cache those that
// have a short name, by repository and then the latest first. The error tells of
// those that can't be read, and stands beside the others.
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
			found, err = s.Of(n)
		} else { // the cache may be full of what has nothing to do with ragfaith
			found, err = s.ofRepo(n.Repo)
		}
		models = append(models, found...)
		if _, missing := errors.AsType[*MissingError](err); !missing {
			errs = append(errs, err)
		}
	}
	slices.SortStableFunc(models, func(a, b Model) int { return cmp.Compare(a.Name.Repo, b.Name.Repo) })
	return models, errors.Join(errs...)
}

// ofRepo returns the store's own models of a repository, the latest first.
func (s Store) ofRepo(repo string) ([]Model, error) {
	var models []Model
	var errs []error
	commits, err := os.ReadDir(filepath.Join(s.Dir, folderOf(repo)))
	if err != nil && !errors.Is(err, fs.ErrNotExist) {
		return nil, err
	}
	for _, entry := range commits {
		if !isHash(entry.Name(), sha1Digits) {
			continue
		}
		m, err := s.own(repo, entry.Name())
		if err != nil {
			errs = append(errs, err)
			continue
		}
		models = append(models, *m)
	}
	slices.SortStableFunc(models, func(a, b Model) int { return b.Pulled.Compare(a.Pulled) })
	return models, errors.Join(errs...)
}
