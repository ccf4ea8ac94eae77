package compare

import (
	"fmt"
	"strings"

	"github.com/ragfaith/ragfaith/internal/report"
	"github.com/ragfaith/ragfaith/internal/result"
)

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
	for _, d := range differences(was.Settings, is.Settings) {
		warn(Settings, "%s", d)
	}
	if was.Ragfaith != is.Ragfaith {
		warn(Version, "the version differs: baseline %s, candidate %s", was.Ragfaith, is.Ragfaith)
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
