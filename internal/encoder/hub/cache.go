package hub

import (
	"errors"
	"fmt"
	"io"
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

// repoDir returns the directory of a repository.
func (s Store) repoDir(repo string) string { return filepath.Join(s.Dir, "models--"+dirName(repo)) }

// blob returns the path of the content of a file. The listing must have a checksum.
func (s Store) blob(f remoteFile) string {
	return filepath.Join(s.repoDir(f.Repo), blobsDir, f.hash())
}

// commitsDir returns the name of the directory with the commits of a model, below
// that of its repository.
func commitsDir(n Name) string {
	if n.Tokenizer != "" {
		return path.Join(combinedDir, n.Short)
	}
	return snapshotsDir
}

// modelDir returns the directory of a model.
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

// revision returns the branch or tag that refers to a commit, main if possible, or "".
func (s Store) revision(repo, commit string) string {
	if s.ref(repo, DefaultRevision) == commit {
		return DefaultRevision
	}
	found := ""
	dir := filepath.Join(s.repoDir(repo), refsDir)
	_ = filepath.WalkDir(dir, func(path string, e fs.DirEntry, err error) error {
		if err != nil || e.IsDir() {
			return nil //nolint:nilerr // references are only displayed
		}
		if name, err := filepath.Rel(dir, path); err == nil && s.ref(repo, filepath.ToSlash(name)) == commit {
			found = filepath.ToSlash(name)
			return fs.SkipAll
		}
		return nil
	})
	return found
}

// commits returns the commits of a model: that of the branch main, then the others,
// latest first.
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
	main := s.ref(n.Repo, DefaultRevision)
	for _, info := range all {
		if info.Name() == main {
			names = slices.Insert(names, 0, main)
		} else {
			names = append(names, info.Name())
		}
	}
	return names
}

// at returns the model of a commit. The error is a *MissingError.
func (s Store) at(n Name, commit string) (*Model, error) {
	m := &Model{Name: n, Commit: commit, Dir: s.modelDir(n, commit), blobs: []string{filepath.Join(s.repoDir(n.Repo), blobsDir)}}
	if n.Tokenizer != "" {
		m.blobs = append(m.blobs, filepath.Join(s.repoDir(n.Tokenizer), blobsDir))
	}
	names, missing := filesIn(n, m.Dir)
	if missing != "" {
		return nil, &MissingError{Name: n, Reason: "incomplete: missing " + missing + " in " + m.Dir}
	}
	for _, name := range names {
		f := File{Name: name, path: filepath.Join(m.Dir, filepath.FromSlash(name))}
		info, err := os.Stat(f.path)
		if err != nil {
			return nil, &MissingError{Name: n, Reason: err.Error()}
		}
		f.Size = info.Size()
		if target, err := os.Readlink(f.path); err == nil {
			f.hash = filepath.Base(target)
		}
		m.Files = append(m.Files, f)
	}
	m.Revision = s.revision(n.Repo, commit)
	return m, nil
}

// filesIn returns the names of a model's files in dir, or else a file that is missing.
func filesIn(n Name, dir string) ([]string, string) {
	exists := func(name string) bool {
		info, err := os.Stat(filepath.Join(dir, filepath.FromSlash(name)))
		return err == nil && info.Mode().IsRegular()
	}
	names, sharded, missing := selectNames(n, exists)
	if sharded == nil {
		return names, missing
	}
	index, err := safefile.ReadFile(filepath.Join(dir, sharded.Index), maxIndexSize)
	if err != nil {
		return nil, "shards: " + err.Error()
	}
	shards, err := shardNames(sharded, index)
	if err != nil {
		return nil, "shards: " + err.Error()
	}
	if i := slices.IndexFunc(shards, func(name string) bool { return !exists(name) }); i >= 0 {
		return nil, shards[i]
	}
	return append(names, shards...), ""
}

// install links the files into a directory of a repository, such as snapshots/COMMIT. A
// new directory appears when it is complete. The caller has locked the repository.
func (p *Puller) install(repo, dir string, files []remoteFile) error {
	// A Root does not follow links out of the repository.
	root, err := os.OpenRoot(p.Store.repoDir(repo))
	if err != nil {
		return err
	}
	defer root.Close()
	into := dir
	if _, err := root.Stat(dir); errors.Is(err, fs.ErrNotExist) {
		into = path.Join(path.Dir(dir), "."+path.Base(dir)+incompleteSuffix)
		if err := root.RemoveAll(into); err != nil {
			return err
		}
	}
	for _, f := range files {
		name := path.Join(into, f.Name)
		if err := root.MkdirAll(path.Dir(name), 0o777); err != nil {
			return err
		}
		if err := errors.Join(root.RemoveAll(name+incompleteSuffix), p.place(root, repo, f, name+incompleteSuffix)); err != nil {
			return err
		}
		if err := root.Rename(name+incompleteSuffix, name); err != nil {
			return err
		}
	}
	if into != dir {
		return root.Rename(into, dir)
	}
	return nil
}

// linkTarget returns the relative target of the link to a file's blob, for a link with
// the given name in the directory of a repository.
func linkTarget(repo string, f remoteFile, name string) string {
	blob := path.Join(blobsDir, f.hash())
	if f.Repo != repo {
		blob = path.Join("..", "models--"+dirName(f.Repo), blob)
	}
	return strings.Repeat("../", strings.Count(name, "/")) + blob
}

// place creates name as a symbolic link to the blob of a file. Where these are not
// supported, as for most users of Windows, it creates a hard link or else a copy.
func (p *Puller) place(root *os.Root, repo string, f remoteFile, name string) error {
	symlink := root.Symlink
	if p.symlinkFunc != nil {
		symlink = p.symlinkFunc
	}
	if symlink(filepath.FromSlash(linkTarget(repo, f, name)), name) == nil {
		return nil
	}
	if f.Repo == repo && root.Link(path.Join(blobsDir, f.hash()), name) == nil {
		return nil
	}
	return copyFile(root, p.Store.blob(f), name)
}

// copyFile copies the file src to a new file in root.
func copyFile(root *os.Root, src, name string) error {
	in, err := safefile.Open(src)
	if err != nil {
		return err
	}
	defer in.Close()
	out, err := root.OpenFile(name, os.O_WRONLY|os.O_CREATE|os.O_EXCL, 0o666)
	if err != nil {
		return err
	}
	_, err = io.Copy(out, in)
	if err = errors.Join(err, out.Sync(), out.Close()); err != nil {
		return fmt.Errorf("%s: %w", filepath.Join(root.Name(), name), err)
	}
	return nil
}
