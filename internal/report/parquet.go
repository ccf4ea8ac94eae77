package report

import (
	"errors"
	"fmt"
	"io"

	"github.com/parquet-go/parquet-go"
	"github.com/parquet-go/parquet-go/compress/zstd"

	"github.com/ragfaith/ragfaith/internal/eval"
	"github.com/ragfaith/ragfaith/internal/safefile"
)

const (
	// groupBytes is how much text the rows of a row group have, by which it is
	// ended: a row group is in memory until it is complete.
	groupBytes = 16 << 20
	// keptMost is the most kept columns: Parquet counts columns in 16 bits, and
	// the results have some of their own.
	keptMost = 30_000
)

// JSONColumns is the name in a Parquet file's metadata under which the kept columns
// are listed that hold JSON texts, as a JSON array.
const JSONColumns = "ragfaith.json_columns"

// parquetFile writes Parquet, a row a result. The type of a kept column is known
// only after the last row, since any row may have a value that is not of the
// others' type; so where columns are kept the results wait in a spool until Close.
type parquetFile struct {
	w     io.Writer
	kept  parquetKept
	wait  *safefile.Spool // nil where no columns are kept
	rows  *parquetRows
	buf   []byte
	limit int // bytes of a row group
}

func newParquet(w io.Writer, o Options) *parquetFile {
	p := &parquetFile{w: w, kept: newParquetKept(o), limit: groupBytes}
	if o.KeepAll || len(o.Keep) > 0 {
		p.wait = safefile.NewSpool(o.TempDir)
	}
	return p
}

// Write writes r, or lets it wait.
func (p *parquetFile) Write(r *eval.Result) error {
	if p.wait == nil {
		p.begin()
		return p.rows.write(r)
	}
	p.kept.see(r.Row.Kept)
	p.buf = append(appendResult(p.buf[:0], r), '\n')
	_, err := p.wait.Write(p.buf)
	return err
}

// Close writes the results that waited, and the end of the file.
func (p *parquetFile) Close() error {
	defer p.Discard()
	p.begin()
	if p.wait != nil {
		if err := p.late(); err != nil {
			return err
		}
	}
	return p.rows.close()
}

// late writes the results that waited.
func (p *parquetFile) late() error {
	r, err := p.wait.Reader()
	if err != nil {
		return err
	}
	results := NewResultReader(r)
	results.own = true
	for {
		result, err := results.Next()
		if errors.Is(err, io.EOF) {
			return nil
		}
		if err != nil {
			return fmt.Errorf("temporary file: %w", err)
		}
		if err := p.rows.write(result); err != nil {
			return err
		}
	}
}

// Discard removes what waited.
func (p *parquetFile) Discard() {
	if p.wait != nil {
		p.wait.Reset()
	}
}

// begin makes the writer of rows, once.
func (p *parquetFile) begin() {
	if p.rows == nil {
		p.rows = newParquetRows(p.w, &p.kept, p.limit)
	}
}

// parquetRows writes rows whose columns are all known.
type parquetRows struct {
	w     *parquet.GenericWriter[any]
	fixed *parquet.Schema // of the columns that every result has
	first int             // place of the first kept column
	kept  *parquetKept
	row   [1]parquet.Row
	limit int
	bytes int // of text in the current row group
}

func newParquetRows(w io.Writer, kept *parquetKept, limit int) *parquetRows {
	fixed := parquet.SchemaOf(parquetResult{})
	p := &parquetRows{fixed: fixed, first: len(fixed.Columns()), kept: kept, limit: limit}
	schema := parquet.NewSchema("result", ordered{parquet.Group{}, append(fixed.Fields(), kept.fields()...)})
	options := []parquet.WriterOption{
		schema,
		parquet.Compression(&zstd.Codec{}),
	}
	for _, path := range schema.Columns() {
		if leaf, ok := schema.Lookup(path...); ok && leaf.Node.Type().Kind() == parquet.ByteArray && !bounded(path) {
			options = append(options, parquet.SkipPageBounds(path...), parquet.SkipPageStatistics(path...))
		}
	}
	if names := kept.jsonNames(); len(names) > 0 {
		options = append(options, parquet.KeyValueMetadata(JSONColumns, string(appendStrings(nil, names))))
	}
	p.w = parquet.NewGenericWriter[any](w, options...)
	return p
}

// bounded reports whether the least and the greatest value of a column of texts
// are in the file's index, which is in memory until the end. For long texts
// nobody asks for them.
func bounded(path []string) bool {
	return len(path) == 1 && (path[0] == "id" || path[0] == "status" || path[0] == "reason")
}

// write adds a row, and ends the row group where it is large enough.
func (p *parquetRows) write(r *eval.Result) error {
	shaped, size := parquetShape(r)
	row := p.fixed.Deconstruct(p.row[0][:0], shaped)
	row, more := p.kept.append(row, r.Row.Kept, p.first)
	p.row[0] = row
	if _, err := p.w.WriteRows(p.row[:]); err != nil {
		return err
	}
	if p.bytes += size + more; p.bytes < p.limit {
		return nil
	}
	p.bytes = 0
	return p.w.Flush()
}

func (p *parquetRows) close() error { return p.w.Close() }

// ordered is a group whose fields stand in an order of their own; those of a
// parquet.Group are sorted by name.
type ordered struct {
	parquet.Group
	fields []parquet.Field
}

// Fields returns them in that order.
func (o ordered) Fields() []parquet.Field { return o.fields }
