// Package lexical is a judge without a model: it compares the words, numbers, dates
// and names of a claim with the contexts.
//
// The score of a claim is based on the inverse document frequency (IDF) of its words:
// the share of their total IDF that a window of a context has, as the same word,
// another form of it, a synonym, or the same number written differently. The judge
// compares what is said, with a few rules for who does what to whom: docs/judges.md
// lists what it gets wrong.
package lexical

import (
	"context"
	"errors"
	"math"
	"slices"
	"sync"

	"github.com/ragfaith/ragfaith/internal/extract"
	"github.com/ragfaith/ragfaith/internal/verdict"
	"github.com/ragfaith/ragfaith/internal/verdict/lexical/lexicon"
)

// DefaultThreshold is the score from which a claim is supported.
const DefaultThreshold = 0.5

// Options configure a Judge.
type Options struct {
	// Threshold is the score from which a claim is supported, 0 to 1.
	Threshold float64
	// Joined compares a claim with all contexts as one text, so that its support may
	// start in one context and end in the next. Otherwise each context is compared
	// alone, and the best one counts.
	Joined bool
	// Sentences calls yield with the start and end, in bytes, of each sentence of text.
	// It is used to choose quotes. Required.
	Sentences func(text string, yield func(start, end int))
}

// A Judge is safe for concurrent use. Its verdicts depend only on the task and the
// options.
type Judge struct {
	lex  *lexicon.Lexicon
	opts Options
	pool sync.Pool
}

// New returns a judge. It fails only if the embedded lexicon is damaged.
func New(opts Options) (*Judge, error) {
	lex, err := lexicon.Load()
	if err != nil {
		return nil, err
	}
	j := &Judge{lex: lex, opts: opts}
	j.pool.New = func() any { return newScratch() }
	return j, nil
}

// Threshold returns the score from which this judge supports a claim.
func (j *Judge) Threshold() float64 { return j.opts.Threshold }

// Judge returns a verdict for each claim, in the order of the claims. It fails if ctx
// is done. The work on a task of thousands of similar sentences is bounded: see
// maxWork.
func (j *Judge) Judge(ctx context.Context, task verdict.Task) (verdict.Judgement, error) {
	s := j.getScratch()
	defer j.putScratch(s)
	s.limit = maxWork
	for _, c := range task.Contexts {
		s.limit += workPerByte * len(c)
	}
	vs, err := j.judgeAll(ctx, s, task, batchSize)
	if errors.Is(err, errTooMuchWork) {
		vs, err = j.judgeSparse(ctx, task)
	}
	if err != nil {
		return verdict.Judgement{}, err
	}
	return verdict.Judgement{Verdicts: vs}, nil
}

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

// judgeAll judges the claims in batches of a size, each with one pass over the contexts.
func (j *Judge) judgeAll(ctx context.Context, s *scratch, task verdict.Task, size int) ([]verdict.Verdict, error) {
	s.reset(task.Question)
	vs := make([]verdict.Verdict, 0, len(task.Claims))
	for claims := range slices.Chunk(task.Claims, size) {
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
		if err := j.quoteSimilar(ctx, s, vs[len(vs)-len(claims):], task.Contexts); err != nil {
			return nil, err
		}
		s.reread = true
	}
	return vs, nil
}

// batchSize is how many claims are matched in one pass over the contexts. It bounds the
// memory for a task.
const batchSize = 256

// errTooMuchWork is returned if a task exceeds its limit of work. Judge handles it.
var errTooMuchWork = errors.New("too many matches between claims and contexts")

// match sets the best score of each claim in s.claims.
func (j *Judge) match(ctx context.Context, s *scratch, claims []extract.Claim, contexts []string) error {
	s.texts = s.texts[:0]
	for _, c := range claims {
		s.texts = append(s.texts, c.Judged())
	}
	s.index(j.lex, s.texts)
	for i := range claims {
		switch {
		case claims[i].Statement != "":
			s.claims[i].answer = claims[i].Text
		case claims[i].Lead != "":
			s.claims[i].lead = len(s.texts[i]) - len(claims[i].Text)
		}
	}
	s.setSiblings(claims)
	scan := s.scan
	if s.sparse != nil {
		scan = s.scanSparse
	}
	pos, flush := int32(0), int32(0)
	for i, text := range contexts {
		var err error
		if pos, err = scan(ctx, j, text, int32(i), pos, flush); err != nil { //nolint:gosec // there are fewer contexts
			return err
		}
		if !j.opts.Joined || i == len(contexts)-1 {
			s.flush(flush, j.opts.Threshold)
			flush++
			pos = 0
		}
	}
	return nil
}

// The weights of the score and the slope of its logistic function. They are rounded
// values that do well on average on the suites of docs/accuracy.md; the results are
// not sensitive to them.
const (
	weightNear         = 0.6
	weightWide         = 0.2
	weightPairs        = 0.2
	missingValueFactor = 0.5 // keeps a claim with a missing number below the default threshold
	missingNamePenalty = 0.2
	slope              = 5.0
	scoreMidpoint      = 0.5
)

// combine returns the probability of support for a claim with these features in a
// chunk.
func (f *chunkScore) combine() float64 {
	if f.wide == 1 && f.near == 1 && f.pairs == 1 && f.missingValues == 0 {
		return 1 // verbatim
	}
	x := weightNear*f.near + weightWide*f.wide + weightPairs*f.pairs - missingNamePenalty*f.missingNames
	p := 1 / (1 + math.Exp(-slope*(x-scoreMidpoint)))
	if f.missingValues > 0 {
		p *= missingValueFactor
	}
	return p
}
