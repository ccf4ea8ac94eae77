package report

import (
	"strconv"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/ragfaith/ragfaith/internal/dataset"
)

func TestKeptValuesStandUnderTheirNames(t *testing.T) {
	k := newKeptColumns(Options{Keep: []string{"b", "a", "b", "c"}})
	columns := []dataset.Column{{Name: "x", Value: []byte("0")}, {Name: "a", Value: []byte("1")}, {Name: "b", Value: []byte("2")}, {Name: "a", Value: []byte("3")}}
	k.see(columns)
	if d := cmp.Diff([]string{"b", "a", "c"}, k.names); d != "" {
		t.Error(d)
	}
	if d := cmp.Diff([][]byte{[]byte("2"), []byte("1"), nil}, k.values(columns)); d != "" {
		t.Error(d)
	}
}

// A table may have thousands of columns: ten times as many take about ten times
// as long, and not a hundred times.
func TestManyKeptColumnsAreSeenInLinearTime(t *testing.T) {
	took := func(n int) time.Duration {
		columns := make([]dataset.Column, n)
		for i := range columns {
			columns[i] = dataset.Column{Name: "a column of the table " + strconv.Itoa(i), Value: []byte("1")}
		}
		k := newKeptColumns(Options{KeepAll: true, Warn: func(err error) { t.Error(err) }})
		best := time.Hour
		for range 3 {
			start := time.Now()
			k.see(columns)
			k.values(columns)
			best = min(best, time.Since(start))
		}
		return best
	}
	if few, many := took(2_000), took(20_000); many > 40*few {
		t.Errorf("%v for 2,000 columns, %v for 20,000", few, many)
	}
}
