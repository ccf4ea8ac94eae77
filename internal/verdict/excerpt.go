package verdict

import (
	"bytes"
	"strings"
	"unicode"
	"unicode/utf8"

	"github.com/ragfaith/ragfaith/internal/extract"
)

// excerptLength is the maximum length of an excerpt in code points.
const excerptLength = 140

// Excerpt returns text in quotation marks for use in a reason. The result is a
// single line without control characters. If text is longer than 140 code points,
// Excerpt returns whole words around byte offset at.
func Excerpt(text string, at int) string {
	text = strings.TrimRightFunc(text, unicode.IsSpace)
	start, end := excerptRange(text, min(max(at, 0), len(text)))
	b := append(make([]byte, 0, end-start+len("“……”")), "“"...)
	if start > 0 {
		b = append(b, "…"...)
	}
	afterSpace := true // at the start or after white space
	for _, r := range text[start:end] {
		switch {
		case r > ' ' && r < 0x7f:
			b, afterSpace = append(b, byte(r)), false
		case unicode.IsSpace(r):
			if !afterSpace {
				b = append(b, ' ')
			}
			afterSpace = true
		case unicode.IsControl(r) || unicode.Is(unicode.Cf, r):
		default:
			b, afterSpace = utf8.AppendRune(b, r), false // U+FFFD for invalid UTF-8
		}
	}
	if end < len(text) {
		b = append(b, "…"...)
	}
	return string(append(bytes.TrimRight(b, " "), "”"...))
}

// excerptRange returns the range of text to quote, which has at most
// excerptLength code points. A quarter of them precede byte offset at.
func excerptRange(text string, at int) (start, end int) {
	if len(text) <= excerptLength || utf8.RuneCountInString(text) <= excerptLength {
		return 0, len(text)
	}
	start = at
	for range excerptLength / 4 {
		_, size := utf8.DecodeLastRuneInString(text[:start])
		start -= size
	}
	end = start
	for range excerptLength {
		_, size := utf8.DecodeRuneInString(text[end:])
		end += size
	}
	if end == len(text) { // use the full length
		for range excerptLength - utf8.RuneCountInString(text[start:]) {
			_, size := utf8.DecodeLastRuneInString(text[:start])
			start -= size
		}
	}
	if start > 0 {
		if i := strings.IndexByte(text[start:max(start, at)], ' '); i >= 0 {
			start += i + 1
		}
	}
	if end < len(text) && text[end] != ' ' {
		if i := strings.LastIndexByte(text[at:end], ' '); i > 0 {
			end = at + i
		}
	}
	return start, end
}

// InMarker reports whether text[start:end] is part of a list marker or bracketed citation.
func InMarker(text string, start, end int) bool {
	const maxCitation, maxMarker = 40, 4 // maximum bytes before the range
	if i := strings.LastIndexByte(text[max(0, start-maxCitation):start], '['); i >= 0 {
		i += max(0, start-maxCitation)
		if i+citationLen(text[i:]) >= end {
			return true
		}
	}
	for i := min(start, len(text)-1); i >= max(0, start-maxMarker); i-- {
		if mayStartMarker(text[i]) && isLineStart(text, i) {
			return i+listMarkerLen(text[i:]) >= end
		}
	}
	return false
}

func mayStartMarker(c byte) bool { return c == '(' || c-'0' <= 9 || c|0x20 >= 'a' && c|0x20 <= 'z' }

// bullets are the characters that may precede a list marker.
const bullets = "*-#>"

// isLineStart reports whether only white space and bullets precede byte i on its line.
func isLineStart(text string, i int) bool {
	const maxIndent = 16
	for range maxIndent {
		if i == 0 || text[i-1] != ' ' && text[i-1] != '\t' && strings.IndexByte(bullets, text[i-1]) < 0 {
			break
		}
		i--
	}
	return i == 0 || text[i-1] == '\n'
}

// citationLen returns the length of the citation at the start of s, such as [3], [1, 2], [1†L3] or
// [Doc. 2], or 0. A citation is a bracket with at least one digit and few letters.
func citationLen(s string) int {
	const maxLen = 40
	digits, letters := 0, 0
	for i := 1; i < len(s) && i < maxLen; i++ {
		switch c := s[i]; {
		case c == ']':
			if digits > 0 && letters <= 12 {
				return i + 1
			}
			return 0
		case c-'0' <= 9:
			digits++
		case c|0x20 >= 'a' && c|0x20 <= 'z':
			letters++
		case c == '[' || c == '\n' || c == '$' || c == '%':
			return 0
		}
	}
	return 0
}

// listMarkerLen returns the length of the list marker at the start of s,
// including the space after it, or 0.
func listMarkerLen(s string) int {
	i := 0
	if s[0] == '(' {
		i++
	}
	from := i
	for i < len(s) && i-from < 3 && s[i]-'0' <= 9 {
		i++
	}
	for i < len(s) && i-from > 0 && s[i] == '.' && i+1 < len(s) && s[i+1]-'0' <= 9 { // 1.2.
		i += 2
	}
	if i == from {
		for i < len(s) && i-from < 4 && strings.IndexByte("ivxIVX", s[i]) >= 0 {
			i++
		}
	}
	letter := i == from && i < len(s) && s[i]|0x20 >= 'a' && s[i]|0x20 <= 'z'
	if letter {
		i++
	}
	switch {
	case i == from || i == len(s) || strings.IndexByte(".):", s[i]) < 0 || s[0] == '(' && s[i] != ')',
		letter && s[i] != ')', // an initial
		s[i] == '.' && continuesDate(s[i+1:]):
		return 0
	}
	if i++; i == len(s) || s[i] != ' ' && s[i] != '\t' && s[i] != '*' {
		return 0
	}
	return i + 1
}

// continuesDate reports whether s, which follows the number of a day, continues
// a date: " Mai 2020".
func continuesDate(s string) bool {
	words := strings.SplitN(s[:min(len(s), 40)], " ", 4)
	return len(words) > 2 && words[0] == "" && len(words[2]) >= 4 && strings.Trim(words[2][:4], "0123456789") == ""
}

// UnsupportedSpans converts ascending byte ranges of the judged text of a claim to
// spans of its text, in code points. It omits ranges outside of the text and merges
// those with only white space in between.
func UnsupportedSpans(c extract.Claim, ranges [][2]int) []extract.Span {
	lead, ok := c.Offset()
	if !ok {
		return nil
	}
	var spans []extract.Span
	last := 0
	for _, r := range ranges {
		start, end := r[0]-lead, r[1]-lead
		if start < 0 || end > len(c.Text) {
			continue
		}
		if n := len(spans); n > 0 && (start <= last || strings.TrimSpace(c.Text[last:start]) == "") {
			end = max(end, last) // tokens of one character overlap
			spans[n-1].End = utf8.RuneCountInString(c.Text[:end])
		} else {
			from := utf8.RuneCountInString(c.Text[:start])
			spans = append(spans, extract.Span{Start: from, End: from + utf8.RuneCountInString(c.Text[start:end])})
		}
		last = end
	}
	return spans
}

// maxQuoted limits the spans that a reason quotes.
const maxQuoted = 4

// QuoteSpans quotes the first spans of a claim that are not part of a marker.
func QuoteSpans(c extract.Claim, spans []extract.Span) []string {
	runes := []rune(c.Text)
	var out []string
	for _, s := range spans {
		before, piece := string(runes[:s.Start]), string(runes[s.Start:s.End])
		if len(out) == maxQuoted {
			break
		}
		if !InMarker(c.Text, len(before), len(before)+len(piece)) {
			out = append(out, Excerpt(piece, 0))
		}
	}
	return out
}
