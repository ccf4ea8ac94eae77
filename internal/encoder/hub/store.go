package hub

import (
	"cmp"
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path"
	"path/filepath"
	"slices"
	"strings"

	"github.com/ragfaith/ragfaith/internal/safefile"
)

// Names in the directory of a repository, see Store.
const (
	blobsDir     = "blobs"
	refsDir      = "refs"
	snapshotsDir = "snapshots"
	combinedDir  = "ragfaith"
	locksDir     = ".locks"
)

// incompleteSuffix ends the names of incomplete files and directories.
const incompleteSuffix = ".incomplete"

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

// DefaultRevision is the branch that Pull uses by default.
const DefaultRevision = "main"

// A Model is a complete model on disk.
type Model struct {
	Name     Name
	Revision string // DefaultRevision, or "" if it is another one
	Commit   string
	Dir      string // directory with the files
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
	Name string
	Size int64 // in bytes

	path string
	hash string // name of the blob; "" if there is none
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

func repoDirName(repo string) string { return "models--" + dirName(repo) }

func (s Store) repoDir(repo string) string { return filepath.Join(s.Dir, repoDirName(repo)) }

// blobName returns the path in the store of the content of a file. The listing must have a
// checksum.
func blobName(f remoteFile) string { return path.Join(repoDirName(f.Repo), blobsDir, f.Hash) }

// blob is blobName with the directory of the store.
func (s Store) blob(f remoteFile) string {
	return filepath.Join(s.Dir, filepath.FromSlash(blobName(f)))
}

// commitsDir returns the name of the directory with the commits of a model, below
// that of its repository.
func commitsDir(n Name) string {
	if n.Tokenizer != "" {
		return path.Join(combinedDir, n.Short)
	}
	return snapshotsDir
}

func (s Store) modelDir(n Name, commit string) string {
	return filepath.Join(s.repoDir(n.Repo), filepath.FromSlash(commitsDir(n)), commit)
}

// maxRefSize limits the size of a reference file, which contains a commit.
const maxRefSize = 1 << 10

// ref returns the commit that a branch or tag had when it was downloaded, or "".
func (s Store) ref(repo, revision string) string {
	content, err := safefile.ReadFile(filepath.Join(s.repoDir(repo), refsDir, filepath.FromSlash(revision)), maxRefSize)
	commit := strings.TrimSpace(string(content))
	if err != nil || !isHash(commit, sha1Digits) {
		return ""
	}
	return commit
}

// commits returns the commits of a model: that of the branch main, then the others, latest first.
func (s Store) commits(n Name) []string {
	var all []fs.FileInfo
	entries, _ := os.ReadDir(filepath.Dir(s.modelDir(n, "x"))) // treat an unreadable directory as empty
	for _, e := range entries {
		if info, err := e.Info(); err == nil && isHash(e.Name(), sha1Digits) {
			all = append(all, info)
		}
	}
	slices.SortStableFunc(all, func(a, b fs.FileInfo) int { return b.ModTime().Compare(a.ModTime()) })
	var names []string
	for _, info := range all {
		names = append(names, info.Name())
	}
	main := s.ref(n.Repo, DefaultRevision)
	if i := slices.Index(names, main); i > 0 {
		names = slices.Insert(slices.Delete(names, i, i+1), 0, main)
	}
	return names
}

// at returns the model of a commit. The error is a *MissingError.
func (s Store) at(n Name, commit string) (*Model, error) {
	m := &Model{Name: n, Commit: commit, Dir: s.modelDir(n, commit)}
	names, missing := selectNames(n, func(name string) bool {
		info, err := os.Stat(filepath.Join(m.Dir, name))
		return err == nil && info.Mode().IsRegular()
	})
	if missing != "" {
		return nil, &MissingError{Name: n, Reason: "incomplete: missing " + missing + " in " + m.Dir}
	}
	for _, name := range names {
		f := File{Name: name, path: filepath.Join(m.Dir, name)}
		info, err := os.Stat(f.path)
		if err != nil {
			return nil, &MissingError{Name: n, Reason: err.Error()}
		}
		f.Size, f.hash = info.Size(), s.blobOf(n, f.path, info)
		m.Files = append(m.Files, f)
	}
	if s.ref(n.Repo, DefaultRevision) == commit {
		m.Revision = DefaultRevision
	}
	return m, nil
}

// blobOf returns the name of the blob of a file: the target of a symbolic link, or the blob
// that is the same file.
func (s Store) blobOf(n Name, path string, info fs.FileInfo) string {
	if target, err := os.Readlink(path); err == nil {
		return filepath.Base(target)
	}
	for _, repo := range []string{n.Repo, n.Tokenizer} { // there is no directory for ""
		dir := filepath.Join(s.repoDir(repo), blobsDir)
		entries, _ := os.ReadDir(dir) // treat an unreadable directory as empty
		for _, e := range entries {
			if blob, err := os.Stat(filepath.Join(dir, e.Name())); err == nil && os.SameFile(blob, info) {
				return e.Name()
			}
		}
	}
	return ""
}

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
