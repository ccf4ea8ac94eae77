package lexical

import (
	"context"
	"slices"

	"github.com/ragfaith/ragfaith/internal/extract"
)

// Features describes how well a text covers a claim. All values are from 0 to 1.
type Features struct {
	// Near and Wide are the shares of the claim's words, weighted by IDF, that the best
	// windows of 45 and 135 words contain.
	Near, Wide float64
	// Pairs is the share of the claim's pairs of adjacent words that the text contains.
	Pairs float64
	// MissingValues is the share of the claim's numbers and dates that are missing from
	// the text. MissingNames is the share of its missing names, weighted by IDF.
	MissingValues, MissingNames float64
	// Score is the probability of support derived from the other features, before any
	// check for contradictions. It is 1 if the text contains the claim verbatim.
	Score float64
}

// Features compares claims with texts. The result has shape [len(claims)][len(texts)].
// Features returns an error if ctx is done.
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

// unjoined returns a copy of j that compares claims with each text separately.
func (j *Judge) unjoined() *Judge {
	alone := &Judge{lex: j.lex, opts: j.opts}
	alone.opts.Joined = false
	return alone
}
