package lexical

import (
	"context"
	"strings"
	"unicode/utf8"

	"github.com/ragfaith/ragfaith/internal/lexicon"
)

// blockSize is the number of bytes of a context that are tokenized at a time. It keeps
// memory use independent of the length of the contexts.
const blockSize = 1 << 16

// scan matches all claims with one context, which belongs to the text with index textIndex. pos
// is the number of its first word. scan returns the number of the next word, or an error if ctx
// is done.
func (s *scratch) scan(ctx context.Context, j *Judge, text string, chunk, pos, textIndex int32) (int32, error) {
	for offset := 0; offset < len(text); {
		end := blockEnd(text, offset)
		var err error
		if pos, err = s.scanBlock(ctx, j.lex, text[offset:end], blockStart{chunk: chunk, byte: int32(offset), pos: pos}, textIndex); err != nil { //nolint:gosec // texts are shorter than 2 GiB
			return pos, err
		}
		s.advanceAll()
		offset = end
	}
	return pos, nil
}

// blockEnd returns the end of the block that starts at offset. The block ends after
// white space if its second half contains any.
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

// maxTokensKept is the number of tokens above which those of earlier blocks are dropped.
const maxTokensKept = 1 << 13

// checkInterval is the number of words matched between two checks of the context.
const checkInterval = 1 << 9

// scanBlock collects the hits of all claims in a block. It returns the number of the
// first word after the block.
func (s *scratch) scanBlock(ctx context.Context, l *lexicon.Lexicon, text string, here blockStart, textIndex int32) (int32, error) {
	if len(s.tokens) > maxTokensKept {
		s.tokens, s.blocks = s.tokens[:0], s.blocks[:0]
	}
	first := len(s.tokens)
	s.tokens = l.Tokens(s.tokens, text)
	s.blocks = append(s.blocks, block{blockStart: here, end: int(here.byte) + len(text), first: first, last: len(s.tokens)})
	ts := s.tokens[first:]
	s.readValues(text, ts, here)
	vs := s.blockValues
	for i := range ts {
		if i%checkInterval == 0 {
			if err := ctx.Err(); err != nil {
				return here.pos, err
			}
		}
		if s.pending > pruneThreshold*8 {
			s.advanceAll()
		}
		t := &ts[i]
		at := hit{pos: here.pos + int32(i), start: here.byte + t.Start, chunk: here.chunk} //nolint:gosec // a block is short
		for len(vs) > 0 && vs[0].first <= i {
			s.addValueHits(&vs[0], here, at)
			vs = vs[1:]
		}
		s.addHits(s.keys.Get(t.Key), at)
		if i == 0 {
			continue
		}
		for e := s.pairs.Get(lexicon.Pair(ts[i-1].Key, t.Key)); e > 0; e = s.entries[e].next {
			s.wordPairs[s.entries[e].term].text = textIndex
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

// addHits adds a hit for the term of entry e and of each entry linked to it.
func (s *scratch) addHits(e int32, at hit) {
	for ; e > 0; e = s.entries[e].next {
		at.term, at.level = s.entries[e].term, s.entries[e].level
		s.addHit(at)
	}
}

// maxValuesKept limits the numbers and dates of the contexts that are kept for nearestValue.
const maxValuesKept = 1 << 14

// readValues parses the numbers and dates of a block if any claim contains one.
func (s *scratch) readValues(text string, tokens []lexicon.Token, here blockStart) {
	s.blockValues = s.blockValues[:0]
	if len(s.claimValues) == 0 {
		return
	}
	s.blockValues = s.appendNumbers(s.blockValues, len(text), text, tokens)
	vs := s.blockValues
	for _, v := range vs[:min(len(vs), maxValuesKept-len(s.values))] {
		v.Start += int(here.byte)
		v.End += int(here.byte)
		v.chunk = int(here.chunk)
		s.values = append(s.values, v)
	}
}

// addValueHits adds a hit for each number or date of a claim that v matches.
func (s *scratch) addValueHits(v *number, here blockStart, at hit) {
	at.start = here.byte + int32(v.Start) //nolint:gosec // a block is short
	for _, n := range s.valueTerms {
		if at.level = s.claimValues[s.terms[n].value].match(v); at.level == levels {
			continue
		}
		at.term = n
		s.addHit(at)
	}
}
