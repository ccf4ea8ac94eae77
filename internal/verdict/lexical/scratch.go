package lexical

import (
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
