package result

import "io"

const (
	MaxEarly = maxEarly
	MaxKept  = maxKept
)

// NewParquetWriter returns a Parquet writer with row groups of limit bytes.
func NewParquetWriter(w io.Writer, o Options, limit int) Writer {
	p := newParquetWriter(w, o)
	p.limit = limit
	return p
}

// SpoolInFile reports whether a Parquet writer has a temporary file.
func SpoolInFile(w Writer) bool {
	return !w.(*parquetWriter).spool.InMemory() //nolint:forcetypeassert // a misuse fails the test
}
