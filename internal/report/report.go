// Package report writes results: as files and streams that other programs
// read, and as a table for a person. There is one file for each format.
package report

import (
	"errors"
	"fmt"
	"io"
	"path/filepath"
	"strings"

	"github.com/ragfaith/ragfaith/internal/dataset"
	"github.com/ragfaith/ragfaith/internal/result"
)

// A Writer writes results in one format. Close writes what comes after the last
// result and does not close the underlying writer. The table and the reports are
// written by Close.
type Writer = result.Writer

// A Format is a way to write results.
type Format string

// The formats.
const (
	FormatTable Format = "table" // for a person
	FormatJSONL Format = "jsonl" // a JSON object a row
	FormatJSON  Format = "json"  // one JSON array
	FormatCSV   Format = "csv"
	FormatTSV   Format = "tsv"

	FormatParquet  Format = "parquet"
	FormatMarkdown Format = "markdown" // figures and the worst rows, for a pull request
	FormatJUnit    Format = "junit"    // a test case a row, for CI systems

	FormatHTML Format = "html" // a page to look into; Options.Page makes it

	FormatNone Format = "none" // nothing at all
)

// StreamFormats are what standard output can get.
func StreamFormats() []Format {
	return []Format{FormatTable, FormatJSONL, FormatCSV, FormatTSV, FormatJSON, FormatMarkdown, FormatNone}
}

// FileFormats are what a file can be, by its extension.
func FileFormats() []Format {
	return []Format{FormatJSONL, FormatJSON, FormatCSV, FormatTSV, FormatParquet, FormatMarkdown, FormatJUnit, FormatHTML}
}

// Extension returns how the name of a file of format f ends, with the dot.
func (f Format) Extension() string {
	if f == FormatMarkdown {
		return ".md"
	}
	if f == FormatJUnit {
		return ".xml"
	}
	return "." + string(f)
}

// FormatOf returns the format that the extension of path names.
func FormatOf(path string) (Format, error) {
	ext := filepath.Ext(path)
	for _, f := range FileFormats() {
		if f.Extension() == strings.ToLower(ext) {
			return f, nil
		}
	}
	if ext == "" {
		return "", fmt.Errorf("%s: the extension decides the format, and there is none; want %s", path, extensions())
	}
	return "", fmt.Errorf("%s: unknown extension %s, want %s", path, ext, extensions())
}

// extensions lists those of the file formats for a message: ".a, .b or .c".
func extensions() string {
	formats := FileFormats()
	names := make([]string, len(formats))
	for i, f := range formats {
		names[i] = f.Extension()
	}
	last := len(names) - 1
	return strings.Join(names[:last], ", ") + " or " + names[last]
}

// Options are what a format may need to know.
type Options struct {
	Keep    []string    // columns of the dataset that are wanted in the results
	KeepAll bool        // those of the first row that has any
	Width   int         // of the table, in terminal cells; 120 for 0
	Warn    func(error) // is told what a format can't hold; may be nil
	// Palette colours the table.
	Palette Palette
	// Marks adds a column to the table with a sign for the verdict of each claim.
	Marks bool
	// Show is how many of the worst rows the table shows in full below it.
	Show int
	// TempDir is the folder of temporary files, "" for the system's. Some formats
	// need one where there are many rows.
	TempDir string
	// Gates are the gates of the run and how they came out, once all rows are
	// there; may be nil. A report for a person shows them.
	Gates func(*Tally) []Gate
	// Means are the means of the run with their intervals, once all rows are
	// there; may be nil. A report for a person shows them.
	Means func(*Tally) *Means
	// Notes say how the results came about, each in a few words. A report for a
	// person shows them.
	Notes []string
	// Foot is said below the table of FormatTable; "" for nothing.
	Foot string
	// Page makes the Writer of FormatHTML, which says more of a run than its
	// rows; without it that format can't be written.
	Page func(io.Writer) (Writer, error)
}

// New returns a Writer of format f to w.
func New(f Format, w io.Writer, o Options) (Writer, error) {
	switch f {
	case FormatTable:
		return newTable(w, o), nil
	case FormatJSONL, FormatJSON, FormatCSV, FormatTSV, FormatParquet:
		return result.NewWriter(dataset.Format(f), w, result.Options{Keep: o.Keep, KeepAll: o.KeepAll, Warn: o.Warn, TempDir: o.TempDir})
	case FormatMarkdown:
		return newMarkdown(w, o), nil
	case FormatJUnit:
		return newJUnit(w, o), nil
	case FormatHTML:
		if o.Page == nil {
			return nil, errors.New("nothing makes the page of an HTML report")
		}
		return o.Page(w)
	case FormatNone:
		return discard{}, nil
	}
	return nil, fmt.Errorf("unknown format %q", f)
}

// Discard gives up a Writer that is not to be closed: what it keeps beside what
// it writes to, such as a temporary file, is removed.
func Discard(w Writer) {
	if d, ok := w.(interface{ Discard() }); ok {
		d.Discard()
	}
}

// discard is the Writer of FormatNone.
type discard struct{}

// Write does nothing.
func (discard) Write(*result.Row) error { return nil }

// Close does nothing.
func (discard) Close() error { return nil }
