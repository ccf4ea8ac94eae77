package hub

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"os"
	"path"
	"path/filepath"
	"slices"
	"time"

	"golang.org/x/sync/errgroup"

	"github.com/ragfaith/ragfaith/internal/safefile"
)

// Pull ensures that a model is on disk and matches the checksums of the hub. It downloads
// only missing and damaged files. Several processes may call it at the same time.
//
// revision is a branch, a tag or a commit; "" means DefaultRevision. No request is
// sent for a commit that is already present. Any other one is an error if Offline is set.
// Errors are *StatusError, *MismatchError, network and file system errors, and the cause of
// ctx. Data downloaded before an error is kept, and the next call resumes.
func (p *Puller) Pull(ctx context.Context, n Name, revision string) (*Model, error) {
	revision = cmp.Or(revision, DefaultRevision)
	if err := CheckRevision(revision); err != nil {
		return nil, err
	}
	if isHash(revision, sha1Digits) {
		if m, err := p.Store.at(n, revision); err == nil {
			if damaged, err := m.Verify(ctx); err != nil || len(damaged) == 0 {
				return m, err
			}
		}
	}
	if p.Offline {
		return nil, fmt.Errorf("%s: nothing is downloaded, because HF_HUB_OFFLINE or TRANSFORMERS_OFFLINE is set", n)
	}
	r, err := p.newRemote()
	if err != nil {
		return nil, err
	}
	j := &pullJob{remote: r, name: n}
	if j.listing, err = r.listing(ctx, n.Repo, revision); err != nil {
		return nil, err
	}
	if n.Tokenizer != "" {
		if j.tokenizer, err = r.listing(ctx, n.Tokenizer, DefaultRevision); err != nil {
			return nil, err
		}
	}
	if j.files, err = selectFiles(n, j.listing, j.tokenizer); err != nil {
		return nil, err
	}
	if err := j.download(ctx); err != nil {
		return nil, err
	}
	if err := j.publish(ctx, revision); err != nil {
		return nil, err
	}
	return p.Store.at(n, j.listing.Commit)
}

// A pullJob is the state of one call of Pull.
type pullJob struct {
	*remote
	name               Name
	listing, tokenizer *listing
	files              []remoteFile // files to download
}

// parallelDownloads is the number of files downloaded at a time.
const parallelDownloads = 4

// download ensures that the store has the content of all files, intact.
func (j *pullJob) download(ctx context.Context) error {
	// Files with the same content share a blob.
	blobs := slices.Clone(j.files)
	slices.SortStableFunc(blobs, func(a, b remoteFile) int { return cmp.Compare(j.Store.blob(a), j.Store.blob(b)) })
	blobs = slices.CompactFunc(blobs, func(a, b remoteFile) bool { return j.Store.blob(a) == j.Store.blob(b) })
	if j.Watch.Plan != nil {
		var total int64
		for _, f := range blobs {
			total += f.Size
		}
		j.Watch.Plan(total)
	}
	config := j.files[0] // the first of modelFiles, and required
	if err := j.ensure(ctx, config); err != nil {
		return err
	}
	if j.CheckConfig != nil {
		content, err := safefile.ReadFile(j.Store.blob(config), maxConfigSize)
		if err != nil {
			return err
		}
		sentence := slices.ContainsFunc(j.files, func(f remoteFile) bool { return f.Name == modulesFile })
		if err := j.CheckConfig(content, sentence); err != nil {
			return fmt.Errorf("%s: %w", config.Repo, err)
		}
	}
	group, ctx := errgroup.WithContext(ctx)
	group.SetLimit(parallelDownloads)
	for _, f := range blobs {
		if j.Store.blob(f) != j.Store.blob(config) {
			group.Go(func() error { return j.ensure(ctx, f) })
		}
	}
	return group.Wait()
}

// ensure ensures that the store has the content of a file, intact.
func (r *remote) ensure(ctx context.Context, f remoteFile) error {
	if f.Size < 0 || f.Hash == "" {
		return fmt.Errorf("%s: %s: server sent no size or no checksum", f.Repo, f.Name)
	}
	if intact, err := r.isIntact(ctx, f); intact || err != nil {
		return err
	}
	release, err := r.lock(ctx, f.Repo, f.Hash)
	if err != nil {
		return err
	}
	defer release()
	// Another process may have downloaded it.
	if intact, err := r.isIntact(ctx, f); intact || err != nil {
		return err
	}
	return r.fetch(ctx, f, r.Store.blob(f))
}

// isIntact reports whether the store has the content of a file, and counts its bytes then.
// The error is the cause of ctx.
func (r *remote) isIntact(ctx context.Context, f remoteFile) (bool, error) {
	blob := File{Size: f.Size, path: r.Store.blob(f), hash: f.Hash}
	if info, err := os.Stat(blob.path); err != nil || info.Size() != f.Size {
		return false, nil //nolint:nilerr // missing
	}
	mismatch, err := blob.verify(ctx)
	if err != nil || mismatch != "" {
		return false, err
	}
	r.Watch.bytes(f.Size)
	return true, nil
}

// publish links the files into the snapshots of their repositories and into the
// directory of the model, and then sets the references.
func (j *pullJob) publish(ctx context.Context, revision string) error {
	if err := j.publishRepo(ctx, j.listing, revision); err != nil || j.tokenizer == nil {
		return err
	}
	if err := j.publishRepo(ctx, j.tokenizer, DefaultRevision); err != nil {
		return err
	}
	return j.link(ctx, j.name.Repo, commitsDir(j.name)+"/"+j.listing.Commit, j.files)
}

// publishRepo creates the snapshot of a repository and its reference.
func (j *pullJob) publishRepo(ctx context.Context, l *listing, revision string) error {
	files := slices.DeleteFunc(slices.Clone(j.files), func(f remoteFile) bool { return f.Repo != l.Repo })
	if err := j.link(ctx, l.Repo, snapshotsDir+"/"+l.Commit, files); err != nil {
		return err
	}
	if revision == l.Commit || j.Store.ref(l.Repo, revision) == l.Commit {
		return nil
	}
	release, err := j.lock(ctx, l.Repo, refsDir)
	if err != nil {
		return err
	}
	defer release()
	file := filepath.Join(j.Store.repoDir(l.Repo), refsDir, filepath.FromSlash(revision))
	if err := os.MkdirAll(filepath.Dir(file), 0o777); err != nil {
		return err
	}
	return safefile.WriteFile(file, []byte(l.Commit), 0o666) // Python expects no newline
}

// link links files into a directory of a repository, such as snapshots/COMMIT. It writes
// nothing if they are linked already, since the store may be read-only.
func (p *Puller) link(ctx context.Context, repo, dir string, files []remoteFile) error {
	nameOf := func(f remoteFile) string { return path.Join(repoDirName(repo), dir, f.Name) }
	files = slices.DeleteFunc(slices.Clone(files), func(f remoteFile) bool { // that are linked to their blobs
		info, err := os.Stat(filepath.Join(p.Store.Dir, filepath.FromSlash(nameOf(f))))
		blob, blobErr := os.Stat(p.Store.blob(f))
		return err == nil && blobErr == nil && os.SameFile(info, blob)
	})
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

// place creates name as a symbolic link to the blob of a file or, where these are not
// supported, as for most users of Windows, as a hard link.
func (p *Puller) place(root *os.Root, f remoteFile, name string) error {
	symlink := root.Symlink
	if p.symlinkFunc != nil {
		symlink = p.symlinkFunc
	}
	target, err := filepath.Rel(filepath.Dir(name), blobName(f)) // as Python does
	if err == nil && symlink(target, name) == nil {
		return nil
	}
	return root.Link(blobName(f), name)
}

// lockPoll is the interval between attempts to acquire a lock that another process holds.
const lockPoll = 200 * time.Millisecond

// lock prevents other processes, including those of the Hugging Face libraries, from
// writing the named part of a repository until release is called. The operating system
// releases the lock when the process exits, so a leftover lock file has no effect. On
// file systems without locks, the checksums still detect conflicting downloads.
func (p *Puller) lock(ctx context.Context, repo, name string) (release func(), err error) {
	dir := filepath.Join(p.Store.Dir, locksDir, repoDirName(repo))
	if err := os.MkdirAll(dir, 0o777); err != nil {
		return nil, fmt.Errorf("model directory: %w", err)
	}
	for {
		l, err := safefile.TryLock(filepath.Join(dir, name+".lock"))
		if err == nil {
			return l.Unlock, nil
		}
		if _, locked := errors.AsType[*safefile.LockedError](err); !locked {
			return nil, err
		}
		if p.Clock.Sleep(ctx, lockPoll) != nil {
			return nil, context.Cause(ctx)
		}
	}
}
