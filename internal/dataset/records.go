package dataset

import "errors"

// A Record is one record of a file as stored, without fields.
type Record struct {
	Line    int      // as Row.Line
	Object  []byte   // JSONL and JSON: the value, which may be invalid or not an object
	Columns []Column // CSV, TSV and Parquet: the columns that have a name, in order
}

// Records reads the records of one file. It must not be used by several goroutines
// at once.
type Records struct {
	file *file
}

// OpenRecords opens a file of any format without interpreting its columns. It uses
// Stdin, Format, MaxRowBytes, TempDir and Warn of opts. After an error nothing is
// left open.
func OpenRecords(path string, opts Options) (*Records, error) {
	if opts.Warn == nil {
		opts.Warn = func(error) {}
	}
	f := &file{path: path, opts: &opts, columns: &columnMap{raw: true, keepAll: true}, warnings: &warnings{warn: opts.Warn}}
	if err := f.open(); err != nil {
		return nil, err
	}
	return &Records{f}, nil
}

// Format returns the format of the file, regardless of compression.
func (r *Records) Format() Format { return r.file.format }

// Names returns the column names, or nil if the format has no header.
func (r *Records) Names() []string {
	switch t := r.file.reader.(type) {
	case *tableReader:
		return t.header.names
	case *parquetReader:
		return t.header.names
	}
	return nil
}

// Metadata returns a value of the key-value metadata of a Parquet file, or "".
func (r *Records) Metadata(name string) string {
	p, ok := r.file.reader.(*parquetReader)
	if !ok {
		return ""
	}
	value, _ := p.file.Lookup(name)
	return value
}

// Next returns the next record, and io.EOF after the last one. A record that cannot
// be read gives a [*RowError], and reading can continue; any other error is final.
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
	rec := Record{Line: row.Line, Columns: row.Kept}
	if f := r.file.format; f == JSONL || f == JSON {
		rec.Object, rec.Columns = row.Kept[0].Value, nil
	}
	return rec, nil
}

// Close closes the file. It can be called more than once.
func (r *Records) Close() error {
	r.file.close()
	return nil
}
