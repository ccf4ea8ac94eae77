package lexical

import (
	"context"
	"slices"

	"github.com/ragfaith/ragfaith/internal/extract"
)

// maxPacked limits the sentences considered for a claim to those with the highest
// scores. It limits the memory used for long contexts.
const maxPacked = 64

// A packSentence is a candidate sentence for Pack, with its credit for each term.
type packSentence struct {
	sentence int
	near     float64
	credits  []termCredit
}

// A termCredit is the credit of a sentence for a term, at most exactCredit.
type termCredit struct {
	term   int32
	credit int64
}

const (
	// coveredFactor reduces the gain of a term that chosen sentences already cover.
	coveredFactor = 0.3
	// sizePenalty makes Pack prefer the shorter of two sentences with the same gain.
	sizePenalty = 0.01
)

// Pack chooses the sentences that together cover as much as possible of each claim,
// with a total size of at most limit. It is greedy: it repeatedly adds the sentence
// with the highest gain. The first sentence of a claim may exceed limit. Pack returns
// the indices of each claim's sentences in ascending order, and the share of the
// claim's weight that they cover. It returns an error if ctx is done.
func (j *Judge) Pack(ctx context.Context, claims []extract.Claim, sentences []string, sizes []int, limit int) ([][]int, []float64, error) {
	s := j.getScratch()
	defer j.putScratch(s)
	s.limit = 0
	alone := j.unjoined()
	chosen, covered := make([][]int, 0, len(claims)), make([]float64, 0, len(claims))
	for batch := range slices.Chunk(claims, batchSize) {
		candidates := make([][]packSentence, len(batch))
		s.observe = func(claim int, sentence int32, f chunkScore) {
			if f.near > 0 {
				candidates[claim] = s.addPackSentence(candidates[claim], &s.claims[claim], int(sentence), f.near)
			}
		}
		if err := alone.match(ctx, s, batch, sentences); err != nil {
			return nil, nil, err
		}
		for i := range batch {
			c, share := s.pack(&s.claims[i], candidates[i], sizes, limit)
			chosen, covered = append(chosen, c), append(covered, share)
		}
	}
	return chosen, covered, nil
}

// addPackSentence adds a sentence to the candidates of a claim. If there are already
// maxPacked of them, the sentence replaces the worst one or is dropped.
func (s *scratch) addPackSentence(candidates []packSentence, c *claim, sentence int, near float64) []packSentence {
	slot := len(candidates)
	if slot == maxPacked {
		slot = 0
		for i := range candidates {
			if candidates[i].near <= candidates[slot].near {
				slot = i
			}
		}
		if near <= candidates[slot].near {
			return candidates
		}
	} else {
		candidates = append(candidates, packSentence{})
	}
	x := packSentence{sentence, near, candidates[slot].credits[:0]}
	for i := c.terms[0]; i < c.terms[1]; i++ {
		if v := s.terms[i].seen; v < levels {
			x.credits = append(x.credits, termCredit{i, credit(v)})
		}
	}
	candidates[slot] = x
	return candidates
}

// pack implements Pack for one claim.
func (s *scratch) pack(c *claim, candidates []packSentence, sizes []int, limit int) ([]int, float64) {
	credits := make([]int64, c.terms[1]-c.terms[0]) // best credit of the chosen sentences per term
	var chosen []int
	for {
		best, bestGain := -1, 0.0
		for i, p := range candidates {
			size := sizes[p.sentence]
			if size > limit && len(chosen) > 0 || slices.Contains(chosen, p.sentence) {
				continue
			}
			gain := 0.0
			for _, x := range p.credits {
				old := credits[x.term-c.terms[0]]
				w := float64(s.terms[x.term].weight)
				gain += w * (float64(max(x.credit-old, 0)) + coveredFactor*float64(min(x.credit, old)))
			}
			if gain /= 1 + sizePenalty*float64(size); gain > bestGain {
				best, bestGain = i, gain
			}
		}
		if best < 0 {
			break
		}
		chosen = append(chosen, candidates[best].sentence)
		limit -= sizes[candidates[best].sentence]
		for _, x := range candidates[best].credits {
			p := &credits[x.term-c.terms[0]]
			*p = max(*p, x.credit)
		}
	}
	var sum int64
	for i, credit := range credits {
		sum += credit * s.terms[c.terms[0]+int32(i)].weight //nolint:gosec // a claim has few terms
	}
	slices.Sort(chosen)
	if c.total == 0 {
		return chosen, 0
	}
	return chosen, float64(sum) / float64(c.total*exactCredit)
}
