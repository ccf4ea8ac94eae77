package crossencoder

import (
	"context"
	"unicode/utf8"

	"github.com/ragfaith/ragfaith/internal/extract"
	"github.com/ragfaith/ragfaith/internal/verdict"
	"github.com/ragfaith/ragfaith/internal/verdict/passage"
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

// limit returns the number of tokens that the model can read, or 0 if
// unlimited.
func (j *Judge) limit() int {
	info := j.o.Model.Info()
	if info.MaxTokens > 0 {
		return info.MaxTokens
	}
	return info.Window
}

// windows splits texts into windows that fit into the model together with a
// claim of longestClaim tokens. At least half of the model's limit is reserved
// for the window.
func (j *Judge) windows(ctx context.Context, texts []string, longestClaim int) ([]passage.Passage, error) {
	maxTokens := 0
	if limit := j.limit(); limit > 0 {
		maxTokens = limit - j.o.Model.Specials()
		maxTokens = max(maxTokens-min(longestClaim, maxTokens/2), 1)
	}
	return passage.Splitter{Count: j.o.Model.Count, Sentences: j.o.Sentences}.Split(ctx, texts, maxTokens)
}
