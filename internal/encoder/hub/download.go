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
	"net/http"
	"os"
	"path/filepath"
	"strconv"
	"strings"

	"github.com/ragfaith/ragfaith/internal/safefile"
)

// A download is the state of a file download.
type download struct {
	*remote
	f         remoteFile
	part      *os.File
	digest    *digest // of part
	keepAlive func()  // of the current attempt
}

// fetch downloads and verifies a file and then moves it to path. It resumes the
// download of an earlier run, or of older Hugging Face libraries, from path.incomplete.
func (r *remote) fetch(ctx context.Context, f remoteFile, path string) error {
	if err := os.MkdirAll(filepath.Dir(path), 0o777); err != nil {
		return err
	}
	partPath := path + incompleteSuffix
	part, err := safefile.OpenFile(partPath, os.O_RDWR|os.O_CREATE, 0o666)
	if err != nil {
		return err
	}
	defer part.Close()
	d := &download{remote: r, f: f, part: part, digest: newDigest(f.Size, f.Hash)}
	if err := d.digest.readFrom(ctx, io.LimitReader(part, f.Size)); err != nil {
		return err
	}
	r.Watch.bytes(d.digest.n)
	if err := r.retry(ctx, d.name(), d.attempt); err != nil {
		return err
	}
	if reason := d.digest.check(); reason != "" {
		r.Watch.bytes(-d.digest.n)
		_ = part.Close()
		_ = os.Remove(partPath)
		return &MismatchError{d.name(), reason}
	}
	if err := errors.Join(part.Truncate(f.Size), part.Sync(), part.Close()); err != nil {
		return err
	}
	return safefile.Rename(partPath, path)
}

func (d *download) name() string { return d.f.Repo + ": " + d.f.Name }

// restart discards the part.
func (d *download) restart() error {
	d.Watch.bytes(-d.digest.n)
	d.digest = newDigest(d.f.Size, d.f.Hash)
	_, err := d.part.Seek(0, io.SeekStart)
	return errors.Join(err, d.part.Truncate(0))
}

// attempt requests the missing data and appends it to the part.
func (d *download) attempt(ctx context.Context, keepAlive func()) error {
	if d.digest.n == d.f.Size {
		return nil
	}
	header := make(http.Header)
	if d.digest.n > 0 {
		header.Set("Range", fmt.Sprintf("bytes=%d-", d.digest.n))
	}
	org, repo, _ := strings.Cut(d.f.Repo, "/")
	address := d.address(append([]string{org, repo, "resolve", d.f.Commit}, strings.Split(d.f.Name, "/")...)...)
	res, err := d.send(ctx, address, header)
	if err != nil {
		return err
	}
	defer res.Body.Close()
	keepAlive()
	d.keepAlive = keepAlive
	continues := strings.HasPrefix(res.Header.Get("Content-Range"), fmt.Sprintf("bytes %d-", d.digest.n))
	switch {
	case res.StatusCode == http.StatusPartialContent && continues:
	case res.StatusCode == http.StatusOK: // the whole file, even if a range was requested
		if err := d.restart(); err != nil {
			return err
		}
	case res.StatusCode == http.StatusPartialContent, res.StatusCode == http.StatusRequestedRangeNotSatisfiable:
		// The next attempt requests the whole file.
		return errors.Join(d.networkErr(errors.New("server sent another range than requested")), d.restart())
	default:
		return d.statusError(res, d.f.Repo, d.f.Commit, d.f.Name)
	}
	if n := d.f.Size - d.digest.n; res.ContentLength >= 0 && res.ContentLength != n {
		// Such as a page of a proxy, which must not become part of the file.
		return &MismatchError{d.name(), fmt.Sprintf("server sent %d bytes, want %d", res.ContentLength, n)}
	}
	_, err = io.CopyN(io.MultiWriter(d.part, d.digest, d), res.Body, d.f.Size-d.digest.n)
	if _, ok := errors.AsType[*fs.PathError](err); ok || err == nil {
		return err
	}
	if errors.Is(err, io.EOF) {
		err = io.ErrUnexpectedEOF
	}
	return d.networkErr(err)
}

// Write reports the progress of the download. It implements io.Writer.
func (d *download) Write(p []byte) (int, error) {
	d.keepAlive()
	d.Watch.bytes(int64(len(p)))
	return len(p), nil
}

// listing requests the list of files of a repository at a revision.
func (r *remote) listing(ctx context.Context, repo, revision string) (*listing, error) {
	org, name, _ := strings.Cut(repo, "/")
	address := r.address("api", "models", org, name, "revision", revision) + "?blobs=true"
	var reply []byte
	// A listing is short, so the whole of it must arrive within the time for a stall.
	err := r.retry(ctx, repo, func(ctx context.Context, _ func()) error {
		res, err := r.send(ctx, address, nil)
		if err != nil {
			return err
		}
		defer res.Body.Close()
		if res.StatusCode != http.StatusOK {
			return r.statusError(res, repo, revision, "")
		}
		reply, err = io.ReadAll(io.LimitReader(res.Body, maxReplySize+1))
		if err != nil {
			return r.networkErr(err)
		}
		if len(reply) > maxReplySize {
			return fmt.Errorf("%s: response is larger than %d bytes", repo, maxReplySize)
		}
		return nil
	})
	if err != nil {
		return nil, err
	}
	return parseListing(repo, reply)
}

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
	d := newDigest(f.Size, f.hash)
	content, err := safefile.Open(f.path)
	if err == nil {
		defer content.Close()
		err = d.readFrom(ctx, content)
	}
	if pathErr, ok := errors.AsType[*fs.PathError](err); ok {
		err = pathErr.Err
	}
	switch {
	case ctx.Err() != nil:
		return "", context.Cause(ctx)
	case errors.Is(err, fs.ErrNotExist):
		return "missing", nil
	case err != nil:
		return err.Error(), nil
	}
	return d.check(), nil
}
