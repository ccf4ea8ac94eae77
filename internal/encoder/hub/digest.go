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
	"strconv"

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

// check returns the reason for a mismatch, or "" if size and hash match.
func (d *digest) check() string {
	if d.n != d.size {
		return fmt.Sprintf("size is %d bytes, want %d", d.n, d.size)
	}
	if got := hex.EncodeToString(d.hash.Sum(nil)); got != d.want {
		kind := "SHA-256"
		if len(d.want) == sha1Digits {
			kind = "git SHA-1"
		}
		return fmt.Sprintf("%s is %s, want %s", kind, got, d.want)
	}
	return ""
}

// digestFile computes the digest of a file of the expected size and hash.
func digestFile(ctx context.Context, path string, size int64, want string) (*digest, error) {
	f, err := safefile.Open(path)
	if err != nil {
		return nil, err
	}
	defer f.Close()
	d := newDigest(size, want)
	return d, d.readFrom(ctx, f)
}

// readFrom adds the contents of r until EOF.
func (d *digest) readFrom(ctx context.Context, r io.Reader) error {
	buf := make([]byte, 1<<20)
	for ctx.Err() == nil {
		n, err := r.Read(buf)
		_, _ = d.Write(buf[:n])
		if err == io.EOF {
			return nil
		}
		if err != nil {
			return err
		}
	}
	return context.Cause(ctx)
}

// A MismatchError reports a file that does not match the metadata of the hub.
type MismatchError struct{ File, Reason string }

func (e *MismatchError) Error() string { return e.File + ": " + e.Reason }

// Verify reads all files of a model and returns an error for each that is missing
// or does not match its checksum. If ctx is done, Verify returns its cause.
func (m *Model) Verify(ctx context.Context) ([]*MismatchError, error) {
	var mismatches []*MismatchError
	for _, f := range m.Files {
		reason, err := f.verify(ctx)
		if err != nil {
			return mismatches, err
		}
		if reason != "" {
			mismatches = append(mismatches, &MismatchError{f.Name, reason})
		}
	}
	return mismatches, nil
}

// NoChecksum is the reason of a MismatchError for a file that may be intact, but has no
// blob, whose name is the checksum. Pull downloads such files again.
const NoChecksum = "can't be verified: no checksum"

// verify returns the reason for a mismatch, or "" if the file is intact.
func (f *File) verify(ctx context.Context) (string, error) {
	if !isHash(f.hash, sha256Digits) && !isHash(f.hash, sha1Digits) {
		return NoChecksum, nil
	}
	d, err := digestFile(ctx, f.path, f.Size, f.hash)
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
	}
	return d.check(), nil
}
