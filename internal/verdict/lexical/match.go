package lexical

import (
	"context"
	"slices"
	"strings"
	"unicode/utf8"

	"github.com/ragfaith/ragfaith/internal/extract"
	"github.com/ragfaith/ragfaith/internal/lexicon"
	"github.com/ragfaith/ragfaith/internal/verdict"
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

// Judge returns a verdict for each claim, in the order of the claims. It returns an error if ctx is
// done. A claim that is not supported is left unjudged if all contexts are in another language.
func (j *Judge) Judge(ctx context.Context, task verdict.Task) (verdict.Judgement, error) {
	s := j.getScratch()
	defer j.putScratch(s)
	vs, err := j.judgeAll(ctx, s, task)
	if err != nil {
		return verdict.Judgement{}, err
	}
	j.leaveUnjudged(task, vs)
	return verdict.Judgement{Verdicts: vs}, nil
}

// judgeAll judges the claims in batches. Each batch takes one pass over the contexts.
func (j *Judge) judgeAll(ctx context.Context, s *scratch, task verdict.Task) ([]verdict.Verdict, error) {
	s.reset()
	vs := make([]verdict.Verdict, 0, len(task.Claims))
	for claims := range slices.Chunk(task.Claims, batchSize) {
		if err := j.match(ctx, s, claims, task.Contexts); err != nil {
			return nil, err
		}
		for i := range claims {
			if err := ctx.Err(); err != nil {
				return nil, err
			}
			v := j.conclude(s, &s.claims[i], task.Contexts)
			v.ClaimID = claims[i].ID
			vs = append(vs, v)
		}
	}
	return vs, nil
}

// Scores compares claims with texts. It returns the probability that a text supports a
// claim, before any check for contradictions, in the shape [len(claims)][len(texts)].
// Scores returns an error if ctx is done.
func (j *Judge) Scores(ctx context.Context, claims []extract.Claim, texts []string) ([][]float64, error) {
	out := make([][]float64, len(claims))
	all := make([]float64, len(claims)*len(texts))
	for i := range out {
		out[i] = all[i*len(texts) : (i+1)*len(texts)]
	}
	s := j.getScratch()
	defer j.putScratch(s)
	clear(s.cells)
	s.sentences = s.sentences[:0] // of earlier contexts
	alone := &Judge{lex: j.lex, opts: j.opts}
	alone.opts.Joined = false
	first := 0
	for batch := range slices.Chunk(claims, batchSize) {
		s.observe = func(claim int, text int32, f chunkScore) { out[first+claim][text] = f.score }
		if err := alone.match(ctx, s, batch, texts); err != nil {
			return nil, err
		}
		first += len(batch)
	}
	return out, nil
}

// batchSize is the number of claims matched in one pass over the contexts. It limits
// the memory used for a task.
const batchSize = 256

// match compares the claims with the contexts and stores the results in s.claims.
func (j *Judge) match(ctx context.Context, s *scratch, claims []extract.Claim, contexts []string) error {
	s.texts = s.texts[:0]
	for _, c := range claims {
		s.texts = append(s.texts, c.Judged())
	}
	s.index(j.lex, s.texts)
	pos, textIndex := int32(0), int32(0) // a text is one context or all of them
	for i, text := range contexts {
		var err error
		if pos, err = s.scan(ctx, j, text, int32(i), pos, textIndex); err != nil { //nolint:gosec // there are fewer contexts
			return err
		}
		if !j.opts.Joined || i == len(contexts)-1 {
			for k := range s.claims {
				j.collect(s, &s.claims[k], contexts)
			}
			s.flush(textIndex, j.opts.Threshold)
			textIndex++
			pos = 0
		}
	}
	return nil
}
