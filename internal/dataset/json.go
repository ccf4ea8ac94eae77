package dataset

import (
	"bufio"
	"bytes"
	"errors"
	"fmt"
	"io"
	"slices"
	"strings"

	"github.com/go-json-experiment/json/jsontext"
)

// wrappers returns the members under which an object holds its rows.
func wrappers() []string { return []string{"data", "rows", "examples", "samples"} }

// A jsonReader reads the elements of one array, one at a time.
type jsonReader struct {
	in      *lineCounter
	dec     *jsontext.Decoder
	object  objectReader
	count   func(int64) int64
	wrapped bool // the array is the member of an object
	done    bool
}

func newJSON(r *bufio.Reader, s *source, count func(int64) int64) (*jsonReader, error) {
	in := &lineCounter{r: r, max: int64(s.limit())}
	j := &jsonReader{
		in: in, count: count,
		// The rows are checked one by one; here names and texts may be wrong.
		dec:    jsontext.NewDecoder(in, jsontext.AllowDuplicateNames(true), jsontext.AllowInvalidUTF8(true)),
		object: objectReader{b: s.b, note: s.note},
	}
	return j, j.begin()
}

// begin reads up to the first element.
func (j *jsonReader) begin() error {
	tok, err := j.dec.ReadToken()
	if errors.Is(err, io.EOF) && j.in.err == nil {
		j.done = true
		return nil
	}
	if err != nil || tok.Kind() == '[' {
		return j.fault(err)
	}
	if tok.Kind() != '{' {
		return fmt.Errorf("want an array of objects, got %s", kindOf(tok.Kind()))
	}
	for j.dec.PeekKind() == '"' {
		tok, err := j.dec.ReadToken()
		if err != nil {
			return j.fault(err)
		}
		if slices.Contains(wrappers(), tok.String()) && j.dec.PeekKind() == '[' {
			j.wrapped = true
			_, err := j.dec.ReadToken()
			return j.fault(err)
		}
		if _, err := j.dec.ReadValue(); err != nil {
			return j.fault(err)
		}
		j.in.pass(j.dec.InputOffset())
	}
	if _, err := j.dec.ReadToken(); err != nil {
		return j.fault(err)
	}
	return fmt.Errorf("want an array of objects, or an object with one under %s; one object a line is --input-format jsonl",
		strings.Join(wrappers(), ", "))
}

func (j *jsonReader) next(row *Row) error {
	switch {
	case j.done:
		return io.EOF
	case j.dec.PeekKind() == ']':
		j.done = true
		return j.end()
	}
	raw, err := j.dec.ReadValue()
	if err != nil {
		return j.fault(err)
	}
	end := j.dec.InputOffset()
	row.Line = j.in.lineAt(end - int64(len(raw)))
	row.Offset = j.count(end)
	j.in.pass(end)
	if err := j.object.read(raw, row); err != nil {
		return rowError(row.Line, err)
	}
	return nil
}

// end reads what follows the array.
func (j *jsonReader) end() error {
	if _, err := j.dec.ReadToken(); err != nil {
		return j.fault(err)
	}
	for j.wrapped {
		if j.dec.PeekKind() == '}' {
			_, err := j.dec.ReadToken()
			if err != nil {
				return j.fault(err)
			}
			break
		}
		if _, err := j.dec.ReadValue(); err != nil {
			return j.fault(err)
		}
		j.in.pass(j.dec.InputOffset())
	}
	_, err := j.dec.ReadToken()
	switch {
	case errors.Is(err, io.EOF):
		return io.EOF
	case err == nil:
		return fmt.Errorf("line %d: text after the end of the array", j.in.lineAt(j.dec.InputOffset()-1))
	}
	return j.fault(err)
}

// fault says on which line reading ended.
func (j *jsonReader) fault(err error) error {
	if err == nil {
		return nil
	}
	if j.in.err != nil {
		return j.in.err
	}
	at := j.dec.InputOffset()
	var s *jsontext.SyntacticError
	if errors.As(err, &s) {
		at = s.ByteOffset
		s.ByteOffset = j.in.columnAt(at)
	}
	return fmt.Errorf("line %d: %w", j.in.lineAt(at), syntaxError(err))
}

func (j *jsonReader) close() {}

// A lineCounter remembers where the lines begin that were read but not yet
// passed. It ends the reading where max bytes were read and none was passed.
type lineCounter struct {
	r      io.Reader
	max    int64
	read   int64
	passed int64
	line   int     // lines before passed
	breaks []int64 // line feeds from passed on
	start  int64   // of the line that passed is in
	err    error
}

func (l *lineCounter) Read(p []byte) (int, error) {
	if l.read-l.passed > l.max+readAhead {
		l.err = tooLong(int(l.max))
		return 0, l.err
	}
	n, err := l.r.Read(p)
	for i := 0; i < n; i++ {
		k := bytes.IndexByte(p[i:n], '\n')
		if k < 0 {
			break
		}
		i += k
		l.breaks = append(l.breaks, l.read+int64(i))
	}
	l.read += int64(n)
	if err != nil && !errors.Is(err, io.EOF) {
		l.err = err
	}
	return n, err
}

// before returns how many of the line feeds lie before the offset.
func (l *lineCounter) before(at int64) int {
	n, _ := slices.BinarySearch(l.breaks, at)
	return n
}

// lineAt returns the line of an offset that is not passed, from 1.
func (l *lineCounter) lineAt(at int64) int { return l.line + l.before(at) + 1 }

// columnAt returns how far into its line an offset lies, from 0.
func (l *lineCounter) columnAt(at int64) int64 {
	if n := l.before(at); n > 0 {
		return at - l.breaks[n-1] - 1
	}
	return at - l.start
}

// pass forgets what lies before the offset.
func (l *lineCounter) pass(at int64) {
	n := l.before(at)
	if n > 0 {
		l.start = l.breaks[n-1] + 1
	}
	l.line += n
	l.breaks = append(l.breaks[:0], l.breaks[n:]...)
	l.passed = at
}
