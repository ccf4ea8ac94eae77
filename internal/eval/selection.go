package eval

import (
	"errors"
	"iter"
	"math/rand/v2"
	"slices"

	"github.com/ragfaith/ragfaith/internal/dataset"
)

// A Selection selects rows of a dataset: first the limit, then the sample, then the shard,
// so that the shards together are the selection. Rows keep their index and order.
type Selection struct {
	Limit  int    // number of first rows; 0 for all
	Sample int    // number of random rows; 0 for all
	Seed   uint64 // random seed of the sample
	Shard  int    // 1 to Shards
	Shards int    // 0 or 1 for no sharding
}

// Of returns the selected rows. A sample reads all rows before the first is returned and
// keeps Sample of them in memory. Unreadable rows count as rows; any other error ends the
// rows.
func (s Selection) Of(rows iter.Seq2[dataset.Row, error]) iter.Seq2[dataset.Row, error] {
	if s.Limit > 0 {
		rows = limit(rows, s.Limit)
	}
	if s.Sample > 0 {
		rows = sample(rows, s.Sample, s.Seed)
	}
	if s.Shards > 1 {
		rows = shard(rows, s.Shard, s.Shards)
	}
	return rows
}

func limit(rows iter.Seq2[dataset.Row, error], n int) iter.Seq2[dataset.Row, error] {
	return func(yield func(dataset.Row, error) bool) {
		left := n
		for row, err := range rows {
			left--
			if !yield(row, err) || left == 0 {
				return
			}
		}
	}
}

func shard(rows iter.Seq2[dataset.Row, error], i, n int) iter.Seq2[dataset.Row, error] {
	return func(yield func(dataset.Row, error) bool) {
		for row, err := range rows {
			if (isRow(err) && row.Index%n != i-1) || yield(row, err) {
				continue
			}
			return
		}
	}
}

// sample draws n rows uniformly without replacement with Vitter's algorithm R (ACM
// Transactions on Mathematical Software 11, 1985).
func sample(rows iter.Seq2[dataset.Row, error], n int, seed uint64) iter.Seq2[dataset.Row, error] {
	type drawn struct {
		row dataset.Row
		err error
	}
	return func(yield func(dataset.Row, error) bool) {
		random := rand.New(rand.NewPCG(seed, 0))
		var pool []drawn
		seen := 0
		for row, err := range rows {
			if !isRow(err) {
				yield(row, err)
				return
			}
			seen++
			if len(pool) < n {
				pool = append(pool, drawn{row, err})
			} else if k := random.IntN(seen); k < n {
				pool[k] = drawn{row, err}
			}
		}
		slices.SortFunc(pool, func(a, b drawn) int { return a.row.Index - b.row.Index })
		for _, d := range pool {
			if !yield(d.row, d.err) {
				return
			}
		}
	}
}

// isRow reports whether err belongs to a row, which may be unreadable.
func isRow(err error) bool {
	_, bad := errors.AsType[*dataset.RowError](err)
	return err == nil || bad
}
