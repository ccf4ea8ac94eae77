package report

import (
	"bufio"
	"errors"
	"fmt"
	"io"
	"iter"

	"github.com/ragfaith/ragfaith/internal/eval"
)

const (
	// maxResultBytes is the longest line that is read: far more than a row of
	// the default --max-row-bytes makes.
	maxResultBytes = 1 << 30
	// keepResultBytes is the longest line whose room is used again.
	keepResultBytes = 1 << 20
)

// ReadJSONL reads results as FormatJSONL writes them, a line at a time: what is
// read and written again is the same bytes. A number was rounded when it was
// written, and NaN became null; otherwise a Result comes back as it was, but
// for where its row lay in the dataset, and with its error as a text. Empty
// lines are passed over. The first error, which names its line, is the last
// thing that is yielded. A Result belongs to the caller.
func ReadJSONL(r io.Reader) iter.Seq2[*eval.Result, error] {
	return func(yield func(*eval.Result, error) bool) {
		lines := NewResultReader(r)
		for {
			result, err := lines.Next()
			if errors.Is(err, io.EOF) || !yield(result, err) || err != nil {
				return
			}
		}
	}
}

// A ResultReader reads JSONL results and hands out the lines as well. Its
// memory is that of the longest line.
type ResultReader struct {
	r      *bufio.Reader
	parser ResultParser
	own    bool   // written by this process, so that nothing has to be checked
	long   []byte // holds lines that do not fit into r
	line   []byte
	n      int
}

// NewResultReader returns a reader of the results in r.
func NewResultReader(r io.Reader) *ResultReader {
	const ahead = 256 << 10
	return &ResultReader{r: bufio.NewReaderSize(r, ahead)}
}

// Next returns the next result, or io.EOF alone when there are no more.
func (r *ResultReader) Next() (*eval.Result, error) {
	for {
		err := r.next()
		if errors.Is(err, io.EOF) {
			return nil, io.EOF
		}
		if err != nil {
			return nil, r.fault(err)
		}
		if blank(r.line) {
			continue
		}
		result, err := r.parse()
		if err != nil {
			return nil, r.fault(err)
		}
		return result, nil
	}
}

func (r *ResultReader) parse() (*eval.Result, error) {
	if !r.own {
		return r.parser.Parse(r.line)
	}
	result, _, err := r.parser.parse(r.line)
	return result, err
}

// Expect sets what is known of the run, as [ResultParser.Expect] does.
func (r *ResultReader) Expect(get func(name string) string) { r.parser.Expect(get) }

// Line returns what Next has read last, with its line feed unless the file
// ends without one. It is valid until Next is called again.
func (r *ResultReader) Line() []byte { return r.line }

func (r *ResultReader) fault(err error) error {
	return fmt.Errorf("line %d: %w", r.n, err)
}

// next finds the next line.
func (r *ResultReader) next() error {
	if cap(r.long) > keepResultBytes {
		r.long = nil
	}
	r.long, r.line = r.long[:0], nil
	for {
		piece, err := r.r.ReadSlice('\n')
		more := errors.Is(err, bufio.ErrBufferFull)
		last := errors.Is(err, io.EOF)
		if len(r.long) == 0 && len(piece) > 0 {
			r.n++
		}
		switch {
		case err != nil && !more && !last:
			return err
		case last && len(r.long)+len(piece) == 0:
			return io.EOF
		case len(r.long)+len(piece) > maxResultBytes:
			return fmt.Errorf("longer than %d MiB", maxResultBytes>>20)
		case len(r.long) == 0 && !more:
			r.line = piece
			return nil
		}
		r.long = append(r.long, piece...)
		if !more {
			r.line = r.long
			return nil
		}
	}
}

func blank(line []byte) bool {
	for _, c := range line {
		if c != ' ' && c != '\t' && c != '\r' && c != '\n' {
			return false
		}
	}
	return true
}
