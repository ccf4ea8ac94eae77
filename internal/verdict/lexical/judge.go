package lexical

import (
	"context"
	"slices"

	"github.com/ragfaith/ragfaith/internal/extract"
	"github.com/ragfaith/ragfaith/internal/verdict"
)

// Judge returns a verdict for each claim, in the order of the claims. It returns an error if ctx is
// done. A claim that is not supported is left unjudged if all contexts are in another language.
func (j *Judge) Judge(ctx context.Context, task verdict.Task) (verdict.Judgement, error) {
	s := j.getScratch()
	defer j.putScratch(s)
	vs, err := j.judgeAll(ctx, s, task)
	if err != nil {
		return verdict.Judgement{}, err
	}
	j.leaveUnjudged(task, vs)
	return verdict.Judgement{Verdicts: vs}, nil
}

// judgeAll judges the claims in batches. Each batch takes one pass over the contexts.
func (j *Judge) judgeAll(ctx context.Context, s *scratch, task verdict.Task) ([]verdict.Verdict, error) {
	s.reset()
	vs := make([]verdict.Verdict, 0, len(task.Claims))
	for claims := range slices.Chunk(task.Claims, batchSize) {
		if err := j.match(ctx, s, claims, task.Contexts); err != nil {
			return nil, err
		}
		for i := range claims {
			if err := ctx.Err(); err != nil {
				return nil, err
			}
			v := j.conclude(s, &s.claims[i], task.Contexts)
			v.ClaimID = claims[i].ID
			vs = append(vs, v)
		}
	}
	return vs, nil
}

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

// batchSize is the number of claims matched in one pass over the contexts. It limits
// the memory used for a task.
const batchSize = 256

// match compares the claims with the contexts and stores the results in s.claims.
func (j *Judge) match(ctx context.Context, s *scratch, claims []extract.Claim, contexts []string) error {
	s.texts = s.texts[:0]
	for _, c := range claims {
		s.texts = append(s.texts, c.Judged())
	}
	s.index(j.lex, s.texts)
	for i := range claims {
		if claims[i].Statement == "" && claims[i].Lead != "" {
			s.claims[i].lead = len(s.texts[i]) - len(claims[i].Text)
		}
	}
	pos, textIndex := int32(0), int32(0) // a text is one context or all of them
	for i, text := range contexts {
		var err error
		if pos, err = s.scan(ctx, j, text, int32(i), pos, textIndex); err != nil { //nolint:gosec // there are fewer contexts
			return err
		}
		if !j.opts.Joined || i == len(contexts)-1 {
			j.collect(s, contexts)
			s.flush(textIndex, j.opts.Threshold)
			textIndex++
			pos = 0
		}
	}
	return nil
}
