package dataset

import (
	"bufio"
	"errors"
	"fmt"
	"io"
)

// readAhead is the size of the buffers before the parsers. A file's format is
// judged within its first buffer.
const readAhead = 64 << 10

// lineKeep is the longest line whose buffer is used again for the next one.
const lineKeep = 1 << 20

// errTooLong is a record beyond Options.MaxRowBytes.
var errTooLong = errors.New("record is too long")

func tooLong(limit int) error {
	return fmt.Errorf("%w: the limit is %s", errTooLong, byteSize(limit))
}

func byteSize(n int) string {
	switch {
	case n >= 1<<20 && n%(1<<20) == 0:
		return fmt.Sprintf("%d MiB", n>>20)
	case n >= 1<<10 && n%(1<<10) == 0:
		return fmt.Sprintf("%d KiB", n>>10)
	}
	return fmt.Sprintf("%d bytes", n)
}

// A lineReader cuts a stream at line feeds.
type lineReader struct {
	r    *bufio.Reader
	long []byte // holds lines that do not fit into r
	max  int
	line int   // number of the line that next returned, from 1
	size int64 // bytes of all lines so far
}

// next returns the next line with its line feed, if it has one. The line is
// valid until the next call. A line beyond the limit is passed over and gives
// errTooLong with its beginning. A stream that breaks off within a line gives
// its error and not the piece.
func (l *lineReader) next() ([]byte, error) {
	if cap(l.long) > lineKeep {
		l.long = nil
	}
	l.long = l.long[:0]
	tooBig := false
	for first := true; ; first = false {
		piece, err := l.r.ReadSlice('\n')
		l.size += int64(len(piece))
		more := errors.Is(err, bufio.ErrBufferFull)
		switch {
		case err != nil && !more && err != io.EOF:
			return nil, err
		case first && len(piece) == 0:
			return nil, io.EOF
		case first:
			l.line++
		}
		if first && !more && len(piece) <= l.max {
			return piece, nil
		}
		if tooBig = tooBig || len(l.long)+len(piece) > l.max; !tooBig {
			l.long = append(l.long, piece...)
		} else if first {
			l.long = append(l.long, piece[:min(len(piece), l.max)]...)
		}
		if more {
			continue
		}
		if tooBig {
			return l.long, tooLong(l.max)
		}
		return l.long, nil
	}
}
