package dataset

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"slices"

	"github.com/go-json-experiment/json/jsontext"

	"github.com/ragfaith/ragfaith/internal/dataset/shape"
)

// A documentReader returns the records of a JSON document that is not an array of
// objects, such as an object with an array of rows. It holds the whole document.
type documentReader struct {
	records []*value
	object  objectReader
	size    int64
	index   int // of the next record
}

// errArrays reports rows without column names.
var errArrays error = &layoutError{err: errors.New("want an array of objects, got an array of arrays without column names"), missing: true}

// readDocument reads a whole JSON document.
func readDocument(r io.Reader, f *file) (*documentReader, error) {
	raw, err := io.ReadAll(io.LimitReader(r, int64(f.limit())+1))
	if err != nil {
		return nil, err
	}
	if len(raw) > f.limit() {
		return nil, fmt.Errorf("a JSON document of nested rows: %w", tooLong(f.limit()))
	}
	return newDocument(raw, f)
}

// newDocument returns a reader of a JSON document.
func newDocument(raw []byte, f *file) (*documentReader, error) {
	doc, err := parseJSON(raw)
	if syntactic, ok := errors.AsType[*jsontext.SyntacticError](err); ok {
		before := raw[:min(int(syntactic.ByteOffset), len(raw))]
		syntactic.ByteOffset -= int64(bytes.LastIndexByte(before, '\n') + 1)
		return nil, fmt.Errorf("line %d: %w", bytes.Count(before, []byte("\n"))+1, syntaxError(err))
	}
	if err != nil {
		return nil, err
	}
	columns := f.columns
	if f.preset != nil {
		columns = f.preset
	}
	d := &documentReader{object: objectReader{fileColumns: f.fileColumns}, size: int64(len(raw))}
	d.records, err = newFinder().Records(doc, columns.preset())
	if err != nil {
		return nil, &layoutError{err: err}
	}
	isList := func(v *value) bool { return v.Kind == shape.List }
	switch i := slices.IndexFunc(d.records, isList); {
	case i < 0:
	case slices.ContainsFunc(d.records, func(v *value) bool { return !isList(v) }):
		return nil, fmt.Errorf("row %d: the number of values is not that of the columns", i+1)
	default:
		return nil, errArrays
	}
	return d, nil
}

// next returns the next record, whose line is its number, since the lines of the document
// are not known.
func (d *documentReader) next(row *Row) error {
	row.Offset = d.size
	if d.index == len(d.records) {
		return io.EOF
	}
	record := d.records[d.index]
	d.index++
	row.Line = d.index
	if d.object.columns.raw && !d.object.columns.exact {
		return nil
	}
	err := d.object.read(appendJSON(nil, record), row)
	if row.ID == "" {
		row.ID = record.Name
	}
	return rowError(row.Line, err)
}

func (d *documentReader) record() (*value, error) { return d.records[d.index-1], nil }

func (d *documentReader) columnNames() []string { return d.object.names() }
