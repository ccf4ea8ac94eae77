package dataset

import (
	"bufio"
	"bytes"
	"cmp"
	"errors"
	"fmt"
	"strings"
	"unicode"

	"github.com/ragfaith/ragfaith/internal/dataset/shape"
)

// A tableReader reads rows from a CSV or TSV file with a header.
type tableReader struct {
	fileColumns
	csv       csvReader
	header    *header
	outcome   []int    // see unreadable
	line      []string // names of the header line, up to the last one
	consumed  func(int64) int64
	started   bool         // a record has been read
	separator string       // of the contexts in a cell, or ""
	outputs   *outputTable // or nil
}

func newTable(r *bufio.Reader, f fileColumns, consumed func(int64) int64) (*tableReader, error) {
	head, _ := r.Peek(readAhead) // the record that cannot be read reports the error
	given, preferred := f.opts.Delimiter, byte(',')
	if f.format == TSV {
		preferred = '\t'
	}
	if given == 0 && f.opts.Format == TSV {
		given = '\t'
	}
	mark, sample := delimiterLine(head)
	given = cmp.Or(given, mark)
	t := &tableReader{
		fileColumns: f,
		csv:         csvReader{lines: NewLineReader(r, f.limit()), dialect: detectDialect(sample, given, preferred)},
		consumed:    consumed,
	}
	if t.columns.exact {
		t.csv.escapes, t.csv.padded = false, false
	}
	err := t.csv.next()
	if err == nil && mark != 0 {
		err = t.csv.next()
	}
	switch {
	case isEnd(err):
		return nil, errors.New("want a header line, got an empty file")
	case err != nil:
		return nil, fmt.Errorf("header: %w", err)
	case !t.csv.valid():
		return nil, errors.New("header: " + notUTF8)
	case !t.columns.exact && bytes.IndexByte(t.csv.record, '\r') >= 0 && !bytes.Contains(t.csv.record, []byte("\r\n")):
		return nil, errors.New("header: a carriage return; if lines end in it alone, convert it with: tr '\\r' '\\n' <FILE >rows.csv")
	}
	t.csv.width = len(t.csv.ends)
	var names []string
	named := 0
	for i := range t.csv.ends {
		names = append(names, string(t.name(i)))
		if names[i] != "" || t.columns.exact {
			named = i + 1
		}
	}
	names = names[:named]
	t.line = names
	if !t.columns.exact {
		if t.outputs = newOutputTable(names, t.columns); t.outputs != nil {
			names = t.outputs.names
			t.columns = t.columns.withAnswer(outputColumn)
		}
	}
	t.header, err = t.columns.header(names)
	if err != nil && len(names) == 1 && given == 0 && strings.ContainsAny(names[0], "~^:*!/\x01\x1f") {
		err = fmt.Errorf("%w; is there a delimiter other than comma, tab, semicolon and |? set it with --delimiter", err)
	}
	if err != nil {
		return nil, err
	}
	t.outcome = t.columns.outcome(names)
	if t.columns.exact || !t.columns.raw { // raw records keep all columns to search them
		f.warnAbout(t.header)
	}
	t.separator = shape.ContextSeparator(names, true)
	return t, nil
}

// name returns a field as a column name.
func (t *tableReader) name(i int) []byte {
	if t.columns.exact {
		return t.csv.field(i)
	}
	return bytes.TrimFunc(t.csv.field(i), func(c rune) bool { return unicode.IsSpace(c) || c == bom })
}

func (t *tableReader) next(row *Row) error {
	err := t.advance()
	row.Line, row.Offset = t.csv.line, t.consumed(t.csv.lines.Offset)
	if csvErr, damaged := errors.AsType[*csvError](err); damaged {
		if csvErr.open {
			return csvErr.err
		}
		if t.outputs == nil {
			_ = t.fill(row) // the available fields
		}
		return &RowError{Line: row.Line, Err: csvErr.err, Damaged: true}
	}
	if err != nil {
		return err
	}
	first := !t.started
	t.started = true
	err = t.fill(row)
	if len(t.header.paths) > 0 && !is[*layoutError](err) {
		record, _ := t.record()
		err = cmp.Or(t.columns.keepPaths(row, t.header.paths, record, first), err)
	}
	if errors.Is(err, errJoinedList) {
		return err
	}
	if err == nil && t.outputs.failed(&t.csv) {
		err = errors.New("no output: its status is ERROR")
	}
	if !first {
		err = withoutUsage(err)
	}
	return rowError(row.Line, err)
}

// advance reads the next record, or moves to the next output in the current one.
func (t *tableReader) advance() error {
	for !t.outputs.next(&t.csv) {
		err := t.csv.next()
		for err == nil && t.skips() {
			err = t.csv.next()
		}
		if err != nil {
			return err
		}
		got, want := len(t.csv.ends), len(t.line)
		if got < want || len(bytes.TrimSpace(t.csv.record[t.csv.ends[want-1]:])) > 0 {
			err = fmt.Errorf("want %d fields, got %d", want, got)
			if got > want && want < t.csv.width {
				err = fmt.Errorf("text beyond column %d, the last one with a name", want)
			}
			if t.csv.stray > 0 {
				err = fmt.Errorf("%w: a quote within field %d, which is not quoted", err, t.csv.stray)
			}
			return &csvError{err: err}
		}
		if t.outputs == nil {
			return nil
		}
		t.outputs.split(&t.csv)
	}
	return nil
}

// cell returns a column of the current row, and false if its record is too short.
func (t *tableReader) cell(i int) ([]byte, bool) {
	if i >= len(t.csv.ends) {
		return nil, false
	}
	return t.csv.field(i), true
}

// skips reports whether the current record is no row: its fields are empty, or
// it is the header again, as in concatenated files.
func (t *tableReader) skips() bool {
	if t.columns.exact || len(t.csv.ends) < 2 {
		return false
	}
	if len(bytes.TrimSpace(t.csv.record)) == 0 {
		t.warnings.once(fmt.Errorf("%s: skipped rows of empty fields", DisplayName(t.path)))
		return true
	}
	if len(t.csv.ends) < len(t.line) {
		return false
	}
	for i, name := range t.line {
		if string(t.name(i)) != name {
			return false
		}
	}
	t.warnings.once(fmt.Errorf("%s:%d: skipped a repeated header", DisplayName(t.path), t.csv.line))
	return true
}

func (t *tableReader) columnNames() []string { return t.header.names }

// maxMissing is the length of the longest cell that can stand for a missing value.
const maxMissing = len("undefined") + 4 // with spaces

// fill stores the record in row and returns the first error of a field.
func (t *tableReader) fill(row *Row) error {
	var firstErr error
	valid := t.csv.valid() && (t.columns.exact || bytes.IndexByte(t.csv.record, 0) < 0)
	hasValue := func(s *foundField) bool {
		cell, _ := t.cell(s.at)
		return len(cell) > 0 && (s.field != FieldContexts || len(cell) > maxMissing || !shape.IsMissing(string(cell)))
	}
	text := func(f Field) (string, bool) {
		s, err := t.columns.column(t.header, f, hasValue)
		firstErr = cmp.Or(firstErr, err)
		if s == nil || err != nil {
			return "", false
		}
		cell, ok := t.cell(s.at)
		if !ok {
			return "", false
		}
		if !valid {
			if damage := textError(cell); damage != "" {
				firstErr = cmp.Or(firstErr, fmt.Errorf("%s: %s", f, damage))
				return "", false
			}
		}
		return string(cell), true
	}
	row.ID, _ = text(FieldID)
	row.Question, _ = text(FieldQuestion)
	row.Answer, _ = text(FieldAnswer)
	if cell, ok := text(FieldContexts); ok {
		var err error
		row.Contexts, row.Sources, err = separatedContexts(cell, t.separator, t.noteSplit)
		firstErr = cmp.Or(firstErr, err)
		if t.outputs != nil && joinedList.MatchString(cell) {
			firstErr = errJoinedList
		}
	}
	for _, i := range t.header.keep {
		cell, ok := t.cell(i)
		if !ok || t.columns.raw && !t.columns.exact {
			break
		}
		row.Kept = append(row.Kept, Column{Name: t.header.names[i], Value: cellJSON(string(cell))})
	}
	if !valid && firstErr == nil {
		firstErr = errors.New(cmp.Or(textError(t.csv.record), notUTF8))
	}
	var outcome [3]string
	for k, i := range t.outcome {
		cell, _ := t.cell(i)
		outcome[k] = string(cell)
	}
	return cmp.Or(unreadable(row, outcome), firstErr)
}

// record returns the columns of the current record, as texts or null.
func (t *tableReader) record() (*value, error) { //nolint:unparam // of recordReader
	v := &value{Kind: shape.Object}
	for _, i := range t.header.named {
		cell, _ := t.cell(i)
		m := &value{Name: t.header.names[i]}
		if len(cell) > 0 {
			m.Kind, m.Text = shape.Text, string(cell)
		}
		v.Items = append(v.Items, m)
	}
	return v, nil
}

// cellJSON returns the JSON form of a cell: null if it is empty, a number if it
// is a valid JSON number, and otherwise a string.
func cellJSON(cell string) []byte {
	switch {
	case cell == "":
		return []byte("null")
	case isNumber(cell):
		return []byte(cell)
	}
	return AppendText(nil, cell)
}
