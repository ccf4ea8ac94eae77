package dataset

import (
	"bufio"
	"bytes"
	"errors"
	"fmt"
	"io"
	"slices"

	"github.com/go-json-experiment/json/jsontext"
)

// A jsonReader reads the elements of an array one at a time, or objects that
// follow each other.
type jsonReader struct {
	in       *lineTracker
	dec      *jsontext.Decoder
	object   objectReader
	consumed func(int64) int64
	stream   bool // objects without an array
	done     bool
	inside   bool // within the array
	element  int  // index of the next element

	first     []byte // object of a stream that has been read already, or nil
	firstLine int

	floats *bareFloatReader // input of dec
}

// newJSON returns a reader of an array or of objects that follow each other, or of a document
// if there is one object.
func newJSON(r *bufio.Reader, f *file, consumed func(int64) int64) (recordReader, error) {
	in := &lineTracker{r: r, max: int64(f.limit())}
	floats := &bareFloatReader{r: bufio.NewReaderSize(in, readAhead)}
	j := &jsonReader{
		in: in, consumed: consumed, floats: floats, dec: newLenientDecoder(floats),
		object: objectReader{fileColumns: f.fileColumns},
	}
	if err := j.start(); err != nil {
		return nil, j.wrapError(err)
	}
	if j.stream && j.dec.PeekKind() == 0 && j.in.err == nil {
		return newDocument(j.first, f)
	}
	return j, nil
}

// newLenientDecoder accepts names and texts that objectReader rejects, so that
// only their row fails.
func newLenientDecoder(r io.Reader) *jsontext.Decoder {
	return jsontext.NewDecoder(r, jsontext.AllowDuplicateNames(true), jsontext.AllowInvalidUTF8(true))
}

// start reads the input up to the first element, or the first object.
func (j *jsonReader) start() error {
	if j.dec.PeekKind() == '{' {
		raw, err := j.dec.ReadValue()
		if err != nil {
			return err
		}
		end := j.dec.InputOffset()
		j.firstLine = j.in.lineAt(end - int64(len(raw)))
		j.stream, j.first = true, j.floats.restore(raw, end)
		j.in.discard(end)
		return nil
	}
	tok, err := j.dec.ReadToken()
	switch {
	case errors.Is(err, io.EOF) && j.in.err == nil:
		j.done = true
		return nil
	case err != nil:
		return err
	case tok.Kind() == '[':
		j.inside = true
		return nil
	case tok.Kind() == '"' && startsWithJSON(tok.String()):
		return errors.New("want an array of objects, got a string that contains JSON: convert it with: jq -r . FILE")
	}
	return fmt.Errorf("want an array of objects, got %s", kindOf(tok.Kind()))
}

func (j *jsonReader) next(row *Row) error {
	switch {
	case j.done:
		return io.EOF
	case j.first != nil:
		raw := j.first
		j.first = nil
		row.Line, row.Offset = j.firstLine, j.consumed(j.dec.InputOffset())
		return j.read(raw, row)
	}
	for !j.stream && j.dec.PeekKind() == ']' {
		j.inside = false
		if err := j.end(); err != nil {
			j.done = true
			return j.wrapError(err)
		}
		j.in.discard(j.dec.InputOffset())
	}
	raw, err := j.dec.ReadValue()
	if j.stream && errors.Is(err, io.EOF) && j.in.err == nil {
		return io.EOF
	}
	if err != nil {
		return j.wrapError(err)
	}
	end := j.dec.InputOffset()
	raw = j.floats.restore(raw, end)
	row.Line = j.in.lineAt(end - int64(len(raw)))
	row.Offset = j.consumed(end)
	j.in.discard(end)
	return j.read(raw, row)
}

// read sets row from an object.
func (j *jsonReader) read(raw []byte, row *Row) error {
	err := j.object.read(raw, row)
	if err != nil && !j.stream {
		err = fmt.Errorf("element %d: %w", j.element, err)
	}
	j.element++
	return rowError(row.Line, err)
}

// end reads the input after the array, up to the first element of another array.
func (j *jsonReader) end() error {
	if _, err := j.dec.ReadToken(); err != nil {
		return err
	}
	tok, err := j.dec.ReadToken()
	if j.inside = err == nil && tok.Kind() == '['; j.inside {
		return nil
	}
	if err == nil {
		return fmt.Errorf("line %d: text after the end of the array", j.in.lineAt(j.dec.InputOffset()-1))
	}
	return err
}

// wrapError adds the line and the element to a syntax error.
func (j *jsonReader) wrapError(err error) error {
	if err != nil && j.in.err != nil {
		return j.in.err
	}
	syntactic, ok := errors.AsType[*jsontext.SyntacticError](err)
	if !ok {
		return err
	}
	at := syntactic.ByteOffset
	syntactic.ByteOffset = j.in.columnAt(at)
	element := ""
	if j.inside {
		element = fmt.Sprintf("element %d: ", j.element)
	}
	return fmt.Errorf("line %d: %s%w", j.in.lineAt(at), element, syntaxError(err))
}

func (j *jsonReader) record() (*value, error) { return j.object.record() }

// columnNames returns the names in the current record.
func (j *jsonReader) columnNames() []string { return j.object.names() }

// A lineTracker maps offsets in its input to lines. It retains only lines after
// the last discarded offset. Reading fails if more than max bytes are read
// without a discard.
type lineTracker struct {
	r         io.Reader
	max       int64
	read      int64
	discarded int64
	line      int     // number of lines before discarded
	lineStart int64   // offset of the line that contains discarded
	feeds     []int64 // offsets of the line feeds after discarded
	err       error
}

func (t *lineTracker) Read(p []byte) (int, error) {
	if t.read-t.discarded > t.max+readAhead {
		t.err = tooLong(int(t.max))
		return 0, t.err
	}
	n, err := t.r.Read(p)
	for i := 0; i < n; i++ {
		k := bytes.IndexByte(p[i:n], '\n')
		if k < 0 {
			break
		}
		i += k
		t.feeds = append(t.feeds, t.read+int64(i))
	}
	t.read += int64(n)
	if err != nil && !errors.Is(err, io.EOF) {
		t.err = err
	}
	return n, err
}

// before returns the number of line feeds before an offset.
func (t *lineTracker) before(at int64) int {
	n, _ := slices.BinarySearch(t.feeds, at)
	return n
}

// lineAt returns the one-based line of an offset.
func (t *lineTracker) lineAt(at int64) int { return t.line + t.before(at) + 1 }

// columnAt returns the zero-based position of an offset within its line.
func (t *lineTracker) columnAt(at int64) int64 {
	if n := t.before(at); n > 0 {
		return at - t.feeds[n-1] - 1
	}
	return at - t.lineStart
}

// discard drops the lines before an offset.
func (t *lineTracker) discard(at int64) {
	n := t.before(at)
	if n > 0 {
		t.lineStart = t.feeds[n-1] + 1
	}
	t.line += n
	t.feeds = append(t.feeds[:0], t.feeds[n:]...)
	t.discarded = at
}
