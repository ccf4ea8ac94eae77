package hub

import (
	"context"
	"errors"
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

// repoDirName returns the name of the directory of a repository.
func repoDirName(repo string) string { return "models--" + dirName(repo) }

// repoDir returns the directory of a repository.
func (s Store) repoDir(repo string) string { return filepath.Join(s.Dir, repoDirName(repo)) }

// blobName returns the path in the store of the content of a file. The listing must have a
// checksum.
func blobName(f remoteFile) string { return path.Join(repoDirName(f.Repo), blobsDir, f.hash()) }

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
	if s.ref(n.Repo, DefaultRevision) == commit {
		m.Revision = DefaultRevision
	}
	return m, nil
}

// filesIn returns the names of a model's files in dir, or else a file that is missing.
func filesIn(n Name, dir string) ([]string, string) {
	exists := func(name string) bool {
		info, err := os.Stat(filepath.Join(dir, filepath.FromSlash(name)))
		return err == nil && info.Mode().IsRegular()
	}
	return selectNames(n, exists)
}

// link links files into a directory of a repository, such as snapshots/COMMIT. It writes
// nothing if they are linked already, since the store may be read-only.
func (p *Puller) link(ctx context.Context, repo, dir string, files []remoteFile) error {
	nameOf := func(f remoteFile) string { return path.Join(repoDirName(repo), dir, f.Name) }
	files = slices.DeleteFunc(slices.Clone(files), func(f remoteFile) bool { return p.isLinked(nameOf(f), f) })
	if len(files) == 0 {
		return nil
	}
	release, err := p.lock(ctx, repo, path.Base(dir))
	if err != nil {
		return err
	}
	defer release()
	// A Root does not follow links out of the store.
	root, err := os.OpenRoot(p.Store.Dir)
	if err != nil {
		return err
	}
	defer root.Close()
	for _, f := range files {
		name := nameOf(f)
		temporary := name + incompleteSuffix
		err := errors.Join(root.MkdirAll(path.Dir(name), 0o777), root.RemoveAll(temporary))
		if err == nil {
			err = p.place(root, f, temporary)
		}
		if err == nil {
			err = root.Rename(temporary, name)
		}
		if err != nil {
			return err
		}
	}
	return nil
}

// isLinked reports whether name, a path in the store, is a link to the blob of a file.
func (p *Puller) isLinked(name string, f remoteFile) bool {
	path := filepath.Join(p.Store.Dir, filepath.FromSlash(name))
	if target, err := os.Readlink(path); err == nil {
		return filepath.ToSlash(target) == linkTarget(f, name)
	}
	info, err := os.Lstat(path)
	blob, blobErr := os.Stat(p.Store.blob(f))
	return err == nil && blobErr == nil && os.SameFile(info, blob)
}

// linkTarget returns the relative target of the symbolic link to a file's blob, for a link
// with the given name in the store.
func linkTarget(f remoteFile, name string) string {
	up := strings.Count(name, "/")
	blob := blobName(f)
	if repo, _, _ := strings.Cut(name, "/"); repo == repoDirName(f.Repo) { // as Python does
		up--
		blob = path.Join(blobsDir, f.hash())
	}
	return strings.Repeat("../", up) + blob
}

// place creates name as a symbolic link to the blob of a file or, where these are not
// supported, as for most users of Windows, as a hard link.
func (p *Puller) place(root *os.Root, f remoteFile, name string) error {
	symlink := root.Symlink
	if p.symlinkFunc != nil {
		symlink = p.symlinkFunc
	}
	if symlink(filepath.FromSlash(linkTarget(f, name)), name) == nil {
		return nil
	}
	return root.Link(blobName(f), name)
}
