package lexical

import (
	"context"

	"github.com/ragfaith/ragfaith/internal/verdict/lexical/lexicon"
)

// scanSparse is scan within the bounds, sentence by sentence.
func (s *scratch) scanSparse(ctx context.Context, j *Judge, text string, chunk, pos, flush int32) (int32, error) {
	p := s.sparse
	for offset := 0; offset < len(text); {
		end := blockEnd(text, offset)
		p.starts = append(p.starts[:0], 0)
		j.opts.Sentences(text[offset:end], func(start, _ int) {
			if start > 0 {
				p.starts = append(p.starts, start)
			}
		})
		// The last sentence may continue in the next block.
		if last := p.starts[len(p.starts)-1]; end < len(text) && last > 0 {
			end = offset + last
			p.starts = p.starts[:len(p.starts)-1]
		}
		here := place{chunk: chunk, byte: int32(offset), pos: pos} //nolint:gosec // texts are shorter than 2 GiB
		block := text[offset:end]
		s.tokens = j.lex.Tokens(s.tokens[:0], block)
		s.readValues(j.lex, block, here)
		values := 0
		for n, from := 0, 0; n < len(p.starts); n++ {
			to := from
			for to < len(s.tokens) && (n+1 == len(p.starts) || int(s.tokens[to].Start) < p.starts[n+1]) {
				to++
			}
			key := sequenceKey(s.tokens[from:to])
			for ; from < to; from = min(from+maxUnit, to) {
				if err := ctx.Err(); err != nil {
					return pos, err
				}
				if s.pending > maxPending {
					s.advanceAll()
				}
				values = s.readUnit(j.lex, block, from, min(from+maxUnit, to), values, key)
				s.creditUnit(j.lex, block, here, flush)
			}
		}
		pos += int32(len(s.tokens)) //nolint:gosec // a block is short
		s.advanceAll()
		offset = end
	}
	return pos, nil
}

// readUnit finds what tokens from to to, part of a sentence with the key, share with
// claims, and chooses the claims that common matches count for. v is the first value of
// the block that may be there; it returns the one for the next unit.
func (s *scratch) readUnit(l *lexicon.Lexicon, text string, from, to, v int, key uint64) int {
	p, ts := s.sparse, s.tokens
	p.unit++
	p.refs, p.chosen = p.refs[:0], p.chosen[:0]
	if n, ok := p.sequences.Get(key); ok {
		for i := 0; n >= 0 && i < commonPlaces; i++ {
			p.choose(s, p.links[n].claim)
			n = p.links[n].next
		}
	}
	for i := from; i < to; i++ {
		t := &ts[i]
		for ; v < len(s.blockValues) && s.blockValues[v].FirstToken <= i; v++ {
			p.keys = s.blockValues[v].AppendKeys(p.keys[:0], l, false)
			for _, k := range p.keys {
				if e, ok := p.meanings.Get(k); ok {
					s.addRef(ref{kind: refValue, index: e, token: int32(i), value: int32(v)}) //nolint:gosec // a block is short
				}
			}
		}
		if e, ok := s.keys.Get(t.Key); ok {
			s.addRef(ref{kind: refWord, index: e, token: int32(i)}) //nolint:gosec // a block is short
		} else if t.Stem >= rootLength {
			if e, ok := s.roots.Get(rootKey(t.Text(text))); ok {
				s.addRef(ref{kind: refRoot, index: e, token: int32(i)}) //nolint:gosec // a block is short
			}
		}
		if i == 0 {
			continue
		}
		b := &ts[i-1]
		if e, ok := s.pairs.Get(lexicon.Pair(b.Key, t.Key)); ok {
			s.addRef(ref{kind: refPair, index: e, token: int32(i)}) //nolint:gosec // a block is short
		}
		if s.compounds.Len() > 0 && t.Stem > 0 && b.Stem > 0 && lexicon.Gap(text, b, t) == " " {
			if e, ok := s.compounds.Get(lexicon.HashLower(b.Text(text), t.Text(text))); ok {
				s.addRef(ref{kind: refWord, index: e, token: int32(i)}) //nolint:gosec // a block is short
			}
		}
	}
	return v
}

// addRef adds a ref to the current unit, and chooses the claims that have it if it is
// rare.
func (s *scratch) addRef(r ref) {
	p := s.sparse
	var rare bool
	rare, r.all = p.chains.see(s.entries[r.index].chain)
	p.refs = append(p.refs, r)
	if !rare {
		return
	}
	for e := r.index; e >= 0; e = s.entries[e].next {
		if r.kind == refPair {
			p.choose(s, s.pairSeen[s.entries[e].term].claim)
		} else {
			p.choose(s, s.terms[s.entries[e].term].claim)
		}
	}
}

// choose makes common matches count for a claim in the current unit.
func (p *sparse) choose(s *scratch, claim int32) {
	if c := &s.claims[claim]; c.unit != p.unit {
		c.unit = p.unit
		p.chosen = append(p.chosen, claim)
	}
}

// creditUnit adds the hits of the current unit to the claims, in order.
func (s *scratch) creditUnit(l *lexicon.Lexicon, text string, here place, flush int32) {
	p := s.sparse
	for i := range p.refs {
		r := &p.refs[i]
		if r.kind == refPair {
			s.seePair(r, flush)
			continue
		}
		if r.all {
			for e := r.index; e >= 0; e = s.entries[e].next {
				s.creditRef(l, text, here, r, e)
			}
			continue
		}
		chain := s.entries[r.index].chain
		s.work += len(p.chosen)
		for _, claim := range p.chosen {
			e, ok := p.owned.Get(ownedKey(chain, claim))
			for n := 0; ok && n < maxAlikeTerms && e >= 0 && s.terms[s.entries[e].term].claim == claim; n++ {
				s.creditRef(l, text, here, r, e)
				e = s.entries[e].next
			}
		}
	}
}

// seePair marks a pair as seen in the text of a flush.
func (s *scratch) seePair(r *ref, flush int32) {
	if r.all {
		for e := r.index; e >= 0; e = s.entries[e].next {
			s.pairSeen[s.entries[e].term].flush = flush
			s.work++
		}
		return
	}
	s.work += len(s.sparse.chosen)
	chain := s.entries[r.index].chain
	for _, claim := range s.sparse.chosen {
		if e, ok := s.sparse.owned.Get(ownedKey(chain, claim)); ok {
			s.pairSeen[s.entries[e].term].flush = flush
		}
	}
}

// creditRef adds the hit of r for entry e, if it is one.
func (s *scratch) creditRef(l *lexicon.Lexicon, text string, here place, r *ref, e int32) {
	s.work++
	t := &s.tokens[r.token]
	h := hit{pos: here.pos + r.token, term: s.entries[e].term, start: here.byte + t.Start, chunk: here.chunk, level: s.entries[e].level}
	x := &s.terms[h.term]
	c := &s.claims[x.claim]
	switch r.kind {
	case refRoot:
		if !sameRoot(text[t.Start:t.Start+int32(t.Stem)], stemOf(c.text[x.start:x.end])) { //nolint:gosec // a word is short
			return
		}
	case refValue:
		v := &s.blockValues[r.value]
		certainty := s.claimValues[x.value].Match(v, l)
		if certainty == 0 {
			return
		}
		h.start, h.level = here.byte+int32(v.Start), valueLevel(certainty) //nolint:gosec // a block is short
	case refWord, refPair:
	}
	if !c.touched {
		c.touched = true
		s.sparse.touched = append(s.sparse.touched, x.claim)
	}
	s.addHit(h)
}
