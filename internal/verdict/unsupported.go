package verdict

import (
	"strings"
	"unicode/utf8"

	"github.com/ragfaith/ragfaith/internal/extract"
)

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
