package result

import (
	"fmt"
	"io"

	"github.com/ragfaith/ragfaith/internal/dataset"
)

// A Writer writes rows in one format. Close writes the end of the format and does
// not close the underlying writer.
type Writer interface {
	Write(r *Row) error
	Close() error
}

// NewWriter returns a Writer of a format.
//
// Rows are written at once, except that CSV and TSV with all columns kept hold back up to 100
// unreadable rows before the first that has columns, and Parquet with kept columns writes rows on Close.
func NewWriter(f dataset.Format, w io.Writer, o Options) (Writer, error) {
	switch f {
	case dataset.JSONL:
		return &jsonWriter{w: w, next: "", end: "\n"}, nil
	case dataset.JSON:
		return &jsonWriter{w: w, first: "[\n", next: ",\n", last: "\n]\n", empty: "[]\n"}, nil
	case dataset.CSV:
		return newCSVWriter(w, ',', o), nil
	case dataset.TSV:
		return newCSVWriter(w, '\t', o), nil
	case dataset.Parquet:
		return newParquetWriter(w, o), nil
	}
	return nil, fmt.Errorf("unknown format %q", f)
}

// A jsonWriter writes a JSON object per row, as lines or as an array.
type jsonWriter struct {
	w                io.Writer
	first, next, end string // before the first row, before others, and after each
	last, empty      string // text after the last row, and for a file without rows
	buf              []byte
	started          bool
}

// Write writes r.
func (j *jsonWriter) Write(r *Row) error {
	before := j.first
	if j.started {
		before = j.next
	}
	j.started = true
	j.buf = append(r.AppendJSON(append(j.buf[:0], before...)), j.end...)
	_, err := j.w.Write(j.buf)
	return err
}

// Close ends the array.
func (j *jsonWriter) Close() error {
	end := j.last
	if !j.started {
		end = j.empty
	}
	if end == "" {
		return nil
	}
	_, err := io.WriteString(j.w, end)
	return err
}
