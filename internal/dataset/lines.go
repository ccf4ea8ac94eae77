package dataset

import (
	"bufio"
	"errors"
	"fmt"
	"io"
)

// readAhead is the size of the read buffers. Formats are detected from the
// content of the first buffer.
const readAhead = 64 << 10

// maxReused limits the size of buffers that are reused for the next record.
const maxReused = 1 << 20

// ErrTooLong reports a record larger than Options.MaxRowBytes, or a line larger than the
// limit of a LineReader.
var ErrTooLong = errors.New("record is too long")

func tooLong(limit int) error {
	return fmt.Errorf("%w: the limit is %s", ErrTooLong, formatBytes(limit))
}

func formatBytes(n int) string {
	switch {
	case n >= 1<<20 && n%(1<<20) == 0:
		return fmt.Sprintf("%d MiB", n>>20)
	case n >= 1<<10 && n%(1<<10) == 0:
		return fmt.Sprintf("%d KiB", n>>10)
	}
	return fmt.Sprintf("%d bytes", n)
}

// A LineReader splits a stream into lines.
type LineReader struct {
	Number int   // one-based number of the last line
	Offset int64 // offset of the end of the last line

	r    *bufio.Reader
	max  int
	long []byte // buffer for lines that exceed the buffer of r
}

// NewLineReader returns a LineReader of r for lines of at most limit bytes.
func NewLineReader(r *bufio.Reader, limit int) LineReader { return LineReader{r: r, max: limit} }

// Next returns the next line, including its line feed if present. The line is valid
// until the next call. If a line exceeds the limit, Next returns its beginning and
// [ErrTooLong]. If the stream fails within a line, it returns only the error.
func (l *LineReader) Next() ([]byte, error) {
	if cap(l.long) > maxReused {
		l.long = nil
	}
	l.long = l.long[:0]
	exceeded := false
	for first := true; ; first = false {
		piece, err := l.r.ReadSlice('\n')
		l.Offset += int64(len(piece))
		more := errors.Is(err, bufio.ErrBufferFull)
		if first && len(piece) > 0 {
			l.Number++
		}
		switch {
		case err != nil && !more && err != io.EOF:
			return nil, err
		case first && len(piece) == 0:
			return nil, io.EOF
		case first && !more && len(piece) <= l.max:
			return piece, nil
		}
		if exceeded = exceeded || len(l.long)+len(piece) > l.max; !exceeded {
			l.long = append(l.long, piece...)
		} else if first {
			l.long = append(l.long, piece[:min(len(piece), l.max)]...)
		}
		if more {
			continue
		}
		if exceeded {
			return l.long, tooLong(l.max)
		}
		return l.long, nil
	}
}
