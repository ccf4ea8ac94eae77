package page

import (
	"cmp"
	"html/template"
	"math"
	"slices"
	"strings"

	"github.com/ragfaith/ragfaith/internal/compare"
	"github.com/ragfaith/ragfaith/internal/compare/view"
	"github.com/ragfaith/ragfaith/internal/result"
)

// A shownRow is a changed row.
type shownRow struct {
	Place                       int
	ID, Question                string
	Asked                       string // the baseline's question, where it is another
	Was, Is, Difference, Claims string
	Way                         string // worse, better or same
	Flips                       []flip
	Sides                       []shownSide
}

// A flip is a claim of both sides on which the verdict turned.
type flip struct {
	Text  string
	Was   string // the baseline's wording, where it is another
	Lost  bool
	Sides []judged
}

// A judged is what one side says of a claim.
type judged struct {
	Side, Label, Word, Sign, Score, Reason string
	Number                                 int
	Text                                   string
	Quotes                                 []result.Evidence
}

// A shownSide is the answer of one side, and the claims that it alone has.
type shownSide struct {
	Name   string
	Answer template.HTML
	Alone  []judged
}

func newRow(place int, c *compare.Change) shownRow {
	r := shownRow{
		Place: place, ID: c.Candidate.ID, Question: c.Candidate.Question,
		Was: view.Score(c.Baseline.Faithfulness), Is: view.Score(c.Candidate.Faithfulness),
		Difference: view.Signed(c.Difference), Claims: view.Change(c),
	}
	if was := c.Baseline.Question; was != r.Question {
		r.Asked = was
	}
	const slack = 1e-9
	switch {
	case c.Difference < -slack:
		r.Way = "worse"
	case c.Difference > slack:
		r.Way = "better"
	default:
		r.Way = "same"
	}
	was, is := shownSide{Name: "Baseline"}, shownSide{Name: "Candidate"}
	turned := [2]map[int]bool{{}, {}}
	for _, m := range c.Claims {
		switch {
		case m.Candidate < 0:
			was.Alone = append(was.Alone, judge("baseline", c.Baseline, m.Baseline))
		case m.Baseline < 0:
			is.Alone = append(is.Alone, judge("candidate", c.Candidate, m.Candidate))
		case c.Lost(m) || c.Gained(m):
			turned[0][m.Baseline], turned[1][m.Candidate] = true, true
			f := flip{
				Text: c.Candidate.Claims[m.Candidate].Judged(), Lost: c.Lost(m),
				Sides: []judged{judge("baseline", c.Baseline, m.Baseline), judge("candidate", c.Candidate, m.Candidate)},
			}
			if was := c.Baseline.Claims[m.Baseline].Judged(); was != f.Text {
				f.Was = was
			}
			r.Flips = append(r.Flips, f)
		}
	}
	was.Answer, is.Answer = marked(c.Baseline, turned[0]), marked(c.Candidate, turned[1])
	r.Sides = []shownSide{was, is}
	return r
}

// judge is what a side says of its i-th claim.
func judge(side string, r *result.Row, i int) judged {
	v := &r.Claims[i]
	word, sign := words(v.Verdict)
	return judged{
		Side: side, Label: string(v.Verdict), Word: word, Sign: sign, Score: score(v.Score), Reason: v.Reason,
		Number: r.Claims[i].ID, Text: r.Claims[i].Judged(), Quotes: v.Evidence,
	}
}

func score(x float64) string {
	if math.IsNaN(x) {
		return "–"
	}
	return strings.TrimRight(strings.TrimRight(view.Score(x), "0"), ".")
}

// words are a verdict's word and its sign, so that its colour is never all that
// tells it.
func words(l result.Verdict) (word, sign string) {
	switch l {
	case result.Supported:
		return "supported", "✓"
	case result.Contradicted:
		return "contradicted", "✗"
	case result.NotMentioned:
	}
	return "not mentioned", "?"
}

// marked is the answer with each claim marked by its verdict, and those that
// turned pointed out. Of claims that overlap the first is marked as far as it goes.
func marked(r *result.Row, turned map[int]bool) template.HTML {
	type place struct{ start, end, claim int }
	var places []place
	for i := range r.Claims {
		c := &r.Claims[i]
		start, end := c.Start, c.End
		if c.From != nil {
			start, end = c.From.Start, c.From.End
		}
		if start >= 0 && start < end {
			places = append(places, place{start, end, i})
		}
	}
	slices.SortStableFunc(places, func(a, b place) int { return cmp.Compare(a.start, b.start) })
	runes := []rune(r.Answer)
	var b strings.Builder
	at := 0
	for _, p := range places {
		start, end := min(max(p.start, at), len(runes)), min(p.end, len(runes))
		appendVisible(&b, string(runes[at:start]))
		word, sign := words(r.Claims[p.claim].Verdict)
		label := string(r.Claims[p.claim].Verdict)
		class := label
		if turned[p.claim] {
			class += " turned"
		}
		b.WriteString(`<span class="number ` + class + `" title="Claim ` + digits(r.Claims[p.claim].ID) + `, ` + word + `">` + digits(r.Claims[p.claim].ID) + sign + `</span>`)
		if start < end {
			b.WriteString(`<mark class="` + class + `">`)
			appendVisible(&b, string(runes[start:end]))
			b.WriteString(`</mark>`)
		}
		at = max(start, end)
	}
	appendVisible(&b, string(runes[at:]))
	return template.HTML(b.String()) //nolint:gosec // appendVisible escapes
}
