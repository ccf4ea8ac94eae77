package lexical

import (
	"cmp"
	"math/bits"
	"slices"

	"github.com/ragfaith/ragfaith/internal/verdict/lexical/lexicon"
)

// A hit is a word of a context that gives credit for a term of a claim.
type hit struct {
	pos   int32 // which word it is
	term  int32
	start int32 // byte in its chunk
	chunk int32
	level level
}

// pairSeen is a pair of neighbouring words of a claim.
type pairSeen struct {
	claim int32
	next  int32 // the next one with the same key, or -1
	flush int32 // when it was last seen
}

// chunkScore is how well a chunk covers a claim: the features of the judge.
type chunkScore struct {
	chunk         int     // the one that the closest window begins in
	wide, near    float64 // weighted share of the claim's terms in the best window of wideWindow and nearWindow words
	pairs         float64 // share of the claim's neighbouring words that are neighbours in the chunk
	missingValues float64 // share of the claim's numbers and dates that the chunk does not hold
	missingNames  float64 // weighted share of its names
	score         float64
	from, to      hit // first and last of the closest window
}

// Windows, in words. About 180 tokens of a language model are 135 words.
const (
	wideWindow = 135
	nearWindow = 45
)

// scan reads one context and collects the hits of every claim in it, as words
// number pos and on. It returns the number of the next word.
func (s *scratch) scan(l *lexicon.Lexicon, text string, chunk, pos, flush int32) int32 {
	s.tokens = l.Tokens(s.tokens[:0], text)
	ts := s.tokens
	for i := range ts {
		t := &ts[i]
		at := hit{pos: pos + int32(i), start: t.Start, chunk: chunk} //nolint:gosec // texts are shorter than 2 GiB
		found := false
		if s.filter.has(t.Key) {
			if e, ok := s.keys.Get(t.Key); ok {
				found = true
				s.credit(e, at)
			}
		}
		if !found && t.Stem >= rootLength {
			s.root(text, t, at)
		}
		if i == 0 {
			continue
		}
		if k := lexicon.Pair(ts[i-1].Key, t.Key); s.filter.has(k) {
			if e, ok := s.pairs.Get(k); ok {
				for ; e >= 0; e = s.pairSeen[e].next {
					s.pairSeen[e].flush = flush
				}
			}
		}
		if s.compounds.Len() > 0 && t.Stem > 0 && ts[i-1].Stem > 0 && gap(text, ts[i-1], *t) == " " {
			if e, ok := s.compounds.Get(lexicon.HashString(lower(text[ts[i-1].Start:ts[i-1].End] + text[t.Start:t.End]))); ok {
				at.pos--
				s.credit(e, at)
			}
		}
	}
	if len(s.claimValues) > 0 {
		s.scanValues(l, text, chunk, pos)
	}
	return pos + int32(len(ts)) //nolint:gosec // texts are shorter than 2 GiB
}

// credit adds a hit to each term that entry e and those chained to it name.
func (s *scratch) credit(e int32, at hit) {
	for ; e >= 0; e = s.entries[e].next {
		at.term, at.level = s.entries[e].term, s.entries[e].level
		c := &s.claims[s.terms[at.term].claim]
		c.hits = append(c.hits, at)
	}
}

// root credits the terms that share their root with word t.
func (s *scratch) root(text string, t *lexicon.Token, at hit) {
	word := text[t.Start:t.End]
	h := head(word)
	if !s.filter.has(h) {
		return
	}
	e, ok := s.heads.Get(h)
	if !ok {
		return
	}
	for ; e >= 0; e = s.entries[e].next {
		x := &s.terms[s.entries[e].term]
		c := &s.claims[x.claim]
		if sameRootAs(word[:t.Stem], stemOf(c.text[x.start:x.end])) {
			at.term, at.level = s.entries[e].term, s.entries[e].level
			c.hits = append(c.hits, at)
		}
	}
}

// stemOf cuts the ending off a word of a claim.
func stemOf(w string) string { return w[:lexicon.StemLength(w)] }

// scanValues matches the numbers and dates of a context with those of the claims.
func (s *scratch) scanValues(l *lexicon.Lexicon, text string, chunk, pos int32) {
	from := len(s.values)
	s.values = values(s.values, len(text), l, text, s.tokens)
	for i := from + 1; i < len(s.values); i++ {
		if v, ok := spacedThousands(text, s.tokens, &s.values[i-1], &s.values[i]); ok {
			s.values[i] = v
		}
	}
	for i := from; i < len(s.values); i++ {
		s.valueChunks = append(s.valueChunks, chunk)
	}
	for n := range s.terms {
		t := &s.terms[n]
		if t.value < 0 {
			continue
		}
		c := &s.claims[t.claim]
		for i := from; i < len(s.values); i++ {
			v := &s.values[i]
			sure := s.claimValues[t.value].holds(v, l)
			if sure == 0 {
				continue
			}
			h := hit{pos: pos + int32(v.first), term: int32(n), start: int32(v.start), chunk: chunk} //nolint:gosec // texts are shorter than 2 GiB
			switch {
			case sure >= 1:
			case sure >= 0.9:
				h.level = 1
			default:
				h.level = 4
			}
			c.hits = append(c.hits, h)
		}
	}
}

// flush scores what the scanned text gives to each claim and keeps the best.
func (s *scratch) flush(flush int32, supports float64) {
	for i := range s.claims {
		c := &s.claims[i]
		if len(c.hits) == 0 && flush > 0 {
			continue
		}
		if c.values[0] < c.values[1] || s.compounds.Len() > 0 {
			slices.SortStableFunc(c.hits, func(a, b hit) int { return cmp.Compare(a.pos, b.pos) })
		}
		f := s.features(c, flush)
		f.score = f.combine()
		if f.score >= supports {
			c.chunks = append(c.chunks, f.chunk)
		}
		if flush == 0 || f.score > c.best.score {
			c.best = f
			c.hits, c.bestHits = c.bestHits, c.hits
		}
		c.hits = c.hits[:0]
	}
}

func (s *scratch) features(c *claim, flush int32) chunkScore {
	var f chunkScore
	w := s.slide(c, wideWindow)
	f.wide = w.share(c.total)
	w = s.slide(c, nearWindow)
	f.near = w.share(c.total)
	if w.sum > 0 {
		f.from, f.to = c.hits[w.from], c.hits[w.to]
		f.chunk = int(f.from.chunk)
	}
	n := 0
	for i := c.pairs[0]; i < c.pairs[1]; i++ {
		if s.pairSeen[i].flush == flush {
			n++
		}
	}
	f.pairs = 1
	if all := c.pairs[1] - c.pairs[0]; all > 0 {
		f.pairs = float64(n) / float64(all)
	}
	seen := s.levelsOf(c, c.hits)
	var names int64
	missing, all := 0, 0
	for i := c.terms[0]; i < c.terms[1]; i++ {
		t := &s.terms[i]
		has := seen[i-c.terms[0]]
		if t.value >= 0 && !s.claimValues[t.value].soft {
			all++
			if has == levels {
				missing++
			}
		}
		if t.name && has > 3 {
			names += t.weight
		}
	}
	if all > 0 {
		f.missingValues = float64(missing) / float64(all)
	}
	if c.names > 0 {
		f.missingNames = float64(names) / float64(c.names)
	}
	return f
}

// levelsOf returns for each term of c the best level among hits, or levels for
// none. The slice is good until the next call.
func (s *scratch) levelsOf(c *claim, hits []hit) []level {
	n := int(c.terms[1] - c.terms[0])
	s.found = slices.Grow(s.found[:0], n)[:n]
	for i := range s.found {
		s.found[i] = levels
	}
	for _, h := range hits {
		if p := &s.found[h.term-c.terms[0]]; h.level < *p {
			*p = h.level
		}
	}
	return s.found
}

// window is a run of hits.
type window struct {
	sum      int64 // weight × credit of the terms in it
	from, to int   // hits, inclusive
}

func (w window) share(total int64) float64 {
	if total == 0 {
		return 0
	}
	return float64(w.sum) / float64(total*exact)
}

// slide finds the stretch of size words that gives the most credit to c, in
// time linear in the hits. Of equal ones the first is taken.
func (s *scratch) slide(c *claim, size int32) window {
	n := int(c.terms[1] - c.terms[0])
	s.counts = slices.Grow(s.counts[:0], n)[:n]
	clear(s.counts)
	var best window
	var sum int64
	from := 0
	for to, h := range c.hits {
		for c.hits[from].pos <= h.pos-size {
			x := c.hits[from]
			sum += s.counts[x.term-c.terms[0]].remove(x.level) * s.terms[x.term].weight
			from++
		}
		sum += s.counts[h.term-c.terms[0]].add(h.level) * s.terms[h.term].weight
		if sum > best.sum {
			best = window{sum: sum, from: from, to: to}
		}
	}
	return best
}

// levelCounts counts the hits of one term in a window, by level.
type levelCounts struct {
	n    [levels]int32
	have uint8 // bit i is set while n[i] > 0
}

func (k *levelCounts) credit() int64 {
	if k.have == 0 {
		return 0
	}
	return credit(level(bits.TrailingZeros8(k.have))) //nolint:gosec // 0 to 7
}

// add and remove return by how much the term's credit changes.
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
