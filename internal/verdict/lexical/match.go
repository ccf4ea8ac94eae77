package lexical

import (
	"context"
	"strings"
	"unicode/utf8"

	"github.com/ragfaith/ragfaith/internal/verdict/lexical/lexicon"
	"github.com/ragfaith/ragfaith/internal/verdict/lexical/quantity"
)

// A hit is a word of a context that matches a term of a claim.
type hit struct {
	pos   int32 // number of the word
	term  int32
	start int32 // byte in its chunk
	chunk int32
	level level
}

// A pairSeen is a pair of neighbouring words of a claim.
type pairSeen struct {
	claim int32
	count int32 // occurrences in the claim
	flush int32 // number of the text that it was last seen in
}

// A chunkScore describes how well a chunk covers a claim.
type chunkScore struct {
	chunk         int     // in which the closest window starts
	wide, near    float64 // weighted share of the claim's terms in the best window of wideWindow and nearWindow words
	pairs         float64 // share of the claim's neighbouring words that are neighbours in the chunk
	missingValues float64 // share of the claim's numbers and dates that the chunk lacks
	missingNames  float64 // weighted share of its names
	score         float64
	from, to      hit // first and last of the closest window
}

// The sizes of the windows in words. 135 words are about 180 tokens.
const (
	wideWindow = 135
	nearWindow = 45
)

// blockSize is how many bytes of a context are tokenized at a time. As the windows
// slide over one block after the other, the memory for a task does not grow with the
// length of its contexts.
const blockSize = 1 << 16

// scan matches one context, whose first word has number pos, and slides the windows of
// every claim over it. It returns the number of the next word. It fails if ctx is done
// or the task exceeds its limit of work.
func (s *scratch) scan(ctx context.Context, j *Judge, text string, chunk, pos, flush int32) (int32, error) {
	for offset := 0; offset < len(text); {
		end := blockEnd(text, offset)
		var err error
		if pos, err = s.scanBlock(ctx, j.lex, text[offset:end], place{chunk: chunk, byte: int32(offset), pos: pos}, flush); err != nil { //nolint:gosec // texts are shorter than 2 GiB
			return pos, err
		}
		s.advanceAll()
		offset = end
	}
	return pos, nil
}

// blockEnd returns the end of a block that starts at offset: after white space, if
// there is any in the second half of the block.
func blockEnd(text string, offset int) int {
	if len(text)-offset <= blockSize {
		return len(text)
	}
	middle, end := offset+blockSize/2, offset+blockSize
	for _, space := range [...]byte{'\n', ' '} {
		if i := strings.LastIndexByte(text[middle:end], space); i >= 0 {
			return middle + i + 1
		}
	}
	for back := range utf8.UTFMax {
		if utf8.RuneStart(text[end-back]) {
			return end - back
		}
	}
	return end
}

// A place is where a block starts: its chunk, the byte in the chunk and the number of
// its first word.
type place struct{ chunk, byte, pos int32 }

// checkInterval is how many words are matched between two checks of the limits.
const checkInterval = 1 << 9

// checkLimits returns an error if the task exceeds its limit of work or ctx is done.
func (s *scratch) checkLimits(ctx context.Context) error {
	if s.limit > 0 && s.work > s.limit {
		return errTooMuchWork
	}
	return ctx.Err()
}

// scanBlock collects the hits of every claim in a block.
func (s *scratch) scanBlock(ctx context.Context, l *lexicon.Lexicon, text string, here place, flush int32) (int32, error) {
	s.tokens = l.Tokens(s.tokens[:0], text)
	ts := s.tokens
	if s.reread {
		s.work += 2 * len(ts)
	}
	s.readValues(l, text, here)
	vs := s.blockValues
	for i := range ts {
		if i%checkInterval == 0 {
			if err := s.checkLimits(ctx); err != nil {
				return here.pos, err
			}
		}
		if s.pending > manyHits*8 {
			s.advanceAll()
		}
		t := &ts[i]
		at := hit{pos: here.pos + int32(i), start: here.byte + t.Start, chunk: here.chunk} //nolint:gosec // a block is short
		for len(vs) > 0 && vs[0].FirstToken <= i {
			s.creditValue(l, &vs[0], here, at)
			vs = vs[1:]
		}
		found := false
		if s.filter.mayHave(t.Key) {
			if e, ok := s.keys.Get(t.Key); ok {
				found = true
				s.credit(e, at)
			}
		}
		if !found && t.Stem >= rootLength {
			s.creditRoot(text, t, at)
		}
		if i == 0 {
			continue
		}
		if k := lexicon.Pair(ts[i-1].Key, t.Key); s.filter.mayHave(k) {
			if e, ok := s.pairs.Get(k); ok {
				for ; e >= 0; e = s.entries[e].next {
					s.pairSeen[s.entries[e].term].flush = flush
					s.work++
				}
			}
		}
		if s.compounds.Len() > 0 && t.Stem > 0 && ts[i-1].Stem > 0 && lexicon.Gap(text, &ts[i-1], t) == " " {
			if e, ok := s.compounds.Get(lexicon.HashLower(ts[i-1].Text(text), t.Text(text))); ok {
				s.credit(e, at)
			}
		}
	}
	return here.pos + int32(len(ts)), nil //nolint:gosec // a block is short
}

// addHit adds a hit to its claim.
func (s *scratch) addHit(h hit) {
	t := &s.terms[h.term]
	t.found = true
	c := &s.claims[t.claim]
	c.hits = append(c.hits, h)
	s.pending++
}

// credit adds a hit to the terms of entry e and the entries chained to it.
func (s *scratch) credit(e int32, at hit) {
	for ; e >= 0; e = s.entries[e].next {
		at.term, at.level = s.entries[e].term, s.entries[e].level
		s.addHit(at)
		s.work++
	}
}

// creditRoot adds a hit to the terms that have the same root as word t.
func (s *scratch) creditRoot(text string, t *lexicon.Token, at hit) {
	word := t.Text(text)
	h := rootKey(word)
	if !s.filter.mayHave(h) {
		return
	}
	e, ok := s.roots.Get(h)
	if !ok {
		return
	}
	for ; e >= 0; e = s.entries[e].next {
		x := &s.terms[s.entries[e].term]
		s.work++
		if sameRoot(word[:t.Stem], stemOf(s.claims[x.claim].text[x.start:x.end])) {
			at.term, at.level = s.entries[e].term, s.entries[e].level
			s.addHit(at)
		}
	}
}

// stemOf returns a word of a claim without its ending.
func stemOf(w string) string { return w[:lexicon.StemLength(w)] }

// maxValuesKept is how many numbers and dates of the contexts are kept, to name the one
// that is most similar to a missing one.
const maxValuesKept = 1 << 14

// readValues parses the numbers and dates of a block if any claim has some.
func (s *scratch) readValues(l *lexicon.Lexicon, text string, here place) {
	s.blockValues = s.blockValues[:0]
	if len(s.claimValues) == 0 {
		return
	}
	s.blockValues = quantity.Append(s.blockValues, len(text), l, text, s.tokens)
	quantity.JoinThousands(s.blockValues, text, s.tokens)
	vs := s.blockValues
	for _, v := range vs[:min(len(vs), maxValuesKept-len(s.values))] {
		v.Start += int(here.byte)
		v.End += int(here.byte)
		s.values = append(s.values, v)
		s.valueChunks = append(s.valueChunks, here.chunk)
	}
}

// creditValue adds a hit to each number or date of a claim that v matches.
func (s *scratch) creditValue(l *lexicon.Lexicon, v *quantity.Value, here place, at hit) {
	at.start = here.byte + int32(v.Start) //nolint:gosec // a block is short
	s.work += (len(s.valueTerms) + 3) / 4 // four comparisons take as long as a hit
	for _, n := range s.valueTerms {
		certainty := s.claimValues[s.terms[n].value].Match(v, l)
		if certainty == 0 {
			continue
		}
		at.term, at.level = n, valueLevel(certainty)
		s.addHit(at)
		s.work++
	}
}

// valueLevel returns the level of a value that matches with a certainty above 0.
func valueLevel(certainty float64) level {
	switch {
	case certainty >= 1:
		return levelExact
	case certainty >= quantity.Likely:
		return levelAdjective
	}
	return levelLoose
}
