package eval

import (
	"errors"
	"iter"
	"slices"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/ragfaith/ragfaith/internal/dataset"
)

func indexes(rows iter.Seq2[dataset.Row, error]) []int {
	var got []int
	for row, err := range rows {
		if err != nil && !isRowErr(err) {
			break
		}
		got = append(got, row.Index)
	}
	return got
}

func TestSelectionOrder(t *testing.T) {
	for _, tt := range []struct {
		name string
		s    Selection
		want []int
	}{
		{"all", Selection{}, []int{0, 1, 2, 3, 4, 5, 6, 7, 8, 9}},
		{"limit", Selection{Limit: 3}, []int{0, 1, 2}},
		{"limit beyond the end", Selection{Limit: 30}, []int{0, 1, 2, 3, 4, 5, 6, 7, 8, 9}},
		{"shard 2 of 3", Selection{Shard: 2, Shards: 3}, []int{1, 4, 7}},
		{"shard 1 of 1", Selection{Shard: 1, Shards: 1}, []int{0, 1, 2, 3, 4, 5, 6, 7, 8, 9}},
		{"sample larger than the dataset", Selection{Sample: 30}, []int{0, 1, 2, 3, 4, 5, 6, 7, 8, 9}},
	} {
		t.Run(tt.name, func(t *testing.T) {
			if d := cmp.Diff(tt.want, indexes(tt.s.Apply(numbered(10)))); d != "" {
				t.Error(d)
			}
		})
	}
}

func TestShardsPartitionRows(t *testing.T) {
	whole := Selection{Limit: 900, Sample: 200, Seed: 5}
	want := indexes(whole.Apply(numbered(1000)))
	var got []int
	for i := range 3 {
		part := whole
		part.Shard, part.Shards = i+1, 3
		got = append(got, indexes(part.Apply(numbered(1000)))...)
	}
	slices.Sort(got)
	if d := cmp.Diff(want, got); d != "" {
		t.Error(d)
	}
}

func TestSampleIsUniformAndSeeded(t *testing.T) {
	hits := make([]int, 20)
	for seed := range uint64(4000) {
		got := indexes(Selection{Sample: 5, Seed: seed}.Apply(numbered(20)))
		if len(got) != 5 || !slices.IsSorted(got) {
			t.Fatalf("seed %d: got %v, want 5 rows in order", seed, got)
		}
		for _, i := range got {
			hits[i]++
		}
		if seed < 5 {
			if again := indexes(Selection{Sample: 5, Seed: seed}.Apply(numbered(20))); !slices.Equal(got, again) {
				t.Errorf("seed %d: got %v, then %v", seed, got, again)
			}
		}
	}
	for i, n := range hits {
		if n < 850 || n > 1150 { // mean 1000, standard deviation 27
			t.Errorf("row %d: got %d draws, want about 1000", i, n)
		}
	}
}

func TestSelectionCountsUnreadableRows(t *testing.T) {
	readErr := errors.New("unexpected EOF")
	bad := &dataset.RowError{File: "f", Line: 2, Err: errors.New("bad")}
	rows := func(end error) iter.Seq2[dataset.Row, error] {
		return func(yield func(dataset.Row, error) bool) {
			if yield(dataset.Row{Index: 0}, nil) && yield(dataset.Row{Index: 1}, bad) && yield(dataset.Row{Index: 2}, nil) && end != nil {
				yield(dataset.Row{}, end)
			}
		}
	}
	for _, s := range []Selection{{Sample: 2}, {Shard: 1, Shards: 2}, {Shard: 2, Shards: 2}, {Limit: 4}} {
		var last error
		for _, err := range s.Apply(rows(readErr)) {
			last = err
		}
		if !errors.Is(last, readErr) {
			t.Errorf("%+v: got error %v, want %v", s, last, readErr)
		}
	}
	if got := indexes(Selection{Shard: 2, Shards: 2}.Apply(rows(nil))); !slices.Equal(got, []int{1}) {
		t.Errorf("got rows %v, want [1]", got)
	}
	for _, s := range []Selection{{Sample: 3}, {Shard: 1, Shards: 2}, {Limit: 3}} {
		for _, err := range s.Apply(rows(nil)) {
			if err != nil {
				t.Error(err)
			}
			break // a yield after this would panic
		}
	}
}

func TestConditionsOfUnreadableRows(t *testing.T) {
	t.Parallel()
	c, err := dataset.ParseCondition("status=ok")
	if err != nil {
		t.Fatal(err)
	}
	row := func(i int, status string, damaged bool, yield func(dataset.Row, error) bool) bool {
		r := dataset.Row{Index: i}
		if status != "" {
			r.Kept = []dataset.Column{{Name: "status", Value: []byte(`"` + status + `"`)}}
		}
		return yield(r, &dataset.RowError{Err: errors.New("bad"), Damaged: damaged})
	}
	got := indexes(Selection{Where: []dataset.Condition{c}}.Apply(func(yield func(dataset.Row, error) bool) {
		_ = row(0, "ok", false, yield) && row(1, "error", false, yield) && row(2, "error", true, yield) && row(3, "", false, yield)
	}))
	if want := []int{0, 2, 3}; !slices.Equal(got, want) {
		t.Errorf("got rows %v, want %v", got, want)
	}
}
