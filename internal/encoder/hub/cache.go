package hub

import (
	"os"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"github.com/ragfaith/ragfaith/internal/safefile"
)

//	models--ORG--REPO/refs/REVISION            a text file with the commit
//	models--ORG--REPO/blobs/HASH               the content, named by SHA-256 or git's SHA-1
//	models--ORG--REPO/snapshots/COMMIT/FILE    a link to the blob, or the file itself

// cacheDir returns the directory of a repository in the Hugging Face cache, or ""
// if there is no cache. Its layout is documented as
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

// blob returns the path of cached content with the hash of f, or "".
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
		filepath.Join(s.snapshot(f.Repo, f.Commit), filepath.FromSlash(f.Name)), // on systems without links
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

// maxRefSize limits the size of a reference file, which holds a commit.
const maxRefSize = 1 << 10

// cachedModel returns a model in the cache that has all required files: the one of
// the branch main or else the latest.
func (s Store) cachedModel(n Name) (Model, bool) {
	if s.Cache == "" || n.Tokenizer != "" { // the tokenizer is not in the snapshot
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

// snapshots returns the commits in the cache, the latest first.
func (s Store) snapshots(repo string) []string {
	type snapshot struct {
		commit string
		at     time.Time
	}
	var all []snapshot
	entries, _ := os.ReadDir(filepath.Join(s.cacheDir(repo), "snapshots")) // an unreadable directory has none
	for _, e := range entries {
		if info, err := e.Info(); err == nil && isHash(e.Name(), sha1Digits) {
			all = append(all, snapshot{e.Name(), info.ModTime()})
		}
	}
	slices.SortStableFunc(all, func(a, b snapshot) int { return b.at.Compare(a.at) })
	commits := make([]string, len(all))
	for i := range all {
		commits[i] = all[i].commit
	}
	return commits
}

// cachedModelAt returns the cached model of a commit. Hashes of files are known
// only if the files are links.
func (s Store) cachedModelAt(n Name, commit string) (Model, bool) {
	m := Model{Name: n, Commit: commit, Dir: s.snapshot(n.Repo, commit), Shared: true}
	names := modelFilesIn(m.Dir)
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
// one is missing.
func modelFilesIn(dir string) []string {
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
	if exists(weightsFile) {
		return append(names, weightsFile)
	}
	path := filepath.Join(dir, indexFile)
	index, err := safefile.ReadFile(path, maxIndexSize)
	if err != nil {
		return nil
	}
	shards, err := shardNames(index)
	if err != nil || slices.ContainsFunc(shards, func(name string) bool { return !exists(name) }) {
		return nil
	}
	return append(append(names, indexFile), shards...)
}
