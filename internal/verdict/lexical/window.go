package lexical

import "slices"

// Window sizes in words. 135 words are about 180 model tokens.
const (
	wideWindow = 135
	nearWindow = 45
)

// advanceAll slides the windows of all claims over their new hits.
func (s *scratch) advanceAll() {
	for i := range s.claims {
		if c := &s.claims[i]; c.done < len(c.hits) {
			s.advance(c)
		}
	}
	s.pending = 0
}

// advance slides the windows of a claim over its new hits. If there are many hits, it
// drops those that are no longer needed.
func (s *scratch) advance(c *claim) {
	best := c.near.best.sum
	for ; c.done < len(c.hits); c.done++ {
		h := c.hits[c.done]
		t := &s.terms[h.term]
		t.seen = min(t.seen, h.level)
		s.slide(c, &c.wide, h, wideWindow)
		s.slide(c, &c.near, h, nearWindow)
	}
	if len(c.hits) < pruneThreshold {
		return
	}
	if c.near.best.sum > best || len(c.around) == 0 {
		c.around = c.around[:0]
		for _, h := range c.hits {
			if h.pos > c.near.best.from.pos-quoteMargin && h.pos < c.near.best.to.pos+quoteMargin {
				c.around = append(c.around, h)
			}
		}
	}
	drop := c.wide.from // the wide window starts before the near one
	c.hits = slices.Delete(c.hits, 0, drop)
	c.wide.from -= drop
	c.near.from -= drop
	c.done -= drop
}

const (
	// pruneThreshold is the number of hits per claim above which only the hits near the
	// best window are kept.
	pruneThreshold = 1 << 10
	// quoteMargin is the number of words around the closest window that may be quoted.
	quoteMargin = 1 << 10
)

// slide moves the end of a window of size words to the next hit, and updates the best
// position. The total time is linear in the number of hits.
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

// flush scores the text scanned since the last flush for each claim, keeps the best score, and
// resets the windows. Texts that score at least threshold are recorded as supports.
func (s *scratch) flush(textIndex int32, threshold float64) {
	for i := range s.claims {
		if len(s.claims[i].hits) > 0 || textIndex == 0 || s.observe != nil {
			s.flushClaim(i, textIndex, threshold)
		}
	}
}

// flushClaim implements flush for claim i.
func (s *scratch) flushClaim(i int, textIndex int32, threshold float64) {
	c := &s.claims[i]
	f := s.features(c, textIndex)
	f.score = f.combine()
	if s.observe != nil {
		s.observe(i, textIndex, f)
	}
	if f.score >= threshold && len(c.supports) < maxSupports {
		c.supports = append(c.supports, support{chunk: f.chunk, start: int(f.from.start), near: f.near})
	}
	better := textIndex == 0 || f.score > c.best.score
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

// maxSupports limits the supporting chunks of a claim.
const maxSupports = 64

// features returns the features of a text for a claim, without the score.
func (s *scratch) features(c *claim, textIndex int32) chunkScore {
	f := chunkScore{wide: c.wide.best.share(c.total), near: c.near.best.share(c.total), pairs: 1}
	if c.near.best.sum > 0 {
		f.from, f.to = c.near.best.from, c.near.best.to
		f.chunk = int(f.from.chunk)
	}
	var n, all int32
	for i := c.pairs[0]; i < c.pairs[1]; i++ {
		all += s.wordPairs[i].count
		if s.wordPairs[i].text == textIndex {
			n += s.wordPairs[i].count
		}
	}
	if all > 0 {
		f.pairs = float64(n) / float64(all)
	}
	var names int64
	missing, values := 0, 0
	for i := c.terms[0]; i < c.terms[1]; i++ {
		t := &s.terms[i]
		if t.value >= 0 && !s.claimValues[t.value].Loose {
			values++
			if t.seen == levels {
				missing++
			}
		}
		if t.name && t.seen > maxNameLevel {
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

// maxNameLevel is the worst level at which a word may match a name.
const maxNameLevel = levelSynonym

// Weights of the features and parameters of the logistic function. They are rounded values tuned on
// the suites in docs/accuracy.md. The results are not sensitive to them.
const (
	weightNear         = 0.6
	weightWide         = 0.2
	weightPairs        = 0.2
	missingValueFactor = 0.5 // puts a claim with a missing number below DefaultThreshold
	missingNamePenalty = 0.2
	slope              = 5.0
	scoreMidpoint      = 0.5
)

// combine returns the probability that a chunk with these features supports the claim.
func (f *chunkScore) combine() float64 {
	if f.wide == 1 && f.near == 1 && f.pairs == 1 && f.missingValues == 0 {
		return 1 // verbatim
	}
	x := weightNear*f.near + weightWide*f.wide + weightPairs*f.pairs - missingNamePenalty*f.missingNames
	p := logistic(slope * (x - scoreMidpoint))
	if f.missingValues > 0 {
		p *= missingValueFactor
	}
	return p
}
