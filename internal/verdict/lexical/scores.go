package lexical

import (
	"context"
	"slices"

	"github.com/ragfaith/ragfaith/internal/extract"
)

// Scores compares claims with texts. It returns the probability that a text supports a
// claim, before any check for contradictions, in the shape [len(claims)][len(texts)].
// Scores returns an error if ctx is done.
func (j *Judge) Scores(ctx context.Context, claims []extract.Claim, texts []string) ([][]float64, error) {
	out := make([][]float64, len(claims))
	all := make([]float64, len(claims)*len(texts))
	for i := range out {
		out[i] = all[i*len(texts) : (i+1)*len(texts)]
	}
	s := j.getScratch()
	defer j.putScratch(s)
	clear(s.cells)
	s.sentences = s.sentences[:0] // of earlier contexts
	alone := &Judge{lex: j.lex, opts: j.opts}
	alone.opts.Joined = false
	first := 0
	for batch := range slices.Chunk(claims, batchSize) {
		s.observe = func(claim int, text int32, f chunkScore) { out[first+claim][text] = f.score }
		if err := alone.match(ctx, s, batch, texts); err != nil {
			return nil, err
		}
		first += len(batch)
	}
	return out, nil
}
