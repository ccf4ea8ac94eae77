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

// wrappers returns the names of object members that can hold the array of rows.
func wrappers() []string { return []string{"data", "rows", "examples", "samples"} }

// A jsonReader reads the elements of an array one at a time.
type jsonReader struct {
	in       *lineTracker
	dec      *jsontext.Decoder
	object   objectReader
	consumed func(int64) int64
	wrapped  bool // array is a member of an object
	done     bool

	floats *bareFloatReader // set after the first Python float
	base   int64            // input offset of the start of dec
}

func newJSON(r *bufio.Reader, f *file, consumed func(int64) int64) (*jsonReader, error) {
	in := &lineTracker{r: r, max: int64(f.limit())}
	j := &jsonReader{
		in: in, consumed: consumed,
		// The objectReader checks names and texts, so that only their row fails.
		dec:    jsontext.NewDecoder(in, jsontext.AllowDuplicateNames(true), jsontext.AllowInvalidUTF8(true)),
		object: objectReader{columns: f.columns, warnings: f.warnings},
	}
	return j, j.start()
}

// start reads the input up to the first element.
func (j *jsonReader) start() error {
	tok, err := j.dec.ReadToken()
	if errors.Is(err, io.EOF) && j.in.err == nil {
		j.done = true
		return nil
	}
	if err != nil || tok.Kind() == '[' {
		return j.wrapError(err)
	}
	if tok.Kind() != '{' {
		return fmt.Errorf("want an array of objects, got %s", kindOf(tok.Kind()))
	}
	for j.dec.PeekKind() == '"' {
		tok, err := j.dec.ReadToken()
		if err != nil {
			return j.wrapError(err)
		}
		if slices.Contains(wrappers(), tok.String()) && j.dec.PeekKind() == '[' {
			j.wrapped = true
			_, err := j.dec.ReadToken()
			return j.wrapError(err)
		}
		if _, err := j.dec.ReadValue(); err != nil {
			return j.wrapError(err)
		}
		j.in.discard(j.dec.InputOffset())
	}
	if _, err := j.dec.ReadToken(); err != nil {
		return j.wrapError(err)
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
	if err != nil && j.allowFloats(err) {
		raw, err = j.dec.ReadValue()
	}
	if err != nil {
		return j.wrapError(err)
	}
	end := j.base + j.dec.InputOffset()
	if j.floats != nil {
		raw = j.floats.restore(raw, end)
	}
	row.Line = j.in.lineAt(end - int64(len(raw)))
	row.Offset = j.consumed(end)
	j.in.discard(end)
	if err := j.object.read(raw, row); err != nil {
		return rowError(row.Line, err)
	}
	return nil
}

// allowFloats replaces the decoder after a syntax error with one that accepts
// Python floats. The new decoder starts with the current element. allowFloats
// reports whether reading can continue.
func (j *jsonReader) allowFloats(err error) bool {
	_, syntactic := errors.AsType[*jsontext.SyntacticError](err)
	if j.floats != nil || j.in.err != nil || !syntactic || errors.Is(err, io.ErrUnexpectedEOF) {
		return false
	}
	offset := j.dec.InputOffset()
	rest := bytes.Clone(j.dec.UnreadBuffer())
	trimmed := bytes.TrimLeft(rest, " \t\r\n")
	if _, n := j.dec.StackIndex(j.dec.StackDepth()); n > 0 {
		var comma bool
		if trimmed, comma = bytes.CutPrefix(trimmed, []byte(",")); !comma {
			return false
		}
	}
	offset += int64(len(rest) - len(trimmed))
	prefix := "["
	if j.wrapped {
		prefix = `{"":[`
	}
	j.floats = &bareFloatReader{r: bufio.NewReaderSize(io.MultiReader(bytes.NewReader(trimmed), j.in), readAhead), offset: offset}
	j.base = offset - int64(len(prefix))
	j.dec = jsontext.NewDecoder(io.MultiReader(strings.NewReader(prefix), j.floats),
		jsontext.AllowDuplicateNames(true), jsontext.AllowInvalidUTF8(true))
	for j.dec.InputOffset() < int64(len(prefix)) {
		if _, err := j.dec.ReadToken(); err != nil {
			return false
		}
	}
	return true
}

// end reads the input after the array.
func (j *jsonReader) end() error {
	if _, err := j.dec.ReadToken(); err != nil {
		return j.wrapError(err)
	}
	for j.wrapped {
		if j.dec.PeekKind() == '}' {
			_, err := j.dec.ReadToken()
			if err != nil {
				return j.wrapError(err)
			}
			break
		}
		if _, err := j.dec.ReadValue(); err != nil {
			return j.wrapError(err)
		}
		j.in.discard(j.base + j.dec.InputOffset())
	}
	_, err := j.dec.ReadToken()
	switch {
	case errors.Is(err, io.EOF):
		return io.EOF
	case err == nil:
		return fmt.Errorf("line %d: text after the end of the array", j.in.lineAt(j.base+j.dec.InputOffset()-1))
	}
	return j.wrapError(err)
}

// wrapError adds the line to a syntax error.
func (j *jsonReader) wrapError(err error) error {
	if err == nil {
		return nil
	}
	if j.in.err != nil {
		return j.in.err
	}
	at := j.base + j.dec.InputOffset()
	if syntactic, ok := errors.AsType[*jsontext.SyntacticError](err); ok {
		at = j.base + syntactic.ByteOffset
		syntactic.ByteOffset = j.in.columnAt(at)
	}
	return fmt.Errorf("line %d: %w", j.in.lineAt(at), syntaxError(err))
}

func (j *jsonReader) close() {}

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
