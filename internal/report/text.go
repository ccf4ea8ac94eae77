package report

import (
	"math"
	"slices"
	"strconv"
	"strings"
	"unicode"

	"github.com/jedib0t/go-pretty/v6/text"

	"github.com/ragfaith/ragfaith/internal/result"
)

// cell returns s truncated to width terminal cells, ending in "..." if it was longer.
// Characters that are not printable, such as control characters and changes of the text
// direction, are shown as escapes. It reads only as much of s as it returns.
func cell(s string, width int) string {
	var b strings.Builder
	used := 0 // cells of b
	fits := 0 // bytes of b that leave room for the dots
	for _, r := range s {
		piece := printable(r)
		w := cells(piece)
		if used+w > width {
			return cut(b.String()[:fits], width)
		}
		b.WriteString(piece)
		used += w
		if used+len("...") <= width {
			fits = b.Len()
		}
	}
	return b.String()
}

// cells returns the width of s in terminal cells.
func cells(s string) int { return text.StringWidthWithoutEscSequences(s) }

// wrap breaks s into lines of at most width terminal cells, at spaces if possible. The
// first line starts after indent cells.
func wrap(s string, width, indent int) []string {
	if indent > 0 && indent >= width {
		return append([]string{""}, wrap(s, width, 0)...)
	}
	label := ""
	if indent > 0 {
		label = strings.Repeat("x", indent-1) + " "
	}
	lines := strings.Split(text.WrapSoft(label+s, max(width, 2)), "\n")
	for i, line := range lines {
		lines[i] = strings.TrimRight(line, " ")
		if width > 2 && cells(lines[i]) > width { // by half of a wide character
			return wrap(s, width-1, indent)
		}
	}
	lines[0] = lines[0][min(len(label), len(lines[0])):]
	return lines
}

// cut appends the dots to a truncated text.
func cut(head string, width int) string {
	return head + strings.Repeat(".", min(len("..."), width))
}

// printable returns r, or its escape if it is not printable.
func printable(r rune) string {
	const joiner, nonJoiner = '\u200d', '\u200c' // part of letters and emoji
	switch {
	case unicode.IsPrint(r), r == joiner, r == nonJoiner:
		return string(r)
	case unicode.Is(unicode.Zs, r):
		return " "
	}
	return strings.Trim(strconv.QuoteRuneToASCII(r), "'")
}

// Printable returns s with escapes for characters that are not printable, so that text
// from a dataset can be part of a message in a terminal.
func Printable(s string) string {
	if !strings.ContainsFunc(s, func(r rune) bool { return !unicode.IsPrint(r) }) {
		return s
	}
	var b strings.Builder
	for _, r := range s {
		b.WriteString(printable(r))
	}
	return b.String()
}

// Clip returns s on one line, truncated to limit characters, ending in "…" if it was
// longer. Runs of white space become a space. Characters that are not printable, such as
// those that XML forbids, become escapes. It reads only as much of s as it returns.
func Clip(s string, limit int) string {
	var b strings.Builder
	length, space := 0, false
	for _, r := range s {
		if unicode.IsSpace(r) {
			space = length > 0
			continue
		}
		piece := printable(r)
		n := len([]rune(piece))
		if space {
			n++
		}
		if length += n; length > limit {
			b.WriteString("…")
			break
		}
		if space {
			b.WriteByte(' ')
			space = false
		}
		b.WriteString(piece)
	}
	return b.String()
}

// Score formats a score with four decimals, and NaN as "".
func Score(x float64) string {
	if math.IsNaN(x) {
		return ""
	}
	return strconv.FormatFloat(x, 'f', 4, 64)
}

// Count returns n followed by the singular or plural form of a noun.
func Count(n int, singular, plural string) string {
	if n == 1 {
		return "1 " + singular
	}
	return strconv.Itoa(n) + " " + plural
}

// CodeSpan returns a line as a Markdown code span, whose fence is longer than those in s.
func CodeSpan(s string) string {
	if s == "" {
		return "(empty)"
	}
	fence := "`"
	for strings.Contains(s, fence) {
		fence += "`"
	}
	first, last := s[0], s[len(s)-1]
	if first == '`' || last == '`' || first == ' ' && last == ' ' {
		return fence + " " + s + " " + fence // a space at both ends is not shown
	}
	return fence + s + fence
}

// markdownText escapes the comparison signs of a text of ours.
func markdownText(s string) string { return strings.ReplaceAll(s, "<", "&lt;") }

// Capitalize returns s, which starts with an ASCII letter, with an upper-case first letter.
func Capitalize(s string) string { return strings.ToUpper(s[:1]) + s[1:] }

// A Palette colors terminal text with the 16 standard colors. The zero Palette returns
// text unchanged. Colors never carry information that the text lacks.
type Palette struct{ Enabled bool }

// SGR codes of ECMA-48.
const (
	plain  = 0
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
	if !p.Enabled || s == "" || code == plain {
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

// Percent formats a share in percent with at most n decimals.
func Percent(share float64, n int) string {
	return Decimals(math.Round(math.Pow10(n+2)*share)/math.Pow10(n), 0) + "%"
}

// Decimals formats x exactly, with at least n decimals.
func Decimals(x float64, n int) string {
	s := strconv.FormatFloat(x, 'f', -1, 64)
	if _, decimals, _ := strings.Cut(s, "."); len(decimals) < n {
		s = strconv.FormatFloat(x, 'f', n, 64)
	}
	return s
}

// A NullText is a text that is null in JSON if it is "".
type NullText string

const million = 1_000_000 // the precision of stored shares

// insertSorted inserts a row into a sorted list that keeps the first limit rows. row needs only the
// fields that are compared: complete returns the whole row, if it is kept.
func insertSorted[T any](list []T, row T, compare func(a, b T) int, limit int, complete func() T) []T {
	at, _ := slices.BinarySearchFunc(list, row, compare)
	if at == limit {
		return list
	}
	return slices.Insert(list[:min(len(list), limit-1)], at, complete())
}

const (
	worstText   = 300 // maximum characters of each text
	worstClaims = 5   // maximum claims per row
	maxNameText = 80  // maximum characters of an ID or other name
)

const (
	defaultWidth  = 120  // terminal cells
	columnGap     = 2    // spaces between columns
	minTextColumn = 12   // text columns are not truncated below this width
	maxCellText   = 1000 // characters of a cell in Markdown
)
