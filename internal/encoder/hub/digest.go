package hub

import (
	"context"
	"crypto/sha1"
	"crypto/sha256"
	"encoding/hex"
	"fmt"
	"hash"
	"io"
	"strconv"

	"github.com/ragfaith/ragfaith/internal/safefile"
)

// A digest takes a file's content and makes the hashes that it is known by.
type digest struct {
	size   int64 // that the content should have; it is part of git's hash
	n      int64 // bytes taken so far
	sha256 hash.Hash
	blob   hash.Hash // nil where it is not asked for
}

// newDigest begins a digest of so many bytes, with git's hash of them or without.
func newDigest(size int64, blob bool) *digest {
	d := &digest{size: size, sha256: sha256.New()}
	if blob {
		// git hashes "blob", the size in decimal, a zero byte, and then the content.
		d.blob = sha1.New()
		d.blob.Write([]byte("blob " + strconv.FormatInt(size, 10) + "\x00"))
	}
	return d
}

// Write takes more of the content.
func (d *digest) Write(p []byte) (int, error) {
	d.sha256.Write(p)
	if d.blob != nil {
		d.blob.Write(p)
	}
	d.n += int64(len(p))
	return len(p), nil
}

// SHA256 is that of what was taken, in hexadecimal digits.
func (d *digest) SHA256() string { return hex.EncodeToString(d.sha256.Sum(nil)) }

// check tells what is wrong with the content; an empty text for nothing. It is
// held against sha256, or where that is empty against git's hash.
func (d *digest) check(sha256, blob string) string {
	if d.n != d.size {
		return fmt.Sprintf("it has %d bytes, want %d", d.n, d.size)
	}
	if sha256 != "" {
		if got := d.SHA256(); got != sha256 {
			return fmt.Sprintf("its SHA-256 is %s, want %s", got, sha256)
		}
		return ""
	}
	if got := hex.EncodeToString(d.blob.Sum(nil)); got != blob {
		return fmt.Sprintf("its SHA-1 as git counts it is %s, want %s", got, blob)
	}
	return ""
}

// digestFile makes the digest of a file that should have so many bytes. Seen, if
// it is not nil, is told of each piece.
func digestFile(ctx context.Context, path string, size int64, blob bool, seen func(n int64)) (*digest, error) {
	f, err := safefile.Open(path)
	if err != nil {
		return nil, err
	}
	defer f.Close()
	d := newDigest(size, blob)
	return d, d.readFrom(ctx, f, seen)
}

// readFrom takes all of r.
func (d *digest) readFrom(ctx context.Context, r io.Reader, seen func(n int64)) error {
	buf := make([]byte, 1<<20)
	for {
		if ctx.Err() != nil {
			return context.Cause(ctx)
		}
		n, err := r.Read(buf)
		_, _ = d.Write(buf[:n])
		if seen != nil {
			seen(int64(n))
		}
		if err == io.EOF {
			return nil
		}
		if err != nil {
			return err
		}
	}
}
