package hub

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"slices"

	"github.com/ragfaith/ragfaith/internal/safefile"
)

// DefaultRevision is the branch that is fetched where none is named.
const DefaultRevision = "main"

// Pull sees to it that a model is on the disk, complete and right: what is there
// is read again and held against the hub's checksums, and what is missing or
// wrong is fetched. It is safe to call from several processes at once.
//
// Revision is a branch, a tag or a commit; empty for DefaultRevision. Of a
// commit that is there already, nothing is asked of the hub. The errors are
// *StatusError, *WrongError, those of the network and the disk, and the cause
// of ctx. What was fetched before an error is kept, and the next call goes on
// from there.
func (p *Puller) Pull(ctx context.Context, n Name, revision string) (*Model, error) {
	revision = cmp.Or(revision, DefaultRevision)
	if err := CheckRevision(revision); err != nil {
		return nil, err
	}
	r, err := p.newRemote()
	if err != nil {
		return nil, err
	}
	w := &pulling{remote: r, name: n, revision: revision}
	if isHash(revision, sha1Digits) {
		w.listed = &listing{Commit: revision}
		if m, err := w.known(ctx); m != nil || err != nil {
			return m, err
		}
	}
	if w.listed, err = r.listing(ctx, n.Repo, revision); err != nil {
		return nil, err
	}
	if n.Tokenizer != "" {
		if w.tokenizer, err = r.listing(ctx, n.Tokenizer, DefaultRevision); err != nil {
			return nil, err
		}
	}
	if w.files, w.index, err = choose(n, w.listed, w.tokenizer); err != nil {
		return nil, err
	}
	release, err := r.lock(ctx, n.Repo)
	if err != nil {
		return nil, err
	}
	defer release()
	return w.run(ctx)
}

// pulling is one call of Pull, which has the lock.
type pulling struct {
	*remote
	name              Name
	revision          string
	listed, tokenizer *listing
	files             []source // the index, if there is one, is the last until the shards are known
	index             bool
}

// known returns the model of a commit that is there and right, nil where it is
// not.
func (w *pulling) known(ctx context.Context) (*Model, error) {
	release, err := w.lock(ctx, w.name.Repo)
	if err != nil {
		return nil, err
	}
	defer release()
	m, err := w.Store.own(w.name.Repo, w.listed.Commit)
	if err != nil || len(m.Files) == 0 {
		return nil, nil // it is fetched
	}
	if wrong, err := m.Verify(ctx, nil); err != nil || len(wrong) > 0 {
		return nil, err
	}
	return w.record(w.Store.folder(w.name.Repo, w.listed.Commit), m.Dir, m.Files)
}

func (w *pulling) run(ctx context.Context) (*Model, error) {
	repo, commit := w.name.Repo, w.listed.Commit
	folder, staging := w.Store.folder(repo, commit), w.Store.staging(repo, commit)
	there, err := w.Store.own(repo, commit)
	if err == nil && w.stillRight(ctx, there) {
		// The revision that was pulled last is the one that is found.
		return w.record(folder, there.Dir, there.Files)
	}
	if ctx.Err() != nil {
		return nil, context.Cause(ctx)
	}
	if _, err := os.Stat(folder); err == nil {
		// What is right of it is kept.
		if err := errors.Join(os.RemoveAll(staging), os.Rename(folder, staging)); err != nil {
			return nil, err
		}
	}
	if files, dir, err := w.inCache(ctx); err != nil || files != nil {
		if err != nil {
			return nil, err
		}
		if err := os.MkdirAll(folder, 0o755); err != nil {
			return nil, fmt.Errorf("the folder of models can't be used: %w", err)
		}
		_ = os.RemoveAll(staging) // of no more use
		return w.record(folder, dir, files)
	}
	if info, err := os.Lstat(staging); err == nil && !info.IsDir() {
		_ = os.Remove(staging) // a link, perhaps; else fetchAll fails
	}
	files, err := w.fetchAll(ctx, staging)
	if err != nil {
		return nil, err
	}
	if _, err := w.record(staging, "", files); err != nil {
		return nil, err
	}
	if err := safefile.Rename(staging, folder); err != nil {
		return nil, err
	}
	return w.Store.own(repo, commit)
}

// stillRight reports whether a model that is there has every file that is
// wanted, and every one of them is right.
func (w *pulling) stillRight(ctx context.Context, m *Model) bool {
	for _, f := range w.files {
		same := func(o File) bool {
			return o.Name == f.Name && (f.SHA256 == "" || o.SHA256 == f.SHA256)
		}
		if !slices.ContainsFunc(m.Files, same) && (!m.Shared || !spare(f.Name)) {
			return false
		}
	}
	wrong, err := m.Verify(ctx, nil)
	return err == nil && len(wrong) == 0
}

// record writes the manifest into a folder, and returns the model.
func (w *pulling) record(folder, dir string, files []File) (*Model, error) {
	m := &manifest{
		Format: manifestFormat, Repo: w.name.Repo, Revision: w.revision, Commit: w.listed.Commit,
		Endpoint: w.base.String(), Pulled: w.Clock.Now().UTC(), Files: files,
	}
	if dir != "" && dir != folder {
		m.Dir = dir
	}
	if err := writeManifest(folder, m); err != nil {
		return nil, err
	}
	return &Model{
		Name: w.name, Revision: m.Revision, Commit: m.Commit, Dir: cmp.Or(m.Dir, folder), Shared: m.Dir != "",
		Pulled: m.Pulled, Files: files,
	}, nil
}

// inCache looks for the whole model in the Hugging Face cache, in one folder.
// It returns no files where it is not there, or not right.
func (w *pulling) inCache(ctx context.Context) (files []File, dir string, err error) {
	if w.Store.Cache == "" || w.tokenizer != nil {
		return nil, "", nil
	}
	dir = w.Store.snapshot(w.name.Repo, w.listed.Commit)
	wanted := w.files
	if w.index {
		index, err := readShort(filepath.Join(dir, indexFile), mostIndex)
		if err != nil {
			return nil, "", nil //nolint:nilerr // it is not there
		}
		more, err := shards(index, w.listed, w.name.Repo)
		if err != nil {
			return nil, "", nil //nolint:nilerr // it is not the one that is wanted
		}
		wanted = slices.Concat(wanted, more)
	}
	for _, f := range wanted {
		path := filepath.Join(dir, filepath.FromSlash(f.Name))
		info, err := os.Stat(path)
		if errors.Is(err, fs.ErrNotExist) && spare(f.Name) {
			continue
		}
		if err != nil || info.Size() != f.Size || f.SHA256+f.Blob == "" {
			return nil, "", nil //nolint:nilerr // it is not there
		}
		d, err := digestFile(ctx, path, f.Size, f.SHA256 == "", nil)
		if ctx.Err() != nil {
			return nil, "", context.Cause(ctx)
		}
		if err != nil || d.check(f.SHA256, f.Blob) != "" {
			return nil, "", nil //nolint:nilerr // it is not right
		}
		files = append(files, w.file(f, d.SHA256()))
	}
	return files, dir, nil
}
