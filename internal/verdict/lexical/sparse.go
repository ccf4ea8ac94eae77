package lexical

import (
	"context"

	"github.com/ragfaith/ragfaith/internal/extract"
	"github.com/ragfaith/ragfaith/internal/verdict"
	"github.com/ragfaith/ragfaith/internal/verdict/lexical/lexicon"
)

// Comparing every word of n claims with every word of n similar sentences takes n²
// steps. A task that takes more than maxWork steps plus workPerByte for each byte of
// its contexts is judged again with bounds that make the time linear in its size:
//
//   - Equal claims are judged once.
//   - A word, pair of words or number of more than rareClaims claims is common. It
//     counts in the first commonPlaces places of the contexts for all claims, and in
//     later ones only for claims that also share something rarer with the sentence, or
//     consist of the same words as the sentence.
//   - Numbers and dates must be equal: rounded ones are not found. The value that is
//     most similar to a missing one is looked for around the closest window.
//   - A verdict names maxSupports chunks and those that it quotes.
//
// A claim that is a copy of a sentence of the contexts still finds all its words.
const (
	// The largest row of the suites in docs/accuracy.md takes 3,672 steps, and an
	// answer of 1,100 sentences of prose with contexts of 100,000 words 3 million.
	maxWork      = 1 << 22
	workPerByte  = 2
	rareClaims   = 8
	commonPlaces = 32
	maxSupports  = 64
	// sparseBatchSize is the batch size of such a task. It keeps a few hundred hits of
	// a claim, and reads the contexts once per batch.
	sparseBatchSize = 1 << 12
	// maxPending is how many hits are kept before the windows slide over them.
	maxPending = 1 << 16
	// maxUnit is how many words of a long sentence are matched together.
	maxUnit = 128
	// maxAlikeTerms is how many equal numbers, or words of one root, of a claim a common
	// one counts for.
	maxAlikeTerms = 16
	// valuesBefore and valuesAfter are how many values around the start of the closest
	// window are compared with a missing one.
	valuesBefore, valuesAfter = 8, 64
)

// A sparse is the additional state for judging within these bounds.
type sparse struct {
	owned     *lexicon.Table[int32] // the last entry of a claim in a chain, by ownedKey
	meanings  *lexicon.Table[int32] // keys of numbers and dates: entries
	sequences *lexicon.Table[int32] // keys of all words of a claim: claims
	links     []link                // claims with the same sequence
	chains    counts                // of entries
	starts    []int                 // start bytes of the sentences of a block
	keys      []uint64              // keys of the current value
	refs      []ref                 // of the current unit
	chosen    []int32               // claims that common words count for in the current unit
	touched   []int32               // claims with hits since the last flush
	unit      int32                 // number of the current unit, from 1
}

// counts are the lengths of chains and how often the contexts have each, by the index
// of the first element of the chain.
type counts struct{ size, seen []int32 }

// add counts a new element of a chain.
func (c *counts) add(chain int32) {
	c.size, c.seen = append(c.size, 0), append(c.seen, 0)
	c.size[chain]++
}

// see counts an occurrence. It reports whether the chain is short, and whether its
// elements count there for all claims.
func (c *counts) see(chain int32) (rare, all bool) {
	c.seen[chain]++
	rare = c.size[chain] <= rareClaims
	return rare, rare || c.seen[chain] <= commonPlaces
}

func (c *counts) clear() { c.size, c.seen = c.size[:0], c.seen[:0] }

// A link is a claim with a sequence of words, and the next claim with the same
// sequence.
type link struct{ claim, next int32 }

// A ref is a word, root, value or pair of a unit that claims also have.
type ref struct {
	kind  refKind
	all   bool  // it counts for all claims that have it
	index int32 // of the first entry of the chain
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
	table := func() *lexicon.Table[int32] { return lexicon.NewTable[int32](maxPooledKeys, s.seed) }
	return &sparse{owned: table(), meanings: table(), sequences: table()}
}

// clear removes the claims.
func (p *sparse) clear() {
	p.owned.Clear(maxPooledKeys)
	p.meanings.Clear(maxPooledKeys)
	p.sequences.Clear(maxPooledKeys)
	p.links = p.links[:0]
	p.chains.clear()
	p.touched, p.unit = p.touched[:0], 0
}

// ownedKey returns the key of the entries of a claim in a chain.
func ownedKey(chain, claim int32) uint64 {
	return 1<<63 | uint64(chain)<<32 | uint64(claim) //nolint:gosec // indices are not negative
}

// judgeSparse judges a task within the bounds.
func (j *Judge) judgeSparse(ctx context.Context, task verdict.Task) ([]verdict.Verdict, error) {
	s := newScratch()
	s.sparse = newSparse(s)
	index := make(map[string]int, len(task.Claims)) // indices into distinct, by text
	same := make([]int, len(task.Claims))
	var distinct []extract.Claim
	for i, c := range task.Claims {
		text := c.Judged()
		n, ok := index[text]
		if !ok {
			n = len(distinct)
			index[text] = n
			distinct = append(distinct, c)
		}
		same[i] = n
	}
	verdicts, err := j.judgeAll(ctx, s, verdict.Task{Question: task.Question, Contexts: task.Contexts, Claims: distinct}, sparseBatchSize)
	if err != nil {
		return nil, err
	}
	vs := make([]verdict.Verdict, len(same))
	for i, n := range same {
		vs[i] = verdicts[n]
		vs[i].ClaimID = task.Claims[i].ID
	}
	return vs, nil
}

// addSequence registers a claim under the sequence of all its words.
func (p *sparse) addSequence(claim int32, ts []lexicon.Token) {
	k := sequenceKey(ts)
	next, ok := p.sequences.Get(k)
	if !ok {
		next = -1
	}
	p.links = append(p.links, link{claim, next})
	p.sequences.Put(k, int32(len(p.links)-1)) //nolint:gosec // a row has fewer claims
}

// sequenceKey returns the key of a sequence of words.
func sequenceKey(ts []lexicon.Token) uint64 {
	k := uint64(1)
	for i := range ts {
		k = lexicon.Pair(k, ts[i].Key)
	}
	return k
}
