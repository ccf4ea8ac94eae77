package lexical

import (
	"slices"

	"github.com/ragfaith/ragfaith/internal/verdict/lexical/entail"
)

// maxStatements is the number of statements of the contexts that are compared with a
// claim word by word.
const maxStatements = 4

// collect keeps the sentences of the text scanned last that cover most of each claim.
func (j *Judge) collect(s *scratch, contexts []string) {
	for i := range s.claims {
		if c := &s.claims[i]; len(c.hits) > 0 {
			j.collectFor(s, c, contexts)
		}
	}
}

func (j *Judge) collectFor(s *scratch, c *claim, contexts []string) {
	n := int(c.terms[1] - c.terms[0])
	s.gain = slices.Grow(s.gain[:0], n)[:n]
	hits := c.hits
	for len(hits) > 0 {
		chunk, near := hits[0].chunk, 0
		if chunk == c.near.best.from.chunk {
			near = int(c.near.best.from.start)
		}
		for _, span := range j.sentences(s, contexts, int(chunk), near) {
			for len(hits) > 0 && hits[0].chunk == chunk && int(hits[0].start) < span[0] {
				hits = hits[1:]
			}
			if len(hits) == 0 || hits[0].chunk != chunk {
				break
			}
			if int(hits[0].start) >= span[1] {
				continue
			}
			clear(s.gain)
			q := quote{chunk: int(chunk), start: span[0], end: span[1]}
			for len(hits) > 0 && hits[0].chunk == chunk && int(hits[0].start) < span[1] {
				h := hits[0]
				hits = hits[1:]
				k := h.term - c.terms[0]
				if g := credit(h.level) * s.terms[h.term].weight; g > s.gain[k] {
					q.covered += g - s.gain[k]
					s.gain[k] = g
				}
			}
			c.keep(q)
		}
		for len(hits) > 0 && hits[0].chunk == chunk {
			hits = hits[1:]
		}
	}
}

// keep adds a candidate, and drops the one that covers least if there are too many.
func (c *claim) keep(q quote) {
	at := len(c.candidates)
	for at > 0 && c.candidates[at-1].covered < q.covered {
		at--
	}
	if at == maxStatements {
		return
	}
	if len(c.candidates) == maxStatements {
		c.candidates = c.candidates[:maxStatements-1]
	}
	c.candidates = slices.Insert(c.candidates, at, q)
}

// maxAligned is the length of the longest texts that are compared word by word, in bytes.
const maxAligned = 1500

// A comparison is the result of comparing a claim with the statement that comes closest
// to it.
type comparison struct {
	at       quote
	coverage float64 // share of the claim that it covers
	missing  float64 // weight of the heaviest missing word
	findings []entail.Finding
	cause    string  // word by which the claim says why something happened, if no candidate may do so
	clean    float64 // coverage of the best statement without findings, or 0
}

// flaggedPenalty is subtracted from the coverage of a statement with findings, when the
// closest statement is chosen.
const flaggedPenalty = 0.05

// compare compares a claim with its candidates.
func (j *Judge) compare(s *scratch, c *claim, contexts []string) comparison {
	var best comparison
	if len(c.text) > maxAligned {
		return best
	}
	j.entail.Parse(&s.claimed, c.text)
	rank := -1.0
	cause := s.claimed.Cause()
	for _, q := range c.candidates {
		if q.end-q.start > maxAligned {
			continue
		}
		j.entail.Parse(&s.stated, contexts[q.chunk][q.start:q.end])
		if s.stated.Explains() {
			cause = ""
		}
		j.entail.Align(&s.alignment, &s.claimed, &s.stated)
		x := comparison{at: q, coverage: s.alignment.Coverage(), missing: s.alignment.Missing(), findings: s.alignment.Check(nil), clean: best.clean}
		n := x.coverage
		if len(x.findings) > 0 {
			n -= flaggedPenalty
		} else {
			x.clean = max(x.clean, x.coverage)
			best.clean = x.clean
		}
		if n > rank {
			best, rank = x, n
		}
	}
	best.cause = cause
	return best
}
