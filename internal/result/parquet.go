package result

import (
	"fmt"
	"io"
	"slices"

	"github.com/parquet-go/parquet-go"
	"github.com/parquet-go/parquet-go/compress/zstd"

	"github.com/ragfaith/ragfaith/internal/safefile"
)

// rowGroupBytes is the approximate size of a row group. A row group is in
// memory until it is complete.
const rowGroupBytes = 16 << 20

// JSONColumnsKey is the name in a Parquet file's metadata of the list of the
// kept columns that hold JSON, which is a JSON array.
const JSONColumnsKey = "ragfaith.json_columns"

// A parquetWriter writes Parquet. The type of a kept column is only known after
// the last row, since any row may have a value of another type. If columns are
// kept, rows therefore wait in a spool until Close.
type parquetWriter struct {
	w        io.Writer
	kept     parquetKept
	spool    *safefile.Spool // nil if no columns are kept
	buf      []byte          // a row for the spool
	file     *parquet.GenericWriter[any]
	shredder shredder
	row      [1]parquet.Row
	limit    int // size of a row group in bytes
	bytes    int // approximate size of the current row group
}

func newParquetWriter(w io.Writer, o Options) *parquetWriter {
	p := &parquetWriter{w: w, kept: newParquetKept(o), limit: rowGroupBytes}
	if o.KeepAll || len(o.Keep) > 0 {
		p.spool = safefile.NewSpool(o.TempDir)
	}
	return p
}

// Write writes r, or adds it to the spool.
func (p *parquetWriter) Write(r *Row) error {
	if p.spool == nil {
		return p.writeRow(r)
	}
	if err := p.kept.observe(r.Kept); err != nil {
		return err
	}
	p.buf = append(r.AppendJSON(p.buf[:0]), '\n')
	_, err := p.spool.Write(p.buf)
	return err
}

// Close writes the rows in the spool and the end of the file.
func (p *parquetWriter) Close() error {
	defer p.Discard()
	p.open()
	if p.spool != nil {
		if err := p.writeSpool(); err != nil {
			return err
		}
	}
	return p.file.Close()
}

func (p *parquetWriter) writeSpool() error {
	r, err := p.spool.Reader()
	if err != nil {
		return err
	}
	for row, err := range NewReader(r, nil).Rows() {
		if err != nil {
			return fmt.Errorf("temporary file: %w", err)
		}
		if err := p.writeRow(row); err != nil {
			return err
		}
	}
	return nil
}

// Discard removes the spool.
func (p *parquetWriter) Discard() {
	if p.spool != nil {
		p.spool.Reset()
	}
}

// open opens the file once, when the columns are known.
func (p *parquetWriter) open() {
	if p.file != nil {
		return
	}
	fields := append(rowFields().parquetFields(), p.kept.fields()...)
	schema := parquet.NewSchema("result", orderedGroup{parquet.Group{}, fields})
	options := []parquet.WriterOption{schema, parquet.Compression(&zstd.Codec{})}
	for _, path := range schema.Columns() {
		// The statistics are in memory until the end, and nobody filters by long texts.
		filtered := len(path) == 1 && slices.Contains([]string{"id", "status", "reason"}, path[0])
		if leaf, ok := schema.Lookup(path...); ok && leaf.Node.Type().Kind() == parquet.ByteArray && !filtered {
			options = append(options, parquet.SkipPageBounds(path...), parquet.SkipPageStatistics(path...))
		}
	}
	var names []string // of the columns that hold JSON as text
	for i, name := range p.kept.Names {
		if p.kept.types[i] == keptJSON {
			names = append(names, name)
		}
	}
	if len(names) > 0 {
		options = append(options, parquet.KeyValueMetadata(JSONColumnsKey, string(AppendTexts(nil, names))))
	}
	p.file = parquet.NewGenericWriter[any](p.w, options...)
}

// writeRow adds a row to the file, and ends the row group if it is large enough.
func (p *parquetWriter) writeRow(r *Row) error {
	p.open()
	row := p.kept.append(p.shredder.shred(p.row[0][:0], r), r.Kept, rowFields().leaves)
	p.row[0] = row
	if _, err := p.file.WriteRows(p.row[:]); err != nil {
		return err
	}
	const perValue = 4 // besides text
	p.bytes += perValue * len(row)
	for _, v := range row {
		if v.Kind() == parquet.ByteArray {
			p.bytes += len(v.ByteArray())
		}
	}
	if p.bytes < p.limit {
		return nil
	}
	p.bytes = 0
	return p.file.Flush()
}
