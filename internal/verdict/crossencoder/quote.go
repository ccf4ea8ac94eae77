package crossencoder

import (
	"context"

	"github.com/ragfaith/ragfaith/internal/encoder"
	"github.com/ragfaith/ragfaith/internal/extract"
	"github.com/ragfaith/ragfaith/internal/verdict"
)

// quote returns the evidence for a claim in the window of a text. If contexts are joined,
// it may span several of them.
func (j *Judge) quote(ctx context.Context, contexts, texts []string, w encoder.Passage, claim extract.Claim) ([]verdict.Evidence, error) {
	text := texts[w.Text][w.Start:w.End]
	e, err := verdict.Nearest(ctx, j.o.Quoter, []string{text}, claim)
	if e == nil || e.Start >= e.End {
		return nil, err
	}
	start, end := w.Start+verdict.ByteOffset(text, e.Start), w.Start+verdict.ByteOffset(text, e.End)
	if !j.o.Joined {
		return []verdict.Evidence{verdict.NewEvidence(contexts, w.Text, start, end)}, nil
	}
	var out []verdict.Evidence
	at := 0
	for id, c := range contexts {
		if s, e := max(start, at), min(end, at+len(c)); s < e {
			out = append(out, verdict.NewEvidence(contexts, id, s-at, e-at))
		}
		at += len(c) + len("\n")
	}
	return out, nil
}
