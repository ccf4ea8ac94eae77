package lexical

import (
	"math"
	"math/bits"

	"github.com/ragfaith/ragfaith/internal/extract"
	"github.com/ragfaith/ragfaith/internal/lexicon"
	"github.com/ragfaith/ragfaith/internal/values"
	"github.com/ragfaith/ragfaith/internal/verdict"
)

// A level is the quality of a match between a word of a context and a word of a claim.
// Lower levels are better.
type level uint8

const (
	levelExact level = iota
	levelAdjective
	levelSynonym
	levelLoose
	levels // the number of levels; also marks a word without a match
)

// exactCredit is the credit of an exact match. Credits are integers, so that a sliding
// window can add and subtract them without rounding errors.
const exactCredit = 20

// credit returns the credit of a match, in units of 1/exactCredit.
func credit(v level) int64 {
	return int64([...]uint8{levelExact: exactCredit, levelAdjective: 18, levelSynonym: 16, levelLoose: 11}[v])
}

// levelCounts counts the hits of a term in a window by level.
type levelCounts struct {
	n    [levels]int32
	mask uint8 // bit i is set if n[i] > 0
}

// credit returns the credit of the best hit, or 0.
func (c *levelCounts) credit() int64 {
	if c.mask == 0 {
		return 0
	}
	return credit(level(bits.TrailingZeros8(c.mask))) //nolint:gosec // 0 to 7
}

// add adds a hit and returns the change in credit.
func (c *levelCounts) add(v level) int64 {
	before := c.credit()
	c.n[v]++
	c.mask |= 1 << v
	return c.credit() - before
}

// remove removes a hit and returns the change in credit.
func (c *levelCounts) remove(v level) int64 {
	before := c.credit()
	if c.n[v]--; c.n[v] == 0 {
		c.mask &^= 1 << v
	}
	return c.credit() - before
}

// A number is a number, date or other value in a text, with the tokens that it covers.
type number struct {
	values.Value

	first, last int // inclusive
	chunk       int // of a value in the contexts
}

// match returns the level at which d, a value of a context, states v, or levels if it does not.
func (v *number) match(d *number) level {
	switch values.Mentions(&v.Value, &d.Value) {
	case values.Equal:
		return levelExact
	case values.Entailed:
		return levelAdjective
	case values.Undecided:
		return levelLoose
	case values.Incomparable, values.Contradicted:
	}
	return levels
}

// A term is a content word, a number or a date of a claim.
type term struct {
	claim      int32
	weight     int64 // IDF × occurrences, in thousandths
	start, end int32 // byte range of the first occurrence in the claim
	value      int32 // index into scratch.claimValues, or -1 for a word
	name       bool  // capitalized, but not at the start of a sentence
	found      bool  // found in any context
	seen       level // best level since the last flush, or levels
	best       level // best level in the best chunk, or levels
	wide, near levelCounts
}

// An entry maps a key to a term or a pair. The entries of a key form a linked list.
type entry struct {
	term  int32 // index into scratch.terms, or into scratch.wordPairs for a pair
	level level
	next  int32 // index of the next entry, or 0
}

// A wordPair is a pair of adjacent words in a claim.
type wordPair struct {
	claim int32
	count int32 // occurrences in the claim
	text  int32 // number of the last text that contains it, or -1
}

// A hit is a word of a context that matches a term of a claim.
type hit struct {
	pos   int32 // word number in the current text
	term  int32 // index into scratch.terms
	start int32 // byte offset in the chunk
	chunk int32
	level level
}

// A slider is a window that moves over the hits of a claim.
type slider struct {
	sum  int64 // sum of weight × credit of the terms in the window
	from int   // index of the first hit in the window
	best window
}

// A window is the best position of a slider.
type window struct {
	sum      int64
	from, to hit
}

// share returns the share of the total weight that the window covers.
func (w window) share(total int64) float64 {
	if total == 0 {
		return 0
	}
	return float64(w.sum) / float64(total*exactCredit)
}

// A chunkScore describes how well a chunk covers a claim.
type chunkScore struct {
	chunk         int     // chunk in which the closest window starts
	wide, near    float64 // weighted shares of the terms in the best windows
	pairs         float64 // share of the word pairs that the chunk contains
	missingValues float64 // share of the numbers and dates missing from the chunk
	missingNames  float64 // weighted share of the names missing from the chunk
	score         float64
	from, to      hit // first and last hit in the closest window
}

// A claim is the state of one claim while its task is judged.
type claim struct {
	text       string
	tokens     [2]int   // range in scratch.claimTokens
	terms      [2]int32 // range in scratch.terms
	values     [2]int32 // range in scratch.claimValues
	pairs      [2]int32 // range in scratch.wordPairs
	total      int64    // weight of all terms
	names      int64    // weight of the names
	wide, near slider
	hits       []hit // hits in the current text, by position
	done       int   // number of hits that the windows have passed
	around     []hit // hits around the closest window, if there are too many to keep all
	best       chunkScore
	bestHits   []hit     // hits in the best chunk: all, or those around its closest window
	supports   []support // chunks that support the claim, in order
	candidates []quote   // statements that cover most of the claim, best first
}

// A support is a chunk whose score reaches the threshold for a claim.
type support struct {
	chunk, start int // start is the byte offset of the closest window
	near         float64
}

// maxValues limits the numbers and dates that are compared by value. Any others are
// compared as words.
const maxValues = 1024

// index builds the lookup tables for all claims, so that one pass over each context
// matches all of them.
func (s *scratch) index(l *lexicon.Lexicon, texts []string) {
	s.alignedClaim = nil
	s.claimTokens, s.tokens, s.blocks = s.claimTokens[:0], s.tokens[:0], s.blocks[:0]
	s.values, s.valueTerms = s.values[:0], s.valueTerms[:0]
	s.entries, s.terms, s.claimValues, s.wordPairs = append(s.entries[:0], entry{}), s.terms[:0], s.claimValues[:0], s.wordPairs[:0]
	s.keys.Clear()
	s.pairs.Clear()
	for len(s.claims) < len(texts) {
		s.claims = append(s.claims, claim{})
	}
	s.claims = s.claims[:len(texts)]
	for i, text := range texts {
		s.indexClaim(l, int32(i), text) //nolint:gosec // a row has fewer claims
	}
}

func (s *scratch) indexClaim(l *lexicon.Lexicon, id int32, text string) {
	c := &s.claims[id]
	*c = claim{text: text, hits: c.hits[:0], around: c.around[:0], bestHits: c.bestHits[:0], supports: c.supports[:0], candidates: c.candidates[:0]}
	c.tokens[0] = len(s.claimTokens)
	s.claimTokens = l.Tokens(s.claimTokens, text)
	c.tokens[1] = len(s.claimTokens)
	ts := s.claimTokens[c.tokens[0]:]
	c.values[0] = int32(len(s.claimValues)) //nolint:gosec // bounded by the claim's length, as all below
	s.claimValues = s.appendNumbers(s.claimValues, maxValues-len(s.claimValues), text, ts)
	c.values[1] = int32(len(s.claimValues)) //nolint:gosec // as above
	c.terms[0] = int32(len(s.terms))        //nolint:gosec // as above
	c.pairs[0] = int32(len(s.wordPairs))    //nolint:gosec // as above
	s.words.Clear()
	s.titled = isTitled(text, ts)
	v := c.values[0]
	content := false
	for i := range ts {
		t := &ts[i]
		if i > 0 {
			s.addPair(id, lexicon.Pair(ts[i-1].Key, t.Key))
		}
		if v < c.values[1] && i >= s.claimValues[v].first {
			if i == s.claimValues[v].first {
				s.addValue(l, id, v, ts)
				content = true
			}
			if i == s.claimValues[v].last {
				v++
			}
			continue
		}
		if t.Is(lexicon.Stop) || i > 0 && t.Is(lexicon.Number) && ts[i-1].Is(lexicon.Label) {
			continue
		}
		content = true
		s.addWord(l, id, ts, i)
	}
	if !content { // only stop words: "Yes.", "It is not."
		for i := range ts {
			s.addWord(l, id, ts, i)
		}
	}
	c.terms[1] = int32(len(s.terms))     //nolint:gosec // as above
	c.pairs[1] = int32(len(s.wordPairs)) //nolint:gosec // as above
	for i := c.terms[0]; i < c.terms[1]; i++ {
		c.total += s.terms[i].weight
		if s.terms[i].name {
			c.names += s.terms[i].weight
		}
	}
}

// isTitled reports whether all significant words in ASCII are capitalized, as in a title. In
// such a text, capital letters do not identify names.
func isTitled(text string, ts []lexicon.Token) bool {
	const minWords, minLetters = 4, 4 // titles do not capitalize short words
	n := 0
	for i := range ts {
		t := &ts[i]
		if t.Class&(lexicon.Stop|lexicon.Number) != 0 || t.End-t.Start < minLetters || !extract.IsASCII(t.Text(text)) {
			continue
		}
		if !t.Is(lexicon.Capital) {
			return false
		}
		n++
	}
	return n >= minWords
}

func (s *scratch) newTerm(id int32, t term) int32 {
	t.claim, t.seen, t.best = id, levels, levels
	s.terms = append(s.terms, t)
	return int32(len(s.terms) - 1) //nolint:gosec // bounded by the claim's length
}

// weigh converts an IDF to the weight of a term.
func weigh(idf float64) int64 { return int64(math.Round(idf * 1000)) }

func (s *scratch) addValue(l *lexicon.Lexicon, id, v int32, ts []lexicon.Token) {
	val := &s.claimValues[v]
	w := int64(0)
	for _, t := range ts[val.first : val.last+1] {
		if !t.Is(lexicon.Stop) || t.Is(lexicon.Month) {
			w += weigh(l.IDF(t.Key))
		}
	}
	s.valueTerms = append(s.valueTerms, s.newTerm(id, term{weight: max(w, 1), value: v, start: int32(val.Start), end: int32(val.End)})) //nolint:gosec // texts are shorter than 2 GiB
}

func (s *scratch) addWord(l *lexicon.Lexicon, id int32, ts []lexicon.Token, i int) {
	t := &ts[i]
	w := weigh(l.IDF(t.Key))
	name := t.Is(lexicon.Capital) && !t.Is(lexicon.Initial) && !s.titled
	if n := s.words.Get(t.Key); n > 0 {
		s.terms[n-1].weight += w
		s.terms[n-1].name = s.terms[n-1].name || name
		return
	}
	n := s.newTerm(id, term{weight: max(w, 1), value: -1, name: name, start: t.Start, end: t.End})
	s.words.Set(t.Key, n+1)
	s.addKey(t.Key, n, levelExact)
	l.Related(t.Key, func(k uint64, r lexicon.Relation) {
		switch r {
		case lexicon.Adjective:
			s.addKey(k, n, levelAdjective)
		case lexicon.Synonym:
			s.addKey(k, n, levelSynonym)
		case lexicon.Loose:
			s.addKey(k, n, levelLoose)
		case lexicon.Antonym:
		}
	})
}

func (s *scratch) addKey(key uint64, n int32, v level) {
	s.link(&s.keys, key, entry{term: n, level: v, next: s.keys.Get(key)})
}

func (s *scratch) addPair(id int32, key uint64) {
	next := s.pairs.Get(key)
	if next > 0 {
		if p := &s.wordPairs[s.entries[next].term]; p.claim == id {
			p.count++
			return
		}
	}
	n := int32(len(s.wordPairs)) //nolint:gosec // bounded by the claims' length
	s.wordPairs = append(s.wordPairs, wordPair{claim: id, count: 1, text: -1})
	s.link(&s.pairs, key, entry{term: n, next: next})
}

// link prepends an entry to the list of its key.
func (s *scratch) link(heads *lexicon.Table[int32], key uint64, e entry) {
	heads.Set(key, int32(len(s.entries))) //nolint:gosec // bounded by the claims' length
	s.entries = append(s.entries, e)
}

// A basis is the kind of evidence that a verdict rests on.
type basis uint8

const (
	basisNone     basis = iota // no passage shares a word with the claim
	basisMissing               // part of the claim is missing from the contexts
	basisWords                 // the nearest passage differs, but not in a value or by a negation
	basisValue                 // the contexts have another number, amount, date or sign
	basisNegation              // the contexts deny the claim, or the claim denies them
	basisClose                 // a passage is similar to the claim
	basisStated                // a passage has nearly all words of the claim
	basisVerbatim              // a passage contains the claim
)

// label returns the label of a claim with a verdict on this basis. Only a difference in a
// value or in polarity contradicts a claim: other words often mean the same.
func (b basis) label() verdict.Label {
	switch {
	case b >= basisClose:
		return verdict.Supported
	case b == basisValue || b == basisNegation:
		return verdict.Contradicted
	}
	return verdict.NotMentioned
}

// A claim that no passage contradicts or supports in similar words may still be supported in
// other words, so its confidence stays below 0.7: above softLimit it rises at a tenth of the
// rate, which keeps the order.
const softLimit, rateAboveLimit = 0.68, 0.1

// confidence returns the probability that a verdict on basis b with the given score is right
// about whether the claim is supported. It is a logistic regression on labelled rows that
// training/confidence.py fits; docs/accuracy.md shows how well it holds on others.
func (b basis) confidence(score float64) float64 {
	x := score - DefaultThreshold
	switch b {
	case basisVerbatim:
		return logistic(3.51)
	case basisStated:
		return logistic(0.49 + 2.32*x)
	case basisClose:
		return logistic(-0.01 + 2.08*x)
	case basisValue, basisNegation:
		return logistic(1.11)
	case basisWords:
		return logistic(0.08 + 0.14*x)
	case basisMissing, basisNone:
	}
	p := logistic(-0.08 - 2.86*x)
	return min(p, softLimit) + rateAboveLimit*max(p-softLimit, 0)
}

func logistic(x float64) float64 { return 1 / (1 + math.Exp(-x)) }

// A quote is a sentence in a chunk.
type quote struct {
	chunk, start, end int   // start and end are byte offsets
	covered           int64 // sum of weight × credit of the claim's terms in the sentence
	about             int64 // the same, including the terms in an earlier quote; set by bestSentence
}

// appendNumbers appends the first values in text to dst, at most limit. tokens are the
// tokens of text.
func (s *scratch) appendNumbers(dst []number, limit int, text string, tokens []lexicon.Token) []number {
	s.found = s.finder.Append(s.found[:0], text, tokens)
	i := 0
	for n := range min(limit, len(s.found)) {
		v := &s.found[n]
		if v.Kind == values.Ordinal && v.Loose {
			continue // words such as "first" are compared as words
		}
		for i < len(tokens) && int(tokens[i].Start) < v.Start {
			i++
		}
		first := i
		for i < len(tokens) && int(tokens[i].End) <= v.End {
			i++
		}
		if i > first {
			dst = append(dst, number{Value: *v, first: first, last: i - 1})
		}
	}
	return dst
}

// DefaultThreshold is the default of Options.Threshold.
const DefaultThreshold = 0.5
