package encoder

import "github.com/ragfaith/ragfaith/internal/encoder/kernel"

// Input layout used in training, see training/grounding/layout.py. Model files
// record these values.
const (
	maxWindowTokens = 256 // without special tokens
	maxClaimTokens  = 96  // without the [SEP] after the claim
	minSharedPrefix = 4   // length of the common prefix of similar words, in characters

	clsToken, sepToken = 101, 102 // token ids
)

// Token types distinguish window tokens from claim tokens, and claim tokens by how
// their word relates to the words of the window.
const (
	inWindow    = iota
	sameWord    // the window contains the word
	similarWord // the window contains a similar word
	absentWord  // the window contains no such word
	tokenTypes  // number of token types
)

// A layout describes the sequences of a batch that contain a window with claims:
//
//	[CLS] window [SEP] claim 1 [SEP] claim 2 [SEP] ...
//
// Every token attends to the window. Claim tokens also attend to their own claim,
// but not to other claims. The positions of every claim continue those of the
// window. Therefore, the output for a claim does not depend on the other claims.
type layout struct {
	positions []int32 // position of each token
	windows   []int   // window length of each sequence, including special tokens
	claims    []claim // claims of all sequences, in order
}

// claim is the range of tokens of a claim in a sequence, including its [SEP].
type claim struct{ sequence, lo, hi int }

func (l *layout) hasClaims() bool { return len(l.windows) > 0 }

func (l *layout) reset() {
	l.positions, l.windows, l.claims = l.positions[:0], l.windows[:0], l.claims[:0]
}

// A tokenSequence is a window followed by claims.
type tokenSequence struct {
	ids, types, positions []int32
	window                int   // length of the window, including special tokens
	ends                  []int // end of each claim, after its [SEP]
}

// start sets the window, given without special tokens, and reserves capacity for
// claims with the given number of tokens in total.
func (s *tokenSequence) start(window []int32, claims, tokens int) {
	n := len(window) + 2
	s.ids = append(append(append(make([]int32, 0, n+tokens), clsToken), window...), sepToken)
	s.types = make([]int32, n, n+tokens)
	s.positions = make([]int32, n, n+tokens)
	for i := range s.positions {
		s.positions[i] = int32(i)
	}
	s.window, s.ends = n, make([]int, 0, claims)
}

// addClaim appends a claim, given without special tokens.
func (s *tokenSequence) addClaim(m *wordMatcher, ids []int32) {
	start := len(s.types)
	s.ids = append(append(s.ids, ids...), sepToken)
	s.types = s.types[:start+len(ids)]
	m.setTypes(s.types[start:], ids)
	s.types = append(s.types, sameWord)
	for i := range len(ids) + 1 {
		s.positions = append(s.positions, int32(s.window+i))
	}
	s.ends = append(s.ends, len(s.ids))
}

// addClaims appends s to the batch and its layout.
func (b *batch) addClaims(s *tokenSequence) {
	index := len(b.starts)
	b.add(s.ids, s.types)
	l := &b.layout
	l.positions = append(l.positions, s.positions...)
	l.windows = append(l.windows, s.window)
	lo := s.window
	for _, hi := range s.ends {
		l.claims = append(l.claims, claim{index, lo, hi})
		lo = hi
	}
}

// gatherClaims moves the rows of claim tokens to the front of x and returns them.
func (p *pass) gatherClaims(x []float32, width int) []float32 {
	rows := 0
	for s, start := range p.starts {
		lo, hi := start+p.layout.windows[s], start+p.lengths[s]
		copy(x[rows*width:], x[lo*width:hi*width])
		rows += hi - lo
	}
	return x[:rows*width]
}

// visibility holds the buffers that visibleBlocks reuses.
type visibility struct {
	blocks []kernel.Block
	ranges [][2]int
	starts []int // index of the first block of each sequence
}

// visibleBlocks returns a function that returns the attention blocks of a
// sequence. If claimsOnly is set, the queries of window tokens are omitted.
func (p *pass) visibleBlocks(claimsOnly bool) func(s int) []kernel.Block {
	l, v := &p.layout, &p.visible
	grow(&v.ranges, len(l.windows)+2*len(l.claims))
	v.blocks, v.starts = v.blocks[:0], v.starts[:0]
	ranges, claims := v.ranges, l.claims
	for s, n := range l.windows {
		v.starts = append(v.starts, len(v.blocks))
		ranges[0] = [2]int{0, n}
		if !claimsOnly {
			v.blocks = append(v.blocks, kernel.Block{Q1: n, Keys: ranges[:1:1]})
		}
		ranges = ranges[1:]
		for len(claims) > 0 && claims[0].sequence == s {
			c := claims[0]
			ranges[0], ranges[1] = [2]int{0, n}, [2]int{c.lo, c.hi}
			v.blocks = append(v.blocks, kernel.Block{Q0: c.lo, Q1: c.hi, Keys: ranges[:2:2]})
			ranges, claims = ranges[2:], claims[1:]
		}
	}
	v.starts = append(v.starts, len(v.blocks))
	return func(s int) []kernel.Block { return v.blocks[v.starts[s]:v.starts[s+1]] }
}
