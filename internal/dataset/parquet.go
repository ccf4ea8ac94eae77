package dataset

import (
	"bufio"
	"errors"
	"fmt"
	"io"
	"os"
	"unicode/utf8"

	"github.com/parquet-go/parquet-go"

	"github.com/ragfaith/ragfaith/internal/safefile"
)

// A parquetReader reads the columns that are needed, page by page, and puts
// records together from them.
type parquetReader struct {
	file   *parquet.File
	check  *pageChecker
	header *header
	plan   map[int]*pnode // by place of the column
	leaves []*leaf
	size   int64 // bytes of the file, for Row.Offset
	tree   tree
	limit  int // bytes of a record

	group int   // next row group
	left  int64 // records left in the current one
	row   int64 // records so far
	total int64
}

// openParquet makes the reader of a Parquet file, which has to be a file: what
// cannot be read in place is copied into a temporary one first.
func (s *source) openParquet(r *bufio.Reader, stored bool) error {
	f, ok := s.file.(*os.File)
	if !ok || !stored || !s.again {
		var err error
		if f, err = s.spoolTo(r); err != nil {
			return err
		}
	}
	info, err := f.Stat()
	if err != nil {
		return err
	}
	reader, err := newParquet(f, info.Size(), s)
	if err != nil {
		return err
	}
	reader.size = max(s.size, 0)
	s.reader = reader
	return nil
}

// spoolTo copies r into a temporary file.
func (s *source) spoolTo(r io.Reader) (*os.File, error) {
	f, name, err := safefile.Temp(s.opts.TempDir, "ragfaith-*.parquet")
	if err != nil {
		return nil, fmt.Errorf("temporary file: %w", err)
	}
	s.spool, s.spoolPath = f, name
	if _, err := io.Copy(f, r); err != nil {
		return nil, fmt.Errorf("copying to a temporary file: %w", err)
	}
	return f, nil
}

func (s *source) dropSpool() {
	if s.spool == nil {
		return
	}
	_ = s.spool.Close() // nothing in it is needed any more
	if s.spoolPath != "" {
		_ = os.Remove(s.spoolPath) // a leftover in the folder for such files
	}
	s.spool, s.spoolPath = nil, ""
}

// guard turns a panic of the Parquet library, which has them for files that
// contradict themselves, into an error.
func guard(err *error) {
	if p := recover(); p != nil {
		*err = fmt.Errorf("broken Parquet data: %v", p)
	}
}

func newParquet(f io.ReaderAt, size int64, s *source) (p *parquetReader, err error) {
	defer guard(&err)
	check := &pageChecker{r: f, size: size, limit: int64(s.limit())}
	if err := check.footer(); err != nil {
		return nil, err
	}
	file, err := parquet.OpenFile(f, size, parquet.SkipPageIndex(true), parquet.SkipBloomFilters(true))
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
	h, err := s.b.bindHeader(names)
	if err != nil {
		return nil, err
	}
	p = &parquetReader{file: file, check: check, header: h, plan: map[int]*pnode{}, total: file.NumRows(), limit: s.limit()}
	for f, i := range h.field {
		if err := checkType(f, columns[i]); err != nil {
			return nil, err
		}
		p.add(i, columns[i])
	}
	for _, i := range h.keep {
		p.add(i, columns[i])
	}
	s.note.header(s.path, h)
	return p, nil
}

// add plans the reading of a column.
func (p *parquetReader) add(i int, c *parquet.Column) {
	if p.plan[i] == nil {
		p.plan[i] = newNode(c, &p.leaves)
	}
}

func (p *parquetReader) next(row *Row) (err error) {
	defer guard(&err)
	for p.left == 0 {
		if err := p.nextGroup(); err != nil {
			return err
		}
	}
	p.left--
	p.row++
	row.Line = int(p.row)
	row.Offset = p.offset()
	fault, err := p.read(row)
	if err != nil {
		return err
	}
	if fault != nil {
		return &RowError{Line: row.Line, Err: fault}
	}
	return nil
}

// offset returns the share of the file that is read, in bytes of the file.
func (p *parquetReader) offset() int64 {
	if p.total <= 0 || p.row >= p.total {
		return p.size
	}
	return int64(float64(p.size) * (float64(p.row) / float64(p.total)))
}

// nextGroup opens the next row group's columns.
func (p *parquetReader) nextGroup() error {
	for _, l := range p.leaves {
		if !l.atEnd() {
			return l.fault(errors.New("more values than rows"))
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
	for _, l := range p.leaves {
		if err := p.check.chunk(&p.file.Metadata().RowGroups[p.group].Columns[l.column]); err != nil {
			return l.fault(err)
		}
		l.open(chunks[l.column].Pages())
	}
	p.group++
	p.left = g.NumRows()
	if p.left < 0 {
		return errors.New("broken Parquet data: a row group with fewer than no rows")
	}
	return nil
}

// read fills row. The fault is the row's, the error the file's.
func (p *parquetReader) read(row *Row) (fault, err error) {
	p.tree.reset()
	p.tree.limit = p.limit
	for i := range p.header.names {
		n := p.plan[i]
		if n == nil {
			continue
		}
		at := len(p.tree.nodes)
		if err := n.build(&p.tree, ""); err != nil {
			return nil, err
		}
		if p.tree.over != nil { // the other columns have to be read, too
			continue
		}
		for _, f := range fields() {
			if j, ok := p.header.field[f]; ok && i == j {
				if err := row.set(f, &p.tree, at); err != nil && fault == nil {
					fault = err
				}
			}
		}
		for _, j := range p.header.keep {
			if i == j {
				row.Kept = append(row.Kept, Column{Name: p.header.names[i], Value: p.tree.appendJSON(nil, at)})
			}
		}
	}
	for _, l := range p.leaves {
		if !l.atRecord() {
			return nil, l.fault(errors.New("its values do not fit the rows of the others"))
		}
	}
	if p.tree.over != nil {
		*row = Row{Line: row.Line, Offset: row.Offset}
		return p.tree.over, nil
	}
	return fault, nil
}

func (p *parquetReader) close() {
	for _, l := range p.leaves {
		l.close()
	}
}
