package lexical

import (
	"unicode/utf8"

	"github.com/ragfaith/ragfaith/internal/lexicon"
	"github.com/ragfaith/ragfaith/internal/values"
	"github.com/ragfaith/ragfaith/internal/verdict/lexical/entail"
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
	aligned      []*entail.Alignment            // statements aligned with claimed
	alignedClaim *claim                         // the claim in claimed
	passages     []passage
	foldedClaim  foldedText // see isVerbatim
	foldedText   foldedText

	values      []number       // values in the contexts
	valueTerms  []int32        // indices of terms that are numbers or dates
	blockValues []number       // values in the current block
	found       []values.Value // buffer of appendNumbers

	presence []presence // of each term of a claim, see findTerms
	heaviest place      // see findTerms

	gain      []int64           // see cover
	sentences [][2]int          // sentences of all cells
	cells     map[cell][][2]int // those of each cell that has been split
	mark      mark              // see codePoints
	search    searcher

	tables     []table // tables in the contexts, valid if tablesRead
	tablesRead bool
	tableWork  int // number of cells compared with claims

	// observe, if set, is called with the features of each pair of claim and text. The
	// arguments claim and text are indices into the arguments of match.
	observe func(claim int, text int32, f chunkScore)
}

// cellSize is the size in bytes of the cells that are split into sentences separately.
// In a chunk longer than one cell, only the cell around the closest window is split.
// Cells overlap by half, so that every window is well inside one of them.
const cellSize = 1 << 12

// A cell is the byte range cellSize/2 × n to cellSize/2 × (n+2) of a chunk.
type cell struct{ chunk, n int }

// A mark records the number of code points before a byte offset in a chunk.
type mark struct{ chunk, bytes, points int }

// A blockStart is the start of a block: its chunk, the byte offset in the chunk, and
// the number of its first word.
type blockStart struct{ chunk, byte, pos int32 }

// A block is the range of the tokens of a block in scratch.tokens, and its end in the chunk.
type block struct {
	blockStart

	end, first, last int
}

// maxParsed is the number of parsed sentences that are kept for the next claim.
const maxParsed = 64

// A parsedKey is the place of a sentence, and the length of the text that was parsed for it.
type parsedKey struct{ chunk, start, end, length int }

// A presence describes whether the quotes of a claim contain one of its terms.
type presence uint8

const (
	isMissing presence = iota
	isLight            // missing, but says little
	isPresent          // in any form, or as a synonym
)

// A place is a byte offset in a quote, with the weight of the term of the claim there.
type place struct {
	at     int
	weight int64
}

// A missingWord is a word of a claim that its quotes do not contain.
type missingWord struct {
	start, end int // byte range in the claim
	weight     int64
	elsewhere  bool // in another sentence of the contexts
}

// A passage is a candidate with its values.
type passage struct {
	text   string
	values []values.Value
}

func newScratch(finder *values.Finder) *scratch {
	return &scratch{finder: finder, parsed: map[parsedKey]*entail.Sentence{}, cells: map[cell][][2]int{}}
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
	n := (cap(s.claimTokens)+cap(s.tokens))*32 + cap(s.values)*240 + cap(s.entries)*16 + cap(s.terms)*104 + cap(s.wordPairs)*12 + cap(s.sentences)*16 + cap(s.search.text)
	for i := range s.claims {
		n += (cap(s.claims[i].hits) + cap(s.claims[i].around) + cap(s.claims[i].bestHits)) * 20
	}
	return n > maxPooledBytes
}

// maxNumbers limits the values that are compared per sentence or table cell. Few contain more.
const maxNumbers = 16

// A foldedText consists of the words and signs of a text in lower case, with a space before
// and after each.
type foldedText struct {
	text []byte
	at   []int32 // byte offset in the text of each byte
}

// A searcher searches the contexts of a task for words that no token matches. It finds words inside
// other words, with hyphens or other accents, and numbers with other digit separators. So if a
// reason reports a word as missing, a text search by the user does not find it either.
type searcher struct {
	text   []byte // folded contexts, or empty
	word   []byte // buffer
	budget int    // bytes that may still be searched
}

func (s *searcher) reset() { s.text = s.text[:0] }

// isLetter reports whether c is an ASCII letter or part of a multi-byte character.
func isLetter(c byte) bool { return c|0x20 >= 'a' && c|0x20 <= 'z' || c >= utf8.RuneSelf }

// A table is a parsed table in a context. The first row contains the names of the
// columns, and the first column the names of the rows.
type table struct {
	chunk int
	rows  []tableRow
}

type tableRow struct {
	start, end int // byte offsets in the chunk
	cells      []tableCell
}

// maxValuesKept limits the numbers and dates of the contexts that are kept for nearestValue.
const maxValuesKept = 1 << 14

// minCoverageForStated is the minimum share of a claim that a quote must cover for the
// claim to be reported as stated in the quote.
const minCoverageForStated = 0.8
