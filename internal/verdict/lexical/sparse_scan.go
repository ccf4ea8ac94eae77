package lexical

import (
	"context"

	"github.com/ragfaith/ragfaith/internal/verdict/lexical/lexicon"
)

// scanSparse is the sparse counterpart of scan. It matches one sentence at a time.
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
		// Leave the last sentence to the next block, because it may continue there.
		if last := p.starts[len(p.starts)-1]; end < len(text) && last > 0 {
			end = offset + last
			p.starts = p.starts[:len(p.starts)-1]
		}
		here := blockStart{chunk: chunk, byte: int32(offset), pos: pos} //nolint:gosec // texts are shorter than 2 GiB
		block := text[offset:end]
		s.tokens = j.lex.Tokens(s.tokens[:0], block)
		s.readValues(block, here)
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
				values = s.readUnit(block, from, min(from+maxUnit, to), values, key)
				s.creditUnit(block, here, flush)
			}
		}
		pos += int32(len(s.tokens)) //nolint:gosec // a block is short
		s.advanceAll()
		offset = end
	}
	return pos, nil
}

// readUnit collects the refs of the unit of tokens from up to to, and selects the
// claims that its common items match. key is the sequence key of the sentence. v is the
// index of the first block value that may be in the unit; readUnit returns the index
// for the next unit.
func (s *scratch) readUnit(text string, from, to, v int, key uint64) int {
	p, ts := s.sparse, s.tokens
	p.unit++
	p.refs, p.selected = p.refs[:0], p.selected[:0]
	if n, ok := p.sequences.Get(key); ok {
		for i := 0; n >= 0 && i < commonOccurrences; i++ {
			p.selectClaim(s, p.links[n].claim)
			n = p.links[n].next
		}
	}
	for i := from; i < to; i++ {
		t := &ts[i]
		for ; v < len(s.blockValues) && s.blockValues[v].first <= i; v++ {
			p.keys = s.blockValues[v].AppendKeys(p.keys[:0], false)
			for _, k := range p.keys {
				if e, ok := p.meanings.Get(k); ok {
					s.addRef(ref{kind: refValue, index: e, token: int32(i), value: int32(v)}) //nolint:gosec // a block is short
				}
			}
		}
		if e, ok := s.keys.Get(t.Key); ok {
			s.addRef(ref{kind: refWord, index: e, token: int32(i)}) //nolint:gosec // a block is short
		} else if t.Stem >= minRootLength {
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

// addRef adds a ref to the current unit. If the ref is rare, addRef selects the claims
// that contain it.
func (s *scratch) addRef(r ref) {
	p := s.sparse
	var rare bool
	rare, r.all = p.chains.observe(s.entries[r.index].chain)
	p.refs = append(p.refs, r)
	if !rare {
		return
	}
	for e := r.index; e >= 0; e = s.entries[e].next {
		if r.kind == refPair {
			p.selectClaim(s, s.wordPairs[s.entries[e].term].claim)
		} else {
			p.selectClaim(s, s.terms[s.entries[e].term].claim)
		}
	}
}

// selectClaim selects a claim, so that the common items in the current unit match it.
func (p *sparse) selectClaim(s *scratch, claim int32) {
	if c := &s.claims[claim]; c.unit != p.unit {
		c.unit = p.unit
		p.selected = append(p.selected, claim)
	}
}

// creditUnit adds the hits in the current unit to the claims, in token order.
func (s *scratch) creditUnit(text string, here blockStart, flush int32) {
	p := s.sparse
	for i := range p.refs {
		r := &p.refs[i]
		if r.kind == refPair {
			s.markPair(r, flush)
			continue
		}
		if r.all {
			for e := r.index; e >= 0; e = s.entries[e].next {
				s.creditRef(text, here, r, e)
			}
			continue
		}
		chain := s.entries[r.index].chain
		s.work += len(p.selected)
		for _, claim := range p.selected {
			e, ok := p.owned.Get(ownedKey(chain, claim))
			for n := 0; ok && n < maxEqualTerms && e >= 0 && s.terms[s.entries[e].term].claim == claim; n++ {
				s.creditRef(text, here, r, e)
				e = s.entries[e].next
			}
		}
	}
}

// markPair marks a word pair as seen in the text with number flush.
func (s *scratch) markPair(r *ref, flush int32) {
	if r.all {
		for e := r.index; e >= 0; e = s.entries[e].next {
			s.wordPairs[s.entries[e].term].flush = flush
			s.work++
		}
		return
	}
	s.work += len(s.sparse.selected)
	chain := s.entries[r.index].chain
	for _, claim := range s.sparse.selected {
		if e, ok := s.sparse.owned.Get(ownedKey(chain, claim)); ok {
			s.wordPairs[s.entries[e].term].flush = flush
		}
	}
}

// creditRef adds a hit for entry e if r matches it.
func (s *scratch) creditRef(text string, here blockStart, r *ref, e int32) {
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
		if h.level = s.claimValues[x.value].match(v); h.level == levels {
			return
		}
		h.start = here.byte + int32(v.Start) //nolint:gosec // a block is short
	case refWord, refPair:
	}
	if !c.touched {
		c.touched = true
		s.sparse.touched = append(s.sparse.touched, x.claim)
	}
	s.addHit(h)
}
