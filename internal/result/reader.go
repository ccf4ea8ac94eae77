package result

import (
	"bufio"
	"bytes"
	"errors"
	"fmt"
	"io"
	"iter"
)

const (
	// maxLineBytes is well above the default --max-row-bytes.
	maxLineBytes = 1 << 30
	// maxReusedBuffer limits the buffer that is reused for the next line. Larger buffers are
	// not reused.
	maxReusedBuffer = 1 << 20
	readAhead       = 256 << 10
)

// A Reader reads JSONL. It buffers at most one line.
//
// Reading a row and writing it back yields identical bytes: scores are already rounded, and
// errors are kept as text.
type Reader struct {
	r       *bufio.Reader
	decoder *Decoder
	long    []byte // stores lines longer than the buffer of r
	line    []byte
	offset  int64 // end of line
	n       int
}

// NewReader returns a Reader of r that checks rows; check may be nil.
func NewReader(r io.Reader, check *Checker) *Reader {
	return &Reader{r: bufio.NewReaderSize(r, readAhead), decoder: NewDecoder(check)}
}

// Next returns the next row, or io.EOF after the last one. It skips blank lines. The caller
// owns the returned row. Errors include the line number.
func (r *Reader) Next() (*Row, error) {
	for {
		err := r.readLine()
		r.offset += int64(len(r.line))
		if errors.Is(err, io.EOF) {
			return nil, io.EOF
		}
		if err == nil && len(bytes.Trim(r.line, " \t\r\n")) == 0 {
			continue
		}
		var row *Row
		if err == nil {
			row, err = r.decoder.Decode(r.line)
		}
		if err != nil {
			return nil, fmt.Errorf("line %d: %w", r.n, err)
		}
		return row, nil
	}
}

// Rows iterates over the remaining rows and stops after the first error.
func (r *Reader) Rows() iter.Seq2[*Row, error] {
	return func(yield func(*Row, error) bool) {
		for {
			row, err := r.Next()
			if errors.Is(err, io.EOF) || !yield(row, err) || err != nil {
				return
			}
		}
	}
}

// Line returns the last line that Next read, including the line feed unless the
// file ends without one. It is nil at the end and if the line could not be read. It is
// valid until the next call to Next.
func (r *Reader) Line() []byte { return r.line }

// Offset returns the offset of the end of the last line that Next read.
func (r *Reader) Offset() int64 { return r.offset }

// readLine sets line to the next line.
func (r *Reader) readLine() error {
	if cap(r.long) > maxReusedBuffer {
		r.long = nil
	}
	r.long, r.line = r.long[:0], nil
	for {
		chunk, err := r.r.ReadSlice('\n')
		more := errors.Is(err, bufio.ErrBufferFull)
		last := errors.Is(err, io.EOF)
		if len(r.long) == 0 && len(chunk) > 0 {
			r.n++
		}
		switch {
		case err != nil && !more && !last:
			return err
		case last && len(r.long)+len(chunk) == 0:
			return io.EOF
		case len(r.long)+len(chunk) > maxLineBytes:
			return fmt.Errorf("longer than %d MiB", maxLineBytes>>20)
		case len(r.long) == 0 && !more:
			r.line = chunk
			return nil
		}
		r.long = append(r.long, chunk...)
		if !more {
			r.line = r.long
			return nil
		}
	}
}
