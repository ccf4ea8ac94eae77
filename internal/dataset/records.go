package dataset

import "errors"

// A Record is one record of a file as it is, with no field looked for in it.
type Record struct {
	Line    int      // as in Row
	Object  []byte   // in JSONL and JSON: the value, which may be broken or no object
	Columns []Column // in CSV, TSV and Parquet: those with a name, in the order of the file
}

// Records are the records of one file. They are for one goroutine.
type Records struct {
	src *source
}

// OpenRecords opens a file of any format for what is in it, whatever that is. Of
// opts it takes Stdin, Format, MaxRowBytes, TempDir and Warn. After an error
// nothing is left open.
func OpenRecords(path string, opts Options) (*Records, error) {
	if opts.Warn == nil {
		opts.Warn = func(error) {}
	}
	s := &source{path: path, opts: &opts, b: &binding{whole: true, keepAll: true}, note: &notes{warn: opts.Warn}}
	if err := s.open(); err != nil {
		return nil, err
	}
	return &Records{s}, nil
}

// Format is that of the file, within its compression.
func (r *Records) Format() Format { return r.src.format }

// Names returns the names of the columns, nil where there is no header.
func (r *Records) Names() []string {
	switch t := r.src.reader.(type) {
	case *tableReader:
		return t.header.names
	case *parquetReader:
		return t.header.names
	}
	return nil
}

// Metadata returns what a Parquet file says of itself under that name, "" for
// nothing.
func (r *Records) Metadata(name string) string {
	p, ok := r.src.reader.(*parquetReader)
	if !ok {
		return ""
	}
	value, _ := p.file.Lookup(name)
	return value
}

// Next returns the next record, and io.EOF alone after the last. A record that
// can't be read is a [*RowError], and reading can go on after it; any other error
// is the last.
func (r *Records) Next() (Record, error) {
	var row Row
	err := r.src.next(&row)
	if e := (*RowError)(nil); errors.As(err, &e) {
		e.File = r.src.path
		return Record{Line: row.Line}, err
	}
	if err != nil {
		return Record{}, err
	}
	rec := Record{Line: row.Line, Columns: row.Kept}
	if f := r.src.format; f == JSONL || f == JSON {
		rec.Object, rec.Columns = row.Kept[0].Value, nil
	}
	return rec, nil
}

// Close closes the file. It can be called more than once.
func (r *Records) Close() error {
	r.src.close()
	return nil
}
