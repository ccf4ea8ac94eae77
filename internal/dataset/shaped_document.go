package dataset

import (
	"bufio"
	"fmt"
	"io"
	"slices"

	"github.com/ragfaith/ragfaith/internal/dataset/shape"
)

// A documentReader returns the records of a JSON document that is not an array of
// objects.
type documentReader struct {
	records []*shape.Value
	size    int64
	index   int // of the next record
}

// newDocument reads a whole JSON document.
func newDocument(r *bufio.Reader, limit int, columns *columnMap) (*documentReader, error) {
	raw, err := io.ReadAll(io.LimitReader(r, int64(limit)+1))
	if err != nil {
		return nil, err
	}
	if len(raw) > limit {
		return nil, fmt.Errorf("a JSON document of nested rows: %w", tooLong(limit))
	}
	doc, err := parseJSON(raw)
	if err != nil {
		return nil, err
	}
	d := &documentReader{size: int64(len(raw))}
	d.records, err = newFinder().Records(doc, columns.preset())
	if err != nil {
		return nil, err
	}
	switch i := slices.IndexFunc(d.records, func(v *shape.Value) bool { return v.Kind == shape.List }); {
	case i == 0:
		return nil, errArrays
	case i > 0:
		return nil, fmt.Errorf("row %d: the number of values is not that of the columns", i+1)
	}
	return d, nil
}

func (d *documentReader) next(row *Row) error {
	if d.index == len(d.records) {
		row.Offset = d.size
		return io.EOF
	}
	d.index++
	row.Line, row.Offset = d.index, d.size
	return nil
}

func (d *documentReader) record() (*value, error) { //nolint:unparam // of recordReader
	return d.records[d.index-1], nil
}

func (d *documentReader) columnNames() []string { return memberNames(d.records[d.index-1]) }
