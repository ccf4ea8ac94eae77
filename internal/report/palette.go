package report

import (
	"strconv"
	"strings"

	"github.com/ragfaith/ragfaith/internal/result"
)

// A Palette colors text for a terminal with the 16 colors of its theme. The zero Palette
// does not color. Colors only repeat what a word or sign says, for readers who do not see
// them.
type Palette struct{ On bool }

// SGR codes of ECMA-48.
const (
	bold   = 1
	faint  = 2
	red    = 31
	green  = 32
	yellow = 33
)

// Good returns s in the color of success.
func (p Palette) Good(s string) string { return p.paint(green, s) }

// Bad returns s in the color of failure.
func (p Palette) Bad(s string) string { return p.paint(red, s) }

// Doubtful returns s in the color of warnings.
func (p Palette) Doubtful(s string) string { return p.paint(yellow, s) }

// strong returns s as a heading.
func (p Palette) strong(s string) string { return p.paint(bold, s) }

// quiet returns s as secondary text.
func (p Palette) quiet(s string) string { return p.paint(faint, s) }

// verdict returns s in the color of a verdict.
func (p Palette) verdict(v result.Verdict, s string) string {
	switch v {
	case result.Supported:
		return p.Good(s)
	case result.Contradicted:
		return p.Bad(s)
	case result.NotMentioned:
	}
	return p.Doubtful(s)
}

func (p Palette) paint(code int, s string) string {
	if !p.On || s == "" {
		return s
	}
	return "\x1b[" + strconv.Itoa(code) + "m" + s + "\x1b[0m"
}

// maxMarks is the maximum number of signs in a cell of verdicts.
const maxMarks = 10

// sign returns a one-character symbol for a verdict.
func sign(v result.Verdict) string {
	switch v {
	case result.Supported:
		return "✓"
	case result.Contradicted:
		return "✗"
	case result.NotMentioned:
	}
	return "?"
}

// marks shows the verdicts of claims as signs. More than maxMarks claims are represented
// in proportion, sorted, with at least one sign for each verdict that occurs.
func marks(claims []result.Claim, p Palette) string {
	var b strings.Builder
	if len(claims) <= maxMarks {
		for i := range claims {
			b.WriteString(p.verdict(claims[i].Verdict, sign(claims[i].Verdict)))
		}
		return b.String()
	}
	verdicts := []result.Verdict{result.Supported, result.NotMentioned, result.Contradicted}
	counts := make(map[result.Verdict]int, len(verdicts))
	for i := range claims {
		counts[claims[i].Verdict]++
	}
	// Shares are rounded to the nearest number, but not to 0. The largest gets the rest.
	largest := verdicts[0]
	for _, v := range verdicts {
		if counts[v] > counts[largest] {
			largest = v
		}
	}
	signs := make(map[result.Verdict]int, len(verdicts))
	left := maxMarks
	for _, v := range verdicts {
		if v != largest && counts[v] > 0 {
			signs[v] = max(1, (2*maxMarks*counts[v]+len(claims))/(2*len(claims)))
			left -= signs[v]
		}
	}
	signs[largest] = left
	for _, v := range verdicts {
		b.WriteString(p.verdict(v, strings.Repeat(sign(v), signs[v])))
	}
	return b.String()
}
