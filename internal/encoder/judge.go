package encoder

import (
	"context"
	"fmt"
	"math"

	"github.com/ragfaith/ragfaith/internal/encoder/kernel"
)

// claimClasses is how many logits a claim has.
const claimClasses = 3

// claimHeads read the hidden values of claims: out of the last token's, the mean
// and the largest of all, the classes' logits, and out of each token's its own.
type claimHeads struct {
	width                  int
	hidden, classes, token *kernel.Linear
}

// run returns the logits of each claim and of each of their tokens, in memory of
// p. x has the hidden values of the claims' tokens.
func (h *claimHeads) run(p *pass, x []float32) (classes, tokens []float32) {
	width, claims := h.width, p.laid.claims
	joined := room(&p.spare[0], len(claims)*3*width)
	sums := room(&p.sums, len(claims)*width)
	starts := room(&p.rows, len(claims)+1)
	starts[0] = 0
	for i, c := range claims {
		starts[i+1] = starts[i] + c.hi - c.lo
	}
	p.pool.For(len(claims), func(_ *kernel.Worker, i int) {
		rows := x[starts[i]*width : starts[i+1]*width]
		dst := joined[i*3*width : (i+1)*3*width]
		last, mean, most := dst[:width], dst[width:2*width], dst[2*width:]
		copy(last, rows[len(rows)-width:])
		copy(most, rows)
		sum := sums[i*width : (i+1)*width]
		clear(sum)
		n := float64(len(rows) / width)
		for ; len(rows) > 0; rows = rows[width:] {
			for j, v := range rows[:width] {
				sum[j] += float64(v)
				most[j] = max(most[j], v)
			}
		}
		for j, v := range sum {
			mean[j] = float32(v / n)
		}
	})
	hidden := room(&p.spare[1], len(claims)*width)
	p.pool.Apply(h.hidden, hidden, width, joined, 3*width, len(claims), kernel.Gelu)
	logits := room(&p.spare[2], len(claims)*claimClasses+len(x)/width)
	classes, tokens = logits[:len(claims)*claimClasses], logits[len(claims)*claimClasses:]
	p.pool.Apply(h.classes, classes, claimClasses, hidden, width, len(claims), kernel.None)
	p.pool.Apply(h.token, tokens, 1, x, width, len(tokens), kernel.None)
	return classes, tokens
}

// A part is a sequence of a group's claims.
type part struct {
	group
	held []Held // of the claims, whose tokens lack their logits
	from [2]int // the group and its first claim, for errors
}

// Judge holds the claims of each group against its window. A group's claims are
// computed in one sequence, as long as that has no more than some two thousand
// tokens; then the window is computed again for the next ones.
func (g *Grounding) Judge(ctx context.Context, groups []Group) ([][]Held, error) {
	result := make([][]Held, len(groups))
	laid := make([][]part, len(groups))
	err := g.each(ctx, len(groups), func(m *marks, i int) error {
		result[i] = make([]Held, len(groups[i].Claims))
		var err error
		laid[i], err = g.lay(m, &groups[i], result[i])
		if err != nil {
			return fmt.Errorf("group %d: %w", i, err)
		}
		for j := range laid[i] {
			laid[i][j].from[0] = i
		}
		return nil
	})
	if err != nil {
		return nil, err
	}
	var parts []part
	for _, some := range laid {
		parts = append(parts, some...)
	}
	length := func(i int) int { return len(parts[i].ids) }
	err = passes(longestFirst(len(parts), length), length, func(numbers []int) error {
		fill := func(b *batch) {
			for _, i := range numbers {
				b.addGroup(&parts[i].group)
			}
		}
		return g.once(ctx, false, fill, func(p *pass, hidden []float32) error {
			classes, tokens := g.heads.run(p, hidden)
			for _, i := range numbers {
				var err error
				if classes, tokens, err = parts[i].take(classes, tokens); err != nil {
					return err
				}
			}
			return nil
		})
	})
	if err != nil {
		return nil, err
	}
	return result, nil
}

// lay turns a group into sequences, and makes room for what comes out.
func (g *Grounding) lay(m *marks, from *Group, held []Held) ([]part, error) {
	if len(held) == 0 {
		return nil, nil
	}
	window, _, err := g.encode(from.Window, mostWindow)
	if err != nil {
		return nil, fmt.Errorf("window: %w", err)
	}
	claims := make([][]int32, len(held))
	for i, text := range from.Claims {
		ids, offsets, err := g.encode(text, mostClaim)
		if err != nil {
			return nil, fmt.Errorf("claim %d: %w", i, err)
		}
		claims[i] = ids
		held[i].Tokens = make([]TokenMark, len(ids))
		for t, o := range offsets {
			held[i].Tokens[t] = TokenMark{Start: o[0], End: o[1]}
		}
	}
	m.look(window)
	var parts []part
	for first := 0; first < len(claims); {
		last, tokens := first, 0
		for last < len(claims) && (last == first || len(window)+2+tokens+len(claims[last])+1 <= passTokens) {
			tokens += len(claims[last]) + 1
			last++
		}
		p := part{held: held[first:last], from: [2]int{0, first}}
		p.begin(window, last-first, tokens)
		for _, ids := range claims[first:last] {
			p.claim(m, ids)
		}
		parts, first = append(parts, p), last
	}
	return parts, nil
}

// take sets the logits of the part's claims and tokens to the first of those
// given, and returns the others.
func (p *part) take(classes, tokens []float32) (restClasses, restTokens []float32, err error) {
	for i := range p.held {
		h := &p.held[i]
		good := true
		for j := range h.Logits {
			h.Logits[j] = classes[j]
			good = good && finiteNumber(classes[j])
		}
		for j := range h.Tokens {
			h.Tokens[j].Unsupported = tokens[j]
			good = good && finiteNumber(tokens[j])
		}
		if !good {
			return nil, nil, fmt.Errorf("group %d: claim %d: the model's output is not a number", p.from[0], p.from[1]+i)
		}
		// The [SEP] has a logit too, which says nothing.
		classes, tokens = classes[claimClasses:], tokens[len(h.Tokens)+1:]
	}
	return classes, tokens, nil
}

func finiteNumber(v float32) bool { return math.Abs(float64(v)) <= math.MaxFloat32 }
