package dataset

import (
	"errors"
	"io"
	"os"

	"github.com/ragfaith/ragfaith/internal/safefile"
)

// input opens the file or standard input.
func (f *file) input() (io.Reader, error) {
	f.size = -1
	if f.path == stdinPath {
		if f.opts.Stdin == nil {
			return nil, errors.New("there is no standard input")
		}
		return f.opts.Stdin, nil
	}
	in, err := f.openPath()
	if pathErr, ok := errors.AsType[*os.PathError](err); ok {
		err = pathErr.Err
	}
	return in, err
}

func (f *file) openPath() (io.Reader, error) {
	info, err := os.Stat(f.path)
	switch {
	case err != nil:
		return nil, err
	case info.IsDir():
		return nil, errors.New("is a directory; a dataset that Hugging Face saved can be written as a file with to_parquet")
	case !info.Mode().IsRegular():
		open := f.opts.OpenPipe
		if open == nil {
			open = func(path string) (io.ReadCloser, error) { return os.Open(path) }
		}
		pipe, err := open(f.path)
		if err != nil {
			return nil, err
		}
		f.closer = pipe
		return pipe, nil
	}
	in, err := safefile.Open(f.path)
	if err != nil {
		return nil, err
	}
	f.closer = in
	if info, err = in.Stat(); err != nil {
		return nil, err
	}
	f.size, f.reopenable = info.Size(), true
	return in, nil
}

// A replayReader reads r and can return to the start as long as it records what it
// reads.
type replayReader struct {
	r         io.Reader
	recording bool
	recorded  []byte
	pos       int // of the next byte in recorded
}

func (r *replayReader) Read(p []byte) (int, error) {
	if r.pos < len(r.recorded) {
		n := copy(p, r.recorded[r.pos:])
		r.pos += n
		return n, nil
	}
	if !r.recording {
		r.recorded, r.pos = nil, 0
	}
	n, err := r.r.Read(p)
	if r.recording {
		r.recorded = append(r.recorded, p[:n]...)
		r.pos += n
	}
	return n, err
}

// A countingReader counts the bytes read from r.
type countingReader struct {
	r io.Reader
	n int64
}

func (c *countingReader) Read(p []byte) (int, error) {
	n, err := c.r.Read(p)
	c.n += int64(n)
	return n, err
}
