package lexical

import (
	"math/bits"

	"github.com/ragfaith/ragfaith/internal/verdict/lexical/values"
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
	key        uint64
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
	lead       int      // length of the lead at the start of text in bytes, or 0
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
