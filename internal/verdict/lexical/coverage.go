package lexical

import (
	"context"
	"slices"

	"github.com/ragfaith/ragfaith/internal/extract"
)

// Features describe how well a text covers a claim, each from 0 to 1.
type Features struct {
	// Near and Wide are the share of the claim's words, weighted by IDF, in the best
	// window of 45 and of 135 words.
	Near, Wide float64
	// Pairs is the share of the claim's pairs of neighbouring words that the text has.
	Pairs float64
	// MissingValues is the share of the claim's numbers and dates that the text lacks,
	// MissingNames the share of its names, weighted by IDF.
	MissingValues, MissingNames float64
	// Score is the probability of support that the judge derives from the other
	// features, before it looks for contradictions. It is 1 if the text has the claim
	// verbatim.
	Score float64
}

// Features compares claims with texts. The result has a row for each claim, with a
// value for each text. Errors are those of Judge.
func (j *Judge) Features(ctx context.Context, claims []extract.Claim, texts []string) ([][]Features, error) {
	out := make([][]Features, len(claims))
	all := make([]Features, len(claims)*len(texts))
	for i := range out {
		out[i] = all[i*len(texts) : (i+1)*len(texts)]
	}
	s := j.getScratch()
	defer j.putScratch(s)
	s.limit = 0
	alone := j.unjoined()
	first := 0
	for batch := range slices.Chunk(claims, batchSize) {
		s.observe = func(claim int, text int32, f chunkScore) {
			out[first+claim][text] = Features{f.near, f.wide, f.pairs, f.missingValues, f.missingNames, f.score}
		}
		if err := alone.match(ctx, s, batch, texts); err != nil {
			return nil, err
		}
		first += len(batch)
	}
	return out, nil
}

// unjoined returns a judge that compares claims with each text alone.
func (j *Judge) unjoined() *Judge {
	alone := &Judge{lex: j.lex, opts: j.opts}
	alone.opts.Joined = false
	return alone
}
