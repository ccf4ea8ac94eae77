package hub

import (
	"context"
	"crypto/sha1"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"hash"
	"io"
	"io/fs"
	"path/filepath"
	"strconv"

	"github.com/ragfaith/ragfaith/internal/safefile"
)

// A digest is an io.Writer that computes the hashes of a file.
type digest struct {
	size   int64 // expected size, which is part of git's hash
	n      int64 // bytes written so far
	sha256 hash.Hash
	blob   hash.Hash // nil if not needed
}

// newDigest returns a digest for a file of size bytes. If blob is set, it also
// computes git's hash.
func newDigest(size int64, blob bool) *digest {
	d := &digest{size: size, sha256: sha256.New()}
	if blob {
		// git hashes "blob", the size in decimal, a zero byte, and then the content.
		d.blob = sha1.New()
		d.blob.Write([]byte("blob " + strconv.FormatInt(size, 10) + "\x00"))
	}
	return d
}

// Write implements io.Writer.
func (d *digest) Write(p []byte) (int, error) {
	d.sha256.Write(p)
	if d.blob != nil {
		d.blob.Write(p)
	}
	d.n += int64(len(p))
	return len(p), nil
}

// SHA256 returns the hexadecimal SHA-256 of the content so far.
func (d *digest) SHA256() string { return hex.EncodeToString(d.sha256.Sum(nil)) }

// check compares the size, and sha256 or, if that is empty, git's hash blob. It
// returns the reason for a mismatch, or "" if they match.
func (d *digest) check(sha256, blob string) string {
	if d.n != d.size {
		return fmt.Sprintf("size is %d bytes, want %d", d.n, d.size)
	}
	if sha256 != "" {
		if got := d.SHA256(); got != sha256 {
			return fmt.Sprintf("SHA-256 is %s, want %s", got, sha256)
		}
		return ""
	}
	if got := hex.EncodeToString(d.blob.Sum(nil)); got != blob {
		return fmt.Sprintf("git SHA-1 is %s, want %s", got, blob)
	}
	return ""
}

// digestFile computes the digest of a file of the expected size. progress, if not
// nil, is called with the number of bytes of each read.
func digestFile(ctx context.Context, path string, size int64, blob bool, progress func(n int64)) (*digest, error) {
	f, err := safefile.Open(path)
	if err != nil {
		return nil, err
	}
	defer f.Close()
	d := newDigest(size, blob)
	return d, d.readFrom(ctx, f, progress)
}

// readFrom adds the contents of r until EOF.
func (d *digest) readFrom(ctx context.Context, r io.Reader, progress func(n int64)) error {
	buf := make([]byte, 1<<20)
	for {
		if ctx.Err() != nil {
			return context.Cause(ctx)
		}
		n, err := r.Read(buf)
		_, _ = d.Write(buf[:n])
		if progress != nil {
			progress(int64(n))
		}
		if err == io.EOF {
			return nil
		}
		if err != nil {
			return err
		}
	}
}

// Verify reads all files of a model and returns an error for each that is missing
// or does not match its checksum. progress, if not nil, is called with the number of
// bytes of each read. If ctx is done, Verify returns its cause.
func (m *Model) Verify(ctx context.Context, progress func(n int64)) ([]*MismatchError, error) {
	var mismatches []*MismatchError
	for _, f := range m.Files {
		reason, err := f.verify(ctx, m.Dir, progress)
		if err != nil {
			return mismatches, err
		}
		if reason != "" {
			mismatches = append(mismatches, &MismatchError{f.Name, reason})
		}
	}
	return mismatches, nil
}

// verify returns the reason for a mismatch, or "" if the file is intact.
func (f *File) verify(ctx context.Context, dir string, progress func(n int64)) (string, error) {
	if f.SHA256+f.blob == "" {
		return "no checksum to compare with", nil
	}
	d, err := digestFile(ctx, filepath.Join(dir, filepath.FromSlash(f.Name)), f.Size, f.SHA256 == "", progress)
	pathErr, isPathErr := errors.AsType[*fs.PathError](err)
	switch {
	case err == nil:
		return d.check(f.SHA256, f.blob), nil
	case ctx.Err() != nil:
		return "", context.Cause(ctx)
	case errors.Is(err, fs.ErrNotExist):
		return "missing", nil
	case isPathErr:
		return pathErr.Err.Error(), nil
	}
	return err.Error(), nil
}
