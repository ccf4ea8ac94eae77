// Package markup lets a judge read contexts without their markup: the tags of
// HTML, the marks of Markdown and invisible characters are neither words of a
// context nor ends of its words.
package markup

import (
	"context"
	"unicode/utf8"

	"github.com/ragfaith/ragfaith/internal/extract"
	"github.com/ragfaith/ragfaith/internal/verdict"
)

// A Judge has another judge read the plain text of contexts. The evidence of its
// verdicts is what stands in the contexts themselves. It may be used by many
// goroutines at once if the other judge may.
type Judge struct {
	Inner interface {
		Judge(ctx context.Context, task verdict.Task) (verdict.Judgement, error)
	}
}

// Judge returns the verdicts of the inner judge. Errors are those of it.
func (j Judge) Judge(ctx context.Context, task verdict.Task) (verdict.Judgement, error) {
	raw := task.Contexts
	var plain []extract.Plain // nil if no context has markup
	for i, c := range raw {
		p := extract.PlainContext(c)
		if !p.Changed() {
			continue
		}
		if plain == nil {
			plain = make([]extract.Plain, len(raw))
			task.Contexts = append([]string(nil), raw...)
		}
		plain[i], task.Contexts[i] = p, p.Text()
	}
	out, err := j.Inner.Judge(ctx, task)
	if err != nil || plain == nil {
		return out, err
	}
	for i := range out.Verdicts {
		for k := range out.Verdicts[i].Evidence {
			if e := &out.Verdicts[i].Evidence[k]; plain[e.Chunk].Changed() {
				restore(e, plain[e.Chunk], raw[e.Chunk])
			}
		}
	}
	return out, nil
}

// restore makes evidence of a plain text that of the context itself.
func restore(e *verdict.Evidence, p extract.Plain, raw string) {
	text := p.Text()
	start := bytesOf(text, e.Start)
	from, to := p.Span(start, start+bytesOf(text[start:], e.End-e.Start))
	e.Quote = raw[from:to]
	e.Start = utf8.RuneCountInString(raw[:from])
	e.End = e.Start + utf8.RuneCountInString(e.Quote)
}

// bytesOf returns how many bytes the first n code points of text have.
func bytesOf(text string, n int) int {
	for i := range text {
		if n == 0 {
			return i
		}
		n--
	}
	return len(text)
}
