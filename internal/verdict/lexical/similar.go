package lexical

import (
	"context"
	"unicode"
	"unicode/utf8"

	"github.com/ragfaith/ragfaith/internal/verdict"
)

// A claim that shares no word with the contexts, because of inflection or typing
// errors, is compared by n-grams: gramBytes bytes within a word.
const (
	gramBytes     = 4
	gramBlock     = 256 // bytes of a context that are compared at a time
	maxGramClaims = 8   // a gram counts for the first so many claims of a batch
	minGrams      = 3   // that a block must share with a claim to be similar
)

// A gramUse is a claim that has a gram, and the block that the gram was last found in.
type gramUse struct{ claim, block int32 }

// A similar is the block that is most similar to a claim.
type similar struct {
	verdict  int   // index of its verdict
	current  int32 // grams shared with the current block
	best     int32 // and with the best one
	chunk, i int   // of the last gram of the best block
}

// quoteSimilar adds evidence to the verdicts of the current batch that are not
// supported and have none: the sentence with most n-grams of the claim, or the first
// sentence of the contexts.
func (j *Judge) quoteSimilar(ctx context.Context, s *scratch, vs []verdict.Verdict, contexts []string) error {
	var open []similar
	var uses map[uint32][]gramUse
	for i := range vs {
		if vs[i].Label == verdict.Supported || len(vs[i].Evidence) > 0 {
			continue
		}
		if uses == nil {
			uses = map[uint32][]gramUse{}
		}
		n := int32(len(open)) //nolint:gosec // a row has fewer claims
		open = append(open, similar{verdict: i, chunk: -1})
		grams(s.claims[i].text, func(_ int, g uint32) {
			if u := uses[g]; len(u) < maxGramClaims && (len(u) == 0 || u[len(u)-1].claim != n) {
				uses[g] = append(u, gramUse{claim: n, block: -1})
			}
		})
	}
	if len(open) == 0 {
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
				for k := range u {
					if u[k].block == block {
						continue
					}
					u[k].block = block
					o := &open[u[k].claim]
					if o.current == 0 {
						touched = append(touched, u[k].claim)
					}
					if o.current++; o.current > o.best {
						o.best, o.chunk, o.i = o.current, chunk, from+at
					}
				}
			})
			for _, n := range touched {
				open[n].current = 0
			}
			touched = touched[:0]
		}
	}
	first := j.firstSentence(s, contexts)
	for n := range open {
		o := &open[n]
		v, q := &vs[o.verdict], first
		if o.best >= minGrams {
			q = j.sentenceAt(s, contexts, support{chunk: o.chunk, start: o.i})
		}
		if q.chunk < 0 {
			v.Reason = "the contexts are empty"
			continue
		}
		v.Evidence = s.toEvidence(contexts, []quote{q}, v.Label)
		v.Reason, v.Missing = s.missingReason(j.lex, &s.claims[o.verdict], contexts, q)
	}
	return nil
}

// firstSentence returns the first sentence of the first context that has a letter or a
// digit, or else of the first one that is not blank. Its chunk is -1 if all contexts
// are blank.
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
