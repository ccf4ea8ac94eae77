package html

import (
	"bytes"
	"cmp"
	"fmt"
	"io"
	"math"
	"slices"
	"strconv"
	"strings"

	template "github.com/DataDog/datadog-agent/pkg/template/html"

	"github.com/ragfaith/ragfaith/internal/calibrate"
	"github.com/ragfaith/ragfaith/internal/compare"
	"github.com/ragfaith/ragfaith/internal/report"
	"github.com/ragfaith/ragfaith/internal/result"
)

// maxComparisonBytes limits the size of the rows in the page, so that a browser opens the page within two seconds.
const maxComparisonBytes = 20_000_000

// WriteComparison writes a comparison of two runs as one HTML page that works offline: the
// statistics, the gate, a histogram of the differences, and the changed rows. The script only
// searches, filters and sorts, so the page works without it.
func WriteComparison(w io.Writer, c *compare.Comparison) error {
	return writeComparison(w, c, maxComparisonBytes)
}

func writeComparison(w io.Writer, c *compare.Comparison, limit int) error {
	t, err := parse("comparison", "main.js")
	if err != nil {
		return err
	}
	var rows bytes.Buffer
	shown := 0
	for ; shown < len(c.Changes) && rows.Len() < limit; shown++ {
		if err := t.ExecuteTemplate(&rows, "row.tmpl", newRow(shown, &c.Changes[shown])); err != nil {
			return err
		}
	}
	mean := "–"
	if d := c.Difference.Estimate; !math.IsNaN(d) {
		mean = compare.Signed(d)
	}
	var sides report.Facts
	for _, s := range []*compare.Side{&c.Baseline, &c.Candidate} {
		sides = append(sides, report.Fact{Name: s.Name, Value: fmt.Sprintf("%s; %d of %s supported", s.Describe(), s.Supported, report.Count(s.Claims, "claim", "claims"))})
	}
	return t.ExecuteTemplate(w, "page.tmpl", struct {
		*compare.Comparison
		Gates          []report.Gate
		Mean, Was, Is  string
		Facts, Sides   report.Facts
		Histogram      *chart
		RowsHTML       template.HTML
		Shown, Omitted int
	}{
		Comparison: c, Gates: c.Gates(),
		Mean: mean, Was: compare.Score(c.Baseline.Mean), Is: compare.Score(c.Candidate.Mean),
		Facts: c.Facts(), Sides: sides,
		Histogram: histogram(&c.Histogram),
		RowsHTML:  template.HTML(rows.String()), //nolint:gosec // output of the template
		Shown:     shown, Omitted: c.Changed - shown,
	})
}

// histogram draws the differences of the compared rows.
func histogram(counts *[compare.Bins]int) *chart {
	const left, binWidth, barWidth, middle = 4, 22, 19, compare.Bins / 2
	h := &chart{Width: compare.Bins*binWidth + 2*left, Label: "No row is compared."}
	for i, n := range counts {
		bar := chartBar{X: left + i*binWidth + (binWidth-barWidth)/2, Width: barWidth, Count: n, From: strconv.Itoa(i), To: strconv.Itoa(i + 1)}
		switch {
		case i < middle:
			bar.Class, bar.Range = "worse", fmt.Sprintf("down by %s to %s", tenths(middle-1-i), tenths(middle-i))
		case i > middle:
			bar.Class, bar.Range = "better", fmt.Sprintf("up by %s to %s", tenths(i-middle-1), tenths(i-middle))
		default:
			bar.Class, bar.Range = "same", "no difference"
		}
		h.Bars = append(h.Bars, bar)
	}
	found := h.layout()
	for i, text := range []string{"-1", "-0.5", "0", "+0.5", "+1"} {
		h.Ticks = append(h.Ticks, chartTick{X: left + i*middle/2*binWidth + binWidth/2, Text: text})
	}
	if found != "" {
		h.Label = "Rows by difference: " + found + "."
	}
	return h
}

// maxTitle is the length of a title in the list of rows in characters, more than fits.
const maxTitle = 160

type row struct {
	Position, Bin               int // Bin of the histogram
	ID, Question                string
	Title                       string // the beginning of the question or, without one, of the answer, on one line
	OldQuestion                 string // question of the baseline, if it differs
	Was, Is, Difference, Claims string
	Direction                   string // worse, better or same
	Flips                       []flip
	Sides                       []side
}

// A flip is a claim whose verdict changed.
type flip struct {
	Text   string
	Lost   bool
	Claims []claim
}

// A claim is a claim of one run with its verdict.
type claim struct {
	Side, Text, Score string
	Verdict           verdict
	*result.Claim
}

// A verdict is a verdict as it is shown. Its sign makes it recognizable without color.
type verdict struct{ Class, Label, Sign string }

// A side is the answer of one run with the claims that only it has.
type side struct {
	Name   string
	Answer template.HTML
	Only   []claim
}

func newRow(position int, c *compare.Change) row {
	r := row{
		Position: position, Bin: c.Bin(), Title: report.Clip(cmp.Or(c.Candidate.Question, c.Candidate.Answer), maxTitle), ID: c.Candidate.ID, Question: c.Candidate.Question,
		Was: compare.Score(c.Baseline.Faithfulness), Is: compare.Score(c.Candidate.Faithfulness),
		Difference: compare.Signed(c.Difference), Claims: c.Describe(), Direction: "same",
	}
	if old := c.Baseline.Question; old != r.Question {
		r.OldQuestion = old
	}
	const slack = 1e-9 // rounding error
	if c.Difference < -slack {
		r.Direction = "worse"
	} else if c.Difference > slack {
		r.Direction = "better"
	}
	was, is := side{Name: "Baseline"}, side{Name: "Candidate"}
	flippedWas, flippedIs := make(map[int]bool), make(map[int]bool)
	for _, m := range c.Claims {
		switch {
		case m.Candidate < 0:
			was.Only = append(was.Only, newClaim("baseline", c.Baseline, m.Baseline))
		case m.Baseline < 0:
			is.Only = append(is.Only, newClaim("candidate", c.Candidate, m.Candidate))
		case m.Flipped():
			flippedWas[m.Baseline], flippedIs[m.Candidate] = true, true
			old, current := newClaim("baseline", c.Baseline, m.Baseline), newClaim("candidate", c.Candidate, m.Candidate)
			r.Flips = append(r.Flips, flip{Text: current.Text, Lost: m.Outcome == compare.Lost, Claims: []claim{old, current}})
		}
	}
	was.Answer, is.Answer = markClaims(c.Baseline, flippedWas), markClaims(c.Candidate, flippedIs)
	r.Sides = []side{was, is}
	return r
}

func newClaim(side string, r *result.Row, i int) claim {
	c := &r.Claims[i]
	score := "–"
	if !math.IsNaN(c.Score) {
		score = strings.TrimRight(strings.TrimRight(compare.Score(c.Score), "0"), ".")
	}
	return claim{Side: side, Text: c.Judged(), Score: score, Verdict: newVerdict(c.Verdict), Claim: c}
}

func newVerdict(v result.Verdict) verdict {
	label := v.Words()
	if v == result.Unjudged {
		label = "not judged"
	}
	return verdict{string(v), label, report.Symbol(v)}
}

// markClaims returns the answer with each claim marked by its verdict, and flipped claims
// highlighted. Where claims overlap, the mark of the first one takes precedence.
func markClaims(r *result.Row, flipped map[int]bool) template.HTML {
	type span struct{ start, end, claim int }
	var spans []span
	for i := range r.Claims {
		c := &r.Claims[i]
		s := span{c.Start, c.End, i}
		if c.From != nil {
			s.start, s.end = c.From.Start, c.From.End
		}
		if s.start >= 0 && s.start < s.end {
			spans = append(spans, s)
		}
	}
	slices.SortStableFunc(spans, func(a, b span) int { return cmp.Compare(a.start, b.start) })
	answer := []rune(r.Answer)
	var b strings.Builder
	write := func(start, end int) { b.WriteString(string(visible(string(answer[start:end])))) }
	end := 0 // end of the text written so far
	for _, s := range spans {
		start := min(max(s.start, end), len(answer))
		write(end, start)
		end = max(start, min(s.end, len(answer)))
		id, v := r.Claims[s.claim].ID, newVerdict(r.Claims[s.claim].Verdict)
		class := v.Class
		if flipped[s.claim] {
			class += " flipped"
		}
		fmt.Fprintf(&b, `<span class="number %s" title="Claim %d, %s">%d%s</span>`, class, id, v.Label, id, v.Sign)
		if start < end {
			fmt.Fprintf(&b, `<mark class="%s">`, class)
			write(start, end)
			b.WriteString(`</mark>`)
		}
	}
	write(end, len(answer))
	return template.HTML(b.String()) //nolint:gosec // texts are escaped by Visible
}

// WriteCalibration writes a calibration as an HTML page that works offline and has no script.
func WriteCalibration(w io.Writer, c *calibrate.Calibration) error {
	t, err := parse("calibration")
	if err != nil {
		return err
	}
	return t.ExecuteTemplate(w, "page.tmpl", c.Page())
}
