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

// A table may have thousands of columns. With the square of their number these
// would take many seconds, and not some hundredths of one.
func TestManyKeptColumnsAreSeenInLinearTime(t *testing.T) {
	columns := make([]dataset.Column, 100_000)
	for i := range columns {
		columns[i] = dataset.Column{Name: "a column of the table " + strconv.Itoa(i), Value: []byte("1")}
	}
	k := newKeptColumns(Options{KeepAll: true, Warn: func(err error) { t.Error(err) }})
	start := time.Now()
	k.see(columns)
	k.values(columns)
	if took := time.Since(start); took > 3*time.Second {
		t.Errorf("%v for %d columns", took, len(columns))
	}
}
