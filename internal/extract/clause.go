package extract

import (
	"cmp"
	"context"
	"slices"

	"github.com/ragfaith/ragfaith/internal/segment"
)

// Clauses extracts the sentences of an answer as claims and splits English
// sentences that make several independent statements.
type Clauses struct{ Sentences Sentences }

// Extract returns the claims of x.Sentences. An English sentence whose parts are
// statements of their own is replaced by a claim for each part: coordinated
// clauses, relative clauses after a comma, and an event's place and time. A part
// that is contiguous is verbatim and has its own range. Any other part, such as
// a second predicate with the subject of the first, is a rewritten claim and
// From is its sentence. In case of doubt, a sentence is not split. Its
// errors are those of [Sentences.Extract].
func (x Clauses) Extract(ctx context.Context, question, answer string) (Extraction, error) {
	e, err := x.Sentences.Extract(ctx, question, answer)
	if err != nil || len(e.Claims) == 0 || segment.Language(answer, x.Sentences.Lang) != "en" {
		return e, err
	}
	const checkInterval = 64
	points := []rune(answer)
	claims := make([]Claim, 0, len(e.Claims))
	for i, c := range e.Claims {
		if i%checkInterval == checkInterval-1 && ctx.Err() != nil {
			return Extraction{}, ctx.Err()
		}
		claims = append(claims, splitClaim(c, points)...)
	}
	for i := range claims {
		claims[i].ID = i
	}
	e.Claims = claims
	return e, nil
}

// splitClaim returns the claims that replace c, a sentence of answer, or c alone.
func splitClaim(c Claim, answer []rune) []Claim {
	text := cmp.Or(c.Statement, c.Text)
	parts := splitSentence(text)
	if len(parts) == 0 {
		return []Claim{c}
	}
	var places []int
	if c.Statement == "" {
		places = alignText(c, answer)
	}
	claims := make([]Claim, len(parts))
	for i, p := range parts {
		part := Claim{Text: p.text, Start: -1, End: -1, From: &Span{Start: c.Start, End: c.End}, Citations: c.Citations}
		if c.Statement == "" {
			part.Lead = c.Lead
		}
		if p.start >= 0 && places != nil {
			part.Start, part.End, part.From = places[p.start], places[p.end-1]+1, nil
			if p.end == len(text) {
				part.End = c.End
			}
			if Statements("", []Claim{part})[0] != "" {
				return []Claim{c} // it would be judged as another text
			}
		}
		claims[i] = part
	}
	if places != nil {
		divideCitations(claims, parts, places)
	}
	return claims
}

// alignText returns the offset in the answer of each byte of c.Text, in code
// points. It returns nil if the sentence contains more than this text and
// citations, such as Markdown.
func alignText(c Claim, answer []rune) []int {
	places := make([]int, 0, len(c.Text))
	at, citations := c.Start, c.Citations
	for _, r := range c.Text {
		for {
			for len(citations) > 0 && citations[0].End <= at {
				citations = citations[1:]
			}
			if len(citations) > 0 && citations[0].Start <= at {
				at = citations[0].End
				continue
			}
			if at >= c.End {
				return nil
			}
			if answer[at] == r || r == ' ' && isSpaceRune(answer[at]) {
				break
			}
			if !isSpaceRune(answer[at]) {
				return nil
			}
			at++
		}
		for range len(string(r)) {
			places = append(places, at)
		}
		at++
	}
	if len(places) != len(c.Text) { // invalid UTF-8
		return nil
	}
	return places
}

func isSpaceRune(r rune) bool {
	return r == ' ' || r == '\n' || r == '\t' || r == '\r' || r == '\u00a0'
}

// divideCitations gives each part the citations from its start to the start of
// the next part. A part without any has those of the next one, so that one
// marker at the end of a sentence belongs to all its parts. Parts that share
// words keep the citations of the sentence.
func divideCitations(claims []Claim, parts []clause, places []int) {
	all := claims[0].Citations
	for i := 1; i < len(parts); i++ {
		if parts[i].at <= parts[i-1].at {
			return
		}
	}
	end := len(all)
	for i := len(parts) - 1; i >= 0; i-- {
		start := 0
		if i > 0 {
			start = slices.IndexFunc(all, func(c Citation) bool { return c.Start >= places[parts[i].at] })
			if start < 0 || start > end {
				start = end
			}
		}
		claims[i].Citations = all[start:end:end]
		if start == end && i+1 < len(parts) {
			claims[i].Citations = claims[i+1].Citations
		}
		end = start
	}
}
