package crossencoder

import (
	"context"
	"unicode/utf8"

	"github.com/ragfaith/ragfaith/internal/extract"
	"github.com/ragfaith/ragfaith/internal/verdict"
	"github.com/ragfaith/ragfaith/internal/verdict/passage"
)

// quote is the piece of text that bears on a claim most, in bytes; an empty one
// where there is none.
func (j *Judge) quote(ctx context.Context, text string, claim extract.Claim) (start, end int, err error) {
	claim.ID = 0
	said, err := j.o.Quoter.Judge(ctx, verdict.Task{Contexts: []string{text}, Claims: []extract.Claim{claim}})
	if err != nil || len(said.Verdicts) == 0 || len(said.Verdicts[0].Evidence) == 0 {
		return 0, 0, err
	}
	e := said.Verdicts[0].Evidence[0]
	return offset(text, e.Start), offset(text, e.End), nil
}

// offset is the place in bytes of a place in code points.
func offset(text string, points int) int {
	at := 0
	for ; points > 0 && at < len(text); points-- {
		_, size := utf8.DecodeRuneInString(text[at:])
		at += size
	}
	return at
}

// evidence is the piece start to end, in bytes of a window, as pieces of chunks,
// in code points. With joined contexts it may reach from one into the next.
func (j *Judge) evidence(contexts []string, w passage.Passage, start, end int) []verdict.Evidence {
	start, end = w.Start+start, w.Start+end
	if !j.o.Joined {
		return appendQuote(nil, contexts, w.Text, start, end)
	}
	var out []verdict.Evidence
	at := 0
	for id, c := range contexts {
		if s, e := max(start, at), min(end, at+len(c)); s < e {
			out = appendQuote(out, contexts, id, s-at, e-at)
		}
		at += len(c) + len("\n")
	}
	return out
}

// appendQuote appends a piece of a context, in bytes, as evidence in code points.
func appendQuote(out []verdict.Evidence, contexts []string, id, start, end int) []verdict.Evidence {
	c := contexts[id]
	from := utf8.RuneCountInString(c[:start])
	return append(out, verdict.Evidence{
		Chunk: id, Start: from, End: from + utf8.RuneCountInString(c[start:end]), Quote: c[start:end],
	})
}
