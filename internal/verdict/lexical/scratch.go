package lexical

import (
	"math/rand/v2"

	"github.com/ragfaith/ragfaith/internal/verdict/lexical/lexicon"
	"github.com/ragfaith/ragfaith/internal/verdict/lexical/quantity"
)

// scratchKeys is how many keys a table of a scratch may keep room for between rows.
const scratchKeys = 1 << 12

// scratchBytes is how much of a row's memory is kept for the next.
const scratchBytes = 1 << 20

// A scratch is the memory that judging one row takes, used again for the next.
type scratch struct {
	keys      *lexicon.Table[int32] // key of a stem: entries
	heads     *lexicon.Table[int32] // key of the first letters: entries
	compounds *lexicon.Table[int32] // key of a whole word that may be written as two: entries
	words     *lexicon.Table[int32] // terms of the claim at hand, by key
	pairs     *lexicon.Table[int32] // key of two neighbours: pairSeen
	filter    filter                // of all these keys

	work    int  // steps of this row that its length does not bound
	limit   int  // of work; 0 for none
	again   bool // the contexts were read before, for other claims
	pending int  // hits that the windows have not gone over

	entries     []entry
	terms       []term
	pairSeen    []pairSeen
	claims      []claim
	claimValues []quantity.Value

	tokens       []lexicon.Token
	titled       bool // capitals of the claim at hand mark no names
	claimSide    side
	quoteSide    side
	claimRoles   []role
	quoteRoles   []role
	values       []quantity.Value // of the contexts
	valueChunks  []int32          // which one
	valueTerms   []int32          // terms of the claims that are numbers or dates
	blockValues  []quantity.Value // of the block at hand
	taken        []level
	gain         []int64
	texts        []string
	question     string        // of the row
	sentences    [][2]int      // of all that was cut in this row
	cut          map[cell]span // which cells were
	marks        []mark        // by chunk and place
	seed         uint64        // of the tables
	sparse       *sparse       // set for a row that takes too long otherwise
	grids        []grid        // of the contexts, once gridsRead
	gridsRead    bool
	keyed        []uint64  // words of the text at hand
	listings     []listing // of the contexts, once listingsRead
	listingsRead bool
	listWork     int // items that claims were compared with
	slotWork     int // bytes that were searched for answers
	gridWork     int // cells that claims were compared with
	search       searcher
	line         []byte // a reason
	// observe, when set, is told what each text gives to each claim, before the best
	// is kept: the claim by its place in the call, the text by its flush.
	observe func(claim int, flush int32, f chunkScore)
}

func newScratch() *scratch {
	seed := rand.Uint64() // where a key lies in a table is nobody's to choose
	table := func() *lexicon.Table[int32] { return lexicon.NewTable[int32](256, seed) }
	return &scratch{
		cut: map[cell]span{}, seed: seed,
		keys: table(), heads: table(), compounds: table(), words: table(), pairs: table(),
	}
}

// big reports whether s took so much memory that it is better let go.
func (s *scratch) big() bool {
	n := cap(s.tokens)*40 + cap(s.values)*128 + cap(s.entries)*16 + cap(s.terms)*112 + cap(s.pairSeen)*20 + cap(s.sentences)*16 + cap(s.search.joined)
	for i := range s.claims {
		n += (cap(s.claims[i].hits) + cap(s.claims[i].around) + cap(s.claims[i].bestHits)) * 20
	}
	return n > scratchBytes
}

// A filter says quickly of most keys that they are not in a set.
type filter struct{ bits [64]uint64 }

func (f *filter) add(k uint64)      { f.bits[k>>6&63] |= 1 << (k & 63) }
func (f *filter) has(k uint64) bool { return f.bits[k>>6&63]&(1<<(k&63)) != 0 }
func (f *filter) clear()            { clear(f.bits[:]) }
