package report

import (
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

// marks returns one symbol per claim, in order, for the first maxSymbols claims.
func marks(claims []result.Claim, p Palette) string {
	var b strings.Builder
	for i := range claims[:min(len(claims), maxSymbols)] {
		b.WriteString(p.verdict(claims[i].Verdict, Symbol(claims[i].Verdict)))
	}
	if len(claims) > maxSymbols {
		b.WriteString("…")
	}
	return b.String()
}
