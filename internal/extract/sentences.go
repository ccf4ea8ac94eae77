package extract

import (
	"context"
	"fmt"
	"slices"
	"strings"
	"unicode/utf8"

	"github.com/ragfaith/ragfaith/internal/segment"
)

// Sentences extracts the sentences of an answer as claims, verbatim except for Markdown.
type Sentences struct {
	Lang string // language of the answers, such as "en", or "" if unknown
}

// Extract returns each sentence of answer as either a claim or a skipped sentence. In case of
// doubt, a sentence is a claim: skipping an assertion would raise the score of an unfaithful
// answer. The question is used to turn short answers into sentences; see [Statements]. The only
// possible errors are ctx.Err() and errTooManyClaims.
func (x Sentences) Extract(ctx context.Context, question, answer string) (Extraction, error) {
	if err := ctx.Err(); err != nil {
		return Extraction{}, err
	}
	lang := "x-claims"
	if x.Lang != "" {
		lang = x.Lang + "-x-claims"
	}
	v := newAnswerView(answer)
	spans := segment.Sentences(v.text, lang)
	if len(spans) == 0 && v.cuts == nil {
		return Extraction{}, nil
	}
	e := Extraction{Claims: make([]Claim, 0, min(len(spans), maxClaims))}
	points := codePoints{text: answer}
	d := document{text: v.text, spans: spans}
	d.splitRefusals()
	t := table{row: -1}
	var leads leadStack
	cuts := v.cuts
	hasCitations := v.hasCitations()
	var sentences []sentenceSpan
	refused := false
	for i, s := range d.spans {
		if i%ctxCheckInterval == ctxCheckInterval-1 && ctx.Err() != nil {
			return Extraction{}, ctx.Err()
		}
		if len(e.Claims) > maxClaims {
			return Extraction{}, errTooManyClaims
		}
		from := max(points.at, v.rawStart(s.Start)) // two sentences may end and start within one cut
		to := max(from, v.rawEnd(s.End))
		cuts = e.skipCuts(cuts, from, answer, &points)
		text := v.text[s.Start:s.End]
		plain, kind, isRow := t.next(d, i)
		if !isRow {
			if kind = d.kind(i, refused); kind == "" || kind == Heading {
				if plain = stripMarkdown(text); !HasWords(plain) {
					kind = Marks
				}
			}
		}
		refused = kind == Refusal
		lead := leads.next(d, i, kind, isRow)
		start, end := points.count(from), points.count(to)
		if hasCitations {
			claim := len(e.Claims)
			if kind != "" {
				claim = -1
			}
			sentences = append(sentences, sentenceSpan{from, to, claim})
		}
		if kind != "" {
			e.Skipped = append(e.Skipped, Skipped{Kind: kind, Text: answer[from:to], Start: start, End: end})
			continue
		}
		e.Claims = append(e.Claims, Claim{ID: len(e.Claims), Text: plain, Lead: lead, Start: start, End: end})
	}
	if e.promoteBareAnswer(points.points) && hasCitations {
		sentences[len(sentences)-1].claim = 0
	}
	if hasCitations {
		v.attachCitations(e.Claims, sentences)
	}
	e.skipCuts(cuts, len(answer), answer, &points)
	for i, statement := range Statements(question, e.Claims) {
		e.Claims[i].Statement = statement
	}
	return e, nil
}

// skipCuts adds cuts with a kind that end at or before byte offset to in the
// answer to e.Skipped. It returns the remaining cuts.
func (e *Extraction) skipCuts(cuts []cut, to int, answer string, points *codePoints) []cut {
	for len(cuts) > 0 && cuts[0].end <= to {
		c := cuts[0]
		cuts = cuts[1:]
		text := strings.TrimSpace(answer[c.start:c.end])
		if c.kind == "" || text == "" || c.start < points.at { // a cut before points.at is part of a sentence
			continue
		}
		from := c.start + strings.Index(answer[c.start:c.end], text)
		start := points.count(from)
		e.Skipped = append(e.Skipped, Skipped{Kind: c.kind, Text: text, Start: start, End: points.count(from + len(text))})
	}
	return cuts
}

// maxClaims limits the claims of an answer. Each takes kilobytes of memory, even if it has
// two letters.
const maxClaims = 100_000

var errTooManyClaims = fmt.Errorf("the answer has more than %d claims", maxClaims)

// ctxCheckInterval is the number of sentences between checks of ctx.
const ctxCheckInterval = 1 << 10

// IsASCII reports whether text has only ASCII characters.
func IsASCII(text string) bool {
	for i := range len(text) {
		if text[i] >= utf8.RuneSelf {
			return false
		}
	}
	return true
}

// promoteBareAnswer turns a final heading into a claim if the answer has no
// other claims, since "**Paris**" can answer a question. end is the length of
// the answer in code points. It reports whether a heading was promoted.
func (e *Extraction) promoteBareAnswer(end int) bool {
	if len(e.Claims) > 0 || len(e.Skipped) == 0 {
		return false
	}
	last := e.Skipped[len(e.Skipped)-1]
	if last.Kind != Heading || last.End != end || e.Reason() == reasonRefusal {
		return false
	}
	e.Skipped = e.Skipped[:len(e.Skipped)-1]
	e.Claims = append(e.Claims, Claim{Text: stripMarkdown(last.Text), Start: last.Start, End: last.End})
	return true
}

// Reasons for an answer without claims.
const (
	reasonRefusal = "refusal"
	reasonEmpty   = "empty"
	reasonNothing = "nothing_claimed"
)

// Reason returns the reason why there are no claims: "refusal" if a sentence
// declines to answer, "empty" if the answer contains no text, and
// "nothing_claimed" otherwise. It returns "" if there are claims.
func (e Extraction) Reason() string {
	switch {
	case len(e.Claims) > 0:
		return ""
	case len(e.Skipped) == 0:
		return reasonEmpty
	case slices.ContainsFunc(e.Skipped, func(s Skipped) bool { return s.Kind == Refusal }):
		return reasonRefusal
	}
	return reasonNothing
}

// newAnswerView returns the view of a complete answer, which may be JSON or a fenced block.
func newAnswerView(raw string) view {
	if outer, ok := unwrap(raw); ok {
		return outer.compose(newView(outer.text))
	}
	return newView(raw)
}

// WholeAnswer extracts the answer as a single claim, without the sentences that claim
// nothing before its first and after its last assertion.
type WholeAnswer struct{ Sentences Sentences }

// Extract returns one claim, or none if no sentence of answer claims anything. Its
// errors are those of [Sentences.Extract].
func (x WholeAnswer) Extract(ctx context.Context, question, answer string) (Extraction, error) {
	e, err := x.Sentences.Extract(ctx, question, answer)
	e.Whole = true
	if err != nil || len(e.Claims) < 2 {
		return e, err
	}
	start, end := e.Claims[0].Start, e.Claims[len(e.Claims)-1].End
	whole := Claim{Start: start, End: end, Text: string([]rune(answer)[start:end])}
	for _, c := range e.Claims {
		whole.Citations = append(whole.Citations, c.Citations...)
	}
	var outside []Skipped
	for _, s := range e.Skipped {
		if s.End <= start || s.Start >= end {
			outside = append(outside, s)
		}
	}
	e.Claims, e.Skipped = []Claim{whole}, outside
	return e, nil
}
