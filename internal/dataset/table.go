package dataset

import (
	"bufio"
	"errors"
	"fmt"
	"io"
	"strings"
	"unicode/utf8"
)

// A tableReader makes rows of the records of a CSV or TSV file, whose first
// record names the columns.
type tableReader struct {
	csv    csvReader
	header *header
	count  func(int64) int64
	tree   tree // of a cell
}

func newTable(r *bufio.Reader, s *source, comma byte, count func(int64) int64) (*tableReader, error) {
	t := &tableReader{
		csv:   csvReader{lines: lineReader{r: r, max: s.limit()}, comma: comma, lazy: comma == '\t'},
		count: count,
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
	t.header, err = s.b.bindHeader(names)
	if err != nil {
		return nil, err
	}
	s.note.header(s.path, t.header)
	return t, nil
}

func (t *tableReader) next(row *Row) error {
	err := t.csv.next()
	row.Line, row.Offset = t.csv.line, t.count(t.csv.lines.size)
	var broken *csvError
	switch {
	case errors.As(err, &broken):
		_ = t.fill(row) // what comes before the fault; the row has a fault already
		return &RowError{Line: row.Line, Err: broken.err}
	case err != nil:
		return err
	}
	if got, want := len(t.csv.ends), len(t.header.names); got != want {
		_ = t.fill(row) // as above
		return &RowError{Line: row.Line, Err: fmt.Errorf("want %d fields, got %d", want, got)}
	}
	if err := t.fill(row); err != nil {
		return &RowError{Line: row.Line, Err: err}
	}
	return nil
}

func (t *tableReader) close() {}

// fill reads the record into row. Its error is the first of the fields'.
func (t *tableReader) fill(row *Row) error {
	var fault error
	valid := t.csv.valid()
	text := func(f Field) (string, bool) {
		i, ok := t.header.field[f]
		if !ok || i >= len(t.csv.ends) {
			return "", false
		}
		cell := t.csv.field(i)
		if !valid && !utf8.Valid(cell) {
			if fault == nil {
				fault = fmt.Errorf("%s: %s", f, notUTF8)
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
		if fault == nil {
			fault = err
		}
	}
	for _, i := range t.header.keep {
		if i >= len(t.csv.ends) {
			break
		}
		row.Kept = append(row.Kept, Column{Name: t.header.names[i], Value: cellJSON(string(t.csv.field(i)))})
	}
	if !valid && fault == nil {
		fault = errors.New(notUTF8)
	}
	return fault
}

// cellJSON returns a cell as JSON: null for an empty one, a number for one that
// reads as JSON writes numbers, and a string for any other.
func cellJSON(cell string) []byte {
	switch {
	case cell == "":
		return []byte("null")
	case isNumber(cell):
		return []byte(cell)
	}
	return appendString(nil, cell)
}

// isNumber reports whether s is a JSON number. "007" is none, nor is "1.".
func isNumber(s string) bool {
	s = strings.TrimPrefix(s, "-")
	whole := digits(s)
	if whole == 0 || whole > 1 && s[0] == '0' {
		return false
	}
	s = s[whole:]
	if frac, ok := strings.CutPrefix(s, "."); ok {
		n := digits(frac)
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
		n := digits(s)
		return n > 0 && n == len(s)
	}
	return s == ""
}

// digits returns how many digits s begins with.
func digits(s string) int {
	n := 0
	for n < len(s) && s[n] >= '0' && s[n] <= '9' {
		n++
	}
	return n
}
