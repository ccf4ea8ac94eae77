package dataset

import (
	"bufio"
	"errors"
	"fmt"
	"io"
	"strings"
	"unicode/utf8"
)

// A tableReader reads rows from a CSV or TSV file with a header.
type tableReader struct {
	csv      csvReader
	header   *header
	consumed func(int64) int64
	tree     tree // values of the current cell
}

func newTable(r *bufio.Reader, f *file, comma byte, consumed func(int64) int64) (*tableReader, error) {
	t := &tableReader{
		csv:      csvReader{lines: lineReader{r: r, max: f.limit()}, comma: comma, lazyQuotes: comma == '\t'},
		consumed: consumed,
	}
	err := t.csv.next()
	switch {
	case errors.Is(err, io.EOF) && !errors.Is(err, io.ErrUnexpectedEOF):
		return nil, errors.New("want a header line, got an empty file")
	case err != nil:
		return nil, fmt.Errorf("header: %w", err)
	case !t.csv.valid():
		return nil, errors.New("header: " + notUTF8)
	}
	names := make([]string, len(t.csv.ends))
	for i := range names {
		names[i] = string(t.csv.field(i))
	}
	t.header, err = f.columns.header(names)
	if err != nil {
		return nil, err
	}
	f.warnings.header(f.path, t.header)
	return t, nil
}

func (t *tableReader) next(row *Row) error {
	err := t.csv.next()
	row.Line, row.Offset = t.csv.line, t.consumed(t.csv.lines.offset)
	if csvErr, ok := errors.AsType[*csvError](err); ok {
		_ = t.fill(row) // the fields before the error
		return &RowError{Line: row.Line, Err: csvErr.err}
	}
	if err != nil {
		return err
	}
	if got, want := len(t.csv.ends), len(t.header.names); got != want {
		_ = t.fill(row) // the available fields
		return &RowError{Line: row.Line, Err: fmt.Errorf("want %d fields, got %d", want, got)}
	}
	if err := t.fill(row); err != nil {
		return &RowError{Line: row.Line, Err: err}
	}
	return nil
}

func (t *tableReader) close() {}

// fill stores the record in row and returns the first error of a field.
func (t *tableReader) fill(row *Row) error {
	var firstErr error
	valid := t.csv.valid()
	text := func(f Field) (string, bool) {
		i, ok := t.header.field[f]
		if !ok || i >= len(t.csv.ends) {
			return "", false
		}
		cell := t.csv.field(i)
		if !valid && !utf8.Valid(cell) {
			if firstErr == nil {
				firstErr = fmt.Errorf("%s: %s", f, notUTF8)
			}
			return "", false
		}
		return string(cell), true
	}
	row.ID, _ = text(FieldID)
	row.Question, _ = text(FieldQuestion)
	row.Answer, _ = text(FieldAnswer)
	if cell, ok := text(FieldContexts); ok {
		var err error
		row.Contexts, err = textContexts(&t.tree, cell)
		row.Sources = t.tree.sources
		if firstErr == nil {
			firstErr = err
		}
	}
	for _, i := range t.header.keep {
		if i >= len(t.csv.ends) {
			break
		}
		row.Kept = append(row.Kept, Column{Name: t.header.names[i], Value: cellJSON(string(t.csv.field(i)))})
	}
	if !valid && firstErr == nil {
		firstErr = errors.New(notUTF8)
	}
	return firstErr
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
	return appendString(nil, cell)
}

// isNumber reports whether s is a valid JSON number. For example, "007" and
// "1." are not.
func isNumber(s string) bool {
	s = strings.TrimPrefix(s, "-")
	n := countDigits(s)
	if n == 0 || n > 1 && s[0] == '0' {
		return false
	}
	s = s[n:]
	if frac, ok := strings.CutPrefix(s, "."); ok {
		n := countDigits(frac)
		if n == 0 {
			return false
		}
		s = frac[n:]
	}
	if s != "" && (s[0] == 'e' || s[0] == 'E') {
		s = s[1:]
		if s != "" && (s[0] == '+' || s[0] == '-') {
			s = s[1:]
		}
		n := countDigits(s)
		return n > 0 && n == len(s)
	}
	return s == ""
}

// countDigits returns the number of digits at the start of s.
func countDigits(s string) int {
	n := 0
	for n < len(s) && s[n] >= '0' && s[n] <= '9' {
		n++
	}
	return n
}
