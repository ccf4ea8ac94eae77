package report

import (
	"cmp"
	"slices"
	"strconv"
	"strings"

	"github.com/ragfaith/ragfaith/internal/result"
)

// A Palette colors terminal text with the 16 standard colors. The zero Palette returns
// text unchanged. Colors never carry information that the text lacks.
type Palette struct{ Enabled bool }

// SGR codes of ECMA-48.
const (
	bold   = 1
	faint  = 2
	red    = 31
	green  = 32
	yellow = 33
)

// Success returns s in the color of success.
func (p Palette) Success(s string) string { return p.paint(green, s) }

// Failure returns s in the color of failure.
func (p Palette) Failure(s string) string { return p.paint(red, s) }

// Warning returns s in the color of warnings.
func (p Palette) Warning(s string) string { return p.paint(yellow, s) }

// heading returns s in bold.
func (p Palette) heading(s string) string { return p.paint(bold, s) }

// dim returns s as secondary text.
func (p Palette) dim(s string) string { return p.paint(faint, s) }

// verdict returns s in the color of a verdict.
func (p Palette) verdict(v result.Verdict, s string) string {
	switch v {
	case result.Supported:
		return p.Success(s)
	case result.Contradicted:
		return p.Failure(s)
	case result.NotMentioned, result.Unjudged:
	}
	return p.Warning(s)
}

func (p Palette) paint(code int, s string) string {
	if !p.Enabled || s == "" {
		return s
	}
	return "\x1b[" + strconv.Itoa(code) + "m" + s + "\x1b[0m"
}

// maxSymbols limits the symbols in the verdict column of a row.
const maxSymbols = 10

// Symbol returns a one-character symbol for a verdict.
func Symbol(v result.Verdict) string {
	switch v {
	case result.Supported:
		return "✓"
	case result.Contradicted:
		return "✗"
	case result.Unjudged:
		return "–"
	case result.NotMentioned:
	}
	return "?"
}

// marks returns one symbol per claim, in order. For more than maxSymbols claims it returns
// maxSymbols symbols grouped by verdict, in proportion to the counts, with at least one
// for each verdict that occurs.
func marks(claims []result.Claim, p Palette) string {
	var b strings.Builder
	if len(claims) <= maxSymbols {
		for i := range claims {
			b.WriteString(p.verdict(claims[i].Verdict, Symbol(claims[i].Verdict)))
		}
		return b.String()
	}
	verdicts := []result.Verdict{result.Supported, result.Unjudged, result.NotMentioned, result.Contradicted}
	counts := make(map[result.Verdict]int, len(verdicts))
	for i := range claims {
		counts[claims[i].Verdict]++
	}
	// Counts are rounded to the nearest number of symbols, but not to 0. The most common
	// verdict gets the remaining ones.
	largest := slices.MaxFunc(verdicts, func(a, b result.Verdict) int { return cmp.Compare(counts[a], counts[b]) })
	symbols := make(map[result.Verdict]int, len(verdicts))
	remaining := maxSymbols
	for _, v := range verdicts {
		if v != largest && counts[v] > 0 {
			symbols[v] = max(1, (2*maxSymbols*counts[v]+len(claims))/(2*len(claims)))
			remaining -= symbols[v]
		}
	}
	symbols[largest] = remaining
	for _, v := range verdicts {
		b.WriteString(p.verdict(v, strings.Repeat(Symbol(v), symbols[v])))
	}
	return b.String()
}
