package lexical

import (
	"context"

	"github.com/ragfaith/ragfaith/internal/extract"
	"github.com/ragfaith/ragfaith/internal/verdict"
	"github.com/ragfaith/ragfaith/internal/verdict/lexical/lexicon"
)

// Comparing every word of n claims with every word of n similar sentences takes O(n²)
// time. A task that exceeds maxWork steps plus workPerByte per byte of its contexts is
// judged with sparse matching instead, which takes linear time:
//
//   - Duplicate claims are judged once.
//   - A word, word pair or number that occurs in more than rareClaims claims is common.
//     Its first commonPlaces occurrences in the contexts match all claims. Later
//     occurrences match only claims that also share a rare item with the sentence, or
//     that consist of the same words as the sentence.
//   - Numbers and dates must be equal; rounded values do not match. Values similar to
//     a missing one are searched for only around the closest window.
//   - A verdict lists at most maxSupports supporting chunks, plus the quoted ones.
//
// A claim that is a copy of a sentence in the contexts still matches all its words.
const (
	// For comparison, the largest row of the suites in docs/accuracy.md takes 3,672
	// steps. An answer of 1,100 sentences with contexts of 100,000 words takes 3
	// million.
	maxWork           = 1 << 22
	workPerByte       = 2
	rareClaims        = 8
	commonOccurrences = 32
	maxSupports       = 64
	// sparseBatchSize is the batch size for sparse matching. It is larger than
	// batchSize because sparse matching keeps few hits per claim.
	sparseBatchSize = 1 << 12
	// maxPending limits the hits that are collected before the windows advance.
	maxPending = 1 << 16
	// maxUnit limits the words of a sentence that are matched together.
	maxUnit = 128
	// maxEqualTerms limits the terms of one claim that a common item matches.
	maxEqualTerms = 16
	// valuesBefore and valuesAfter limit the values around the start of the closest
	// window that are compared with a missing value.
	valuesBefore, valuesAfter = 8, 64
)

// A sparse is the additional state for sparse matching.
type sparse struct {
	owned     *lexicon.Table[int32] // last entry of a claim in a chain, by ownedKey
	meanings  *lexicon.Table[int32] // entries by key of a number or date
	sequences *lexicon.Table[int32] // links by sequenceKey
	links     []link                // claims with the same sequence
	chains    chainCounts
	starts    []int    // byte offsets of the sentences in the current block
	keys      []uint64 // keys of the current value
	refs      []ref    // refs of the current unit
	selected  []int32  // claims that common items match in the current unit
	touched   []int32  // claims with hits since the last flush
	unit      int32    // number of the current unit, from 1
}

// chainCounts records the length of each chain of entries and its number of occurrences
// in the contexts. It is indexed by entry.chain.
type chainCounts struct{ size, seen []int32 }

// add adds an entry to a chain.
func (c *chainCounts) add(chain int32) {
	c.size, c.seen = append(c.size, 0), append(c.seen, 0)
	c.size[chain]++
}

// observe records an occurrence of a chain. It reports whether the chain is rare, and
// whether this occurrence matches all claims.
func (c *chainCounts) observe(chain int32) (rare, all bool) {
	c.seen[chain]++
	rare = c.size[chain] <= rareClaims
	return rare, rare || c.seen[chain] <= commonOccurrences
}

func (c *chainCounts) clear() { c.size, c.seen = c.size[:0], c.seen[:0] }

// A link is an element of a linked list of claims with the same sequence of words.
type link struct{ claim, next int32 }

// A ref is a word, root, value or pair in the current unit that claims also contain.
type ref struct {
	kind  refKind
	all   bool  // matches all claims that contain it
	index int32 // index of the first entry in the chain
	token int32 // index into scratch.tokens
	value int32 // index into scratch.blockValues, for refValue
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

// clear resets p for the next batch of claims.
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

// judgeSparse judges a task with sparse matching.
func (j *Judge) judgeSparse(ctx context.Context, task verdict.Task) ([]verdict.Verdict, error) {
	s := newScratch()
	s.sparse = newSparse(s)
	index := make(map[string]int, len(task.Claims)) // indices into distinct, by text
	distinctIndex := make([]int, len(task.Claims))
	var distinct []extract.Claim
	for i, c := range task.Claims {
		text := c.Judged()
		n, ok := index[text]
		if !ok {
			n = len(distinct)
			index[text] = n
			distinct = append(distinct, c)
		}
		distinctIndex[i] = n
	}
	verdicts, err := j.judgeAll(ctx, s, verdict.Task{Question: task.Question, Contexts: task.Contexts, Claims: distinct}, sparseBatchSize)
	if err != nil {
		return nil, err
	}
	vs := make([]verdict.Verdict, len(distinctIndex))
	for i, n := range distinctIndex {
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
