package hub

import (
	"os"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"github.com/ragfaith/ragfaith/internal/encoder/checkpoint"
	"github.com/ragfaith/ragfaith/internal/safefile"
)

// cacheDir returns the directory of a repository in the Hugging Face cache, or ""
// if no cache is configured. The documented layout of the directory is
//
//	refs/REVISION            text file with the commit
//	blobs/HASH               content, named by SHA-256 or git's SHA-1
//	snapshots/COMMIT/FILE    link to the blob, or the file itself
func (s Store) cacheDir(repo string) string {
	if s.Cache == "" {
		return ""
	}
	return filepath.Join(s.Cache, "models--"+dirName(repo))
}

// snapshot returns the directory of a commit in the cache.
func (s Store) snapshot(repo, commit string) string {
	return filepath.Join(s.cacheDir(repo), "snapshots", commit)
}

// blob returns the path of a cached file with the hash and size of f, or "" if
// there is none. The contents are not checked.
func (s Store) blob(f remoteFile) string {
	name := f.SHA256
	if name == "" {
		name = f.Blob
	}
	if s.Cache == "" || name == "" {
		return ""
	}
	for _, path := range []string{
		filepath.Join(s.cacheDir(f.Repo), "blobs", name),
		filepath.Join(s.snapshot(f.Repo, f.Commit), filepath.FromSlash(f.Name)), // systems without symbolic links
	} {
		target, err := filepath.EvalSymlinks(path)
		if err != nil {
			continue
		}
		if info, err := os.Stat(target); err == nil && info.Mode().IsRegular() && info.Size() == f.Size {
			return target
		}
	}
	return ""
}

// maxRefSize limits the size of a reference file, which contains a commit.
const maxRefSize = 1 << 10

// cachedModel returns a model in the cache with all required files. It prefers the
// commit of the branch main to later snapshots.
func (s Store) cachedModel(n Name) (Model, bool) {
	if s.Cache == "" || n.Tokenizer != "" { // the snapshot does not contain the tokenizer
		return Model{}, false
	}
	commits := s.snapshots(n.Repo)
	main, err := safefile.ReadFile(filepath.Join(s.cacheDir(n.Repo), "refs", "main"), maxRefSize)
	commit := strings.TrimSpace(string(main))
	if err == nil && isHash(commit, sha1Digits) {
		if m, ok := s.cachedModelAt(n, commit); ok {
			m.Revision = "main"
			return m, true
		}
	}
	for _, commit := range commits {
		if m, ok := s.cachedModelAt(n, commit); ok {
			return m, true
		}
	}
	return Model{}, false
}

// snapshots returns the commits of a repository in the cache, latest first.
func (s Store) snapshots(repo string) []string {
	type snapshot struct {
		commit string
		mtime  time.Time
	}
	var all []snapshot
	entries, _ := os.ReadDir(filepath.Join(s.cacheDir(repo), "snapshots")) // treat an unreadable directory as empty
	for _, e := range entries {
		if info, err := e.Info(); err == nil && isHash(e.Name(), sha1Digits) {
			all = append(all, snapshot{e.Name(), info.ModTime()})
		}
	}
	slices.SortStableFunc(all, func(a, b snapshot) int { return b.mtime.Compare(a.mtime) })
	commits := make([]string, len(all))
	for i := range all {
		commits[i] = all[i].commit
	}
	return commits
}

// cachedModelAt returns the cached model of a commit. The hash of a file is known
// only if the file is a link to a blob.
func (s Store) cachedModelAt(n Name, commit string) (Model, bool) {
	m := Model{Name: n, Commit: commit, Dir: s.snapshot(n.Repo, commit), Shared: true}
	names := modelFilesIn(n, m.Dir)
	if names == nil {
		return Model{}, false
	}
	for _, name := range names {
		path := filepath.Join(m.Dir, filepath.FromSlash(name))
		info, err := os.Stat(path)
		if err != nil {
			return Model{}, false
		}
		f := File{Name: name, Size: info.Size()}
		if target, err := os.Readlink(path); err == nil {
			switch base := filepath.Base(target); {
			case isHash(base, sha256Digits):
				f.SHA256 = base
			case isHash(base, sha1Digits):
				f.blob = base
			}
		}
		m.Files = append(m.Files, f)
		m.Pulled = info.ModTime()
	}
	return m, true
}

// modelFilesIn returns the names of a model's files in dir, or nil if a required
// file is missing.
func modelFilesIn(n Name, dir string) []string {
	var names []string
	exists := func(name string) bool {
		info, err := os.Stat(filepath.Join(dir, filepath.FromSlash(name)))
		return err == nil && info.Mode().IsRegular()
	}
	for _, p := range modelFiles() {
		switch {
		case exists(p.name):
			names = append(names, p.name)
		case p.required:
			return nil
		}
	}
	if n.Weights != "" {
		if !exists(n.Weights) {
			return nil
		}
		return append(names, n.Weights)
	}
	for _, format := range checkpoint.Formats() {
		if exists(format.File) {
			return append(names, format.File)
		}
		index, err := safefile.ReadFile(filepath.Join(dir, format.Index), maxIndexSize)
		if err != nil {
			continue
		}
		shards, err := shardNames(&format, index)
		if err != nil || slices.ContainsFunc(shards, func(name string) bool { return !exists(name) }) {
			return nil
		}
		return append(append(names, format.Index), shards...)
	}
	return nil
}
