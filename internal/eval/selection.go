package eval

import (
	"errors"
	"fmt"
	"iter"
	"math/rand/v2"
	"slices"

	"github.com/ragfaith/ragfaith/internal/dataset"
)

// A Selection selects rows of a dataset, which keep their index and order. It applies the
// conditions, the limit, the sample and then the shard, so the shards partition the selection.
type Selection struct {
	Where  []dataset.Condition // on columns in Row.Kept; all must hold
	Limit  int                 // take at most the first N rows; 0 means all
	Sample int                 // sample size; 0 means no sampling
	Seed   uint64              // random seed of the sample
	Shard  int                 // from 1 to Shards
	Shards int                 // 0 or 1 means no sharding
}

// Apply returns the selected rows. Sampling reads all rows before yielding the first. Unreadable
// rows count as rows; any other error ends the iteration.
func (s Selection) Apply(rows iter.Seq2[dataset.Row, error]) iter.Seq2[dataset.Row, error] {
	if len(s.Where) > 0 {
		rows = where(rows, s.Where)
	}
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

// where selects unreadable rows and those that meet all conditions. Selecting none is an error.
func where(rows iter.Seq2[dataset.Row, error], conditions []dataset.Condition) iter.Seq2[dataset.Row, error] {
	selects := func(row *dataset.Row, err error) bool {
		rowErr, unreadable := errors.AsType[*dataset.RowError](err)
		if err != nil && (!unreadable || rowErr.Damaged) {
			return true
		}
		for _, c := range conditions {
			i := slices.IndexFunc(row.Kept, func(k dataset.Column) bool { return k.Name == c.Column })
			if i < 0 && !unreadable || i >= 0 && !c.Holds(row.Kept[i].Value) {
				return false
			}
		}
		return true
	}
	return func(yield func(dataset.Row, error) bool) {
		seen, selected := 0, 0
		for row, err := range rows {
			seen++
			if !selects(&row, err) {
				continue
			}
			selected++
			if !yield(row, err) {
				return
			}
		}
		if seen > 0 && selected == 0 {
			yield(dataset.Row{}, fmt.Errorf("--where selects none of %d rows", seen))
		}
	}
}

func limit(rows iter.Seq2[dataset.Row, error], n int) iter.Seq2[dataset.Row, error] {
	return func(yield func(dataset.Row, error) bool) {
		remaining := n
		for row, err := range rows {
			remaining--
			if !yield(row, err) || remaining == 0 {
				return
			}
		}
	}
}

func shard(rows iter.Seq2[dataset.Row, error], i, n int) iter.Seq2[dataset.Row, error] {
	return func(yield func(dataset.Row, error) bool) {
		for row, err := range rows {
			if isRowErr(err) && row.Index%n != i-1 {
				continue
			}
			if !yield(row, err) {
				return
			}
		}
	}
}

// sample selects n rows uniformly without replacement, using Vitter's algorithm R (ACM
// Transactions on Mathematical Software 11, 1985).
func sample(rows iter.Seq2[dataset.Row, error], n int, seed uint64) iter.Seq2[dataset.Row, error] {
	type item struct {
		row dataset.Row
		err error
	}
	return func(yield func(dataset.Row, error) bool) {
		random := rand.New(rand.NewPCG(seed, 0))
		var pool []item
		seen := 0
		for row, err := range rows {
			if !isRowErr(err) {
				yield(row, err)
				return
			}
			seen++
			if len(pool) < n {
				pool = append(pool, item{row, err})
			} else if k := random.IntN(seen); k < n {
				pool[k] = item{row, err}
			}
		}
		slices.SortFunc(pool, func(a, b item) int { return a.row.Index - b.row.Index })
		for _, d := range pool {
			if !yield(d.row, d.err) {
				return
			}
		}
	}
}

func isRowErr(err error) bool {
	_, unreadable := errors.AsType[*dataset.RowError](err)
	return err == nil || unreadable
}
