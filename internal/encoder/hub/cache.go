package hub

import (
	"os"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"github.com/ragfaith/ragfaith/internal/safefile"
)

// The Hugging Face cache, as its own documentation has it:
//
//	models--ORG--REPO/refs/REVISION            a text file with the commit
//	models--ORG--REPO/blobs/HASH               the content, named by SHA-256 or git's SHA-1
//	models--ORG--REPO/snapshots/COMMIT/FILE    a link to the blob, or the file itself

// cached is the folder of a repository in the cache; empty where there is no
// cache.
func (s Store) cached(repo string) string {
	if s.Cache == "" {
		return ""
	}
	return filepath.Join(s.Cache, "models--"+folderOf(repo))
}

// snapshot is the folder of a commit in the cache.
func (s Store) snapshot(repo, commit string) string {
	return filepath.Join(s.cached(repo), "snapshots", commit)
}

// blob finds content in the cache by its hash, "" where it is not there.
func (s Store) blob(f source) string {
	name := f.SHA256
	if name == "" {
		name = f.Blob
	}
	if s.Cache == "" || name == "" {
		return ""
	}
	for _, path := range []string{
		filepath.Join(s.cached(f.Repo), "blobs", name),
		filepath.Join(s.snapshot(f.Repo, f.Commit), filepath.FromSlash(f.Name)), // where the system has no links
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

// mostRef is more than the commit that a reference of the cache names.
const mostRef = 1 << 10

// shared finds a model in the cache that has all that is needed of it: that of
// the branch main, and otherwise the one that was fetched last.
func (s Store) shared(n Name) (Model, bool) {
	if s.Cache == "" || n.Tokenizer != "" { // the tokenizer is in no snapshot of it
		return Model{}, false
	}
	commits := s.snapshots(n.Repo)
	main, err := safefile.ReadFile(filepath.Join(s.cached(n.Repo), "refs", "main"), mostRef)
	commit := strings.TrimSpace(string(main))
	if err == nil && isHash(commit, sha1Digits) {
		if m, ok := s.sharedAt(n, commit); ok {
			m.Revision = "main"
			return m, true
		}
	}
	for _, commit := range commits {
		if m, ok := s.sharedAt(n, commit); ok {
			return m, true
		}
	}
	return Model{}, false
}

// snapshots returns the commits of which there are snapshots, the latest first.
func (s Store) snapshots(repo string) []string {
	type snapshot struct {
		commit string
		at     time.Time
	}
	var all []snapshot
	entries, _ := os.ReadDir(filepath.Join(s.cached(repo), "snapshots")) // none where it can't be read
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

// sharedAt finds the model of a commit. All that is known of its files is their
// names, and where they are links, their hashes.
func (s Store) sharedAt(n Name, commit string) (Model, bool) {
	m := Model{Name: n, Commit: commit, Dir: s.snapshot(n.Repo, commit), Shared: true}
	names := filesIn(m.Dir)
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

// filesIn returns the names of a model's files in a folder, nil where one of
// those that are needed is missing.
func filesIn(dir string) []string {
	var names []string
	there := func(name string) bool {
		info, err := os.Stat(filepath.Join(dir, filepath.FromSlash(name)))
		return err == nil && info.Mode().IsRegular()
	}
	for _, p := range parts() {
		switch {
		case there(p.name):
			names = append(names, p.name)
		case p.needed:
			return nil
		}
	}
	if there(weightsFile) {
		return append(names, weightsFile)
	}
	path := filepath.Join(dir, indexFile)
	index, err := safefile.ReadFile(path, mostIndex)
	if err != nil {
		return nil
	}
	shards, err := shardNames(index)
	if err != nil || slices.ContainsFunc(shards, func(name string) bool { return !there(name) }) {
		return nil
	}
	return append(append(names, indexFile), shards...)
}
