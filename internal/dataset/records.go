package dataset

import "errors"

// A Record is an uninterpreted record of a file.
type Record struct {
	Line    int      // same as Row.Line
	Object  []byte   // JSONL and JSON: value of the record, possibly invalid or not an object
	Columns []Column // CSV, TSV and Parquet: named columns in order
}

// Records reads the records of a file. It is not safe for concurrent use.
type Records struct {
	file *file
}

// OpenRecords opens a file of any format without interpreting its columns. It uses the options
// Stdin, Format, MaxRowBytes, OpenPipe and Warn. After an error the file is closed.
func OpenRecords(path string, opts Options) (*Records, error) {
	columns := &columnMap{raw: true, exact: true, keepAll: true}
	f := &file{fileColumns: fileColumns{path: path, columns: columns, warnings: newWarnings(opts), opts: &opts}}
	if err := f.open(); err != nil {
		return nil, err
	}
	return &Records{f}, nil
}

// Format returns the format of the file, independent of compression.
func (r *Records) Format() Format { return r.file.format }

// Names returns the column names, or nil if the format has no header.
func (r *Records) Names() []string {
	if r.file.format == JSON || r.file.format == JSONL {
		return nil
	}
	return r.file.reader.(recordReader).columnNames() //nolint:forcetypeassert // all that openRecords creates
}

// Metadata returns the value of a key in the metadata of a Parquet file, or "".
func (r *Records) Metadata(name string) string {
	p, ok := r.file.reader.(*parquetReader)
	if !ok {
		return ""
	}
	value, _ := p.file.Lookup(name)
	return value
}

// Next returns the next record, or io.EOF after the last one. An invalid record results in a
// [*RowError], after which reading can continue. Any other error is final.
func (r *Records) Next() (Record, error) {
	var row Row
	err := r.file.next(&row)
	if rowErr, ok := errors.AsType[*RowError](err); ok {
		rowErr.File = r.file.path
		return Record{Line: row.Line}, err
	}
	if err != nil {
		return Record{}, err
	}
	record := Record{Line: row.Line, Columns: row.Kept}
	if f := r.file.format; f == JSONL || f == JSON {
		record.Object, record.Columns = row.Kept[0].Value, nil
	}
	return record, nil
}

// Close closes the file. It can be called more than once.
func (r *Records) Close() error {
	r.file.close()
	return nil
}
