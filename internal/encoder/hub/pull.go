package hub

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"slices"

	"golang.org/x/sync/errgroup"

	"github.com/ragfaith/ragfaith/internal/encoder/checkpoint"
	"github.com/ragfaith/ragfaith/internal/safefile"
)

// DefaultRevision is the branch that Pull uses by default.
const DefaultRevision = "main"

// Pull ensures that a model is on disk and matches the checksums of the hub. It
// downloads only missing and damaged files. Several processes may call it at the
// same time.
//
// revision is a branch, a tag or a commit; "" means DefaultRevision. No request is
// sent for a commit that is already present. Errors are *StatusError,
// *MismatchError, network and file system errors, and the cause of ctx. Data
// downloaded before an error is kept, and the next call resumes.
func (p *Puller) Pull(ctx context.Context, n Name, revision string) (*Model, error) {
	revision = cmp.Or(revision, DefaultRevision)
	if err := CheckRevision(revision); err != nil {
		return nil, err
	}
	r, err := p.newRemote()
	if err != nil {
		return nil, err
	}
	j := &pullJob{remote: r, name: n, revision: revision}
	if isHash(revision, sha1Digits) {
		j.listing = &listing{Commit: revision}
		if m, err := j.verified(ctx); m != nil || err != nil {
			return m, err
		}
	}
	if j.listing, err = r.listing(ctx, n.Repo, revision); err != nil {
		return nil, err
	}
	if n.Tokenizer != "" {
		if j.tokenizer, err = r.listing(ctx, n.Tokenizer, DefaultRevision); err != nil {
			return nil, err
		}
	}
	if j.files, j.sharded, err = selectFiles(n, j.listing, j.tokenizer); err != nil {
		return nil, err
	}
	release, err := r.lock(ctx, n.Repo)
	if err != nil {
		return nil, err
	}
	defer release()
	return j.run(ctx)
}

// A pullJob is the state of one call of Pull.
type pullJob struct {
	*remote
	name               Name
	revision           string
	listing, tokenizer *listing
	files              []remoteFile // files to download
	// If sharded is set, the last of files is an index in this format. Its shards are
	// added later.
	sharded *checkpoint.Format
}

// verified returns the model of a commit, or nil if it is missing or damaged.
func (j *pullJob) verified(ctx context.Context) (*Model, error) {
	release, err := j.lock(ctx, j.name.Repo)
	if err != nil {
		return nil, err
	}
	defer release()
	m, err := j.Store.read(j.name, j.listing.Commit)
	if err != nil || len(m.Files) == 0 {
		return nil, nil // download it
	}
	if mismatches, err := m.Verify(ctx, nil); err != nil || len(mismatches) > 0 {
		return nil, err
	}
	return j.record(j.Store.modelDir(j.name, j.listing.Commit), m.Dir, m.Files)
}

func (j *pullJob) run(ctx context.Context) (*Model, error) {
	commit := j.listing.Commit
	modelDir, stagingDir := j.Store.modelDir(j.name, commit), j.Store.stagingDir(j.name, commit)
	existing, err := j.Store.read(j.name, commit)
	if err == nil && j.isComplete(ctx, existing) {
		// Update the manifest, because Find returns the revision that was pulled
		// last.
		return j.record(modelDir, existing.Dir, existing.Files)
	}
	if ctx.Err() != nil {
		return nil, context.Cause(ctx)
	}
	if _, err := os.Stat(modelDir); err == nil {
		// Keep the files that are intact.
		if err := errors.Join(os.RemoveAll(stagingDir), os.Rename(modelDir, stagingDir)); err != nil {
			return nil, err
		}
	}
	if files, dir, err := j.findInCache(ctx); err != nil || files != nil {
		if err != nil {
			return nil, err
		}
		if err := os.MkdirAll(modelDir, 0o755); err != nil {
			return nil, fmt.Errorf("model directory: %w", err)
		}
		_ = os.RemoveAll(stagingDir)
		return j.record(modelDir, dir, files)
	}
	if info, err := os.Lstat(stagingDir); err == nil && !info.IsDir() {
		_ = os.Remove(stagingDir) // do not follow a link; ensureFiles reports failures
	}
	files, err := j.ensureFiles(ctx, stagingDir)
	if err != nil {
		return nil, err
	}
	if _, err := j.record(stagingDir, "", files); err != nil {
		return nil, err
	}
	if err := safefile.Rename(stagingDir, modelDir); err != nil {
		return nil, err
	}
	return j.Store.read(j.name, commit)
}

// isComplete reports whether m contains all files and they are intact.
func (j *pullJob) isComplete(ctx context.Context, m *Model) bool {
	for _, f := range j.files {
		matches := func(o File) bool {
			return o.Name == f.Name && (f.SHA256 == "" || o.SHA256 == f.SHA256)
		}
		if !slices.ContainsFunc(m.Files, matches) && (!m.Shared || !isOptional(f.Name)) {
			return false
		}
	}
	mismatches, err := m.Verify(ctx, nil)
	return err == nil && len(mismatches) == 0
}

// record writes the manifest into modelDir and returns the model, whose files are
// in dir.
func (j *pullJob) record(modelDir, dir string, files []File) (*Model, error) {
	m := &manifest{
		Format: manifestFormat, Repo: j.name.Repo, Revision: j.revision, Commit: j.listing.Commit,
		Endpoint: j.base.String(), Pulled: j.Clock.Now().UTC(), Files: files,
	}
	if dir != "" && dir != modelDir {
		m.Dir = dir
	}
	if err := writeManifest(modelDir, m); err != nil {
		return nil, err
	}
	return &Model{
		Name: j.name, Revision: m.Revision, Commit: m.Commit, Dir: cmp.Or(m.Dir, modelDir), Shared: m.Dir != "",
		Pulled: m.Pulled, Files: files,
	}, nil
}

// findInCache searches the Hugging Face cache for the complete model. It returns no
// files if the model is missing or damaged.
func (j *pullJob) findInCache(ctx context.Context) (files []File, dir string, err error) {
	if j.Store.Cache == "" || j.tokenizer != nil {
		return nil, "", nil
	}
	dir = j.Store.snapshot(j.name.Repo, j.listing.Commit)
	required := j.files
	if j.sharded != nil {
		index, err := safefile.ReadFile(filepath.Join(dir, j.sharded.Index), maxIndexSize)
		if err != nil {
			return nil, "", nil //nolint:nilerr // not in the cache
		}
		shardFiles, err := shards(j.sharded, index, j.listing, j.name.Repo)
		if err != nil {
			return nil, "", nil //nolint:nilerr // another version
		}
		required = slices.Concat(required, shardFiles)
	}
	for _, f := range required {
		path := filepath.Join(dir, filepath.FromSlash(f.Name))
		info, err := os.Stat(path)
		if errors.Is(err, fs.ErrNotExist) && isOptional(f.Name) {
			continue
		}
		if err != nil || info.Size() != f.Size || f.SHA256+f.Blob == "" {
			return nil, "", nil //nolint:nilerr // not in the cache
		}
		d, err := digestFile(ctx, path, f.Size, f.SHA256 == "", nil)
		if ctx.Err() != nil {
			return nil, "", context.Cause(ctx)
		}
		if err != nil || d.check(f.SHA256, f.Blob) != "" {
			return nil, "", nil //nolint:nilerr // damaged
		}
		files = append(files, j.file(f, d.SHA256()))
	}
	return files, dir, nil
}

// parallelDownloads is the number of files downloaded at a time.
const parallelDownloads = 4

// ensureFiles ensures that dir contains all files, intact, and returns their
// manifest entries.
func (j *pullJob) ensureFiles(ctx context.Context, dir string) ([]File, error) {
	if err := os.MkdirAll(dir, 0o755); err != nil {
		return nil, fmt.Errorf("model directory: %w", err)
	}
	if j.sharded != nil {
		// Fetch the index to determine the shards, without reporting progress: its
		// bytes are counted below, together with those of the other files.
		quiet := *j.remote
		quiet.Puller = new(*j.Puller)
		quiet.Watch.Bytes = nil
		last := len(j.files) - 1
		if _, err := quiet.ensureFile(ctx, j.files[last], dir); err != nil {
			return nil, err
		}
		index, err := safefile.ReadFile(filepath.Join(dir, j.sharded.Index), maxIndexSize)
		if err != nil {
			return nil, err
		}
		shardFiles, err := shards(j.sharded, index, j.listing, j.name.Repo)
		if err != nil {
			return nil, err
		}
		j.files = append(j.files, shardFiles...)
	}
	if j.Watch.Plan != nil {
		var total int64
		for _, f := range j.files {
			total += max(f.Size, 0)
		}
		j.Watch.Plan(len(j.files), total)
	}
	files := make([]File, len(j.files))
	group, ctx := errgroup.WithContext(ctx)
	group.SetLimit(parallelDownloads)
	for i, f := range j.files {
		group.Go(func() error {
			sum, err := j.ensureFile(ctx, f, dir)
			files[i] = j.file(f, sum)
			return err
		})
	}
	return files, group.Wait()
}

// file returns the manifest entry of a file.
func (j *pullJob) file(f remoteFile, sha256 string) File {
	file := File{Name: f.Name, Size: f.Size, SHA256: sha256}
	if f.Repo != j.name.Repo {
		file.Repo, file.Commit = f.Repo, f.Commit
	}
	return file
}

// ensureFile ensures that dir contains a file and returns its SHA-256. An intact
// file is kept; otherwise, it is copied from the Hugging Face cache or downloaded.
func (r *remote) ensureFile(ctx context.Context, f remoteFile, dir string) (string, error) {
	path := filepath.Join(dir, filepath.FromSlash(f.Name))
	for _, provide := range []func() error{
		func() error { return nil }, // the existing file
		func() error { return r.copyFromCache(f, path) },
	} {
		if provide() != nil || f.SHA256+f.Blob == "" {
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

// copyFromCache creates path as a hard link to the file in the Hugging Face cache,
// or as a copy if that is on another file system.
func (r *remote) copyFromCache(f remoteFile, path string) error {
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
	src, err := safefile.Open(blob)
	if err != nil {
		return err
	}
	defer src.Close()
	dst, err := safefile.Create(path, 0o644)
	if err != nil {
		return err
	}
	_, err = io.Copy(dst, src)
	return errors.Join(err, dst.Sync(), dst.Close())
}
