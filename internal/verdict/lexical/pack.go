package lexical

import (
	"context"
	"slices"

	"github.com/ragfaith/ragfaith/internal/extract"
)

// candidates is how many sentences are thought of for a claim, those that give
// back most of it alone. It bounds the memory that long contexts take.
const candidates = 64

// A candidate is a sentence that may be packed, and what it gives to each term.
type candidateSentence struct {
	sentence int
	near     float64
	shares   []share
}

// A share is the credit, of exact at most, that a sentence gives to a term.
type share struct {
	term   int32
	credit int64
}

// fades is what a term that is covered already is still worth, of one that is not.
const fades = 0.3

// Pack chooses, for each claim, the sentences that together give back most of its
// words, each one for what it adds, until their sizes pass room or none adds
// anything. The result has the places of the chosen sentences for each claim,
// ascending, and the share of the claim's weight that they cover together. Errors
// are those of Judge.
func (j *Judge) Pack(ctx context.Context, claims []extract.Claim, sentences []string, sizes []int, room int) ([][]int, []float64, error) {
	s, _ := j.pool.Get().(*scratch)
	defer func() {
		s.observe = nil
		if !s.big() {
			j.pool.Put(s)
		}
	}()
	s.limit = 0
	alone := &Judge{lex: j.lex, opts: j.opts}
	alone.opts.Joined = false
	chosen, covered := make([][]int, len(claims)), make([]float64, len(claims))
	for from := 0; from < len(claims); from += claimsAtOnce {
		some := claims[from:min(from+claimsAtOnce, len(claims))]
		given := make([][]candidateSentence, len(some))
		s.observe = func(claim int, sentence int32, f chunkScore) {
			if f.near > 0 {
				given[claim] = s.consider(given[claim], &s.claims[claim], int(sentence), f.near)
			}
		}
		if err := alone.match(ctx, s, some, sentences); err != nil {
			return nil, nil, err
		}
		for i := range some {
			chosen[from+i], covered[from+i] = s.pack(&s.claims[i], given[i], sizes, room)
		}
	}
	return chosen, covered, nil
}

// consider adds a sentence to the candidates of a claim, in the place of the
// poorest where there are enough.
func (s *scratch) consider(given []candidateSentence, c *claim, sentence int, near float64) []candidateSentence {
	at := len(given)
	if at == candidates {
		at = 0
		for i := range given {
			if given[i].near <= given[at].near {
				at = i
			}
		}
		if near <= given[at].near {
			return given
		}
	} else {
		given = append(given, candidateSentence{})
	}
	x := candidateSentence{sentence, near, given[at].shares[:0]}
	for i := c.terms[0]; i < c.terms[1]; i++ {
		if v := s.terms[i].seen; v < levels {
			x.shares = append(x.shares, share{i, credit(v)})
		}
	}
	given[at] = x
	return given
}

// pack chooses sentences one after the other.
func (s *scratch) pack(c *claim, given []candidateSentence, sizes []int, room int) ([]int, float64) {
	had := make([]int64, c.terms[1]-c.terms[0])
	var chosen []int
	for {
		best, most := -1, 0.0
		for i, g := range given {
			size := sizes[g.sentence]
			if size > room && len(chosen) > 0 || slices.Contains(chosen, g.sentence) {
				continue
			}
			gain := 0.0
			for _, x := range g.shares {
				old := had[x.term-c.terms[0]]
				w := float64(s.terms[x.term].weight)
				gain += w * (float64(max(x.credit-old, 0)) + fades*float64(min(x.credit, old)))
			}
			// Of two that give the same the shorter one is better.
			if gain /= 1 + 0.01*float64(size); gain > most {
				best, most = i, gain
			}
		}
		if best < 0 {
			break
		}
		chosen = append(chosen, given[best].sentence)
		room -= sizes[given[best].sentence]
		for _, x := range given[best].shares {
			if p := &had[x.term-c.terms[0]]; x.credit > *p {
				*p = x.credit
			}
		}
	}
	var sum int64
	for i, h := range had {
		sum += h * s.terms[c.terms[0]+int32(i)].weight //nolint:gosec // a claim has few terms
	}
	slices.Sort(chosen)
	if c.total == 0 {
		return chosen, 0
	}
	return chosen, float64(sum) / float64(c.total*exact)
}
