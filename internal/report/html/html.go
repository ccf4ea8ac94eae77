// Package html writes results as one HTML page that works offline: the statistics of a run,
// its gates, a histogram, and a table whose rows open to claims and evidence side by side.
// The fragment of the page address has the filters and the open row. It also writes
// comparisons of two runs and calibrations as pages.
//
// Texts in results are untrusted. Rows are embedded compressed and in base64, so no text can end
// its element, and the script inserts them as text nodes. Statistics are escaped by html/template.
// The Content-Security-Policy allows only the script and style of the page, and no requests.
package html

import (
	"cmp"
	"fmt"
	"io"
	"strings"

	template "github.com/DataDog/datadog-agent/pkg/template/html"
	"github.com/klauspost/compress/gzip"

	"github.com/ragfaith/ragfaith/internal/report"
	"github.com/ragfaith/ragfaith/internal/result"
)

// The default limits of a page, which a browser opens within two seconds.
const (
	defaultMaxRows  = 20_000
	defaultMaxBytes = 56_000_000
)

// A Run describes a run.
type Run struct {
	Datasets []string        // names as given on the command line
	Settings result.Settings // options that affect the results, in display order
	Tally    *report.Tally   // counts of all rows at Close
	// Gates returns the gates after the last row. It may be nil.
	Gates func() []report.Gate
	// MaxRows and MaxBytes limit the rows in the table and their size in the file; 0
	// means 20,000 rows and 56 MB. Further rows are only counted, which the page reports.
	MaxRows  int
	MaxBytes int64
}

// A Writer writes results as a page. It implements report.Writer. Rows are written as
// they arrive and the statistics after them, so memory does not grow with the number of rows.
type Writer struct {
	w        io.Writer
	run      Run
	page     *template.Template
	bins     bins
	packer   packer
	embedded int  // rows in the table
	started  bool // the head is written
}

// New returns a Writer of a page about run to w. Nothing is written before the first row.
func New(w io.Writer, run Run) (*Writer, error) {
	if run.MaxRows <= 0 {
		run.MaxRows = defaultMaxRows
	}
	if run.MaxBytes <= 0 {
		run.MaxBytes = defaultMaxBytes
	}
	// The scripts form one module, so they share their names with nothing else.
	p, err := parse("page", "text.js", "blocks.js", "rows.js", "columns.js", "grid.js", "detail.js", "main.js")
	if err != nil {
		return nil, fmt.Errorf("parsing the report page: %w", err)
	}
	return &Writer{w: w, run: run, page: p, packer: packer{w: w, gzip: gzip.NewWriter(nil)}}, nil
}

// Write embeds r, unless the page is full.
func (w *Writer) Write(r *result.Row) error {
	if err := w.start(); err != nil {
		return err
	}
	w.bins.add(r.Faithfulness)
	if w.embedded == w.run.MaxRows || w.packer.written >= w.run.MaxBytes {
		return nil
	}
	w.embedded++
	return w.packer.add(r)
}

// start writes the head of the page, once.
func (w *Writer) start() error {
	if w.started {
		return nil
	}
	w.started = true
	title := "Faithfulness report"
	if names := datasetNames(w.run.Datasets); len(names) > 0 {
		title = strings.Join(names, ", ") + " – " + title
	}
	return w.page.ExecuteTemplate(w.w, "head", title)
}

// Close writes the remaining rows and the rest of the page.
func (w *Writer) Close() error {
	if err := w.start(); err != nil {
		return err
	}
	if err := w.packer.flush(1, 1); err != nil {
		return err
	}
	tally := w.run.Tally
	f, means := &tally.Faithfulness, tally.Means()
	o := overview{
		Datasets:      datasetNames(w.run.Datasets),
		Settings:      w.run.Settings,
		Tally:         tally,
		Cited:         tally.Cited(),
		Marked:        tally.Marked(),
		Prescreened:   tally.Prescreened(),
		Confidence:    tally.Confidence(),
		NoClaimsShare: tally.NoClaimsPercent(),
		UnjudgedShare: tally.UnjudgedPercent(),
		Embedded:      w.embedded,
		Omitted:       tally.Rows - w.embedded,
		RowsWithScore: f.Count(),
		Mean:          formatScore(f.Mean()),
		Statistics:    statistics(means),
		Passed:        true,
		Distribution: []statistic{
			{Name: "std", Value: formatScore(f.Std())},
			{Name: "lowest", Value: formatScore(f.Min())},
			{Name: "25%", Value: formatScore(f.Quantile(0.25))},
			{Name: "median", Value: formatScore(f.Quantile(0.5))},
			{Name: "75%", Value: formatScore(f.Quantile(0.75))},
			{Name: "highest", Value: formatScore(f.Max())},
		},
		Histogram: w.bins.histogram(f.Mean()),
		Claims:    claimShares(tally),
		Tables:    means.Tables(),
	}
	if w.run.Gates != nil {
		for _, g := range w.run.Gates() {
			if g.Name == report.GateMaxFailed && g.Passed {
				continue
			}
			g.Text += ": " + g.Outcome()
			o.Gates = append(o.Gates, g)
			o.Passed = o.Passed && g.Passed
		}
	}
	return w.page.ExecuteTemplate(w.w, "tail.tmpl", o)
}

// overview is the data of the template after the rows.
type overview struct {
	Datasets      []string
	Settings      result.Settings
	Tally         *report.Tally
	Cited         string // see report.Tally.Cited
	Marked        string // see report.Tally.Marked
	Prescreened   string // see report.Tally.Prescreened
	Confidence    string // see report.Tally.Confidence
	NoClaimsShare string // in percent
	UnjudgedShare string // in percent
	Embedded      int    // rows in the table
	Omitted       int    // rows only counted
	RowsWithScore int
	Mean          string
	Statistics    []statistic // means and intervals
	Distribution  []statistic
	Gates         []report.Gate // with their outcome, without --max-failed if it passed
	Passed        bool          // all gates
	Histogram     *chart
	Claims        []claimShare
	Tables        []report.Table
}

// A statistic is a named number, formatted.
type statistic struct {
	Name, Value string
	Note        string // sample size or method; optional
}

// statistics returns the intervals and the mean of claims. The mean of rows is elsewhere.
func statistics(means *report.Means) []statistic {
	var all []statistic
	for _, m := range means.Format() {
		if m.Of == "claims" {
			all = append(all, statistic{Name: "mean of claims", Value: m.Estimate})
		}
		all = append(all, statistic{Name: "95% interval", Value: cmp.Or(m.Interval, "none"), Note: m.Basis})
	}
	return all
}

// A claimShare is the share of the claims with a verdict.
type claimShare struct {
	Verdict    result.Verdict
	Name, Sign string
	Filter     string // of the table
	Count      int
	Percent    string
}

func claimShares(t *report.Tally) []claimShare {
	var shares []claimShare
	for _, s := range []claimShare{
		{Verdict: result.Supported, Count: t.Supported},
		{Verdict: result.Contradicted, Filter: "contradicted", Count: t.Contradicted},
		{Verdict: result.NotMentioned, Filter: "not_mentioned", Count: t.Claims - t.Supported - t.Contradicted},
	} {
		if s.Count == 0 {
			continue
		}
		s.Name, s.Sign = s.Verdict.Words(), report.Symbol(s.Verdict)
		s.Percent = fmt.Sprintf("%.1f%%", 100*float64(s.Count)/float64(t.Claims))
		shares = append(shares, s)
	}
	return shares
}

// datasetNames returns the names of datasets as they are shown.
func datasetNames(datasets []string) []string {
	names := make([]string, len(datasets))
	for i, name := range datasets {
		if names[i] = report.Printable(name); name == "-" {
			names[i] = "standard input"
		}
	}
	return names
}

// formatScore formats x with four decimals, and NaN as a dash.
func formatScore(x float64) string { return cmp.Or(report.Score(x), "–") }
