// Package resultfile reads result files of any format, merges the files of several runs,
// and compares them with the summaries of their runs.
package resultfile

import (
	"cmp"
	"errors"
	"fmt"
	"io"
	"iter"
	"math"
	"slices"
	"strings"

	"github.com/ragfaith/ragfaith/internal/dataset"
	"github.com/ragfaith/ragfaith/internal/report"
	"github.com/ragfaith/ragfaith/internal/result"
)

// maxRowBytes limits the size of a result. It is far above that of a row of the default
// --max-row-bytes.
const maxRowBytes = 1 << 30

// Options are the options of Open. All are optional.
type Options struct {
	// Keep lists kept columns that must exist. Rows contain all kept columns in any case.
	Keep     []string
	Stdin    io.Reader                                // read for the path "-"
	OpenPipe func(path string) (io.ReadCloser, error) // as in dataset.Options
	// Summary is the summary of the run, which was read from SummaryPath. The rows must agree
	// with it, which detects files that were truncated after a complete line.
	Summary     *report.Summary
	SummaryPath string
}

// A File is an open result file. It must not be used concurrently.
type File struct {
	path    string
	o       Options
	records *dataset.Records
	row     tableRow
	decoder *result.Decoder
	line    int          // line of the last row, from 1, or its number in Parquet
	index   int          // of the last row in Merge, which must not use the row after yielding it
	last    *result.Row  // the last row in Merge
	tally   report.Tally // statistics of the rows read
	missing []string     // columns of Options.Keep not found in any row so far
}

// Open opens a result file: JSONL, JSON, CSV, TSV or Parquet, detected by its extension or
// content, and possibly compressed with gzip or zstd. If a table is something else, such as
// a dataset, the error names the missing columns.
func Open(path string, o Options) (*File, error) {
	records, err := dataset.OpenRecords(path, dataset.Options{Stdin: o.Stdin, MaxRowBytes: maxRowBytes, OpenPipe: o.OpenPipe})
	if err != nil {
		return nil, err
	}
	f := &File{
		path: path, o: o, records: records, missing: slices.Clone(o.Keep),
		decoder: result.NewDecoder(result.Check),
	}
	if err := f.checkColumns(); err != nil {
		f.Close()
		return nil, err
	}
	return f, nil
}

// checkColumns checks that a table has the columns of results and those of Options.Keep.
func (f *File) checkColumns() error {
	if f.records.Format() == dataset.JSONL || f.records.Format() == dataset.JSON {
		return nil
	}
	row, err := newTableRow(f.records)
	if err != nil {
		return fmt.Errorf("%s: %w", f.name(), err)
	}
	f.row = row
	if missing := missingFrom(f.o.Keep, f.records.Names()); len(missing) > 0 {
		return &ColumnError{f.name(), missing}
	}
	return nil
}

// Close closes the file. It can be called more than once.
func (f *File) Close() { f.records.Close() }

// Rows returns the rows of the file and closes it. It must be called only once. The
// caller may modify the rows. Usage is zero for CSV and TSV, which do not contain it. An error is the last
// element; it names the file and the line, or the row in Parquet.
func (f *File) Rows() iter.Seq2[*result.Row, error] {
	return func(yield func(*result.Row, error) bool) {
		defer f.Close()
		for {
			r, err := f.next()
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

// next reads a row. It returns io.EOF at the end of the file, if the rows agree with
// Options.Summary.
func (f *File) next() (*result.Row, error) {
	record, err := f.records.Next()
	if errors.Is(err, io.EOF) && f.o.Summary != nil {
		err = cmp.Or(f.checkSummary(f.o.Summary), io.EOF)
	}
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
	if err != nil {
		return nil, &dataset.RowError{File: f.path, Line: record.Line, Err: err}
	}
	f.line = record.Line
	_ = f.tally.Write(r) // never fails
	return r, nil
}

// checkSummary compares all rows of the file with the summary of its run.
func (f *File) checkSummary(s *report.Summary) error {
	t := &f.tally
	if t.Rows != s.Rows.Total {
		return fmt.Errorf("%s: it contains %s, but according to %s its run had %d: it is truncated, or the summary belongs to another run",
			f.name(), report.Count(t.Rows, "row", "rows"), f.o.SummaryPath, s.Rows.Total)
	}
	for _, x := range []struct {
		name      string
		got, want int
	}{
		{"scored rows", t.Scored, s.Rows.Scored},
		{"rows without claims", t.NoClaims, s.Rows.NoClaims},
		{"refusals", t.Refusal, s.Rows.Refusal},
		{"empty answers", t.Empty, s.Rows.Empty},
		{"unjudged rows", t.Unjudged, s.Rows.Unjudged},
		{"failed rows", t.Failed, s.Rows.Failed},
		{"skipped rows", t.Skipped, s.Rows.Skipped},
		{"rows with empty contexts", t.NoContexts, s.Rows.NoContexts},
		{"claims", t.Claims, s.Claims.Total},
		{"unjudged claims", t.UnjudgedClaims, s.Claims.Unjudged},
		{"supported claims", t.Supported, s.Claims.Supported},
		{"contradicted claims", t.Contradicted, s.Claims.Contradicted},
		{"verdicts with a confidence", t.Confident, s.Claims.Confident},
		{"scores", t.Faithfulness.Count(), s.Faithfulness.Count},
	} {
		if x.got != x.want {
			return f.summaryError(x.name, x.got, x.want)
		}
	}
	// A summary adds up the same numbers in a different order.
	const meanError = 1e-6
	for _, x := range []struct {
		name      string
		got, want float64 // got is NaN without rows
	}{
		{"mean faithfulness", t.Faithfulness.Mean(), s.Faithfulness.Mean},
		{"share of uncertain verdicts", t.UncertainShare(), s.Claims.UncertainShare},
	} {
		if !math.IsNaN(x.got) && !(math.Abs(x.got-x.want) <= meanError) {
			return f.summaryError(x.name, x.got, x.want)
		}
	}
	return nil
}

func (f *File) summaryError(name string, got, want any) error {
	return fmt.Errorf("%s: %s: got %v, want %v as in its summary: one of them was edited, or the summary belongs to another run",
		f.name(), name, got, want)
}

// name returns the name of the file in messages.
func (f *File) name() string { return dataset.DisplayName(f.path) }

// A ColumnError reports columns of Options.Keep that do not exist. For JSONL and JSON it
// comes after the last row.
type ColumnError struct {
	File    string
	Columns []string
}

// Error lists the columns.
func (e *ColumnError) Error() string {
	names := make([]string, len(e.Columns))
	for i, name := range e.Columns {
		names[i] = fmt.Sprintf("%q", name)
	}
	return e.File + ": no column " + strings.Join(names, ", ") + "; score with --keep COLUMN to copy one into the results"
}

// missingFrom returns the columns that are not in names.
func missingFrom(columns, names []string) []string {
	return slices.DeleteFunc(slices.Clone(columns), func(name string) bool { return slices.Contains(names, name) })
}
