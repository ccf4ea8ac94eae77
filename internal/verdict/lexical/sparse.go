package lexical

import (
	"context"

	"github.com/ragfaith/ragfaith/internal/extract"
	"github.com/ragfaith/ragfaith/internal/verdict"
	"github.com/ragfaith/ragfaith/internal/verdict/lexical/lexicon"
)

// Comparing every word of n claims with every word of n similar sentences takes
// n² steps. A row that takes more than maxWork of them, and workPerByte for each
// byte of its contexts, is judged again with bounds that make the time grow
// with its length:
//
//   - Equal claims are judged once.
//   - A word, pair of words or number that stands in more than rareClaims claims
//     counts everywhere in the first commonPlaces places where the contexts have
//     it. In later ones it counts for the claims that also have something rarer
//     in the same sentence, or are the same words as the sentence.
//   - Numbers and dates are equal or they are not: rounded ones are not found.
//     What comes nearest to a missing one is looked for around the closest window.
//   - A verdict names maxSupports chunks, and those that it quotes.
//
// A claim that is a copy of a sentence of the contexts has all its words there.
const (
	// The largest row of the suites in docs/accuracy.md takes 3,672 steps, and an
	// answer of 1,100 sentences of prose against 100,000 words 3 million.
	maxWork      = 1 << 22
	workPerByte  = 2
	rareClaims   = 8
	commonPlaces = 32
	maxSupports  = 64
	// sparseClaims is claimsAtOnce of such a row, which keeps a few hundred hits of
	// a claim. The contexts are read once for as many claims.
	sparseClaims = 1 << 12
	// sparsePending is how many hits are kept before the windows are slid over them.
	sparsePending = 1 << 16
	// sparseUnit is how many words of a long sentence are looked at as one.
	sparseUnit = 128
	// alikeTerms is how many equal numbers, or words of one root, of a claim a
	// common one counts for.
	alikeTerms = 16
	// valuesBefore and valuesAfter are how many values around the start of the
	// closest window are looked at for the one nearest to what is missing.
	valuesBefore, valuesAfter = 8, 64
)

// A sparse is what judging within these bounds takes beside a scratch.
type sparse struct {
	owned     *lexicon.Table[int32] // the last entry or pair of a claim in a chain, by ownedKey
	meanings  *lexicon.Table[int32] // keys of numbers and dates: entries
	sequences *lexicon.Table[int32] // keys of all words of a claim: claims
	links     []link                // claims of one sequence
	entries   counts                // of chains of entries
	pairs     counts                // of chains of pairs
	begins    []int                 // the bytes of a block that its sentences begin with
	meant     []uint64              // keys of the value at hand
	refs      []ref                 // of the unit at hand
	chosen    []int32               // claims that common words count for in it
	touched   []int32               // claims with hits since the last flush
	unit      int32                 // number of the unit at hand, from 1
}

// counts are the lengths of chains, and how often the contexts met each, by the
// first index of the chain.
type counts struct{ size, met []int32 }

// add counts an element of a chain that was appended as number n.
func (c *counts) add(chain int32) {
	c.size, c.met = append(c.size, 0), append(c.met, 0)
	c.size[chain]++
}

// meet counts a place and reports whether the chain is short, and whether its
// elements count there whatever else does.
func (c *counts) meet(chain int32) (rare, all bool) {
	c.met[chain]++
	rare = c.size[chain] <= rareClaims
	return rare, rare || c.met[chain] <= commonPlaces
}

// A link is a claim with a sequence of words, and the next one with the same.
type link struct{ claim, next int32 }

// A ref is something of a unit that claims have, too.
type ref struct {
	kind  refKind
	all   bool  // it counts for all claims that have it
	index int32 // of the entry, or the pair, that the chain begins with
	token int32
	value int32 // refValue: index into scratch.blockValues
}

type refKind uint8

const (
	refWord refKind = iota
	refRoot
	refValue
	refPair
)

func newSparse(s *scratch) *sparse {
	table := func() *lexicon.Table[int32] { return lexicon.NewTable[int32](scratchKeys, s.seed) }
	return &sparse{owned: table(), meanings: table(), sequences: table()}
}

// clear forgets the claims.
func (p *sparse) clear() {
	p.owned.Clear(scratchKeys)
	p.meanings.Clear(scratchKeys)
	p.sequences.Clear(scratchKeys)
	p.links = p.links[:0]
	p.entries = counts{p.entries.size[:0], p.entries.met[:0]}
	p.pairs = counts{p.pairs.size[:0], p.pairs.met[:0]}
	p.touched, p.unit = p.touched[:0], 0
}

// ownedKey is the key of what a claim has in a chain of entries or pairs.
func ownedKey(chain, claim int32, pair bool) uint64 {
	k := 1<<63 | uint64(chain)<<32 | uint64(claim)<<1 //nolint:gosec // indices are not negative
	if pair {
		k |= 1
	}
	return k
}

// judgeSparse is Judge for a row that would take too long otherwise.
func (j *Judge) judgeSparse(ctx context.Context, task verdict.Task) ([]verdict.Verdict, error) {
	s := newScratch()
	s.sparse = newSparse(s)
	first := make(map[string]int, len(task.Claims)) // places in distinct, by text
	same := make([]int, len(task.Claims))
	var distinct []extract.Claim
	for i, c := range task.Claims {
		text := c.Judged()
		n, ok := first[text]
		if !ok {
			n = len(distinct)
			first[text] = n
			distinct = append(distinct, c)
		}
		same[i] = n
	}
	said, err := j.judgeAll(ctx, s, verdict.Task{Question: task.Question, Contexts: task.Contexts, Claims: distinct}, sparseClaims)
	if err != nil {
		return nil, err
	}
	vs := make([]verdict.Verdict, len(same))
	for i, n := range same {
		vs[i] = said[n]
		vs[i].ClaimID = task.Claims[i].ID
	}
	return vs, nil
}

// addSequence takes all words of a claim for its key among sentences.
func (p *sparse) addSequence(claim int32, ts []lexicon.Token) {
	k := sequence(ts)
	next, ok := p.sequences.Get(k)
	if !ok {
		next = -1
	}
	p.links = append(p.links, link{claim, next})
	p.sequences.Put(k, int32(len(p.links)-1)) //nolint:gosec // a row has fewer claims
}

func sequence(ts []lexicon.Token) uint64 {
	k := uint64(1)
	for i := range ts {
		k = lexicon.Pair(k, ts[i].Key)
	}
	return k
}
