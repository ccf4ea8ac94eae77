package dataset

import (
	"cmp"
	"errors"
	"fmt"
	"io"
	"slices"
	"unicode/utf8"

	"github.com/parquet-go/parquet-go"

	"github.com/ragfaith/ragfaith/internal/dataset/shape"
)

// A parquetReader reads the required columns page by page and assembles records.
type parquetReader struct {
	fileColumns
	file    *parquet.File
	check   *pageChecker
	header  *header
	outcome []int                // see unreadable
	nodes   map[int]*parquetNode // schema nodes by column index
	leaves  []*leaf
	size    int64    // file size in bytes
	limit   int      // maximum size of a record in bytes
	values  []*value // each selected column of the current record

	group     int   // index of the next row group
	remaining int64 // number of unread records in the current row group
	row       int64 // number of records read
	total     int64 // number of records in the file
}

// recoverPanic converts a panic into an error. The Parquet library panics on
// some inconsistent files.
func recoverPanic(err *error) {
	if p := recover(); p != nil {
		*err = fmt.Errorf("broken Parquet data: %v", p)
	}
}

func newParquet(in io.ReaderAt, size int64, f fileColumns) (p *parquetReader, err error) {
	defer recoverPanic(&err)
	check := &pageChecker{r: in, size: size, limit: int64(f.limit())}
	if err := check.footer(); err != nil {
		return nil, err
	}
	file, err := parquet.OpenFile(check, size, parquet.SkipPageIndex(true), parquet.SkipBloomFilters(true))
	if err != nil {
		return nil, fmt.Errorf("not a Parquet file: %w", err)
	}
	columns := file.Root().Columns()
	names := make([]string, len(columns))
	for i, c := range columns {
		names[i] = c.Name()
		if !utf8.ValidString(names[i]) {
			return nil, fmt.Errorf("the name of column %d: %s", i+1, notUTF8)
		}
	}
	h, err := f.columns.header(names)
	if err != nil {
		return nil, err
	}
	p = &parquetReader{fileColumns: f, file: file, check: check, header: h, outcome: f.columns.outcome(names), values: make([]*value, len(columns)), nodes: map[int]*parquetNode{}, total: file.NumRows(), limit: f.limit()}
	for _, s := range h.found {
		p.add(s.at, columns[s.at])
	}
	for _, i := range slices.Concat(h.keep, p.outcome) {
		p.add(i, columns[i])
	}
	f.warnAbout(h)
	return p, nil
}

// add selects a column for reading.
func (p *parquetReader) add(i int, c *parquet.Column) {
	if p.nodes[i] == nil {
		p.nodes[i] = newParquetNode(c, &p.leaves)
	}
}

func (p *parquetReader) next(row *Row) (err error) {
	defer recoverPanic(&err)
	for p.remaining == 0 {
		if err := p.nextGroup(); err != nil {
			return err
		}
	}
	p.remaining--
	p.row++
	row.Line = int(p.row)
	row.Offset = p.size
	if p.row < p.total { // estimated from the number of records read
		row.Offset = int64(float64(p.size) * (float64(p.row) / float64(p.total)))
	}
	rowErr, err := p.read(row)
	if err != nil {
		return err
	}
	if rowErr != nil {
		return &RowError{Line: row.Line, Err: rowErr}
	}
	return nil
}

// nextGroup opens the columns of the next row group.
func (p *parquetReader) nextGroup() error {
	for _, l := range p.leaves {
		if l.pages != nil && l.more() {
			return l.wrapError(errors.New("more values than rows"))
		}
		l.close()
	}
	groups := p.file.RowGroups()
	if p.group == len(groups) {
		if p.row != p.total {
			return fmt.Errorf("broken Parquet data: %d rows are announced and %d are there", p.total, p.row)
		}
		return io.EOF
	}
	g := groups[p.group]
	chunks := g.ColumnChunks()
	if err := p.check.group(&p.file.Metadata().RowGroups[p.group], p.leaves); err != nil {
		return err
	}
	for _, l := range p.leaves {
		l.pages = chunks[l.column].Pages()
	}
	p.group++
	p.remaining = g.NumRows()
	if p.remaining < 0 {
		return errors.New("broken Parquet data: a row group with fewer than no rows")
	}
	return nil
}

// read reads the next record into row. rowErr reports an invalid record, err an
// error that affects the whole file.
func (p *parquetReader) read(row *Row) (rowErr, err error) {
	r := &parquetRecord{limit: p.limit}
	for i, name := range p.header.names {
		if n := p.nodes[i]; n != nil { // also above the limit, since all columns must be advanced
			p.values[i] = n.build(r, name)
		}
	}
	for _, l := range p.leaves {
		if l.err != nil {
			return nil, l.err
		}
	}
	for _, l := range p.leaves {
		if l.rep > 0 && l.repeats(1) {
			return nil, l.wrapError(errors.New("its values do not fit the rows of the others"))
		}
	}
	if r.err != nil {
		return r.err, nil
	}
	if !p.columns.raw || p.columns.exact {
		for _, i := range p.header.keep {
			row.Kept = append(row.Kept, Column{Name: p.header.names[i], Value: appendJSON(nil, p.values[i])})
		}
	}
	hasValue := func(s *foundField) bool { return p.values[s.at].Kind != shape.Null }
	for _, f := range fields() {
		s, err := p.columns.column(p.header, f, hasValue)
		if err == nil && s != nil {
			err = row.set(f, p.values[s.at], p.columnNames, p.noteSplit)
		}
		rowErr = cmp.Or(rowErr, err)
	}
	var outcome [3]string
	for k, i := range p.outcome {
		outcome[k] = p.values[i].Text
	}
	return cmp.Or(unreadable(row, outcome), rowErr), nil
}

// record returns the columns of the current record.
func (p *parquetReader) record() (*value, error) { //nolint:unparam // of recordReader
	v := &value{Kind: shape.Object}
	for _, i := range p.header.keep {
		v.Items = append(v.Items, p.values[i])
	}
	return v, nil
}

func (p *parquetReader) columnNames() []string { return p.header.names }

func (p *parquetReader) close() {
	for _, l := range p.leaves {
		l.close()
	}
}
