package hub

import (
	"context"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"

	"golang.org/x/sync/errgroup"

	"github.com/ragfaith/ragfaith/internal/safefile"
)

// atOnce is how many files are fetched at the same time.
const atOnce = 4

// readShort reads a file that is not longer than so many bytes.
func readShort(path string, most int64) ([]byte, error) {
	return safefile.ReadFile(path, most)
}

// fetchAll sees to it that the files are in a folder.
func (w *pulling) fetchAll(ctx context.Context, folder string) ([]File, error) {
	if err := os.MkdirAll(folder, 0o755); err != nil {
		return nil, fmt.Errorf("the folder of models can't be used: %w", err)
	}
	if w.index {
		// The shards are in it. It is counted with the others, when it is there.
		quiet := *w.remote
		quiet.Puller = new(*w.Puller)
		quiet.Watch.Bytes = nil
		last := len(w.files) - 1
		if _, err := quiet.obtain(ctx, w.files[last], folder); err != nil {
			return nil, err
		}
		index, err := readShort(filepath.Join(folder, indexFile), mostIndex)
		if err != nil {
			return nil, err
		}
		more, err := shards(index, w.listed, w.name.Repo)
		if err != nil {
			return nil, err
		}
		w.files = append(w.files, more...)
	}
	if w.Watch.Plan != nil {
		var total int64
		for _, f := range w.files {
			total += max(f.Size, 0)
		}
		w.Watch.Plan(len(w.files), total)
	}
	files := make([]File, len(w.files))
	group, ctx := errgroup.WithContext(ctx)
	group.SetLimit(atOnce)
	for i, f := range w.files {
		group.Go(func() error {
			sum, err := w.obtain(ctx, f, folder)
			files[i] = w.file(f, sum)
			return err
		})
	}
	return files, group.Wait()
}

// file is what the manifest says of a file.
func (w *pulling) file(f source, sha256 string) File {
	file := File{Name: f.Name, Size: f.Size, SHA256: sha256}
	if f.Repo != w.name.Repo {
		file.Repo, file.Commit = f.Repo, f.Commit
	}
	return file
}

// obtain sees to it that a file is in a folder: it is there already, or it is in
// the Hugging Face cache, or it is fetched. It returns its SHA-256.
func (r *remote) obtain(ctx context.Context, f source, folder string) (string, error) {
	path := filepath.Join(folder, filepath.FromSlash(f.Name))
	for _, bring := range []func() error{
		func() error { return nil },
		func() error { return r.fromCache(f, path) },
	} {
		if bring() != nil || f.SHA256+f.Blob == "" {
			continue
		}
		d, err := digestFile(ctx, path, f.Size, f.SHA256 == "", nil)
		if ctx.Err() != nil {
			return "", context.Cause(ctx)
		}
		if err == nil && d.check(f.SHA256, f.Blob) == "" {
			r.Watch.bytes(f.Size)
			return d.SHA256(), nil
		}
		if err := os.RemoveAll(path); err != nil {
			return "", err
		}
	}
	return r.fetch(ctx, f, path)
}

// fromCache links content of the Hugging Face cache to path, or copies it where
// that is another disk.
func (r *remote) fromCache(f source, path string) error {
	blob := r.Store.blob(f)
	if blob == "" {
		return fs.ErrNotExist
	}
	if err := os.MkdirAll(filepath.Dir(path), 0o755); err != nil {
		return err
	}
	if os.Link(blob, path) == nil {
		return nil
	}
	from, err := safefile.Open(blob)
	if err != nil {
		return err
	}
	defer from.Close()
	to, err := safefile.Create(path, 0o644)
	if err != nil {
		return err
	}
	_, err = io.Copy(to, from)
	return errors.Join(err, to.Sync(), to.Close())
}
