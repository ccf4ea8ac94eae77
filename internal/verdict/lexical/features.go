package lexical

import (
	"context"

	"github.com/ragfaith/ragfaith/internal/extract"
)

// Features say how well one text covers one claim, each from 0 to 1.
type Features struct {
	// Near and Wide are the share of the claim's words, weighted by IDF, in the best
	// window of 45 and of 135 words.
	Near, Wide float64
	// Pairs is the share of the claim's neighbouring words that are neighbours in the
	// text.
	Pairs float64
	// MissingValues is the share of the claim's numbers and dates that the text does
	// not hold; MissingNames the weighted share of its names.
	MissingValues, MissingNames float64
	// Score is the probability of support that the judge makes of these, without
	// what the text may say against the claim. It is 1 where the text has the claim
	// word for word.
	Score float64
}

// Features holds claims against texts: the result has a row for each claim and in
// it a value for each text. Errors are those of Judge.
func (j *Judge) Features(ctx context.Context, claims []extract.Claim, texts []string) ([][]Features, error) {
	s, _ := j.pool.Get().(*scratch)
	defer func() {
		s.observe = nil
		if !s.big() {
			j.pool.Put(s)
		}
	}()
	s.limit = 0
	out := make([][]Features, len(claims))
	all := make([]Features, len(claims)*len(texts))
	for i := range out {
		out[i] = all[i*len(texts) : (i+1)*len(texts)]
	}
	// What is not joined is flushed text by text.
	alone := &Judge{lex: j.lex, opts: j.opts}
	alone.opts.Joined = false
	for from := 0; from < len(claims); from += claimsAtOnce {
		some := claims[from:min(from+claimsAtOnce, len(claims))]
		s.observe = func(claim int, text int32, f chunkScore) {
			out[from+claim][text] = Features{f.near, f.wide, f.pairs, f.missingValues, f.missingNames, f.score}
		}
		if err := alone.match(ctx, s, some, texts); err != nil {
			return nil, err
		}
	}
	return out, nil
}
