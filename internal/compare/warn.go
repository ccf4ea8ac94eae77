package compare

import (
	"fmt"
	"math"
	"strings"

	"github.com/ragfaith/ragfaith/internal/report"
	"github.com/ragfaith/ragfaith/internal/result"
)

// A Kind is the subject of a Warning.
type Kind string

// The kinds of warnings.
const (
	Settings   Kind = "settings"   // an option that affects results differs
	Version    Kind = "version"    // the version of ragfaith differs
	Marks      Kind = "marks"      // many more rows of one run were judged by a fallback
	Summary    Kind = "summary"    // a summary is missing
	Questions  Kind = "questions"  // rows with the same id have different questions
	Contexts   Kind = "contexts"   // rows with the same id have different contexts
	Unpaired   Kind = "unpaired"   // rows are only in one run
	Unscored   Kind = "unscored"   // rows have a score in only one run
	Duplicates Kind = "duplicates" // several rows have the same id
	Groups     Kind = "groups"     // rows have no group, or two
)

// maxMarksChange is the difference between the shares of rows with a mark that is not
// worth a warning.
const maxMarksChange = 0.1

// A Warning is a reason why two runs may not be comparable.
type Warning struct {
	Kind Kind   `json:"kind"`
	Text string `json:"text"` // one line, printable
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
			verb := "are"
			if t.Count == 1 {
				verb = "is"
			}
			warn(Unscored, "%s, %s in the baseline and %s in the candidate, %s not compared (%s)",
				report.Count(t.Count, "row", "rows"), statusText(t.From), statusText(t.To), verb, t.RowIDs)
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
	if n := p.ungrouped; n > 0 {
		warn(Groups, "%s no group; each counts as a group", report.Count(n, "row has", "rows have"))
	}
	if n := p.regrouped; n > 0 {
		warn(Groups, "%s a different group in the candidate; the group in the baseline is used", report.Count(n, "row has", "rows have"))
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
	for _, d := range differences(was.Settings, is.Settings) {
		warn(Settings, "%s", d)
	}
	if was.Ragfaith != is.Ragfaith {
		warn(Version, "the version differs: baseline %s, candidate %s", was.Ragfaith, is.Ragfaith)
	}
	for _, m := range []result.Mark{result.Downgraded, result.Grouped, result.OneWord} {
		a, b := was.Rows.Marks[m], is.Rows.Marks[m]
		if math.Abs(float64(a)/float64(was.Rows.Total)-float64(b)/float64(is.Rows.Total)) > maxMarksChange {
			warn(Marks, "%d of %d rows of the baseline are marked %s, and %d of %d of the candidate", a, was.Rows.Total, m, b, is.Rows.Total)
		}
	}
}

// differences describes the settings that differ between two runs, except those that
// select rows and columns, whose effect is visible in the rows.
func differences(was, is result.Settings) []string {
	var all []string
	for _, c := range is.Changes(was) {
		if result.EffectOf(c.Name) != result.RowsEffect {
			all = append(all, fmt.Sprintf("%s differs: baseline %s, candidate %s", c.Name, c.Old, c.New))
		}
	}
	return all
}

// String lists the first ids on one line and the number of further ones.
func (r RowIDs) String() string {
	const maxLength = 40 // characters of an id
	ids := make([]string, len(r.First))
	for i, id := range r.First {
		ids[i] = report.Clip(id, maxLength)
	}
	text := strings.Join(ids, ", ")
	if more := r.Count - len(ids); more > 0 {
		text += fmt.Sprintf(" and %d more", more)
	}
	return text
}

// statusText describes the status of a row.
func statusText(s result.Status) string {
	if s == result.NoClaims {
		return "without claims"
	}
	return string(s)
}
