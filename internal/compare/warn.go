package compare

import (
	"fmt"
	"strings"

	"github.com/ragfaith/ragfaith/internal/report"
	"github.com/ragfaith/ragfaith/internal/result"
	"github.com/ragfaith/ragfaith/internal/setting"
)

// A Kind says what a Warning is about.
type Kind string

// The kinds of warning.
const (
	Settings   Kind = "settings"   // a setting that decides results differs
	Version    Kind = "version"    // the version of ragfaith differs
	Summary    Kind = "summary"    // the settings of a run are not known, or not its own
	Questions  Kind = "questions"  // rows of one id ask something else
	Contexts   Kind = "contexts"   // rows of one id have other contexts
	Unpaired   Kind = "unpaired"   // rows of one side alone
	Unscored   Kind = "unscored"   // rows that lost their score
	Duplicates Kind = "duplicates" // an id names several rows
	Groups     Kind = "groups"     // rows without a group, or with two
)

// A Warning is something that makes two runs hard to compare.
type Warning struct {
	Kind Kind
	Text string // on one line; what it quotes of a dataset is shown as report.Printable does
}

// warnings are all that there is to warn of, what decides most first.
func warnings(c *Comparison, p *pairing) []Warning {
	var all []Warning
	say := func(kind Kind, format string, args ...any) {
		all = append(all, Warning{kind, report.Printable(fmt.Sprintf(format, args...))})
	}
	settings(c, say)
	for _, n := range []struct {
		kind Kind
		what string
		rows Named
	}{
		{Questions, "the question differs", p.questions},
		{Contexts, "the contexts differ", p.contexts},
	} {
		if n.rows.Count > 0 {
			say(n.kind, "%s in %d of %d rows with the same id (%s)", n.what, n.rows.Count, c.Paired, n.rows.Names())
		}
	}
	for _, t := range c.Unscored {
		if t.From != t.To {
			say(Unscored, "%d %s, %s in the baseline and %s in the candidate, %s not compared (%s)",
				t.Rows.Count, rows(t.Rows.Count), status(t.From), status(t.To), are(t.Rows.Count), t.Rows.Names())
		}
	}
	for _, n := range []struct {
		side string
		rows Named
	}{{"baseline", c.OnlyBaseline}, {"candidate", c.OnlyCandidate}} {
		if n.rows.Count > 0 {
			say(Unpaired, "%d %s only in the %s, and %s not compared (%s)", n.rows.Count, rows(n.rows.Count)+" "+are(n.rows.Count), n.side, are(n.rows.Count), n.rows.Names())
		}
	}
	for _, s := range []*Side{&c.Baseline, &c.Candidate} {
		if n := s.Duplicates.Count; n > 0 {
			say(Duplicates, "%s: %d %s an id that an earlier row has (%s): the first of an id is paired with the first", s.Name, n, have(n), s.Duplicates.Names())
		}
	}
	if p.alone > 0 {
		say(Groups, "%d %s no group and %s taken for one each", p.alone, have(p.alone), are(p.alone))
	}
	if p.regrouped > 0 {
		say(Groups, "%d %s another group in the candidate: that of the baseline is taken", p.regrouped, have(p.regrouped))
	}
	return all
}

// settings warns of settings that differ.
func settings(c *Comparison, say func(Kind, string, ...any)) {
	var unknown []string
	for _, s := range []*Side{&c.Baseline, &c.Candidate} {
		switch {
		case s.Summary == nil:
			unknown = append(unknown, s.Name)
		case s.Summary.Rows.Total != s.Rows:
			say(Summary, "the summary of %s is not of its run: it counts %d rows and there are %d", s.Name, s.Summary.Rows.Total, s.Rows)
		case s.Summary.Rows.Scored != s.Scored || s.Summary.Rows.Failed != s.Failed:
			say(Summary, "the summary of %s is not of its run: it counts %d scored and %d failed rows, and there are %d and %d",
				s.Name, s.Summary.Rows.Scored, s.Summary.Rows.Failed, s.Scored, s.Failed)
		}
	}
	if len(unknown) > 0 {
		say(Summary, "whether judge, model and prompts are the same is not known, for want of the summary of %s", strings.Join(unknown, " and of "))
		return
	}
	was, is := c.Baseline.Summary, c.Candidate.Summary
	for _, d := range differences(was.Settings, is.Settings) {
		say(Settings, "%s", d)
	}
	if was.Ragfaith != is.Ragfaith {
		say(Version, "the version differs: %s, then %s", was.Ragfaith, is.Ragfaith)
	}
}

// differences returns the settings that two runs do not share, but for those that
// say which rows and columns there are: these show in the rows.
func differences(was, is report.SummaryNames) []string {
	ofRows := func(name string) bool { return setting.EffectOf(name) == setting.Rows }
	before := make(map[string]string, len(was))
	for _, s := range was {
		before[s.Name] = s.Value
	}
	var all []string
	for _, s := range is {
		old, ok := before[s.Name]
		delete(before, s.Name)
		switch {
		case ofRows(s.Name):
		case !ok:
			all = append(all, fmt.Sprintf("%s differs: not set, then %s", s.Name, shown(s.Value)))
		case old != s.Value:
			all = append(all, fmt.Sprintf("%s differs: %s, then %s", s.Name, shown(old), shown(s.Value)))
		}
	}
	for _, s := range was {
		if old, gone := before[s.Name]; gone && !ofRows(s.Name) {
			all = append(all, fmt.Sprintf("%s differs: %s, then not set", s.Name, shown(old)))
		}
	}
	return all
}

func shown(value string) string {
	if value == "" {
		return "empty"
	}
	return value
}

// Names lists the first ids on one line, and says how many more there are.
func (n *Named) Names() string {
	const most = 40 // characters of an id
	ids := make([]string, len(n.First))
	for i, id := range n.First {
		ids[i] = report.Clip(id, most)
	}
	text := strings.Join(ids, ", ")
	if more := n.Count - len(ids); more > 0 {
		text += fmt.Sprintf(" and %d more", more)
	}
	return text
}

// status is what became of a row, in words.
func status(s result.Status) string {
	if s == result.NoClaims {
		return "without claims"
	}
	return string(s)
}

func rows(n int) string {
	if n == 1 {
		return "row"
	}
	return "rows"
}

func are(n int) string {
	if n == 1 {
		return "is"
	}
	return "are"
}

func have(n int) string {
	if n == 1 {
		return "row has"
	}
	return "rows have"
}
