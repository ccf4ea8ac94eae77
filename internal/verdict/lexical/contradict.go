package lexical

import (
	"slices"
	"sort"
	"strings"

	"github.com/ragfaith/ragfaith/internal/verdict"
	"github.com/ragfaith/ragfaith/internal/verdict/lexical/lexicon"
	"github.com/ragfaith/ragfaith/internal/verdict/lexical/quantity"
)

// An objection is a reason to think that the contexts say otherwise.
type objection struct {
	reason string
	limit  float64 // the score is at most this
	less   bool    // they do not say otherwise, but less than the claim
}

// How much of a claim the quoted sentence must give back for a difference in
// it to be a contradiction, and not another subject.
const (
	aboutTheSame   = 0.5 // with another number or date
	nearlyTheSame  = 0.8 // with a negation more or less
	contradicted   = 0.2 // the most that a contradicted claim scores
	likeEnough     = 0.5 // a value of the same kind, with the same unit or parts of the same date
	oppositeEnough = 0.6
)

// contradiction looks in the best quote for another number or date than the
// claim's, the opposite of one of its words, or a negation on one side only.
func (j *Judge) contradiction(s *scratch, c *claim, contexts []string, quotes []quote) objection {
	if len(quotes) == 0 {
		return objection{}
	}
	q := quotes[0]
	share := func(without int64) float64 {
		return float64(q.covered) / float64(max(1, (c.total-without)*exact))
	}
	a, b := &s.claimSide, &s.quoteSide
	a.read(j.lex, c.text)
	b.read(j.lex, contexts[q.chunk][q.start:q.end])
	tries := 16 // each looks at every number of the contexts
	for i := c.terms[0]; i < c.terms[1] && tries > 0; i++ {
		t := &s.terms[i]
		if t.value < 0 || t.best < levels || s.claimValues[t.value].Soft || share(t.weight) < aboutTheSame ||
			verdict.InMarker(c.text, int(t.start), int(t.end)) {
			continue
		}
		tries--
		v := &s.claimValues[t.value]
		if n := s.nearest(j.lex, c, v, contexts); n.likeness >= likeEnough && n.within(q) {
			return objection{reason: s.valueReason(c, t, s.nearestValue(n, contexts), contexts), limit: contradicted}
		}
		if other := a.otherNumber(b, v); other != "" {
			return objection{reason: s.valueReason(c, t, other, contexts), limit: contradicted}
		}
	}
	if share(0) < oppositeEnough {
		return objection{}
	}
	o := j.objections(s, c, share(0) >= nearlyTheSame)
	if o.reason != "" || c.best.score < j.opts.Threshold || c.best.score == 1 || share(0) < nearlyTheSame {
		return o
	}
	o = j.otherwiseArranged(s, c)
	if o.reason != "" && j.saidNearby(s, contexts, q) {
		return objection{}
	}
	return o
}

// saysOtherwise looks for an antonym or a negation in a sentence that has
// nearly all words of the claim.
func (j *Judge) saysOtherwise(s *scratch, c *claim, sentence string) objection {
	s.claimSide.read(j.lex, c.text)
	s.quoteSide.read(j.lex, sentence)
	if o := j.objections(s, c, true); o.reason != "" {
		return o
	}
	return j.otherwiseArranged(s, c)
}

// objections compares the two sides that were read.
func (j *Judge) objections(s *scratch, c *claim, nearlySame bool) objection {
	a, b := &s.claimSide, &s.quoteSide
	switch {
	case a.unclear || b.unclear:
	case a.negations == 0 && b.negations == 0:
		return j.opposite(s, c)
	case !nearlySame:
	case a.negations == 0 && b.denies(a):
		return objection{reason: "the contexts deny it", limit: contradicted}
	case b.negations == 0 && a.denies(b):
		return objection{reason: "it denies what the contexts say", limit: contradicted}
	}
	return objection{}
}

// opposite looks for a word of the quote that is an antonym of a word of the
// claim, in the same place: beside the same word.
func (j *Judge) opposite(s *scratch, c *claim) objection {
	a, b := &s.claimSide, &s.quoteSide
	var o objection
	for i := c.terms[0]; i < c.terms[1]; i++ {
		t := &s.terms[i]
		if t.value >= 0 || t.best < levels {
			continue
		}
		j.lex.Related(t.key, func(k uint64, r lexicon.Relation) {
			if r != lexicon.Antonym || o.reason != "" || a.place(k) >= 0 {
				return
			}
			x, y := a.place(t.key), b.place(k)
			if x >= 0 && y >= 0 && a.sameNeighbour(x, b, y) {
				o = objection{reason: "the contexts say " + quoted(b.word(y)) + ", not " + quoted(a.word(x)), limit: contradicted}
			}
		})
	}
	return o
}

// A side is a claim or a quote, read for what it affirms and denies.
type side struct {
	text      string
	tokens    []lexicon.Token
	content   []int // tokens that are no stop words
	negations int
	denied    []int // indices into content: the first content word after each negation
	unclear   bool  // a condition, or a word such as "avoid": who denies what is past telling
}

// negationReach is how many words after a negation its content word stands at
// the most: "not at all effective".
const negationReach = 3

func (x *side) read(l *lexicon.Lexicon, text string) {
	*x = side{text: text, tokens: l.Tokens(x.tokens[:0], text), content: x.content[:0], denied: x.denied[:0]}
	last := -1 - negationReach
	for i := range x.tokens {
		t := &x.tokens[i]
		x.unclear = x.unclear || t.Is(lexicon.Polarity)
		switch {
		case t.Is(lexicon.Negation):
			if x.empty(i) {
				continue
			}
			x.negations++
			last = i
		case !t.Is(lexicon.Stop):
			x.content = append(x.content, i)
			if i-last <= negationReach {
				x.denied = append(x.denied, len(x.content)-1)
				last = -1 - negationReach
			}
		}
	}
}

// empty reports whether the negation at token i denies nothing: "No, ...",
// "not only", "or not".
func (x *side) empty(i int) bool {
	if i+1 < len(x.tokens) {
		if strings.ContainsAny(x.gap(i+1), ",.!?;:") {
			return true
		}
		switch x.text[x.tokens[i+1].Start:x.tokens[i+1].End] {
		case "only", "just", "merely", "or", "necessarily":
			return true
		}
	}
	return i > 0 && x.text[x.tokens[i-1].Start:x.tokens[i-1].End] == "or"
}

func (x *side) word(n int) string {
	t := x.tokens[x.content[n]]
	return x.text[t.Start:t.End]
}

// place returns where among the content words the one with key k is, -1 for nowhere.
func (x *side) place(k uint64) int {
	return slices.IndexFunc(x.content, func(i int) bool { return x.tokens[i].Key == k })
}

// key returns the key of content word n, 0 beyond the ends.
func (x *side) key(n int) uint64 {
	if n < 0 || n >= len(x.content) {
		return 0
	}
	return x.tokens[x.content[n]].Key
}

// sameNeighbour reports whether the content word before or after n in x is
// also the one before or after m in y.
func (x *side) sameNeighbour(n int, y *side, m int) bool {
	return x.key(n-1) != 0 && x.key(n-1) == y.key(m-1) || x.key(n+1) != 0 && x.key(n+1) == y.key(m+1)
}

// denies reports whether x denies what y affirms: a content word that stands
// after a negation in x, and beside the same word in both.
func (x *side) denies(y *side) bool {
	for _, n := range x.denied {
		if m := y.place(x.key(n)); m >= 0 && x.sameNeighbour(n, y, m) {
			return true
		}
	}
	return false
}

// A candidate is a value of the contexts that may stand in the place of one of a claim.
type candidate struct {
	value    *quantity.Value
	chunk    int
	likeness float64
}

// nearest finds the value of the contexts that comes nearest to v: in the best
// chunk before others, and there near the closest window.
func (s *scratch) nearest(l *lexicon.Lexicon, c *claim, v *quantity.Value, contexts []string) candidate {
	var best candidate
	bestRank := 0.0
	lo, hi := 0, len(s.values)
	if s.sparse != nil {
		lo, hi = s.valuesNear(c.best.from)
	}
	for i := lo; i < hi; i++ {
		d := &s.values[i]
		like := v.Similarity(d, l)
		if like == 0 {
			continue
		}
		rank := like
		if chunk := int(s.valueChunks[i]); chunk == c.best.chunk {
			rank += 0.1
			if d.Start >= int(c.best.from.start) && d.Start <= int(c.best.to.start) {
				rank += 0.2
			}
		}
		if rank > bestRank && !verdict.InMarker(contexts[s.valueChunks[i]], d.Start, d.End) {
			bestRank = rank
			best = candidate{value: d, chunk: int(s.valueChunks[i]), likeness: like}
		}
	}
	return best
}

// valuesNear is the range of the values of the contexts around h.
func (s *scratch) valuesNear(h hit) (lo, hi int) {
	at := sort.Search(len(s.values), func(i int) bool {
		return s.valueChunks[i] > h.chunk || s.valueChunks[i] == h.chunk && s.values[i].Start >= int(h.start)
	})
	return max(0, at-valuesBefore), min(len(s.values), at+valuesAfter)
}

// within reports whether the value lies in the sentence q.
func (n *candidate) within(q quote) bool {
	return n.chunk == q.chunk && n.value.Start >= q.start && n.value.Start < q.end
}

// otherNumber returns the number that stands in y where the plain number v
// stands in x, beside the same word: "14 guest rooms" for "20 guest rooms".
func (x *side) otherNumber(y *side, v *quantity.Value) string {
	if v.Kind != quantity.Number || v.FirstToken != v.LastToken {
		return ""
	}
	n := slices.Index(x.content, v.FirstToken)
	if n < 0 {
		return ""
	}
	for m := range y.content {
		t := &y.tokens[y.content[m]]
		if t.Class&(lexicon.Number|lexicon.Numeral) != 0 && t.Is(lexicon.Ordinal) == v.Ordinal && x.sameNeighbour(n, y, m) &&
			!verdict.InMarker(y.text, int(t.Start), int(t.End)) {
			return y.word(m)
		}
	}
	return ""
}

func (x *side) lower(i int) string { return x.tokens[i].Lower(x.text) }

// gap returns the text before token i, which is not the first.
func (x *side) gap(i int) string { return lexicon.Gap(x.text, &x.tokens[i-1], &x.tokens[i]) }
