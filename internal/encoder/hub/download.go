package hub

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"net/http"
	"os"
	"path/filepath"
	"strings"

	"github.com/ragfaith/ragfaith/internal/safefile"
)

// A MismatchError reports a file that does not match the metadata of the hub.
type MismatchError struct{ File, Reason string }

func (e *MismatchError) Error() string { return e.File + ": " + e.Reason }

// A download is the state of a file download.
type download struct {
	*remote
	f       remoteFile
	path    string // destination
	part    *os.File
	digest  *digest
	resumed bool // part contains data from an earlier run
	corrupt bool // part must be discarded
}

// name names the file in errors.
func (d *download) name() string { return d.f.Repo + ": " + d.f.Name }

// fetch downloads and verifies a file and then moves it to path. It resumes the
// download of an earlier run, or of older Hugging Face libraries, from path.incomplete.
func (r *remote) fetch(ctx context.Context, f remoteFile, path string) error {
	d := &download{remote: r, f: f, path: path}
	if err := os.MkdirAll(filepath.Dir(path), 0o777); err != nil {
		return d.diskError(err)
	}
	part, err := safefile.OpenFile(path+incompleteSuffix, os.O_RDWR|os.O_CREATE, 0o666)
	if err != nil {
		return d.diskError(err)
	}
	defer part.Close()
	d.part = part
	if err := d.resume(ctx); err != nil {
		return err
	}
	for {
		err := r.retry(ctx, d.name(), d.attempt)
		if err != nil {
			d.discardCorrupt()
			return err
		}
		reason := d.digest.check()
		if reason == "" {
			return d.finish()
		}
		if !d.resumed {
			d.corrupt = true
			d.discardCorrupt()
			return &MismatchError{d.name(), reason}
		}
		// The data from the earlier run may be damaged, for example by a power
		// failure.
		if err := d.restart(); err != nil {
			return err
		}
	}
}

// resume computes the digest of the existing part, if any.
func (d *download) resume(ctx context.Context) error {
	d.digest = newDigest(d.f.Size, d.f.hash())
	info, err := d.part.Stat()
	if err != nil {
		return d.diskError(err)
	}
	if info.Size() > d.f.Size {
		return d.restart()
	}
	d.resumed = info.Size() > 0
	err = d.digest.readFrom(ctx, d.part, d.Watch.bytes)
	if ctx.Err() != nil {
		return err
	}
	return d.diskError(err)
}

// restart discards the existing part.
func (d *download) restart() error {
	d.Watch.bytes(-d.digest.n)
	d.digest, d.resumed = newDigest(d.f.Size, d.f.hash()), false
	err := d.part.Truncate(0)
	if err == nil {
		_, err = d.part.Seek(0, io.SeekStart)
	}
	return d.diskError(err)
}

// finish moves the complete part to its destination.
func (d *download) finish() error {
	err := cmp.Or(d.part.Sync(), d.part.Close())
	if err == nil {
		err = safefile.Rename(d.path+incompleteSuffix, d.path)
	}
	return d.diskError(err)
}

// discardCorrupt removes the part if it is corrupt.
func (d *download) discardCorrupt() {
	if d.corrupt {
		d.Watch.bytes(-d.digest.n)
		_ = d.part.Close()
		_ = os.Remove(d.path + incompleteSuffix)
	}
}

// diskError adds context to a file system error. It returns nil if err is nil.
func (d *download) diskError(err error) error {
	if err == nil {
		return nil
	}
	if e, ok := errors.AsType[*fs.PathError](err); ok {
		return fmt.Errorf("%s: %w", e.Path, e.Err)
	}
	return fmt.Errorf("%s: %w", d.path, err)
}

// attempt requests the missing data and appends it to the part.
func (d *download) attempt(ctx context.Context, keepAlive func()) (bool, error) {
	if d.digest.n == d.f.Size {
		return false, nil
	}
	header := make(http.Header)
	if d.digest.n > 0 {
		header.Set("Range", fmt.Sprintf("bytes=%d-", d.digest.n))
	}
	res, err := d.send(ctx, d.fileAddress(d.f), header)
	if err != nil {
		return false, err
	}
	defer res.Body.Close()
	keepAlive()
	if err := d.checkResponse(res); err != nil {
		return false, err
	}
	start := d.digest.n
	err = d.copy(res.Body, keepAlive)
	return d.digest.n-start >= progressBytes, err
}

// checkResponse validates the status and headers of a response. It discards the
// existing part if the response is not its continuation.
func (d *download) checkResponse(res *http.Response) error {
	length := d.f.Size
	switch res.StatusCode {
	case http.StatusPartialContent:
		if !strings.HasPrefix(res.Header.Get("Content-Range"), fmt.Sprintf("bytes %d-", d.digest.n)) {
			// The next attempt requests the whole file.
			if err := d.restart(); err != nil {
				return err
			}
			return d.networkErr(errors.New("server sent another range than requested"))
		}
		length -= d.digest.n
	case http.StatusOK: // the whole file, even if a range was requested
	default:
		if res.StatusCode == http.StatusRequestedRangeNotSatisfiable {
			if err := d.restart(); err != nil {
				return err
			}
		}
		return d.statusError(res, d.f.Repo, d.f.Commit, d.f.Name)
	}
	if res.ContentLength >= 0 && res.ContentLength != length {
		return &MismatchError{d.name(), fmt.Sprintf("server sent %d bytes, want %d", res.ContentLength, length)}
	}
	if res.StatusCode == http.StatusOK && d.digest.n > 0 {
		return d.restart()
	}
	return nil
}

// copy appends the body of a response to the part, up to the expected size.
func (d *download) copy(body io.Reader, keepAlive func()) error {
	buf := make([]byte, 128<<10)
	for {
		n, err := body.Read(buf)
		if n > 0 {
			keepAlive()
			if int64(n) > d.f.Size-d.digest.n {
				d.corrupt = true
				return &MismatchError{d.name(), fmt.Sprintf("server sent more than %d bytes", d.f.Size)}
			}
			if _, err := d.part.Write(buf[:n]); err != nil {
				return d.diskError(err)
			}
			_, _ = d.digest.Write(buf[:n])
			d.Watch.bytes(int64(n))
		}
		switch {
		case err == io.EOF && d.digest.n == d.f.Size:
			return nil
		case err == io.EOF:
			return d.networkErr(io.ErrUnexpectedEOF)
		case err != nil:
			return d.networkErr(err)
		}
	}
}
