package lexical

import (
	"context"
	"strings"
	"unicode/utf8"

	"github.com/ragfaith/ragfaith/internal/verdict/lexical/lexicon"
	"github.com/ragfaith/ragfaith/internal/verdict/lexical/quantity"
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
	count int32 // how often the claim has it
	next  int32 // the same pair in an earlier claim, or -1
	flush int32 // when it was last seen
	chain int32 // the pair that the chain of next ends with, which was its first
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
// words number pos and on. It returns the number of the next word. It fails
// when ctx is done or the row takes more than its limit of work.
func (s *scratch) scan(ctx context.Context, l *lexicon.Lexicon, text string, chunk, pos, flush int32) (int32, error) {
	for offset := 0; offset < len(text); {
		end := blockEnd(text, offset)
		var err error
		if pos, err = s.scanBlock(ctx, l, text[offset:end], at{chunk: chunk, byte: int32(offset), pos: pos}, flush); err != nil { //nolint:gosec // texts are shorter than 2 GiB
			return pos, err
		}
		s.advanceAll()
		offset = end
	}
	return pos, nil
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
	for back := range utf8.UTFMax {
		if utf8.RuneStart(text[end-back]) {
			return end - back
		}
	}
	return end
}

// at is where a block begins: in which chunk, at which byte of it, and which
// word of what is scanned it begins with.
type at struct{ chunk, byte, pos int32 }

// lookUpEvery is how many words are read between two looks at whether to go on.
const lookUpEvery = 1 << 9

// goOn reports why a row is not judged to its end, if it is not.
func (s *scratch) goOn(ctx context.Context) error {
	if s.limit > 0 && s.work > s.limit {
		return errTooMuch
	}
	return ctx.Err()
}

// scanBlock collects the hits of every claim in a block.
func (s *scratch) scanBlock(ctx context.Context, l *lexicon.Lexicon, text string, here at, flush int32) (int32, error) {
	s.tokens = l.Tokens(s.tokens[:0], text)
	ts := s.tokens
	if s.again {
		s.work += 2 * len(ts)
	}
	s.readValues(l, text, here)
	vs := s.blockValues
	for i := range ts {
		if i%lookUpEvery == 0 {
			if err := s.goOn(ctx); err != nil {
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
					s.work++
				}
			}
		}
		if s.compounds.Len() > 0 && t.Stem > 0 && ts[i-1].Stem > 0 && lexicon.Gap(text, &ts[i-1], t) == " " {
			if e, ok := s.compounds.Get(lexicon.HashLower(text[ts[i-1].Start:ts[i-1].End], text[t.Start:t.End])); ok {
				s.credit(e, at)
			}
		}
	}
	return here.pos + int32(len(ts)), nil //nolint:gosec // a block is short
}

// give adds a hit to the claim that it is of.
func (s *scratch) give(h hit) {
	t := &s.terms[h.term]
	t.found = true
	c := &s.claims[t.claim]
	c.hits = append(c.hits, h)
	s.pending++
}

// credit adds a hit to each term that entry e and those chained to it name.
func (s *scratch) credit(e int32, at hit) {
	for ; e >= 0; e = s.entries[e].next {
		at.term, at.level = s.entries[e].term, s.entries[e].level
		s.give(at)
		s.work++
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
		s.work++
		if sameRootAs(word[:t.Stem], stemOf(s.claims[x.claim].text[x.start:x.end])) {
			at.term, at.level = s.entries[e].term, s.entries[e].level
			s.give(at)
		}
	}
}

// stemOf cuts the ending off a word of a claim.
func stemOf(w string) string { return w[:lexicon.StemLength(w)] }

// keptValues is how many numbers and dates of a row's contexts are kept, to
// name the one that comes nearest to what is missing.
const keptValues = 1 << 14

// readValues finds the numbers and dates of a block, if any claim has some.
func (s *scratch) readValues(l *lexicon.Lexicon, text string, here at) {
	s.blockValues = s.blockValues[:0]
	if len(s.claimValues) == 0 {
		return
	}
	s.blockValues = quantity.Append(s.blockValues, len(text), l, text, s.tokens)
	quantity.JoinThousands(s.blockValues, text, s.tokens)
	vs := s.blockValues
	for _, v := range vs[:min(len(vs), keptValues-len(s.values))] {
		v.Start += int(here.byte)
		v.End += int(here.byte)
		s.values = append(s.values, v)
		s.valueChunks = append(s.valueChunks, here.chunk)
	}
}

// creditValue adds a hit to each number or date of a claim that v gives.
func (s *scratch) creditValue(l *lexicon.Lexicon, v *quantity.Value, here at, at hit) {
	at.start = here.byte + int32(v.Start) //nolint:gosec // a block is short
	s.work += (len(s.valueTerms) + 3) / 4 // four take as long as a hit
	for _, n := range s.valueTerms {
		sure := s.claimValues[s.terms[n].value].Match(v, l)
		if sure == 0 {
			continue
		}
		at.term, at.level = n, valueLevel(sure)
		s.give(at)
		s.work++
	}
}

// valueLevel is the level of a value that is held so surely.
func valueLevel(sure float64) level {
	switch {
	case sure >= 1:
		return 0
	case sure >= 0.9:
		return 1
	}
	return 4
}
