package encoder

import "github.com/ragfaith/ragfaith/internal/encoder/kernel"

// The numbers of the layout, which a model is trained with: training/grounding/layout.py
// has the same, and a file of weights states them.
const (
	mostWindow = 256 // tokens of a window, the two specials not counted
	mostClaim  = 96  // tokens of a claim, its [SEP] not counted
	akinPrefix = 4   // characters that akin words share at least

	clsToken, sepToken = 101, 102
)

// The types of tokens: those of a window, and those of a claim by the word that
// they are part of.
const (
	inWindow   = iota
	sameWord   // the window has the word
	akinWord   // the window has one that begins alike
	absentWord // the window has neither
	tokenTypes
)

// A layout is what sequences have besides that are windows with claims:
//
//	[CLS] window [SEP] claim 1 [SEP] claim 2 [SEP] ...
//
// Every token sees the window, a claim's tokens see their own claim too, and no
// claim sees another. The positions of each claim go on where the window ended.
// So a claim's values do not depend on the claims beside it.
type layout struct {
	positions []int32 // of all tokens
	windows   []int   // tokens of each sequence's window, with specials
	claims    []claim // of all sequences, in order
}

// claim is the tokens from lo up to hi of a sequence, its [SEP] the last.
type claim struct{ sequence, lo, hi int }

func (l *layout) any() bool { return len(l.windows) > 0 }

func (l *layout) reset() {
	l.positions, l.windows, l.claims = l.positions[:0], l.windows[:0], l.claims[:0]
}

// A group is a sequence of a window and claims.
type group struct {
	ids, types, positions []int32
	window                int   // tokens of the window, with specials
	ends                  []int // the tokens after each claim's [SEP]
}

// begin starts a group with a window, a list of tokens without specials. There
// is room for so many claims and for their tokens.
func (g *group) begin(window []int32, claims, tokens int) {
	n := len(window) + 2
	g.ids = append(append(append(make([]int32, 0, n+tokens), clsToken), window...), sepToken)
	g.types = make([]int32, n, n+tokens)
	g.positions = make([]int32, n, n+tokens)
	for i := range g.positions {
		g.positions[i] = int32(i)
	}
	g.window, g.ends = n, make([]int, 0, claims)
}

// claim adds a claim, a list of tokens without specials.
func (g *group) claim(m *marks, ids []int32) {
	at := len(g.types)
	g.ids = append(append(g.ids, ids...), sepToken)
	g.types = g.types[:at+len(ids)]
	m.mark(g.types[at:], ids)
	g.types = append(g.types, sameWord)
	for i := range len(ids) + 1 {
		g.positions = append(g.positions, int32(g.window+i))
	}
	g.ends = append(g.ends, len(g.ids))
}

// addGroup appends a group.
func (b *batch) addGroup(g *group) {
	s := len(b.starts)
	b.add(g.ids, g.types)
	l := &b.laid
	l.positions = append(l.positions, g.positions...)
	l.windows = append(l.windows, g.window)
	lo := g.window
	for _, hi := range g.ends {
		l.claims = append(l.claims, claim{s, lo, hi})
		lo = hi
	}
}

// gatherClaims moves the rows of claims to the front of x.
func (p *pass) gatherClaims(x []float32, width int) []float32 {
	rows := 0
	for s, at := range p.starts {
		from, to := at+p.laid.windows[s], at+p.lengths[s]
		copy(x[rows*width:], x[from*width:to*width])
		rows += to - from
	}
	return x[:rows*width]
}

// sight is memory for what tokens of claims see.
type sight struct {
	blocks []kernel.Block
	ranges [][2]int
	cuts   []int // where the blocks of each sequence begin
}

// sight returns what the tokens of each sequence see, those of windows left out
// where only claims are wanted.
func (p *pass) sight(claimsOnly bool) func(s int) []kernel.Block {
	l, v := &p.laid, &p.seen
	room(&v.ranges, len(l.windows)+2*len(l.claims))
	v.blocks, v.cuts = v.blocks[:0], v.cuts[:0]
	ranges, claims := v.ranges, l.claims
	for s, n := range l.windows {
		v.cuts = append(v.cuts, len(v.blocks))
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
	v.cuts = append(v.cuts, len(v.blocks))
	return func(s int) []kernel.Block { return v.blocks[v.cuts[s]:v.cuts[s+1]] }
}
