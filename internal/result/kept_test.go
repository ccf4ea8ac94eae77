package result_test

import (
	"strconv"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/ragfaith/ragfaith/internal/dataset"
	"github.com/ragfaith/ragfaith/internal/result"
)

func TestKeptColumnsMatchByName(t *testing.T) {
	k := result.NewKeptColumns(result.Options{Keep: []string{"b", "a", "b", "c"}})
	columns := []dataset.Column{{Name: "x", Value: []byte("0")}, {Name: "a", Value: []byte("1")}, {Name: "b", Value: []byte("2")}, {Name: "a", Value: []byte("3")}}
	k.Observe(columns)
	if d := cmp.Diff([]string{"b", "a", "c"}, k.Names); d != "" {
		t.Error(d)
	}
	if d := cmp.Diff([][]byte{[]byte("2"), []byte("1"), nil}, k.Values(columns)); d != "" {
		t.Error(d)
	}
}

// Tables may have thousands of columns. The time for each does not depend on their number.
func BenchmarkKeptColumns(b *testing.B) {
	for _, n := range []int{1_000, 30_000} {
		columns := make([]dataset.Column, n)
		for i := range columns {
			columns[i] = dataset.Column{Name: "a column of the table " + strconv.Itoa(i), Value: []byte("1")}
		}
		b.Run(strconv.Itoa(n), func(b *testing.B) {
			k := result.NewKeptColumns(result.Options{KeepAll: true, Warn: func(err error) { b.Error(err) }})
			for b.Loop() {
				k.Observe(columns)
				k.Values(columns)
			}
			b.ReportMetric(float64(b.Elapsed().Nanoseconds())/float64(b.N*n), "ns/column")
		})
	}
}
