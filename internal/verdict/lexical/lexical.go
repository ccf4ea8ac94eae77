// Package lexical implements a judge that needs no model. It compares the words,
// numbers, dates and names of a claim with the contexts.
//
// The score of a claim is the share of its words, weighted by inverse document
// frequency (IDF), that a window of a context contains: as the same word, an inflected
// form, a synonym, or the same number in a different notation. The judge has no
// rules for grammatical roles. docs/judges.md describes its limitations.
package lexical

import (
	"context"
	"slices"
	"sync"

	"github.com/ragfaith/ragfaith/internal/extract"
	"github.com/ragfaith/ragfaith/internal/lexicon"
	"github.com/ragfaith/ragfaith/internal/values"
	"github.com/ragfaith/ragfaith/internal/verdict"
	"github.com/ragfaith/ragfaith/internal/verdict/lexical/entail"
)

// DefaultThreshold is the default of Options.Threshold.
const DefaultThreshold = 0.5

// Options configure a Judge.
type Options struct {
	// Threshold is the minimum score of a supported claim, from 0 to 1.
	Threshold float64
	// Joined treats all contexts as one text, so that a supporting passage may span two contexts.
	// Otherwise a claim is compared with each context separately and the best score counts.
	Joined bool
	// Sentences calls yield with the start and end byte offsets of each sentence of text. Required.
	Sentences func(text string, yield func(start, end int))
}

// A Judge judges claims by comparing words. It is deterministic and safe for concurrent use.
type Judge struct {
	lex    *lexicon.Lexicon
	entail *entail.Comparer
	values *values.Finder
	opts   Options
	pool   sync.Pool
}

// New returns a judge with the given options. It returns an error only if the embedded
// lexicon is corrupt.
func New(opts Options) (*Judge, error) {
	lex, err := lexicon.Load()
	if err != nil {
		return nil, err
	}
	comparer, err := entail.New(lex)
	if err != nil {
		return nil, err
	}
	j := &Judge{lex: lex, entail: comparer, values: values.New(lex), opts: opts}
	j.pool.New = func() any { return newScratch(j.values) }
	return j, nil
}

// Threshold returns the minimum score of a supported claim.
func (j *Judge) Threshold() float64 { return j.opts.Threshold }

// Values returns the values in a text.
func (j *Judge) Values(text string) []values.Value { return j.values.Find(text) }

func (j *Judge) getScratch() *scratch {
	s, _ := j.pool.Get().(*scratch)
	return s
}

func (j *Judge) putScratch(s *scratch) {
	s.observe = nil
	if !s.tooLarge() {
		j.pool.Put(s)
	}
}

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
	pos, textIndex := int32(0), int32(0) // a text is one context or all of them
	for i, text := range contexts {
		var err error
		if pos, err = s.scan(ctx, j, text, int32(i), pos, textIndex); err != nil { //nolint:gosec // there are fewer contexts
			return err
		}
		if !j.opts.Joined || i == len(contexts)-1 {
			for k := range s.claims {
				j.collect(s, &s.claims[k], contexts)
			}
			s.flush(textIndex, j.opts.Threshold)
			textIndex++
			pos = 0
		}
	}
	return nil
}
