package hub

import (
	"context"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"net/http"
	"os"
	"path/filepath"
	"strconv"
	"strings"

	"github.com/ragfaith/ragfaith/internal/safefile"
)

// partSuffix ends the name of a file that is not complete.
const partSuffix = ".part"

// A WrongError is a file whose content is not what the hub says it is.
type WrongError struct{ File, Reason string }

// Error names the file.
func (e *WrongError) Error() string { return e.File + ": " + e.Reason }

// A download is a file on its way.
type download struct {
	*remote
	f         source
	path      string // where it will be
	part      *os.File
	digest    *digest
	inherited bool   // it began with what an earlier run left
	broken    bool   // what there is of it is of no use
	etag      string // of what was got so far, from the same place; empty where unknown
}

// fetch puts a file at path, which appears when it is complete and checked.
// What an earlier run left of it in path.part is taken over. It returns the
// file's SHA-256.
func (r *remote) fetch(ctx context.Context, f source, path string) (string, error) {
	if f.Size < 0 {
		return "", fmt.Errorf("%s: %s: the server does not say how long it is", f.Repo, f.Name)
	}
	d := &download{remote: r, f: f, path: path}
	if err := os.MkdirAll(filepath.Dir(path), 0o755); err != nil {
		return "", d.disk(err)
	}
	part, err := safefile.OpenFile(path+partSuffix, os.O_RDWR|os.O_CREATE, 0o644)
	if err != nil {
		return "", d.disk(err)
	}
	defer part.Close()
	d.part = part
	if err := d.takeOver(ctx); err != nil {
		return "", err
	}
	for {
		err := r.retrying(ctx, f.Repo+": "+f.Name, d.try)
		if err != nil {
			d.removeBroken()
			return "", err
		}
		reason := d.digest.check(d.f.SHA256, d.f.Blob)
		if reason == "" {
			return d.digest.SHA256(), d.finish()
		}
		if !d.inherited {
			d.broken = true
			d.removeBroken()
			return "", &WrongError{f.Repo + ": " + f.Name, reason}
		}
		// What was left may have been damaged, as by a power cut.
		if err := d.restart(); err != nil {
			return "", err
		}
	}
}

// takeOver begins with what is there.
func (d *download) takeOver(ctx context.Context) error {
	d.digest = newDigest(d.f.Size, d.f.SHA256 == "")
	info, err := d.part.Stat()
	if err != nil {
		return d.disk(err)
	}
	if info.Size() > d.f.Size {
		return d.restart()
	}
	d.inherited = info.Size() > 0
	if err := d.digest.readFrom(ctx, d.part, d.Watch.bytes); err != nil {
		if ctx.Err() != nil {
			return err
		}
		return d.disk(err)
	}
	return nil
}

// restart throws away what there is.
func (d *download) restart() error {
	d.Watch.bytes(-d.digest.n)
	d.digest, d.inherited, d.etag = newDigest(d.f.Size, d.f.SHA256 == ""), false, ""
	err := d.part.Truncate(0)
	if err == nil {
		_, err = d.part.Seek(0, io.SeekStart)
	}
	return d.disk(err)
}

// finish makes the file appear.
func (d *download) finish() error {
	err := d.part.Sync()
	if closeErr := d.part.Close(); err == nil {
		err = closeErr
	}
	if err == nil {
		err = os.Rename(d.path+partSuffix, d.path)
	}
	return d.disk(err)
}

// removeBroken removes the part where its content is of no use.
func (d *download) removeBroken() {
	if d.broken {
		d.Watch.bytes(-d.digest.n)
		_ = d.part.Close()
		_ = os.Remove(d.path + partSuffix)
	}
}

// disk is the error of writing to the disk, nil for none.
func (d *download) disk(err error) error {
	if err == nil {
		return nil
	}
	if isFull(err) {
		return fmt.Errorf("%s: the disk of %s is full: %d more bytes are needed: %w",
			d.f.Name, d.Store.Dir, d.f.Size-d.digest.n, err)
	}
	if e, ok := errors.AsType[*fs.PathError](err); ok {
		return fmt.Errorf("%s: %w", e.Path, e.Err)
	}
	return fmt.Errorf("%s: %w", d.path, err)
}

// try asks for what is missing, and takes what comes.
func (d *download) try(ctx context.Context, alive func()) (bool, error) {
	if d.digest.n == d.f.Size && d.f.SHA256+d.f.Blob != "" {
		return false, nil
	}
	org, repo, _ := strings.Cut(d.f.Repo, "/")
	elements := append([]string{org, repo, "resolve", d.f.Commit}, strings.Split(d.f.Name, "/")...)
	header := make(http.Header)
	if d.digest.n > 0 {
		header.Set("Range", fmt.Sprintf("bytes=%d-", d.digest.n))
		if d.etag != "" {
			header.Set("If-Range", d.etag)
		}
	}
	res, err := d.get(ctx, d.address("", elements...), header)
	if err != nil {
		return false, err
	}
	defer res.Body.Close()
	alive()
	if err := d.accept(res); err != nil {
		return false, err
	}
	began := d.digest.n
	err = d.copy(res.Body, alive)
	return d.digest.n-began >= enough, err
}

// accept looks at the head of a reply, and gets ready for its body.
func (d *download) accept(res *http.Response) error {
	name := d.f.Repo + ": " + d.f.Name
	if err := d.identify(res); err != nil {
		return err
	}
	length := d.f.Size
	switch res.StatusCode {
	case http.StatusPartialContent:
		at, total, ok := contentRange(res.Header.Get("Content-Range"))
		if !ok || at != d.digest.n || total >= 0 && total != d.f.Size {
			// Not what was asked for: the next try asks for all of it.
			if err := d.restart(); err != nil {
				return err
			}
			return d.network(errors.New("it sent another part of the file than was asked for"))
		}
		length -= at
	case http.StatusOK: // all of it, even if a part was asked for
	case http.StatusRequestedRangeNotSatisfiable:
		if err := d.restart(); err != nil {
			return err
		}
		return d.refused(res, d.f.Repo, d.f.Commit, d.f.Name)
	default:
		return d.refused(res, d.f.Repo, d.f.Commit, d.f.Name)
	}
	if res.ContentLength >= 0 && res.ContentLength != length {
		return &WrongError{name, fmt.Sprintf("the server sends %d bytes, want %d", res.ContentLength, length)}
	}
	if res.StatusCode == http.StatusOK && d.digest.n > 0 {
		if err := d.restart(); err != nil {
			return err
		}
	}
	if etag := res.Header.Get("ETag"); strings.HasPrefix(etag, `"`) { // a weak one promises nothing of the bytes
		d.etag = etag
	}
	return nil
}

// identify holds what the hub says of the file, on the way to where it lies,
// against what it should be. Where the listing gave no checksum, it is the
// hub's ETag.
func (d *download) identify(res *http.Response) error {
	name := d.f.Repo + ": " + d.f.Name
	for r := res; r != nil; r = r.Request.Response {
		if r.Request.URL.Host != d.base.Host || r.StatusCode >= 400 {
			continue
		}
		if c := r.Header.Get("X-Repo-Commit"); c != "" && c != d.f.Commit {
			return &WrongError{name, fmt.Sprintf("the server sends it of commit %.40q, want %s", c, d.f.Commit)}
		}
		linked, etag := plainTag(r.Header.Get("X-Linked-Etag")), plainTag(r.Header.Get("ETag"))
		if isHash(linked, sha256Digits) && d.f.SHA256 != "" && linked != d.f.SHA256 {
			return &WrongError{name, fmt.Sprintf("the server has one with the SHA-256 %s, want %s", linked, d.f.SHA256)}
		}
		if d.f.SHA256+d.f.Blob != "" {
			continue
		}
		for _, tag := range []string{linked, etag} {
			switch {
			case isHash(tag, sha256Digits):
				d.f.SHA256 = tag
			case isHash(tag, sha1Digits):
				d.f.Blob = tag
			}
		}
	}
	if d.f.SHA256+d.f.Blob == "" && res.StatusCode < 300 {
		return fmt.Errorf("%s: the server gives no checksum", name)
	}
	return nil
}

// plainTag is an ETag without its quotes.
func plainTag(tag string) string { return strings.Trim(strings.TrimPrefix(tag, "W/"), `"`) }

// contentRange reads "bytes 5-9/10"; total is -1 where it is not told.
func contentRange(v string) (at, total int64, ok bool) {
	v, ok = strings.CutPrefix(v, "bytes ")
	span, whole, cut := strings.Cut(v, "/")
	first, _, dash := strings.Cut(span, "-")
	at, err := strconv.ParseInt(first, 10, 64)
	if !ok || !cut || !dash || err != nil {
		return 0, 0, false
	}
	if whole == "*" {
		return at, -1, true
	}
	total, err = strconv.ParseInt(whole, 10, 64)
	return at, total, err == nil
}

// copy takes the body of a reply to the disk, and no byte more than there should
// be.
func (d *download) copy(body io.Reader, alive func()) error {
	buf := make([]byte, 128<<10)
	for {
		n, err := body.Read(buf)
		if n > 0 {
			alive()
			if int64(n) > d.f.Size-d.digest.n {
				d.broken = true
				return &WrongError{d.f.Repo + ": " + d.f.Name, fmt.Sprintf("the server sends more than %d bytes", d.f.Size)}
			}
			if _, err := d.write(buf[:n]); err != nil {
				return d.disk(err)
			}
			_, _ = d.digest.Write(buf[:n])
			d.Watch.bytes(int64(n))
		}
		if err == io.EOF { //nolint:errorlint // Read returns it as it is
			err = nil
			if d.digest.n < d.f.Size {
				err = d.network(io.ErrUnexpectedEOF)
			}
			return err
		}
		if err != nil {
			return d.network(err)
		}
	}
}

// write appends p to the part.
func (d *download) write(p []byte) (int, error) {
	if d.writing != nil {
		return d.writing(d.part, p)
	}
	return d.part.Write(p)
}
