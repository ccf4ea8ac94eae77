// Package resultfile reads files of results that ragfaith has written, of any format
// that holds rows, and the summary of their run.
package resultfile

import (
	"errors"
	"fmt"
	"io"
	"iter"
	"slices"
	"strings"

	"github.com/ragfaith/ragfaith/internal/dataset"
	"github.com/ragfaith/ragfaith/internal/eval"
	"github.com/ragfaith/ragfaith/internal/report"
	"github.com/ragfaith/ragfaith/internal/result"
)

// maxRowBytes is the longest result that is read: far more than a row of the
// default --max-row-bytes makes.
const maxRowBytes = 1 << 30

// Options say what is wanted of a file. The zero Options want its rows.
type Options struct {
	// Keep names kept columns that have to be there. Every kept column is in the
	// rows, whether or not it is named.
	Keep []string
	// Settings are those of the run, with which its results have to agree; nil if
	// they are unknown.
	Settings report.SummaryNames
	Stdin    io.Reader // read for the path "-"; nil for none
	TempDir  string    // for Parquet that can't be read in place; "" for the system's

	// OpenPipe opens what is no regular file, as dataset.Options has it.
	OpenPipe func(path string) (io.ReadCloser, error)
}

// A File is an open file of results. It is for one goroutine.
type File struct {
	path    string
	o       Options
	records *dataset.Records
	row     assembler
	check   *eval.Checker
	decoder *result.Decoder
	first   *result.Row // read by Open
	n       int         // rows read
	line    int         // of the row that was read last
	counts  counts      // of the rows read
	missing []string    // of Options.Keep, those that no row had yet
}

// Open opens a file of results: JSONL, JSON, CSV, TSV or Parquet, told by its
// extension or else by its content, and within gzip or zstd. A file that is
// something else, such as a dataset, is an error that says what it lacks. After an
// error nothing is left open.
func Open(path string, o Options) (*File, error) {
	records, err := dataset.OpenRecords(path, dataset.Options{Stdin: o.Stdin, MaxRowBytes: maxRowBytes, TempDir: o.TempDir, OpenPipe: o.OpenPipe})
	if err != nil {
		return nil, err
	}
	f := &File{path: path, o: o, records: records, missing: slices.Clone(o.Keep)}
	f.check = eval.NewChecker(o.Settings.Get)
	f.decoder = result.NewDecoder(f.check.Check)
	if err := f.begin(); err != nil {
		_ = f.Close()
		return nil, err
	}
	return f, nil
}

// begin finds out whether the file holds results.
func (f *File) begin() error {
	if f.records.Format() != dataset.JSONL && f.records.Format() != dataset.JSON {
		row, err := newAssembler(f.records)
		if err != nil {
			return fmt.Errorf("%s: %w", f.name(), err)
		}
		f.row, f.check.Partial = row, row.cells
		if gone := absent(f.o.Keep, f.records.Names()); len(gone) > 0 {
			return &ColumnError{f.name(), gone}
		}
	}
	first, err := f.next()
	if errors.Is(err, io.EOF) {
		return nil
	}
	f.first = first
	return err
}

// Path is the name of the file, as it was given.
func (f *File) Path() string { return f.path }

// Close closes the file. It can be called more than once.
func (f *File) Close() error { return f.records.Close() }

// Rows returns the results in the order of the file, once, and closes the file. A
// Result belongs to the caller: all that was written of it is in it, which for CSV
// and TSV is without what was skipped and the usage. Of where a row lay in its
// dataset only the index is known. The first error, which names the file and the
// line, or in Parquet the row, is the last thing that is yielded.
func (f *File) Rows() iter.Seq2[*result.Row, error] {
	return func(yield func(*result.Row, error) bool) {
		defer f.Close()
		for {
			r, err := f.first, error(nil)
			if f.first = nil; r == nil {
				r, err = f.next()
			}
			switch {
			case errors.Is(err, io.EOF):
				if len(f.missing) > 0 {
					yield(nil, &ColumnError{f.name(), f.missing})
				}
				return
			case err != nil:
				yield(nil, err)
				return
			}
			f.missing = slices.DeleteFunc(f.missing, func(name string) bool { return r.KeptValue(name) != nil })
			if !yield(r, nil) {
				return
			}
		}
	}
}

// next reads a result. io.EOF is the end of the file, and no other error wraps it.
func (f *File) next() (*result.Row, error) {
	record, err := f.records.Next()
	if err != nil {
		return nil, err
	}
	object := record.Object
	if object == nil {
		object, err = f.row.object(record.Columns)
	}
	var r *result.Row
	if err == nil {
		r, err = f.decoder.Decode(object)
	}
	if err == nil {
		err = f.row.checkCounts(r)
	}
	if err != nil {
		if f.n == 0 && result.IsForeign(err) {
			err = fmt.Errorf("%w; results are what ragfaith score writes", err)
		}
		return nil, &dataset.RowError{File: f.path, Line: record.Line, Err: err}
	}
	f.n, f.line = f.n+1, record.Line
	f.counts.add(r)
	return r, nil
}

// Line is where in the file the row lies that was yielded last: its line, or in
// Parquet its number, from 1.
func (f *File) Line() int { return f.line }

// name is the name of the file in a message.
func (f *File) name() string {
	if f.path == "-" {
		return "standard input"
	}
	return f.path
}

// A ColumnError is that of a file without columns that Options.Keep names. Of JSONL
// and JSON it comes after the last row.
type ColumnError struct {
	File    string
	Columns []string
}

// Error names the columns.
func (e *ColumnError) Error() string {
	names := make([]string, len(e.Columns))
	for i, name := range e.Columns {
		names[i] = fmt.Sprintf("%q", name)
	}
	return e.File + ": no column " + strings.Join(names, ", ") + "; score --keep COLUMN carries one into the results"
}

// absent returns what is wanted and not there.
func absent(wanted, names []string) []string {
	return slices.DeleteFunc(slices.Clone(wanted), func(name string) bool { return slices.Contains(names, name) })
}
