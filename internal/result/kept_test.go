package result_test

import (
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
