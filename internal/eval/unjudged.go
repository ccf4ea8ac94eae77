package eval

import (
	"math"
	"slices"
	"unicode"
	"unicode/utf8"

	"github.com/ragfaith/ragfaith/internal/result"
)

// unjudgedShare returns the share of the words of the answer of r that are in no
// judged claim, or NaN if r failed or was skipped. Each word counts once. If the
// place of a rewritten claim is unknown, only the skipped sentences and the unjudged
// claims count, unless no claim is judged.
func unjudgedShare(r *result.Row) float64 {
	if r.Status != result.Scored && r.Status != result.NoClaims && r.Status != result.UnjudgedRow {
		return math.NaN()
	}
	var judged, skipped []result.Span
	placed := true
	for i := range r.Claims {
		c, spans := &r.Claims[i], &judged
		if c.Verdict == result.Unjudged {
			spans = &skipped
		}
		switch {
		case c.From != nil:
			*spans = append(*spans, *c.From)
		case c.Start >= 0:
			*spans = append(*spans, result.Span{Start: c.Start, End: c.End})
		default:
			placed = false
		}
	}
	for _, s := range r.Skipped {
		skipped = append(skipped, result.Span{Start: s.Start, End: s.End})
	}
	total, inClaims, inSkipped := countWords(r.Answer, judged, skipped)
	switch {
	case total == 0:
		return 0
	case !placed && r.Status != result.UnjudgedRow:
		return float64(inSkipped) / float64(total)
	}
	return float64(total-inClaims) / float64(total)
}

// countWords returns the number of words in text, and of those that start in one
// of the spans of a and of b. A character of a script without spaces is a word.
func countWords(text string, a, b []result.Span) (total, inA, inB int) {
	inSpanA, inSpanB := newSpanCursor(a), newSpanCursor(b)
	inWord := false
	at := 0
	for _, r := range text {
		unspaced := r >= utf8.RuneSelf && unicode.In(r, unicode.Han, unicode.Hiragana, unicode.Katakana, unicode.Thai, unicode.Lao, unicode.Khmer, unicode.Myanmar)
		isPart := unicode.IsLetter(r) || unicode.IsNumber(r) || inWord && unicode.IsMark(r)
		if isPart && (!inWord || unspaced) {
			total++
			if inSpanA.contains(at) {
				inA++
			}
			if inSpanB.contains(at) {
				inB++
			}
		}
		inWord = isPart
		at++
	}
	return total, inA, inB
}

// A spanCursor finds out which positions are in one of several spans.
type spanCursor struct {
	rest []result.Span // sorted; those that start after the last position
	end  int           // of the spans that start before
}

func newSpanCursor(spans []result.Span) *spanCursor {
	slices.SortFunc(spans, func(a, b result.Span) int { return a.Start - b.Start })
	return &spanCursor{rest: spans}
}

// contains reports whether a position is in a span. Positions must ascend.
func (c *spanCursor) contains(at int) bool {
	for len(c.rest) > 0 && c.rest[0].Start <= at {
		c.end = max(c.end, c.rest[0].End)
		c.rest = c.rest[1:]
	}
	return at < c.end
}
