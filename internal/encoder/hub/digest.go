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
	"os"
	"path/filepath"
	"strconv"
	"strings"

	"github.com/ragfaith/ragfaith/internal/safefile"
)

// A digest is an io.Writer that compares a file with its size and hash.
type digest struct {
	size int64  // expected
	want string // expected SHA-256, or git's SHA-1 of a blob
	n    int64  // bytes written so far
	hash hash.Hash
}

func newDigest(size int64, want string) *digest {
	d := &digest{size: size, want: want, hash: sha256.New()}
	if len(want) == sha1Digits {
		// git hashes "blob", the size in decimal, a zero byte, and then the content.
		d.hash = sha1.New()
		d.hash.Write([]byte("blob " + strconv.FormatInt(size, 10) + "\x00"))
	}
	return d
}

// Write implements io.Writer.
func (d *digest) Write(p []byte) (int, error) {
	d.hash.Write(p)
	d.n += int64(len(p))
	return len(p), nil
}

// sum returns the hexadecimal hash of the content so far.
func (d *digest) sum() string { return hex.EncodeToString(d.hash.Sum(nil)) }

// check returns the reason for a mismatch, or "" if size and hash match.
func (d *digest) check() string {
	if d.n != d.size {
		return fmt.Sprintf("size is %d bytes, want %d", d.n, d.size)
	}
	if got := d.sum(); got != d.want {
		kind := "SHA-256"
		if len(d.want) == sha1Digits {
			kind = "git SHA-1"
		}
		return fmt.Sprintf("%s is %s, want %s", kind, got, d.want)
	}
	return ""
}

// digestFile computes the digest of a file of the expected size and hash. progress, if not
// nil, is called with the number of bytes of each read.
func digestFile(ctx context.Context, path string, size int64, want string, progress func(n int64)) (*digest, error) {
	f, err := safefile.Open(path)
	if err != nil {
		return nil, err
	}
	defer f.Close()
	d := newDigest(size, want)
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

// A MismatchError reports a file that does not match the metadata of the hub.
type MismatchError struct{ File, Reason string }

func (e *MismatchError) Error() string { return e.File + ": " + e.Reason }

// Verify reads all files of a model and returns an error for each that is missing
// or does not match its checksum. progress, if not nil, is called with the number of
// bytes of each read. If ctx is done, Verify returns its cause.
func (m *Model) Verify(ctx context.Context, progress func(n int64)) ([]*MismatchError, error) {
	var mismatches []*MismatchError
	for _, f := range m.Files {
		reason, err := f.verify(ctx, m.blobs, progress)
		if err != nil {
			return mismatches, err
		}
		if reason != "" {
			mismatches = append(mismatches, &MismatchError{f.Name, reason})
		}
	}
	return mismatches, nil
}

// NoChecksum is the reason of a MismatchError for a file that may be intact: no blob
// with its content tells its checksum. Pull downloads such files again.
const NoChecksum = "can't be verified: no checksum"

// verify returns the reason for a mismatch, or "" if the file is intact. If the file is
// not a link that contains its hash, one of blobs must have its content.
func (f *File) verify(ctx context.Context, blobs []string, progress func(n int64)) (string, error) {
	wants := []string{f.hash}
	if !isHash(f.hash, sha256Digits) && !isHash(f.hash, sha1Digits) {
		wants = []string{strings.Repeat("0", sha256Digits), strings.Repeat("0", sha1Digits)}
	}
	for _, want := range wants {
		d, err := digestFile(ctx, f.path, f.Size, want, progress)
		if pathErr, ok := errors.AsType[*fs.PathError](err); ok {
			err = pathErr.Err
		}
		switch {
		case ctx.Err() != nil:
			return "", context.Cause(ctx)
		case errors.Is(err, fs.ErrNotExist):
			return "missing", nil
		case err != nil:
			return err.Error(), nil //nolint:nilerr // it is the reason
		case want == f.hash:
			return d.check(), nil
		}
		for _, dir := range blobs {
			if _, err := os.Stat(filepath.Join(dir, d.sum())); err == nil {
				return "", nil
			}
		}
	}
	return NoChecksum, nil
}
