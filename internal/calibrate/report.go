package calibrate

import (
	"fmt"
	"math"
	"strconv"
	"strings"

	"github.com/ragfaith/ragfaith/internal/report"
	"github.com/ragfaith/ragfaith/internal/stats"
)

// Table returns the report for a terminal that is width cells wide; 0 means 120.
func (c *Calibration) Table(width int) string { return c.document().Terminal(width) }

// Markdown returns the report for a pull request, with names in code spans.
func (c *Calibration) Markdown() string { return c.document().Markdown() }

func (c *Calibration) document() report.Document {
	p := c.Page()
	return report.Document{
		report.Heading("Judge calibration"),
		report.Paragraph(p.Advice),
		report.Facts{{Name: "results", Value: p.Source, Text: true}, {Name: "judge", Value: p.Judge, Text: true}, {Name: "rows", Value: p.Counts}},
		p.Verdicts, p.Sections, report.Notes(p.Notes),
	}
}

// A Page is the content of the report.
type Page struct {
	Advice                string
	Source, Judge, Counts string
	Notes                 []string
	Verdicts              report.Table
	Sections              report.Tables
}

// Page returns the content of the report.
func (c *Calibration) Page() *Page {
	return &Page{
		Advice: c.Advice, Source: c.source(), Judge: c.judge(), Counts: c.counts(), Notes: c.Notes,
		Verdicts: c.verdicts(), Sections: c.sections(),
	}
}

func (c *Calibration) source() string {
	text := c.Results + ", labels in column " + c.Label
	if c.Labels != "" {
		text += " of " + string(c.Labels)
	}
	if c.PositiveAt != nil {
		text += ", faithful from " + formatShortest(*c.PositiveAt)
	}
	return report.Printable(text)
}

func (c *Calibration) counts() string {
	n := &c.Counts
	return fmt.Sprintf("%d: %d with a label and a score (%d faithful, %d not), %d without a label",
		n.Rows, n.Labelled, n.Faithful, n.Labelled-n.Faithful, n.Unlabelled)
}

func (c *Calibration) judge() string {
	if c.Settings == nil {
		return "unknown (no summary of the run)"
	}
	var parts []string
	for _, name := range []string{settingJudge, "--model", "--claims", "--evidence", settingThreshold} {
		if value := c.setting(name); value != "" {
			parts = append(parts, strings.TrimPrefix(strings.TrimPrefix(name, settingJudge), "--")+" "+value)
		}
	}
	return report.Printable(strings.TrimSpace(strings.Join(parts, ", ")))
}

// missing is shown for a number that cannot be computed.
const missing = "–"

func orMissing(x float64, format func(float64) string) string {
	if math.IsNaN(x) {
		return missing
	}
	return format(x)
}

func newSection(title string) report.Table {
	return report.Table{Columns: []report.Column{{Name: title}, {Name: "estimate", Right: true}, {Name: "95% interval"}, {Name: "note", Prose: true}}}
}

// addInterval adds a statistic with its interval and a note, which explains missing numbers.
func (c *Calibration) addInterval(t *report.Table, name string, i stats.Interval, note string) {
	estimate, interval := missing, ""
	if i.Reliable() && !math.IsNaN(i.Estimate) {
		estimate, interval = c.format(i.Estimate), c.format(i.Lower)+" to "+c.format(i.Upper)
	}
	if i.Note != "" && note != "" {
		note = "; " + note
	}
	t.AddRow(name, estimate, interval, i.Note+note)
}

func (c *Calibration) bounds() report.Table {
	p := c.Prescreen
	t := newSection("score --prescreen")
	add := func(name string, b *Bound) {
		t.AddRow(name, orMissing(b.Score, formatShortest), "", b.Note)
	}
	add("supported, confidence from", &p.Supported)
	add("unsupported, confidence from", &p.Unsupported)
	return t
}

// sections returns all statistics except the numbers of rows by verdict and label.
func (c *Calibration) sections() report.Tables {
	scores, verdicts := newSection("agreement of scores with labels"), newSection("agreement of verdicts with labels")
	for _, s := range Scores() {
		c.addInterval(&scores, "AUROC, "+s.String(), c.Agreement[s].AUROC, "")
	}
	for _, s := range Scores() {
		c.addInterval(&scores, "Spearman, "+s.String(), c.Agreement[s].Spearman, "")
	}
	c.addInterval(&verdicts, "balanced accuracy", c.Judged.BalancedAccuracy, "")
	c.addInterval(&verdicts, "kappa", c.Judged.Kappa, "")
	sections := report.Tables{scores, verdicts, c.threshold()}
	if fit := c.Confidence; fit != nil {
		t := newSection("confidence of verdicts")
		t.AddRow("calibration error, of the judge", c.format(fit.Before), "", "")
		t.AddRow("calibration error, refitted", c.format(fit.After), "", "in cross-validation; score --calibration uses it")
		sections = append(sections, t)
	}
	if c.Prescreen != nil {
		sections = append(sections, c.bounds())
	}
	return append(sections, c.mean())
}

func (c *Calibration) verdicts() report.Table {
	j := &c.Judged
	judge := "judge"
	if t := c.setting(settingThreshold); t != "" && (c.setting(settingJudge) != judgeLLM || c.Counts.Graded > 0) {
		judge += ", threshold " + report.Printable(t)
	}
	t := report.Table{Columns: []report.Column{{Name: judge}, {Name: "labelled faithful", Right: true}, {Name: "labelled unfaithful", Right: true}}}
	t.AddRow("all claims supported", strconv.Itoa(j.TruePositive), strconv.Itoa(j.FalsePositive))
	t.AddRow("some claim unsupported", strconv.Itoa(j.FalseNegative), strconv.Itoa(j.TrueNegative))
	return t
}

func (c *Calibration) threshold() report.Table {
	b := &c.Best
	t := newSection("threshold for the minimum claim score")
	if b.OutOfFold.Reliable() {
		t.AddRow("best threshold", formatShortest(b.Threshold), "", c.format(b.Low)+" to "+c.format(b.High)+" in cross-validation")
		c.addInterval(&t, "balanced accuracy, cross-validated", b.OutOfFold, "")
		t.AddRow("balanced accuracy, on these rows", c.format(b.Apparent), "", "too high, since these rows determined the threshold")
	}
	why := c.Why
	if c.Own {
		why = "the threshold of the run; " + why
	}
	t.AddRow("for score --calibration", orMissing(c.Threshold, formatShortest), "", why)
	return t
}

func (c *Calibration) mean() report.Table {
	m := &c.Mean
	t := newSection("mean")
	t.AddRow("faithfulness, by the judge", orMissing(m.Judged, c.format), "", fmt.Sprintf("%d rows", m.Rows))
	note := ""
	switch {
	case c.Counts.Unlabelled == 0:
		note = "the same, since all rows have a label"
	case m.Mean.Reliable():
		note = fmt.Sprintf("from %d rows with a label and %d without; valid if the labelled rows are a random sample", m.Mean.N, c.Counts.Unlabelled)
	}
	c.addInterval(&t, "label, labelled rows", m.Labelled, "")
	c.addInterval(&t, "label, all rows", m.Mean, note)
	return t
}
