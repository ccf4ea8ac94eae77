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
	"golang.org/x/text/transform"

	"github.com/ragfaith/ragfaith/internal/dataset/shape"
)

// wrappers returns the names of object members that can hold the array of rows.
func wrappers() []string {
	return []string{"data", "rows", "examples", "samples", "results", "items", "records", "test_cases", "testCases", "goldens", "runs", "traces"}
}

// A jsonReader reads the elements of an array one at a time, or objects that follow each other.
type jsonReader struct {
	objectReader
	text     *jsonText
	in       *lineTracker      // of text
	elements *jsontext.Decoder // of in
	consumed func(int64) int64
	wrapped  bool            // array is a member of an object
	members  map[string]bool // names of the object
	rows     string          // member of the object with the array of rows, or ""
	layout   *columnMap      // columns that tell rows from other objects
	finder   *shape.Finder
	stream   bool // objects without an array
	done     bool
	inside   bool // within the array
	element  int  // index of the next element

	first     []byte // object of a stream that has been read already, or nil
	firstLine int
}

func newJSON(r *bufio.Reader, f fileColumns, preset *columnMap, consumed func(int64) int64) (*jsonReader, error) {
	text := &jsonText{}
	in := &lineTracker{r: transform.NewReader(r, text), max: int64(f.limit()), keep: true}
	columns := f.columns
	if preset != nil {
		columns = preset
	}
	j := &jsonReader{
		in: in, consumed: consumed, text: text, elements: newLenientDecoder(in),
		objectReader: objectReader{fileColumns: f},
		members:      map[string]bool{}, layout: columns, finder: newFinder(),
	}
	err := j.start()
	if err == nil && j.inside && j.elements.PeekKind() == '[' {
		err = errArrays
	}
	in.keep, in.kept = false, nil
	return j, j.wrapError(err)
}

// newLenientDecoder accepts names and texts that objectReader rejects, so that
// only their row fails.
func newLenientDecoder(r io.Reader) *jsontext.Decoder {
	return jsontext.NewDecoder(r, jsontext.AllowDuplicateNames(true), jsontext.AllowInvalidUTF8(true))
}

// errArrays reports rows without column names.
var errArrays error = &layoutError{err: errors.New("want an array of objects, got an array of arrays without column names"), missing: true}

// start reads the input up to the first element.
func (j *jsonReader) start() error {
	tok, err := j.elements.ReadToken()
	if errors.Is(err, io.EOF) && j.in.err == nil {
		j.done = true
		return nil
	}
	if j.inside = tok.Kind() == '['; err != nil || j.inside {
		return err
	}
	if tok.Kind() != '{' {
		err := fmt.Errorf("want an array of objects, got %s", kindOf(tok.Kind()))
		if tok.Kind() == '"' && startsWithJSON(tok.String()) {
			err = fmt.Errorf("%w that contains JSON: convert it with: jq -r . FILE", err)
		}
		return err
	}
	begin := j.elements.InputOffset() - 1
	j.firstLine = j.in.lineAt(begin)
	if err := j.readWrapper(); err != nil || j.wrapped {
		return err
	}
	return j.startStream(begin, j.elements.InputOffset())
}

// readWrapper reads members of the object around the array, up to the first element of the array
// or, if there is none or it has been read, to the end of the object.
func (j *jsonReader) readWrapper() error {
	for j.elements.PeekKind() == '"' {
		name, err := j.member()
		if err != nil {
			return err
		}
		if !j.wrapped && slices.Contains(wrappers(), name) && j.elements.PeekKind() == '[' && !j.isRow() {
			if err := j.foundRows(name); err != nil {
				return err
			}
			j.wrapped, j.inside = true, true
			break
		}
		if err := j.skip(name); err != nil {
			return err
		}
		j.in.discard(j.elements.InputOffset())
	}
	_, err := j.elements.ReadToken()
	return err
}

// member reads the name of a member of the object around the array.
func (j *jsonReader) member() (string, error) {
	tok, err := j.elements.ReadToken()
	if err != nil {
		return "", err
	}
	name := tok.String()
	if j.members[name] {
		return "", fmt.Errorf("line %d: two members are named %s", j.in.lineAt(j.elements.InputOffset()-1), shape.Quote(name))
	}
	j.members[name] = true
	if j.wrapped && j.isRow() {
		return "", &layoutError{err: fmt.Errorf("an answer and contexts beside the rows in %s: extract one of them with jq", shape.Quote(j.rows))}
	}
	return name, nil
}

// isRow reports whether the members read so far include an answer and contexts. The object is
// then a row itself, and an array in it, such as examples, does not hold the rows.
func (j *jsonReader) isRow() bool {
	found := map[Field]bool{}
	for name, c := range j.layout.byName {
		if j.members[name] {
			found[c.field] = true
		}
	}
	return found[FieldAnswer] && found[FieldContexts]
}

// foundRows records that a member has rows. It is an error if another one has too.
func (j *jsonReader) foundRows(name string) error {
	if j.rows != "" {
		return &layoutError{err: shape.TwoLists(j.rows, name)}
	}
	j.rows = name
	return nil
}

// skip reads the value of a member that is not the array of rows.
func (j *jsonReader) skip(name string) error {
	raw, err := j.elements.ReadValue()
	switch {
	case err != nil:
		return err
	case raw.Kind() == '[' && j.finder.HoldRows(firstElements(raw), j.layout.preset()):
		return j.foundRows(name)
	case raw.Kind() == '{':
		member, err := readJSON(newLenientDecoder(bytes.NewReader(raw)))
		if err != nil {
			return nil //nolint:nilerr // it has no rows that could be read
		}
		member.Name = name
		if at := j.finder.RowsIn(member, j.layout.preset()); at != "" {
			return j.foundRows(at)
		}
	}
	return nil
}

// firstElements returns the first elements of an array that can be rows.
func firstElements(raw jsontext.Value) []*value {
	var elements []*value
	dec := newLenientDecoder(bytes.NewReader(raw))
	if _, err := dec.ReadToken(); err != nil {
		return nil
	}
	for len(elements) < maxPeeked && dec.PeekKind() == '{' {
		element, err := readJSON(dec)
		if err != nil {
			break
		}
		elements = append(elements, element)
	}
	return elements
}

// startStream starts a stream of objects after the first one, which extends from
// offset begin to end. An object that no other follows must be a row.
func (j *jsonReader) startStream(begin, end int64) error {
	want := fmt.Errorf("want an array of rows, an object with one under a name such as %s, or one row per object", strings.Join(wrappers()[:4], ", "))
	if !j.in.keep {
		return &layoutError{err: want, missing: true}
	}
	j.stream, j.first = true, bytes.Clone(j.in.kept[begin:end])
	if lone := j.elements.PeekKind() == 0 && j.in.err == nil; !lone {
		return nil // next returns j.in.err
	}
	if j.columns.raw {
		return &layoutError{err: want, missing: true}
	}
	var row Row
	probe := objectReader{fileColumns: fileColumns{columns: j.columns, warnings: newWarnings(Options{})}}
	if err := probe.read(j.first, &row); err != nil && row.Answer == "" && row.Contexts == nil {
		return &layoutError{err: fmt.Errorf("%w: %w", want, err), missing: true}
	}
	return nil
}

func (j *jsonReader) next(row *Row) error {
	switch {
	case j.done:
		return io.EOF
	case j.first != nil:
		raw := j.first
		j.first = nil
		row.Line, row.Offset = j.firstLine, j.consumed(j.elements.InputOffset())
		return j.readElement(raw, row, j.elements.InputOffset())
	}
	for !j.stream && j.elements.PeekKind() == ']' {
		j.inside = false
		if err := j.end(); err != nil {
			j.done = true
			return j.wrapError(err)
		}
		j.in.discard(j.elements.InputOffset())
	}
	raw, err := j.elements.ReadValue()
	if j.stream && errors.Is(err, io.EOF) && j.in.err == nil {
		return io.EOF
	}
	if err != nil {
		return j.wrapError(err)
	}
	end := j.elements.InputOffset()
	row.Line = j.in.lineAt(end - int64(len(raw)))
	row.Offset = j.consumed(end)
	j.in.discard(end)
	return j.readElement(raw, row, end)
}

// readElement sets row from an object that ends at an offset of the input.
func (j *jsonReader) readElement(raw []byte, row *Row, end int64) error {
	err := j.read(raw, row)
	damaged, lines := j.text.damaged(end-int64(len(raw)), end)
	if damaged {
		err = badJSON("a control character in a string")
	}
	j.in.line += lines
	if err != nil && !j.stream {
		err = fmt.Errorf("element %d: %w", j.element, err)
	}
	j.element++
	return rowError(row.Line, err)
}

// end reads the input after the array, up to the first element of another array.
func (j *jsonReader) end() error {
	if _, err := j.elements.ReadToken(); err != nil {
		return err
	}
	if j.wrapped {
		if err := j.readWrapper(); err != nil {
			return err
		}
	}
	tok, err := j.elements.ReadToken()
	if j.inside = err == nil && tok.Kind() == '[' && !j.wrapped; j.inside {
		return nil
	}
	if err == nil {
		return fmt.Errorf("line %d: text after the end of the array", j.in.lineAt(j.elements.InputOffset()-1))
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

// A lineTracker maps offsets in its input to lines. It retains only lines after the last discarded
// offset. Reading fails if more than max bytes are read without a discard.
type lineTracker struct {
	r         io.Reader
	max       int64
	read      int64
	discarded int64
	line      int     // number of lines before discarded
	lineStart int64   // offset of the line that contains discarded
	feeds     []int64 // offsets of the line feeds after discarded
	err       error

	keep bool   // keep what is read in kept, up to max bytes
	kept []byte // from the start of the input
}

func (t *lineTracker) Read(p []byte) (int, error) {
	if t.read-t.discarded > t.max+readAhead {
		t.err = tooLong(int(t.max))
		return 0, t.err
	}
	n, err := t.r.Read(p)
	for i, c := range p[:n] {
		if c == '\n' {
			t.feeds = append(t.feeds, t.read+int64(i))
		}
	}
	t.read += int64(n)
	if t.keep = t.keep && t.read <= t.max; t.keep {
		t.kept = append(t.kept, p[:n]...)
	} else {
		t.kept = nil
	}
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
