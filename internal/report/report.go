// Package report writes tables, reports and summaries of results.
package report

import (
	"fmt"
	"io"
	"path/filepath"
	"strings"

	"github.com/ragfaith/ragfaith/internal/dataset"
	"github.com/ragfaith/ragfaith/internal/result"
)

// A Writer writes results in one format. Close writes the remaining output after the last result
// and does not close the underlying writer. The table and the reports are written by Close.
type Writer = result.Writer

// A Format is an output format.
type Format string

// The formats.
const (
	FormatTable Format = "table" // for a terminal
	FormatJSONL Format = "jsonl" // a JSON object per row
	FormatJSON  Format = "json"  // a JSON array
	FormatCSV   Format = "csv"
	FormatTSV   Format = "tsv"

	FormatParquet  Format = "parquet"
	FormatMarkdown Format = "markdown" // statistics and the worst rows, for a pull request
	FormatJUnit    Format = "junit"    // a test case per row, for CI systems

	FormatHTML Format = "html" // an interactive page, written by package html

	FormatNone Format = "none" // no output but the rows of Options.Show
)

// StreamFormats returns the formats for standard output.
func StreamFormats() []Format {
	return []Format{FormatTable, FormatJSONL, FormatCSV, FormatTSV, FormatJSON, FormatMarkdown, FormatNone}
}

// FileFormats returns the formats for files.
func FileFormats() []Format {
	return []Format{FormatJSONL, FormatJSON, FormatCSV, FormatTSV, FormatParquet, FormatMarkdown, FormatJUnit, FormatHTML}
}

// Extension returns the file extension of f, with the dot.
func (f Format) Extension() string {
	if extension, ok := map[Format]string{FormatMarkdown: ".md", FormatJUnit: ".xml"}[f]; ok {
		return extension
	}
	return "." + string(f)
}

// FormatOf returns the format with the extension of path.
func FormatOf(path string) (Format, error) {
	ext := filepath.Ext(path)
	var known []string
	for _, f := range FileFormats() {
		if f.Extension() == strings.ToLower(ext) {
			return f, nil
		}
		known = append(known, f.Extension())
	}
	if ext == "" {
		return "", fmt.Errorf("%s: no extension to determine the format from, want %s", path, OrList(known))
	}
	return "", fmt.Errorf("%s: unknown extension %s, want %s", path, ext, OrList(known))
}

// OrList joins alternatives: "a, b or c".
func OrList(words []string) string {
	last := len(words) - 1
	return strings.Join(words[:last], ", ") + " or " + words[last]
}

// New returns a Writer of format f to w. Package html has that of FormatHTML.
func New(f Format, w io.Writer, o Options) (Writer, error) {
	if o.Gates == nil {
		o.Gates = func() []Gate { return nil }
	}
	switch f {
	case FormatTable:
		return newTable(w, o), nil
	case FormatJSONL, FormatJSON, FormatCSV, FormatTSV, FormatParquet:
		return result.NewWriter(dataset.Format(f), w, result.Options{Keep: o.Keep, KeepAll: o.KeepAll, Warn: o.Warn, TempDir: o.TempDir})
	case FormatMarkdown:
		return &markdown{w: w, opts: o, worst: NewWorst(markdownRows)}, nil
	case FormatJUnit:
		return newJUnit(w, o), nil
	case FormatNone:
		return newWorstRows(w, o), nil
	case FormatHTML:
	}
	return nil, fmt.Errorf("unknown format %q", f)
}

// Discard removes the temporary files of a Writer that will not be closed.
func Discard(w Writer) {
	if d, ok := w.(interface{ Discard() }); ok {
		d.Discard()
	}
}
