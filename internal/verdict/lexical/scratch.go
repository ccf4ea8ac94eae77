package lexical

import (
	"github.com/ragfaith/ragfaith/internal/verdict/lexical/entail"
	"github.com/ragfaith/ragfaith/internal/verdict/lexical/lexicon"
	"github.com/ragfaith/ragfaith/internal/verdict/lexical/values"
)

// maxPooledBytes limits the total size of the slices in a scratch that is kept for the next task.
const maxPooledBytes = 1 << 20

// A scratch is the working memory for one task. It is reused for later tasks.
type scratch struct {
	finder *values.Finder

	keys  lexicon.Table[int32] // entries by key of a stem
	words lexicon.Table[int32] // terms of the current claim by key, plus 1
	pairs lexicon.Table[int32] // entries by key of two adjacent words

	pending int // hits that the windows have not passed yet

	entries     []entry
	terms       []term
	wordPairs   []wordPair
	claims      []claim
	claimValues []number

	texts        []string        // texts of the claims
	claimTokens  []lexicon.Token // of all claims
	tokens       []lexicon.Token // of the blocks
	blocks       []block
	shifted      []lexicon.Token // see parse
	titled       bool            // the current claim is in title case
	claimed      entail.Sentence
	parsed       map[parsedKey]*entail.Sentence // see parse
	statements   []*entail.Sentence             // the first len(parsed) are in use
	aligned      []*aligned                     // statements aligned with claimed
	alignedClaim *claim                         // the claim in claimed
	headed       aligned                        // see checkHeading
	passages     []passage
	foldedClaim  foldedText // see isVerbatim
	foldedText   foldedText

	values      []number       // values in the contexts
	valueTerms  []int32        // indices of terms that are numbers or dates
	blockValues []number       // values in the current block
	found       []values.Value // buffer of appendNumbers

	presence []presence // for each term of the claim that is explained
	heaviest place      // see explain
	missing  []missingWord

	taken     []level // see bestSentence
	gain      []int64
	sentences [][2]int      // sentences of all cells
	cells     map[cell]span // cells that have been split into sentences
	mark      mark          // see codePoints
	search    searcher
	line      []byte // buffer for the reason

	tables     []table // tables in the contexts, valid if tablesRead
	tablesRead bool
	tableWork  int // number of cells compared with claims

	// observe, if set, is called with the features of each pair of claim and text. The
	// arguments claim and text are indices into the arguments of match.
	observe func(claim int, text int32, f chunkScore)
}

func newScratch(finder *values.Finder) *scratch {
	return &scratch{finder: finder, headed: aligned{stated: &entail.Sentence{}}, parsed: map[parsedKey]*entail.Sentence{}, cells: map[cell]span{}}
}

// reset prepares s for a new task.
func (s *scratch) reset() {
	s.sentences, s.mark = s.sentences[:0], mark{}
	clear(s.cells)
	s.forget()
	s.tables, s.tablesRead, s.tableWork = nil, false, 0
	s.search.reset()
}

// forget removes the parsed sentences.
func (s *scratch) forget() {
	clear(s.parsed)
	s.statements = s.statements[:min(len(s.statements), maxParsed)]
}

// tooLarge reports whether s uses too much memory to be kept for the next task. The
// factors are the sizes of the elements in bytes.
func (s *scratch) tooLarge() bool {
	n := (cap(s.claimTokens)+cap(s.tokens))*32 + cap(s.values)*240 + cap(s.entries)*16 + cap(s.terms)*112 + cap(s.wordPairs)*12 + cap(s.sentences)*16 + cap(s.search.text)
	for i := range s.claims {
		n += (cap(s.claims[i].hits) + cap(s.claims[i].around) + cap(s.claims[i].bestHits)) * 20
	}
	return n > maxPooledBytes
}
