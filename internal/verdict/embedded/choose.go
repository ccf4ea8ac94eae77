package embedded

import (
	"context"
	"slices"
	"strings"

	"github.com/ragfaith/ragfaith/internal/extract"
)

// packedGain is the minimum benefit of a packed window: the additional share of
// a claim's words, by weight, that its sentences cover compared with the best
// passage.
const packedGain = 0.1

// maxPacked limits the claims of a row that get packed windows, since each of
// these windows is read for a single claim.
const maxPacked = 64

// choose splits the contexts into windows and returns, for each claim, the
// indexes in r.windows that the model reads with it. These are the windows that
// cover most of the claim, and a packed window if its words occur in several
// places. A claim that shares no word with any window, for example in another
// language, is read with the first windows.
func (j *Judge) choose(ctx context.Context, r *row) ([][]int, error) {
	contexts := r.task.Contexts
	var texts []string
	passages, err := j.cutter().Split(ctx, contexts, j.o.Formula.Room)
	if err != nil {
		return nil, err
	}
	for _, p := range passages {
		text := contexts[p.Text][p.Start:p.End]
		texts = append(texts, text)
		r.windows = append(r.windows, window{text, []piece{{p.Text, p.Start, p.End}}})
	}
	chosen := make([][]int, len(r.task.Claims))
	if len(texts) == 0 {
		return chosen, nil
	}
	if r.cover, err = j.o.Words.Features(ctx, r.task.Claims, texts); err != nil {
		return nil, err
	}
	var spread []int // claims that may need packed windows
	for i := range chosen {
		if r.signals[i].Settled {
			continue
		}
		if err := ctx.Err(); err != nil {
			return nil, err
		}
		f := r.cover[i]
		order := make([]int, len(texts))
		for w := range order {
			order[w] = w
		}
		slices.SortStableFunc(order, func(a, b int) int {
			switch {
			case f[a].Score > f[b].Score:
				return -1
			case f[a].Score < f[b].Score:
				return 1
			}
			return 0
		})
		order = order[:min(len(order), j.o.Formula.Windows)]
		touching := slices.IndexFunc(order, func(w int) bool { return f[w].Near == 0 })
		if touching > 0 {
			order = order[:touching]
		}
		chosen[i] = order
		if len(texts) > 1 && f[order[0]].Wide < 1-packedGain && len(spread) < maxPacked {
			spread = append(spread, i)
		}
	}
	return chosen, j.pack(ctx, r, chosen, spread)
}

// pack adds packed windows for the claims in spread that benefit from them.
func (j *Judge) pack(ctx context.Context, r *row, chosen [][]int, spread []int) error {
	if j.o.Formula.Packed == 0 || len(spread) == 0 {
		return nil
	}
	var sentences []string
	var sizes []int
	var at []piece
	for c, text := range r.task.Contexts {
		j.o.Sentences(text, func(start, end int) {
			if ctx.Err() != nil {
				return // Pack returns the error
			}
			sentences = append(sentences, text[start:end])
			sizes = append(sizes, 1+j.o.Model.Count(text[start:end]))
			at = append(at, piece{c, start, end})
		})
	}
	claims := make([]extract.Claim, len(spread))
	for k, i := range spread {
		claims[k] = r.task.Claims[i]
	}
	packs, covered, err := j.o.Words.Pack(ctx, claims, sentences, sizes, j.o.Formula.Packed)
	if err != nil {
		return err
	}
	known := map[string]int{}
	for k, i := range spread {
		if len(packs[k]) < 2 || covered[k] < r.cover[i][chosen[i][0]].Wide+packedGain {
			continue
		}
		parts, pieces := make([]string, len(packs[k])), make([]piece, len(packs[k]))
		for n, s := range packs[k] {
			parts[n], pieces[n] = strings.TrimSpace(sentences[s]), at[s]
		}
		text := strings.Join(parts, " ")
		w, ok := known[text]
		if !ok {
			w = len(r.windows)
			known[text] = w
			r.windows = append(r.windows, window{text, pieces})
		}
		chosen[i] = append(chosen[i], w)
	}
	return nil
}
