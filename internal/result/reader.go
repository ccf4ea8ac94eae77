package result

import (
	"bufio"
	"bytes"
	"errors"
	"fmt"
	"io"
	"iter"

	"github.com/ragfaith/ragfaith/internal/dataset"
)

const (
	// maxLineBytes is well above the default --max-row-bytes.
	maxLineBytes = 1 << 30
	readAhead    = 256 << 10
)

// A Reader reads JSONL. It buffers at most one line.
//
// Reading a row and writing it back yields identical bytes: scores are already rounded, and
// errors are kept as text.
type Reader struct {
	lines   dataset.LineReader
	decoder *Decoder
	line    []byte
}

// NewReader returns a Reader of r; check is as for [NewDecoder].
func NewReader(r io.Reader, check func(*Row) error) *Reader {
	return &Reader{lines: dataset.NewLineReader(bufio.NewReaderSize(r, readAhead), maxLineBytes), decoder: NewDecoder(check)}
}

// Next returns the next row, or io.EOF after the last one. It skips blank lines. The caller
// owns the returned row. Errors include the line number.
func (r *Reader) Next() (*Row, error) {
	for {
		line, err := r.lines.Next()
		if r.line = line; errors.Is(err, io.EOF) {
			return nil, io.EOF
		}
		var row *Row
		switch {
		case errors.Is(err, dataset.ErrTooLong):
			r.line, err = nil, fmt.Errorf("longer than %d MiB", maxLineBytes>>20)
		case err != nil:
		case len(bytes.Trim(line, " \t\r\n")) == 0:
			continue
		default:
			row, err = r.decoder.Decode(line)
		}
		if err != nil {
			return nil, fmt.Errorf("line %d: %w", r.lines.Number, err)
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
