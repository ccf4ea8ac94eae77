package report

import (
	"fmt"
	"io"

	"github.com/ragfaith/ragfaith/internal/dataset"
	"github.com/ragfaith/ragfaith/internal/result"
)

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
		if o.Show > 0 {
			return newWorstRows(w, o), nil
		}
		return discard{}, nil
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

// discard is the Writer of FormatNone.
type discard struct{}

func (discard) Write(*result.Row) error { return nil }

// Close does nothing.
func (discard) Close() error { return nil }
