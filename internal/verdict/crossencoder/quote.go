package crossencoder

import (
	"context"
	"unicode/utf8"

	"github.com/ragfaith/ragfaith/internal/encoder"
	"github.com/ragfaith/ragfaith/internal/extract"
	"github.com/ragfaith/ragfaith/internal/verdict"
)

// quote returns the byte offsets of the evidence for a claim in text, or an
// empty range if there is none.
func (j *Judge) quote(ctx context.Context, text string, claim extract.Claim) (start, end int, err error) {
	claim.ID = 0
	judgement, err := j.o.Quoter.Judge(ctx, verdict.Task{Contexts: []string{text}, Claims: []extract.Claim{claim}})
	if err != nil || len(judgement.Verdicts) == 0 || len(judgement.Verdicts[0].Evidence) == 0 {
		return 0, 0, err
	}
	e := judgement.Verdicts[0].Evidence[0]
	return offset(text, e.Start), offset(text, e.End), nil
}

// offset converts an offset in code points to an offset in bytes.
func offset(text string, points int) int {
	at := 0
	for ; points > 0 && at < len(text); points-- {
		_, size := utf8.DecodeRuneInString(text[at:])
		at += size
	}
	return at
}

// evidence converts a byte range of a window to evidence. If contexts are
// joined, the range may span several of them.
func (j *Judge) evidence(contexts []string, w encoder.Passage, start, end int) []verdict.Evidence {
	start, end = w.Start+start, w.Start+end
	if !j.o.Joined {
		return []verdict.Evidence{verdict.NewEvidence(contexts, w.Text, start, end)}
	}
	var out []verdict.Evidence
	at := 0
	for id, c := range contexts {
		if s, e := max(start, at), min(end, at+len(c)); s < e {
			out = append(out, verdict.NewEvidence(contexts, id, s-at, e-at))
		}
		at += len(c) + len("\n")
	}
	return out
}
