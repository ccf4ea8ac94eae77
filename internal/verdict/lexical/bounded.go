package lexical

import (
	"context"
	"strings"

	"github.com/ragfaith/ragfaith/internal/verdict"
)

// Comparing every word of n claims with every word of n similar sentences takes O(n²)
// time. A task that exceeds maxWork steps plus workPerByte per byte of its contexts is
// judged with bounded matching instead, which takes linear time: a word, word pair or root
// that occurs in more than rareClaims claims is common, and only its first
// commonOccurrences in the contexts match. A claim that is a sentence of the contexts
// still matches all its words.
const (
	// For comparison, the largest row of the suites in docs/accuracy.md takes 3,672
	// steps. An answer of 1,100 sentences with contexts of 100,000 words takes 3
	// million.
	maxWork           = 1 << 22
	workPerByte       = 2
	rareClaims        = 8
	commonOccurrences = 32
	maxSupports       = 64 // supporting chunks that a verdict lists
	boundedBatchSize  = 1 << 12
	// valuesBefore and valuesAfter limit the values around the start of the closest
	// window that are compared with a missing value.
	valuesBefore, valuesAfter = 8, 64
)

// A bounds is the additional state for bounded matching.
type bounds struct {
	size, seen []int32          // length of each chain of entries and its number of occurrences in the contexts, by entry.chain
	values     int              // number of comparisons of values
	copies     map[string]quote // sentences of the contexts that are claims
}

// judgeBounded judges a task with bounded matching.
func (j *Judge) judgeBounded(ctx context.Context, task verdict.Task) ([]verdict.Verdict, error) {
	s := newScratch()
	s.bounds = &bounds{copies: make(map[string]quote, len(task.Claims))}
	for _, c := range task.Claims {
		s.bounds.copies[c.Judged()] = quote{}
	}
	for chunk, text := range task.Contexts {
		j.opts.Sentences(text, func(start, end int) {
			if q, ok := s.bounds.copies[strings.TrimSpace(text[start:end])]; ok && q.end == 0 {
				s.bounds.copies[strings.TrimSpace(text[start:end])] = quote{chunk: chunk, start: start, end: end}
			}
		})
	}
	return j.judgeAll(ctx, s, task, boundedBatchSize)
}

// add records that an entry was added to a chain.
func (b *bounds) add(chain int32) {
	b.size, b.seen = append(b.size, 0), append(b.seen, 0)
	b.size[chain]++
}

// clear prepares b for the next batch of claims.
func (b *bounds) clear() { b.size, b.seen = b.size[:0], b.seen[:0] }

// admits reports whether an occurrence of the entries from e on in the contexts matches.
func (s *scratch) admits(e int32) bool {
	b := s.bounds
	if b == nil {
		return true
	}
	chain := s.entries[e].chain
	b.seen[chain]++
	return b.size[chain] <= rareClaims || b.seen[chain] <= commonOccurrences
}

// matchCopy makes all words of a claim match if it is a sentence of the contexts.
func (s *scratch) matchCopy(c *claim) {
	q := s.bounds.copies[c.text]
	if q.end == 0 {
		return
	}
	h := hit{chunk: int32(q.chunk), start: int32(q.start)} //nolint:gosec // texts are shorter than 2 GiB
	c.bestHits = c.bestHits[:0]
	for h.term = c.terms[0]; h.term < c.terms[1]; h.term++ {
		s.terms[h.term].best = levelExact
		c.bestHits = append(c.bestHits, h)
	}
	q.covered = c.total * exactCredit
	c.best = chunkScore{chunk: q.chunk, wide: 1, near: 1, pairs: 1, score: 1, from: h, to: h}
	c.candidates = append(c.candidates[:0], q)
}
