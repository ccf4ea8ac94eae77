package verdict

import (
	"context"
	"slices"
	"strings"
	"unicode/utf8"

	"github.com/ragfaith/ragfaith/internal/extract"
)

// A PlainJudge passes the visible text of contexts, without HTML, Markdown and invisible
// characters, to another judge and maps the evidence of its verdicts back to the original
// contexts. Characters that look the same are folded in contexts and claims. It is safe for
// concurrent use if Inner is.
type PlainJudge struct{ Inner Judge }

// Judge returns the verdicts of j.Inner on the folded claims and the visible text of the contexts.
func (j PlainJudge) Judge(ctx context.Context, task Task) (Judgement, error) {
	raw := task.Contexts
	task.Question, task.Claims = extract.Fold(task.Question), slices.Clone(task.Claims)
	for i := range task.Claims {
		c := &task.Claims[i]
		c.Text, c.Lead, c.Statement = extract.Fold(c.Text), extract.Fold(c.Lead), extract.Fold(c.Statement)
	}
	var plain []extract.PlainText // nil if no context has markup
	for i, c := range raw {
		p := extract.NewPlainText(c)
		if !p.Changed() {
			continue
		}
		if plain == nil {
			plain = make([]extract.PlainText, len(raw))
			task.Contexts = slices.Clone(raw)
		}
		plain[i], task.Contexts[i] = p, p.Text()
	}
	out, err := j.Inner.Judge(ctx, task)
	if err != nil || plain == nil {
		return out, err
	}
	for i := range out.Verdicts {
		v := &out.Verdicts[i]
		for k := range v.Evidence {
			if e := &v.Evidence[k]; plain[e.Chunk].Changed() {
				visible := e.Quote
				restoreEvidence(e, plain[e.Chunk], raw[e.Chunk])
				v.Reason = restoreReason(v.Reason, visible, e.Quote)
			}
		}
	}
	return out, nil
}

// restoreEvidence maps evidence from the visible text p to the original context raw.
func restoreEvidence(e *Evidence, p extract.PlainText, raw string) {
	text := p.Text()
	start := ByteOffset(text, e.Start)
	from, to := p.Span(start, start+ByteOffset(text[start:], e.End-e.Start))
	e.Quote = raw[from:to]
	e.Start = utf8.RuneCountInString(raw[:from])
	e.End = e.Start + utf8.RuneCountInString(e.Quote)
}

// restoreReason replaces a short quote in a reason with the original text if folding is the only
// difference.
func restoreReason(reason, folded, original string) string {
	if folded == original || utf8.RuneCountInString(original) > excerptLength || extract.Fold(original) != folded {
		return reason
	}
	excerpt := func(s string) string { return strings.Trim(Excerpt(s, 0), "“.!?”") }
	return strings.ReplaceAll(reason, excerpt(folded), excerpt(original))
}

// ByteOffset returns the byte offset of code point n of text, or its length if it is shorter.
func ByteOffset(text string, n int) int {
	for i := range text {
		if n == 0 {
			return i
		}
		n--
	}
	return len(text)
}
