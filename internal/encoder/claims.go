package encoder

import (
	"context"
	"fmt"
	"math"
	"slices"

	"github.com/ragfaith/ragfaith/internal/encoder/kernel"
)

// claimClasses is the number of classes predicted for each claim.
const claimClasses = 3

// claimHeads computes logits from the hidden values of claims. The classes are
// predicted from the hidden values of the claim's last token and from their mean and
// maximum over all of its tokens. A separate layer predicts one logit per token.
type claimHeads struct {
	width                  int
	hidden, classes, token *kernel.Linear
}

// run returns the logits of all claims and of their tokens, in memory owned by p.
// x holds the hidden values of the claims' tokens.
func (h *claimHeads) run(p *pass, x []float32) (classes, tokens []float32) {
	width, claims := h.width, p.layout.claims
	features := grow(&p.scratch[0], len(claims)*3*width)
	sums := grow(&p.sums, len(claims)*width)
	starts := grow(&p.rows, len(claims)+1)
	starts[0] = 0
	for i, c := range claims {
		starts[i+1] = starts[i] + c.hi - c.lo
	}
	p.pool.For(len(claims), func(_ *kernel.Worker, i int) {
		rows := x[starts[i]*width : starts[i+1]*width]
		dst := features[i*3*width : (i+1)*3*width]
		last, mean, largest := dst[:width], dst[width:2*width], dst[2*width:]
		copy(last, rows[len(rows)-width:])
		copy(largest, rows)
		sum := sums[i*width : (i+1)*width]
		clear(sum)
		n := float64(len(rows) / width)
		for ; len(rows) > 0; rows = rows[width:] {
			for j, v := range rows[:width] {
				sum[j] += float64(v)
				largest[j] = max(largest[j], v)
			}
		}
		for j, v := range sum {
			mean[j] = float32(v / n)
		}
	})
	hidden := grow(&p.scratch[1], len(claims)*width)
	p.pool.Apply(h.hidden, hidden, width, features, 3*width, len(claims), kernel.Gelu)
	logits := grow(&p.scratch[2], len(claims)*claimClasses+len(x)/width)
	classes, tokens = logits[:len(claims)*claimClasses], logits[len(claims)*claimClasses:]
	p.pool.Apply(h.classes, classes, claimClasses, hidden, width, len(claims), kernel.None)
	p.pool.Apply(h.token, tokens, 1, x, width, len(tokens), kernel.None)
	return classes, tokens
}

// A claimSequence is a model input with claims of a single group.
type claimSequence struct {
	tokenSequence
	out   []ClaimOutput // results for the claims in this sequence
	group int           // index of the group, for errors
	first int           // index of the first claim in the group, for errors
}

// Judge returns the output for every claim of every group, in input order. The
// claims of a group share sequences of up to 2048 tokens. If a group needs more than
// one sequence, its window is recomputed for each.
func (g *Grounding) Judge(ctx context.Context, groups []Group) ([][]ClaimOutput, error) {
	result := make([][]ClaimOutput, len(groups))
	byGroup := make([][]claimSequence, len(groups))
	err := g.forEachInput(ctx, len(groups), func(m *wordMatcher, i int) error {
		result[i] = make([]ClaimOutput, len(groups[i].Claims))
		var err error
		byGroup[i], err = g.buildSequences(m, &groups[i], result[i])
		if err != nil {
			return fmt.Errorf("group %d: %w", i, err)
		}
		for j := range byGroup[i] {
			byGroup[i][j].group = i
		}
		return nil
	})
	if err != nil {
		return nil, err
	}
	seqs := slices.Concat(byGroup...)
	length := func(i int) int { return len(seqs[i].ids) }
	err = forEachPass(byLengthDescending(len(seqs), length), length, func(indices []int) error {
		fill := func(b *batch) {
			for _, i := range indices {
				b.addClaims(&seqs[i].tokenSequence)
			}
		}
		return g.runPass(ctx, false, fill, func(p *pass, hidden []float32) error {
			classes, tokens := g.heads.run(p, hidden)
			for _, i := range indices {
				var err error
				if classes, tokens, err = seqs[i].setLogits(classes, tokens); err != nil {
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

// buildSequences tokenizes a group and packs its claims into sequences. It allocates
// the Tokens field of each element of out.
func (g *Grounding) buildSequences(m *wordMatcher, group *Group, out []ClaimOutput) ([]claimSequence, error) {
	if len(out) == 0 {
		return nil, nil
	}
	window, _, err := g.encode(group.Window, maxWindowTokens)
	if err != nil {
		return nil, fmt.Errorf("window: %w", err)
	}
	claims := make([][]int32, len(out))
	for i, text := range group.Claims {
		ids, offsets, err := g.encode(text, maxClaimTokens)
		if err != nil {
			return nil, fmt.Errorf("claim %d: %w", i, err)
		}
		claims[i] = ids
		out[i].Tokens = make([]TokenLogit, len(ids))
		for t, o := range offsets {
			out[i].Tokens[t] = TokenLogit{Start: o[0], End: o[1]}
		}
	}
	m.setWindow(window)
	var seqs []claimSequence
	for first := 0; first < len(claims); {
		last, tokens := first, 0
		for last < len(claims) && (last == first || len(window)+2+tokens+len(claims[last])+1 <= passTokens) {
			tokens += len(claims[last]) + 1
			last++
		}
		s := claimSequence{out: out[first:last], first: first}
		s.start(window, last-first, tokens)
		for _, ids := range claims[first:last] {
			s.addClaim(m, ids)
		}
		seqs, first = append(seqs, s), last
	}
	return seqs, nil
}

// setLogits stores the logits of the sequence's claims, which are at the front of
// classes and tokens, and returns the remaining logits.
func (s *claimSequence) setLogits(classes, tokens []float32) (restClasses, restTokens []float32, err error) {
	for i := range s.out {
		out := &s.out[i]
		finite := true
		for j := range out.Logits {
			out.Logits[j] = classes[j]
			finite = finite && isFinite(classes[j])
		}
		for j := range out.Tokens {
			out.Tokens[j].Unsupported = tokens[j]
			finite = finite && isFinite(tokens[j])
		}
		if !finite {
			return nil, nil, fmt.Errorf("group %d: claim %d: the model's output is not a number", s.group, s.first+i)
		}
		classes, tokens = classes[claimClasses:], tokens[len(out.Tokens)+1:] // skip the logit of [SEP]
	}
	return classes, tokens, nil
}

func isFinite(v float32) bool { return math.Abs(float64(v)) <= math.MaxFloat32 }
