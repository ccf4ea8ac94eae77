package lexical

import (
	"math/bits"
)

// advanceAll slides the windows of all claims over their new hits.
func (s *scratch) advanceAll() {
	if s.sparse != nil {
		for _, i := range s.sparse.touched {
			s.advance(&s.claims[i])
		}
		s.pending = 0
		return
	}
	for i := range s.claims {
		if c := &s.claims[i]; c.done < len(c.hits) {
			s.advance(c)
		}
	}
	s.pending = 0
}

// advance slides the windows of a claim over its new hits, and drops the hits that
// neither the windows nor a quote need.
func (s *scratch) advance(c *claim) {
	best := c.near.best.sum
	for ; c.done < len(c.hits); c.done++ {
		h := c.hits[c.done]
		if h.level < s.terms[h.term].seen {
			s.terms[h.term].seen = h.level
		}
		s.slide(c, &c.wide, h, wideWindow)
		s.slide(c, &c.near, h, nearWindow)
	}
	if len(c.hits) < manyHits {
		return
	}
	if c.near.best.sum > best || len(c.around) == 0 {
		c.around = c.around[:0]
		for _, h := range c.hits {
			if h.pos > c.near.best.from.pos-quoteReach && h.pos < c.near.best.to.pos+quoteReach {
				c.around = append(c.around, h)
			}
		}
	}
	drop := c.wide.from // the wide window starts before the near one
	c.hits = c.hits[:copy(c.hits, c.hits[drop:])]
	c.wide.from -= drop
	c.near.from -= drop
	c.done -= drop
}

const (
	manyHits   = 1 << 10 // from so many hits of a claim on, only those near the best window are kept
	quoteReach = 1 << 10 // words around the closest window in which sentences are quoted
)

// A slider is a window that moves over the hits of a claim.
type slider struct {
	sum  int64 // weight × credit of the terms in it
	from int   // its first hit
	best window
}

// A window is the best position of a slider.
type window struct {
	sum      int64
	from, to hit
}

func (w window) share(total int64) float64 {
	if total == 0 {
		return 0
	}
	return float64(w.sum) / float64(total*exact)
}

// slide moves the end of a window of size words to the next hit. Of equally good
// positions the first is the best. The total time is linear in the number of hits.
func (s *scratch) slide(c *claim, w *slider, h hit, size int32) {
	counts := func(t *term) *levelCounts {
		if size == wideWindow {
			return &t.wide
		}
		return &t.near
	}
	for c.hits[w.from].pos <= h.pos-size {
		x := c.hits[w.from]
		t := &s.terms[x.term]
		w.sum += counts(t).remove(x.level) * t.weight
		w.from++
	}
	t := &s.terms[h.term]
	w.sum += counts(t).add(h.level) * t.weight
	if w.sum > w.best.sum {
		w.best = window{sum: w.sum, from: c.hits[w.from], to: h}
	}
}

// flush scores the text that was scanned since the last flush for each claim, keeps the
// best score, and resets the windows.
func (s *scratch) flush(flush int32, supports float64) {
	if p := s.sparse; p != nil {
		if flush > 0 {
			for _, i := range p.touched {
				s.flushClaim(int(i), flush, supports)
			}
		}
		for _, i := range p.touched {
			s.claims[i].touched = false
		}
		p.touched = p.touched[:0]
		if flush > 0 {
			return
		}
	}
	for i := range s.claims {
		if len(s.claims[i].hits) > 0 || flush == 0 || s.observe != nil {
			s.flushClaim(i, flush, supports)
		}
	}
}

func (s *scratch) flushClaim(i int, flush int32, supports float64) {
	c := &s.claims[i]
	f := s.features(c, flush)
	f.score = f.combine()
	if s.observe != nil {
		s.observe(i, flush, f)
	}
	if f.score >= supports && (s.sparse == nil || len(c.supports) < maxSupports) {
		c.supports = append(c.supports, support{chunk: f.chunk, start: int(f.from.start), near: f.near})
		s.work += supportWork
	}
	better := flush == 0 || f.score > c.best.score
	if better {
		c.best = f
		if len(c.around) > 0 {
			c.around, c.bestHits = c.bestHits, c.around
		} else {
			c.hits, c.bestHits = c.bestHits, c.hits
		}
	}
	c.hits, c.around, c.done = c.hits[:0], c.around[:0], 0
	c.wide, c.near = slider{}, slider{}
	for n := c.terms[0]; n < c.terms[1]; n++ {
		t := &s.terms[n]
		if better {
			t.best = t.seen
		}
		t.seen, t.wide, t.near = levels, levelCounts{}, levelCounts{}
	}
}

// supportWork is the work of examining a chunk that supports a claim.
const supportWork = 16

func (s *scratch) features(c *claim, flush int32) chunkScore {
	f := chunkScore{wide: c.wide.best.share(c.total), near: c.near.best.share(c.total), pairs: 1}
	if c.near.best.sum > 0 {
		f.from, f.to = c.near.best.from, c.near.best.to
		f.chunk = int(f.from.chunk)
	}
	var n, all int32
	for i := c.pairs[0]; i < c.pairs[1]; i++ {
		all += s.pairSeen[i].count
		if s.pairSeen[i].flush == flush {
			n += s.pairSeen[i].count
		}
	}
	if all > 0 {
		f.pairs = float64(n) / float64(all)
	}
	var names int64
	missing, values := 0, 0
	for i := c.terms[0]; i < c.terms[1]; i++ {
		t := &s.terms[i]
		if t.value >= 0 && !s.claimValues[t.value].Soft {
			values++
			if t.seen == levels {
				missing++
			}
		}
		if t.name && t.seen > lowestNameLevel {
			names += t.weight
		}
	}
	if values > 0 {
		f.missingValues = float64(missing) / float64(values)
	}
	if c.names > 0 {
		f.missingNames = float64(names) / float64(c.names)
	}
	return f
}

// lowestNameLevel is the lowest level at which a word may match a name.
const lowestNameLevel = levelRoot

// levelCounts counts the hits of a term in a window by level.
type levelCounts struct {
	n    [levels]int32
	have uint8 // bit i is set if n[i] > 0
}

func (k *levelCounts) credit() int64 {
	if k.have == 0 {
		return 0
	}
	return credit(level(bits.TrailingZeros8(k.have))) //nolint:gosec // 0 to 7
}

// add and remove return the change of the term's credit.
func (k *levelCounts) add(v level) int64 {
	before := k.credit()
	k.n[v]++
	k.have |= 1 << v
	return k.credit() - before
}

func (k *levelCounts) remove(v level) int64 {
	before := k.credit()
	if k.n[v]--; k.n[v] == 0 {
		k.have &^= 1 << v
	}
	return k.credit() - before
}
