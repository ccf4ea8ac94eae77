package compare

import (
	"cmp"
	"fmt"
	"math"
	"slices"
	"strconv"
	"strings"

	"github.com/ragfaith/ragfaith/internal/report"
	"github.com/ragfaith/ragfaith/internal/result"
)

// Facts returns what a comparison found, except the changed rows.
func (c *Comparison) Facts() report.Facts {
	units := report.Count(c.Compared, "row", "rows")
	if c.Units == GroupUnits {
		units = report.Count(c.Difference.N, "group", "groups") + " of " + units
	}
	detectable := "unknown (too few rows differ)"
	if d := c.Detectable; !math.IsNaN(d) {
		detectable = fmt.Sprintf("%.4f, with a probability of 0.8", d)
	}
	pValue := "none"
	if test := c.Permutation; test != nil {
		pValue = PValue(test.P) + " (permutation)"
		if test.Exact {
			pValue = PValue(test.P) + " (exact permutation)"
		}
	}
	facts := report.Facts{
		{Name: "compared", Value: fmt.Sprintf("%s: %d better, %d worse, %d unchanged; %d with the same answer", units, c.Better, c.Worse, c.Same, c.SameAnswers)},
		{Name: "difference", Value: difference(c)},
		{Name: "p-value", Value: pValue},
		{Name: "detectable", Value: detectable},
		{Name: "claims", Value: fmt.Sprintf("%d no longer supported, %d newly supported, of %d in both runs", c.Claims.Lost, c.Claims.Gained, c.Claims.Matched)},
	}
	if c.Claims.OnlyBaseline.Total+c.Claims.OnlyCandidate.Total > 0 {
		facts = append(facts, report.Fact{Name: "unmatched", Value: fmt.Sprintf("%d only in the baseline (%d supported), %d only in the candidate (%d supported)",
			c.Claims.OnlyBaseline.Total, c.Claims.OnlyBaseline.Supported, c.Claims.OnlyCandidate.Total, c.Claims.OnlyCandidate.Supported)})
	}
	return facts
}

func difference(c *Comparison) string {
	d := &c.Difference
	switch {
	case d.N == 0:
		return "nothing to compare"
	case !d.Reliable():
		return Signed(d.Estimate) + ", " + d.Note
	}
	text := fmt.Sprintf("%s, %s interval %s to %s", Signed(d.Estimate), report.Percent(d.Confidence, 4), Signed(d.Lower), Signed(d.Upper))
	if d.Note != "" {
		text += " (" + d.Note + ")"
	}
	return text
}

// Describe describes the rows of a run.
func (s *Side) Describe() string {
	text := fmt.Sprintf("%s: scored %d, no claims %d, failed %d", report.Count(s.Rows, "row", "rows"), s.Scored, s.NoClaims, s.Failed)
	if s.Unjudged > 0 {
		text += fmt.Sprintf(", unjudged %d", s.Unjudged)
	}
	if s.Skipped > 0 {
		text += fmt.Sprintf(", skipped %d", s.Skipped)
	}
	return text
}

// Describe describes how the claims of a row changed.
func (c *Change) Describe() string {
	var parts []string
	add := func(o Outcome, what string) {
		if n := c.Count(o); n > 0 {
			parts = append(parts, strconv.Itoa(n)+" "+what)
		}
	}
	add(Lost, "no longer supported")
	add(Gained, "newly supported")
	add(OnlyBaseline, "removed")
	add(OnlyCandidate, "new")
	return strings.Join(parts, ", ")
}

// Signed formats a difference with a sign and four decimals. Zero has no sign.
func Signed(x float64) string {
	text := strconv.FormatFloat(x, 'f', 4, 64)
	switch {
	case strings.Trim(text, "-0.") == "":
		return strings.TrimPrefix(text, "-")
	case x > 0:
		return "+" + text
	}
	return text
}

// Score formats a score with four decimals, and NaN as a dash.
func Score(x float64) string { return cmp.Or(report.Score(x), "-") }

// Table returns c for a terminal that is width cells wide: the warnings, the statistics, and
// the changed rows, worst first. Texts from datasets are escaped.
func (c *Comparison) Table(width int) string {
	const maxRows = 10
	return c.document(maxRows).Terminal(width)
}

// Markdown returns the content of Table and the gates, for a pull request. The number of changed
// rows is limited so that the text has at most report.MaxMarkdown bytes. Texts from datasets are
// in code spans.
func (c *Comparison) Markdown() string {
	const maxRows = 30
	var gates report.Document
	if all := c.Gates(); all != nil {
		gates = append(gates, report.GateTable(all))
	}
	if c.Gate != nil && c.Gate.Note != "" {
		gates = append(gates, report.Paragraph(c.Gate.Note+"."))
	}
	for n := maxRows; ; n /= 2 {
		if text := c.document(n, gates...).Markdown(); len(text) <= report.MaxMarkdown || n == 0 {
			return text
		}
	}
}

// document returns a report with at most rows changed rows.
func (c *Comparison) document(rows int, gates ...report.Block) report.Document {
	title := "nothing to compare"
	if c.Compared > 0 {
		title = fmt.Sprintf("%s (%s, was %s)", Signed(c.Difference.Estimate), Score(c.Candidate.Mean), Score(c.Baseline.Mean))
	}
	d := append(report.Document{report.Heading("Faithfulness: " + title), warningBlock(c.Warnings)}, gates...)
	d = append(d, sides(c), c.Facts())
	if c.Changed > 0 {
		d = append(d, changedRows(c, rows))
	}
	return d
}

// maxText is the maximum number of characters of a text in tables and warnings.
const maxText = 300

type warningBlock []Warning

// Terminal returns a line for each warning.
func (w warningBlock) Terminal(int) string {
	var b strings.Builder
	for _, warning := range w {
		b.WriteString("warning: " + warning.Text + "\n")
	}
	return b.String()
}

// Markdown returns the first warnings as an alert.
func (w warningBlock) Markdown() string {
	const maxWarnings = 30
	if len(w) == 0 {
		return ""
	}
	var b strings.Builder
	b.WriteString("> [!WARNING]\n")
	for _, warning := range w[:min(len(w), maxWarnings)] {
		b.WriteString("> - " + report.CodeSpan(report.Clip(warning.Text, maxText)) + "\n")
	}
	return b.String()
}

func sides(c *Comparison) report.Table {
	t := report.Table{Columns: []report.Column{
		{}, {Name: "mean", Right: true}, {Name: "claims", Right: true}, {Name: "file", Text: true}, {Name: "rows"},
	}}
	add := func(name string, s *Side) {
		t.AddRow(name, Score(s.Mean), fmt.Sprintf("%d/%d", s.Supported, s.Claims), s.Name, s.Describe())
	}
	add("baseline", &c.Baseline)
	add("candidate", &c.Candidate)
	if c.Compared > 0 {
		t.AddRow("difference", Signed(c.Difference.Estimate), "", "", "")
	}
	return t
}

// changedRows returns at most n changed rows, worst first.
func changedRows(c *Comparison, n int) report.Table {
	t := report.Table{Title: report.Count(c.Changed, "row", "rows") + " changed, worst first", Columns: []report.Column{
		{Name: "id", Text: true},
		{Name: "question", Text: true},
		{Name: "baseline", Right: true},
		{Name: "candidate", Right: true},
		{Name: "difference", Right: true},
		{Name: "claims", Prose: true},
		{Name: "first changed claim", Text: true},
	}}
	shown := c.Changes[:min(len(c.Changes), n)]
	for i := range shown {
		change := &shown[i]
		t.AddRow(report.Clip(change.Candidate.ID, maxText), report.Clip(change.Candidate.Question, maxText), Score(change.Baseline.Faithfulness), Score(change.Candidate.Faithfulness),
			Signed(change.Difference), change.Describe(), report.Clip(change.firstClaim(), maxText))
	}
	t.DropColumns(map[string]string{"question": "", "first changed claim": ""})
	t.Foot = "-o FILE.html shows their claims"
	if more := c.Changed - len(shown); more > 0 {
		t.Foot = fmt.Sprintf("and %d more; -o FILE.html shows all and their claims", more)
	}
	return t
}

// firstClaim returns the first claim that is no longer supported or, if there is none, newly
// supported; "" if no verdict changed.
func (c *Change) firstClaim() string {
	for _, o := range []Outcome{Lost, Gained} {
		if i := slices.IndexFunc(c.Claims, func(m Match) bool { return m.Outcome == o }); i >= 0 {
			return c.Candidate.Claims[c.Claims[i].Candidate].Judged()
		}
	}
	return ""
}

// warnings returns all warnings, the most important first.
func warnings(c *Comparison, p *pairing) []Warning {
	var all []Warning
	warn := func(kind Kind, format string, args ...any) {
		all = append(all, Warning{kind, report.Printable(fmt.Sprintf(format, args...))})
	}
	warnSettings(c, warn)
	if n := p.questions.Count; n > 0 {
		warn(Questions, "the question differs in %d of %d rows with the same id (%s)", n, c.Paired, p.questions)
	}
	if n := p.contexts.Count; n > 0 {
		warn(Contexts, "the contexts differ in %d of %d rows with the same id (%s)", n, c.Paired, p.contexts)
	}
	for _, t := range c.Unscored {
		if t.From != t.To {
			warn(Unscored, "not compared, %s in the baseline and %s in the candidate: %s (%s)",
				t.From, t.To, report.Count(t.Count, "row", "rows"), t.RowIDs)
		}
	}
	warnUnpaired := func(side string, rows RowIDs) {
		if n := rows.Count; n > 0 {
			warn(Unpaired, "%s only in the %s and not compared (%s)", report.Count(n, "row is", "rows are"), side, rows)
		}
	}
	warnUnpaired("baseline", c.OnlyBaseline)
	warnUnpaired("candidate", c.OnlyCandidate)
	for _, s := range []*Side{&c.Baseline, &c.Candidate} {
		if n := s.Duplicates; n > 0 {
			warn(Duplicates, "%s: %s the id of an earlier row (%s): rows with equal ids are paired in order",
				s.Name, report.Count(n, "row has", "rows have"), s.DuplicateIDs)
		}
	}
	return all
}

// warnSettings warns of different settings and of missing summaries.
func warnSettings(c *Comparison, warn func(Kind, string, ...any)) {
	var missing []string
	for _, s := range []*Side{&c.Baseline, &c.Candidate} {
		if s.Summary == nil {
			missing = append(missing, s.Name)
		}
	}
	if len(missing) > 0 {
		warn(Summary, "cannot check that judge, model and prompts are the same: no summary of %s", strings.Join(missing, " and of "))
		return
	}
	was, is := c.Baseline.Summary, c.Candidate.Summary
	for _, d := range is.Settings.Changes(was.Settings) {
		// The effect of settings that select rows and columns is visible in the rows.
		if result.EffectOf(d.Name) != result.RowsEffect {
			warn(Settings, "%s differs: baseline %s, candidate %s", d.Name, d.Old, d.New)
		}
	}
	if was.Ragfaith != is.Ragfaith {
		warn(Version, "the version differs: baseline %s, candidate %s", was.Ragfaith, is.Ragfaith)
	}
}
