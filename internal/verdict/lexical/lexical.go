// Package lexical is the judge that needs no model: it holds the words, the
// numbers, dates and names of a claim against the contexts.
//
// A claim's score rests on the inverse document frequency (IDF) of its words:
// the share of that weight which a window of a context gives back, in the same
// word, another form of it, a synonym, or another way of writing a number. It
// sees what is said and what is not. It does not see who did what to whom:
// docs/judges.md lists what it gets wrong.
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

// Options are the settings of a Judge.
type Options struct {
	// Threshold is the score from which a claim is supported, 0 to 1.
	Threshold float64
	// Joined holds a claim against all contexts as one text, so that what
	// supports it may begin in one and end in the next. Otherwise each context
	// is looked at alone, and the best one counts.
	Joined bool
	// Sentences calls yield with the start and end, in bytes, of each sentence
	// of text. It is used to choose what to quote. Required.
	Sentences func(text string, yield func(start, end int))
}

// A Judge may be used by many goroutines at once. What it says depends on
// nothing but the task and the options.
type Judge struct {
	lex  *lexicon.Lexicon
	opts Options
	pool sync.Pool
}

// New returns a judge. It fails only where the data in the binary is damaged.
func New(opts Options) (*Judge, error) {
	lex, err := lexicon.Load()
	if err != nil {
		return nil, err
	}
	j := &Judge{lex: lex, opts: opts}
	j.pool.New = func() any { return newScratch() }
	return j, nil
}

// Threshold is the score from which this judge calls a claim supported.
func (j *Judge) Threshold() float64 { return j.opts.Threshold }

// Judge returns a verdict for each claim, in the order of the claims. It fails
// when ctx is done. A task of thousands of alike sentences is judged within
// bounds: see maxWork.
func (j *Judge) Judge(ctx context.Context, task verdict.Task) (verdict.Judgement, error) {
	s, _ := j.pool.Get().(*scratch)
	defer func() {
		if !s.big() {
			j.pool.Put(s)
		}
	}()
	s.limit = maxWork
	for _, c := range task.Contexts {
		s.limit += workPerByte * len(c)
	}
	vs, err := j.judgeAll(ctx, s, task, claimsAtOnce)
	if errors.Is(err, errTooMuch) {
		vs, err = j.judgeSparse(ctx, task)
	}
	if err != nil {
		return verdict.Judgement{}, err
	}
	return verdict.Judgement{Verdicts: vs}, nil
}

// judgeAll judges so many claims at once.
func (j *Judge) judgeAll(ctx context.Context, s *scratch, task verdict.Task, atOnce int) ([]verdict.Verdict, error) {
	s.work, s.question = 0, task.Question
	s.sentences, s.marks = s.sentences[:0], s.marks[:0]
	clear(s.cut)
	s.grids, s.gridsRead, s.gridWork, s.slotWork = nil, false, 0, 0
	s.listings, s.listingsRead, s.listWork = nil, false, 0
	s.search.reset()
	vs := make([]verdict.Verdict, 0, len(task.Claims))
	s.again = false
	for claims := range slices.Chunk(task.Claims, atOnce) {
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
		s.again = true
	}
	return vs, nil
}

// claimsAtOnce is how many claims one pass over the contexts looks for, which
// bounds the memory that a row takes.
const claimsAtOnce = 256

// errTooMuch says that the limit of work is reached. It does not leave the judge.
var errTooMuch = errors.New("too many words of the contexts meet words of the claims")

// match fills s with the best score of each claim.
func (j *Judge) match(ctx context.Context, s *scratch, claims []extract.Claim, contexts []string) error {
	s.texts = s.texts[:0]
	for _, c := range claims {
		s.texts = append(s.texts, c.Judged())
	}
	s.index(j.lex, s.texts)
	for i := range claims {
		switch {
		case claims[i].As != "":
			s.claims[i].answer = claims[i].Text
		case claims[i].Lead != "":
			s.claims[i].lead = len(s.texts[i]) - len(claims[i].Text)
		}
	}
	s.setSiblings(claims)
	pos, flush := int32(0), int32(0)
	for i, text := range contexts {
		var err error
		if s.sparse != nil {
			pos, err = j.scanSparse(ctx, s, text, int32(i), pos, flush) //nolint:gosec // there are fewer contexts
		} else {
			pos, err = s.scan(ctx, j.lex, text, int32(i), pos, flush) //nolint:gosec // there are fewer contexts
		}
		if err != nil {
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

// The weights of the score, and the slope that turns it into a probability.
// They were chosen once, rounded, to do well on average over the suites of
// docs/accuracy.md; results change little around them.
const (
	weightNear    = 0.6
	weightWide    = 0.2
	weightPairs   = 0.2
	withoutValue  = 0.5 // so that a number that is not there can't be supported at the usual threshold
	penaltyNames  = 0.2
	slope         = 5.0
	scoreMidpoint = 0.5
)

// score turns the features of a claim and a chunk into a probability of support.
func (f *chunkScore) combine() float64 {
	if f.wide == 1 && f.near == 1 && f.pairs == 1 && f.missingValues == 0 {
		return 1 // word for word
	}
	x := weightNear*f.near + weightWide*f.wide + weightPairs*f.pairs - penaltyNames*f.missingNames
	p := 1 / (1 + math.Exp(-slope*(x-scoreMidpoint)))
	if f.missingValues > 0 {
		p *= withoutValue
	}
	return p
}
