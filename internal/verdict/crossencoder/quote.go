package crossencoder

import (
	"context"
	"unicode/utf8"

	"github.com/ragfaith/ragfaith/internal/extract"
	"github.com/ragfaith/ragfaith/internal/verdict"
	"github.com/ragfaith/ragfaith/internal/verdict/passage"
)

// quote returns the byte offsets of the evidence for a claim in text; the range is empty
// if there is none.
func (j *Judge) quote(ctx context.Context, text string, claim extract.Claim) (start, end int, err error) {
	claim.ID = 0
	said, err := j.o.Quoter.Judge(ctx, verdict.Task{Contexts: []string{text}, Claims: []extract.Claim{claim}})
	if err != nil || len(said.Verdicts) == 0 || len(said.Verdicts[0].Evidence) == 0 {
		return 0, 0, err
	}
	e := said.Verdicts[0].Evidence[0]
	return offset(text, e.Start), offset(text, e.End), nil
}

// offset converts an offset in code points to bytes.
func offset(text string, points int) int {
	at := 0
	for ; points > 0 && at < len(text); points-- {
		_, size := utf8.DecodeRuneInString(text[at:])
		at += size
	}
	return at
}

// evidence converts the bytes start to end of a window to evidence. With joined contexts
// the range may span several of them.
func (j *Judge) evidence(contexts []string, w passage.Passage, start, end int) []verdict.Evidence {
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

// limit returns the number of tokens that the model can read, or 0 for no limit.
func (j *Judge) limit() int {
	info := j.o.Model.Info()
	if info.MaxTokens > 0 {
		return info.MaxTokens
	}
	return info.Window
}

// windows cuts texts into windows that fit beside a claim of that many tokens. At least
// half of what the model can read is for the text.
func (j *Judge) windows(ctx context.Context, texts []string, longestClaim int) ([]passage.Passage, error) {
	room := 0
	if limit := j.limit(); limit > 0 {
		room = limit - j.o.Model.Specials()
		room = max(room-min(longestClaim, room/2), 1)
	}
	return passage.Splitter{Count: j.o.Model.Count, Sentences: j.o.Sentences}.Split(ctx, texts, room)
}
