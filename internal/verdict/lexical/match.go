package lexical

import (
	"cmp"
	"math/bits"
	"slices"
	"strings"
	"unicode/utf8"

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

// blockSize is how much of a context, in bytes, is cut into words at a time.
// With the windows slid over one block after the other, the memory that a row
// takes does not grow with the length of its contexts.
const blockSize = 1 << 16

// scan reads one context and slides the windows of every claim over it, as
// words number pos and on. It returns the number of the next word.
func (s *scratch) scan(l *lexicon.Lexicon, text string, chunk, pos, flush int32) int32 {
	for offset := 0; offset < len(text); {
		end := blockEnd(text, offset)
		pos = s.scanBlock(l, text[offset:end], at{chunk: chunk, byte: int32(offset), pos: pos}, flush) //nolint:gosec // texts are shorter than 2 GiB
		for i := range s.claims {
			s.advance(&s.claims[i])
		}
		offset = end
	}
	return pos
}

// blockEnd finds where a block that begins at offset ends: after white space,
// if there is any in the second half of it.
func blockEnd(text string, offset int) int {
	if len(text)-offset <= blockSize {
		return len(text)
	}
	end := offset + blockSize
	if i := strings.LastIndexAny(text[offset+blockSize/2:end], "\n"); i >= 0 {
		return offset + blockSize/2 + i + 1
	}
	if i := strings.LastIndexByte(text[offset+blockSize/2:end], ' '); i >= 0 {
		return offset + blockSize/2 + i + 1
	}
	for !utf8.RuneStart(text[end]) {
		end--
	}
	return end
}

// at is where a block begins: in which chunk, at which byte of it, and which
// word of what is scanned it begins with.
type at struct{ chunk, byte, pos int32 }

// scanBlock collects the hits of every claim in a block.
func (s *scratch) scanBlock(l *lexicon.Lexicon, text string, here at, flush int32) int32 {
	s.tokens = l.Tokens(s.tokens[:0], text)
	ts := s.tokens
	for i := range ts {
		t := &ts[i]
		at := hit{pos: here.pos + int32(i), start: here.byte + t.Start, chunk: here.chunk} //nolint:gosec // a block is short
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
		s.scanValues(l, text, here)
	}
	return here.pos + int32(len(ts)) //nolint:gosec // a block is short
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

// keptValues is how many numbers and dates of a row's contexts are kept, to
// name the one that comes nearest to what is missing.
const keptValues = 1 << 14

// scanValues matches the numbers and dates of a block with those of the claims.
func (s *scratch) scanValues(l *lexicon.Lexicon, text string, here at) {
	s.blockValues = values(s.blockValues[:0], len(text), l, text, s.tokens)
	vs := s.blockValues
	for i := 1; i < len(vs); i++ {
		if v, ok := spacedThousands(text, s.tokens, &vs[i-1], &vs[i]); ok {
			vs[i] = v
		}
	}
	for n := range s.terms {
		t := &s.terms[n]
		if t.value < 0 {
			continue
		}
		c := &s.claims[t.claim]
		for i := range vs {
			v := &vs[i]
			sure := s.claimValues[t.value].holds(v, l)
			if sure == 0 {
				continue
			}
			h := hit{pos: here.pos + int32(v.first), term: int32(n), start: here.byte + int32(v.start), chunk: here.chunk} //nolint:gosec // a block is short
			switch {
			case sure >= 1:
			case sure >= 0.9:
				h.level = 1
			default:
				h.level = 4
			}
			c.hits = append(c.hits, h)
			c.unsorted = true
		}
	}
	for i := range vs[:min(len(vs), keptValues-len(s.values))] {
		v := vs[i]
		v.start += int(here.byte)
		v.end += int(here.byte)
		s.values = append(s.values, v)
		s.valueChunks = append(s.valueChunks, here.chunk)
	}
}

// advance slides the windows of a claim over the hits of the block just
// scanned, and drops what neither they nor a quote will need.
func (s *scratch) advance(c *claim) {
	if c.unsorted {
		slices.SortStableFunc(c.hits[c.done:], func(a, b hit) int { return cmp.Compare(a.pos, b.pos) })
		c.unsorted = false
	}
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
	drop := c.wide.from // the wide window begins before the near one
	c.hits = c.hits[:copy(c.hits, c.hits[drop:])]
	c.wide.from -= drop
	c.near.from -= drop
	c.done -= drop
}

const (
	manyHits   = 1 << 12 // hits of a claim from which on only those near the best window are kept
	quoteReach = 1 << 10 // words around the closest window in which sentences to quote are looked for
)

// A slider is a window that moves over the hits of a claim.
type slider struct {
	sum  int64 // weight × credit of the terms in it
	from int   // its first hit
	best window
}

// A window is the best place that a slider has been at.
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

// slide moves the end of a window of size words to the next hit. Of equally
// good places the first is the best. The time for all is linear in the hits.
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

// flush scores what the text scanned since the last flush gives to each claim,
// keeps the best, and makes ready for the next.
func (s *scratch) flush(flush int32, supports float64) {
	for i := range s.claims {
		c := &s.claims[i]
		if len(c.hits) == 0 && flush > 0 {
			continue
		}
		f := s.features(c, flush)
		f.score = f.combine()
		if f.score >= supports {
			c.chunks = append(c.chunks, f.chunk)
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
}

func (s *scratch) features(c *claim, flush int32) chunkScore {
	f := chunkScore{wide: c.wide.best.share(c.total), near: c.near.best.share(c.total), pairs: 1}
	if c.near.best.sum > 0 {
		f.from, f.to = c.near.best.from, c.near.best.to
		f.chunk = int(f.from.chunk)
	}
	n := 0
	for i := c.pairs[0]; i < c.pairs[1]; i++ {
		if s.pairSeen[i].flush == flush {
			n++
		}
	}
	if all := c.pairs[1] - c.pairs[0]; all > 0 {
		f.pairs = float64(n) / float64(all)
	}
	var names int64
	missing, all := 0, 0
	for i := c.terms[0]; i < c.terms[1]; i++ {
		t := &s.terms[i]
		if t.value >= 0 && !s.claimValues[t.value].soft {
			all++
			if t.seen == levels {
				missing++
			}
		}
		if t.name && t.seen > namesake {
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

// namesake is the last level at which a word may stand for a name.
const namesake level = 3

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
