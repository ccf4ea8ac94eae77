package extract

import (
	"strings"

	"github.com/ragfaith/ragfaith/internal/extract/english"
	"github.com/ragfaith/ragfaith/internal/segment"
)

// splitRefusals splits each sentence that joins a refusal and a statement by a comma, such
// as "While the documents do not mention the CEO, the fee is $5."
func (d *document) splitRefusals() {
	spans := make([]segment.Span, 0, len(d.spans))
	for i, s := range d.spans {
		comma, refusal := halfRefusal(d.sentence(i))
		if comma == 0 {
			spans = append(spans, s)
			continue
		}
		halves := [2]segment.Span{{Start: s.Start, End: s.Start + comma + 1}, {Start: s.Start + comma + len(", "), End: s.End}}
		if d.declining == nil {
			d.declining = make(map[int]bool)
		}
		d.declining[halves[refusal].Start] = true
		spans = append(spans, halves[:]...)
	}
	d.spans = spans
}

// halfRefusal returns the offset of the comma between a refusal and a statement, and
// whether the refusal is the first (0) or the second (1) of the two. The offset is 0 if
// text is not such a sentence.
func halfRefusal(text string) (comma, refusal int) {
	comma = strings.Index(text, ", ")
	negated := strings.Contains(text, "not ") || strings.Contains(text, "n't ") || strings.Contains(text, "n’t ") || strings.Contains(text, " no")
	if comma < 0 || !negated || len(text) > maxSentenceBytes || startsWithQuote(text) || isRefusal(text, normalize(text).trimOpening()) {
		return 0, 0
	}
	left, right := text[:comma], text[comma+len(", "):]
	before, after := normalize(left), normalize(right)
	conjunction, statement := after.cutWord()
	joined := isOneOf(conjunction, "but", "however", "although", "though", "while", "whereas", "and")
	opened := before.trimConcession()
	subject := conjunction
	if joined {
		subject, _ = statement.cutWord()
	}
	switch {
	case opened.refuses():
		concedes := isOneOf(conjunction, "but", "however") || !joined && len(opened) < len(before.trimOpening())
		if concedes && !english.IsPronoun(subject) && !after.trimOpening().refuses() && isClause(right) {
			return comma, 0
		}
	case joined && after.trimConcession().refuses() && strings.IndexByte(right, ',') < 0 && isClause(left):
		return comma, 1
	}
	return 0, 0
}

// trimConcession cuts opening phrases and a conjunction such as "while".
func (w words) trimConcession() words {
	rest, _ := w.trimOpening().cutAnyPrefix("while", "although", "though", "even though", "whereas")
	return rest.trimOpening()
}
