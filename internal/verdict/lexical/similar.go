package lexical

import (
	"context"
	"unicode"
	"unicode/utf8"

	"github.com/ragfaith/ragfaith/internal/verdict"
)

// A claim that shares no word with the contexts, for example because of inflection or
// typos, is compared by n-grams of gramBytes bytes within words.
const (
	gramBytes     = 4
	gramBlock     = 256 // bytes of a context compared at a time
	maxGramClaims = 8   // maximum claims per gram in a batch
	minGrams      = 3   // minimum shared grams for a block to be similar
)

// A gramUse records that a claim contains a gram, and the last block that contains it.
type gramUse struct{ claim, block int32 }

// A similarBlock is the block of the contexts that is most similar to a claim.
type similarBlock struct {
	verdict      int   // index of the claim's verdict
	current      int32 // number of grams shared with the current block
	best         int32 // number of grams shared with the best block
	chunk, start int   // position of the last shared gram in the best block
}

// quoteSimilar adds evidence to the unsupported verdicts of the current batch that have
// none: the sentence that shares the most n-grams with the claim, or the first sentence
// of the contexts.
func (j *Judge) quoteSimilar(ctx context.Context, s *scratch, vs []verdict.Verdict, contexts []string) error {
	var blocks []similarBlock // one for each claim without evidence
	var uses map[uint32][]gramUse
	for i := range vs {
		if vs[i].Label == verdict.Supported || len(vs[i].Evidence) > 0 {
			continue
		}
		if uses == nil {
			uses = map[uint32][]gramUse{}
		}
		n := int32(len(blocks)) //nolint:gosec // a row has fewer claims
		blocks = append(blocks, similarBlock{verdict: i, chunk: -1})
		grams(s.claims[i].text, func(_ int, g uint32) {
			if u := uses[g]; len(u) < maxGramClaims && (len(u) == 0 || u[len(u)-1].claim != n) {
				uses[g] = append(u, gramUse{claim: n, block: -1})
			}
		})
	}
	if len(blocks) == 0 {
		return nil
	}
	block := int32(0)
	var touched []int32
	for chunk, text := range contexts {
		if err := ctx.Err(); err != nil {
			return err
		}
		for from := 0; from < len(text); from += gramBlock {
			block++
			// A gram across the boundary of two blocks belongs to the first.
			grams(text[from:min(len(text), from+gramBlock+gramBytes-1)], func(at int, g uint32) {
				u := uses[g]
				for i := range u {
					if u[i].block == block {
						continue
					}
					u[i].block = block
					b := &blocks[u[i].claim]
					if b.current == 0 {
						touched = append(touched, u[i].claim)
					}
					if b.current++; b.current > b.best {
						b.best, b.chunk, b.start = b.current, chunk, from+at
					}
				}
			})
			for _, n := range touched {
				blocks[n].current = 0
			}
			touched = touched[:0]
		}
	}
	first := j.firstSentence(s, contexts)
	for i := range blocks {
		b := &blocks[i]
		v, q := &vs[b.verdict], first
		if b.best >= minGrams {
			q = j.sentenceAt(s, contexts, support{chunk: b.chunk, start: b.start})
		}
		if q.chunk < 0 {
			v.Reason = "the contexts are empty"
			continue
		}
		v.Evidence = s.toEvidence(contexts, []quote{q})
		v.Reason = j.missingReason(s, &s.claims[b.verdict], contexts, q)
	}
	return nil
}

// firstSentence returns the sentence with the first letter or digit in the contexts. If
// they contain none, it returns the first sentence that is not blank, or a quote with
// chunk -1.
func (j *Judge) firstSentence(s *scratch, contexts []string) quote {
	first := quote{chunk: -1}
	for i, text := range contexts {
		at, readable := -1, false
		for k, r := range text {
			if at < 0 && !unicode.IsSpace(r) {
				at = k
			}
			if readable = unicode.IsLetter(r) || unicode.IsNumber(r); readable {
				at = k
				break
			}
		}
		if at >= 0 && (readable || first.chunk < 0) {
			first = j.sentenceAt(s, contexts, support{chunk: i, start: at})
		}
		if readable {
			break
		}
	}
	return first
}

// grams calls yield with each n-gram of text and its position.
func grams(text string, yield func(at int, gram uint32)) {
	var g uint32
	n := 0
	for i := range len(text) {
		c := text[i]
		switch {
		case c >= 'A' && c <= 'Z':
			c |= 0x20
		case c < utf8.RuneSelf && c-'0' > 9 && (c < 'a' || c > 'z'):
			n = 0
			continue
		}
		g = g<<8 | uint32(c)
		if n++; n >= gramBytes {
			yield(i-gramBytes+1, g)
		}
	}
}
