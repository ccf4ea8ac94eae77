package lexical

import (
	"math/rand/v2"

	"github.com/ragfaith/ragfaith/internal/verdict/lexical/lexicon"
	"github.com/ragfaith/ragfaith/internal/verdict/lexical/quantity"
)

// maxPooledKeys and maxPooledBytes limit the memory of a scratch that is kept for the
// next task: the keys of each table, and the slices in total.
const (
	maxPooledKeys  = 1 << 12
	maxPooledBytes = 1 << 20
)

// A scratch is the working memory for one task. It is reused for later tasks.
type scratch struct {
	keys      *lexicon.Table[int32] // key of a stem: entries
	roots     *lexicon.Table[int32] // key of the first letters: entries
	compounds *lexicon.Table[int32] // key of a whole word that may be written as two: entries
	words     *lexicon.Table[int32] // terms of the current claim by key
	pairs     *lexicon.Table[int32] // key of two neighbouring words: entries
	filter    filter                // of all these keys
	seed      uint64                // of the tables

	work    int  // steps of this task that are not linear in its size
	limit   int  // of work; 0 is unlimited
	reread  bool // the contexts were read before, for other claims
	pending int  // hits that the windows have not moved over yet

	entries     []entry
	terms       []term
	pairSeen    []pairSeen
	claims      []claim
	claimValues []quantity.Value

	texts      []string // of the claims
	question   string
	tokens     []lexicon.Token
	titled     bool // the current claim is in title case, so capitals mark no names
	claimStmt  statement
	quoteStmt  statement
	claimRoles []role
	quoteRoles []role
	quoteKeys  []uint64

	values      []quantity.Value // of the contexts
	valueChunks []int32          // the chunk of each
	valueTerms  []int32          // terms of the claims that are numbers or dates
	blockValues []quantity.Value // of the current block

	taken     []level
	gain      []int64
	sentences [][2]int      // of all cells
	cells     map[cell]span // the cells that were split into sentences
	marks     []mark        // by chunk and position
	search    searcher
	line      []byte  // the reason being built
	sparse    *sparse // set if the task is judged within bounds

	tables     []table // of the contexts, if tablesRead
	tablesRead bool
	tableWork  int    // cells that claims were compared with
	lists      []list // of the contexts, if listsRead
	listsRead  bool
	listWork   int // items that claims were compared with
	answerWork int // bytes that were searched for answers

	// observe, if set, is called with the features of each text for each claim, before
	// the best text is kept. claim and text are indices into the arguments of match.
	observe func(claim int, text int32, f chunkScore)
}

func newScratch() *scratch {
	seed := rand.Uint64() // so that no text can be written to collide in the tables
	table := func() *lexicon.Table[int32] { return lexicon.NewTable[int32](256, seed) }
	return &scratch{
		cells: map[cell]span{}, seed: seed,
		keys: table(), roots: table(), compounds: table(), words: table(), pairs: table(),
	}
}

// reset prepares s for a new task.
func (s *scratch) reset(question string) {
	s.work, s.question, s.reread = 0, question, false
	s.sentences, s.marks = s.sentences[:0], s.marks[:0]
	clear(s.cells)
	s.tables, s.tablesRead, s.tableWork, s.answerWork = nil, false, 0, 0
	s.lists, s.listsRead, s.listWork = nil, false, 0
	s.search.reset()
}

// tooLarge reports whether s has too much memory to be kept for the next task.
func (s *scratch) tooLarge() bool {
	n := cap(s.tokens)*40 + cap(s.values)*128 + cap(s.entries)*16 + cap(s.terms)*112 + cap(s.pairSeen)*12 + cap(s.sentences)*16 + cap(s.search.joined)
	for i := range s.claims {
		n += (cap(s.claims[i].hits) + cap(s.claims[i].around) + cap(s.claims[i].bestHits)) * 20
	}
	return n > maxPooledBytes
}

// A filter is a Bloom filter with one hash function.
type filter struct{ bits [64]uint64 }

func (f *filter) add(k uint64)          { f.bits[k>>6&63] |= 1 << (k & 63) }
func (f *filter) mayHave(k uint64) bool { return f.bits[k>>6&63]&(1<<(k&63)) != 0 }
func (f *filter) clear()                { clear(f.bits[:]) }
