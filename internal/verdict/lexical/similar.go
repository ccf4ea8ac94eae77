package lexical

import (
	"context"
	"unicode"
	"unicode/utf8"

	"github.com/ragfaith/ragfaith/internal/verdict"
)

// A claim that shares no word with the contexts, as one with other endings of its
// words or with typing errors, is compared by its grams: runs of gramBytes bytes
// within a word.
const (
	gramBytes  = 4
	gramBlock  = 256 // bytes of a context that are compared at a time
	gramClaims = 8   // claims of a batch that share a gram; it counts for the first of them
	minGrams   = 3   // that a block must share with a claim to be like it
)

// A gramUse is a claim that has a gram, and the block that it was last found in.
type gramUse struct{ claim, block int32 }

// A similar is the block that is most like a claim.
type similar struct {
	verdict  int // place of its verdict
	current  int32
	best     int32
	chunk, i int // of the last gram of the best block
}

// quoteSimilar adds to the verdicts on the claims at hand that are not supported
// and have no evidence the sentence with most grams of the claim, or the first
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
			if u := uses[g]; len(u) < gramClaims && (len(u) == 0 || u[len(u)-1].claim != n) {
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
			// Grams that reach into the next block belong to this one.
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
			v.Reason = "the contexts have no text"
			continue
		}
		v.Evidence = s.toEvidence(contexts, []quote{q}, v.Label)
		v.Reason, v.Missing = s.missingReason(j.lex, &s.claims[o.verdict], contexts, q)
	}
	return nil
}

// firstSentence is that of the first context that has a letter or a figure, or of
// the first one that is not blank; its chunk is -1 if all are.
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

// grams calls yield with each gram of text and where it starts.
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
