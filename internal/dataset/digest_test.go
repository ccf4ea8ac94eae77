package dataset

import (
	"errors"
	"testing"
)

func TestDigestTellsDatasetsApart(t *testing.T) {
	digest := func(rows ...Row) string {
		d := NewDigest()
		for _, r := range rows {
			var err error
			if r.Line < 0 {
				err = errors.New("unreadable")
			}
			d.add(&r, err)
		}
		return d.String()
	}
	base := Row{ID: "1", Question: "q", Answer: "ab", Contexts: []string{"c", "d"}}
	same := base
	same.File, same.Line, same.Offset, same.Kept = "other.csv", 7, 9, []Column{{Name: "k"}}
	if digest(base) != digest(same) {
		t.Error("the digest depends on more than the fields")
	}
	seen := map[string]int{digest(base): -1}
	for i, rows := range [][]Row{
		nil,
		{base, base},
		{{ID: "2", Question: "q", Answer: "ab", Contexts: []string{"c", "d"}}},
		{{ID: "1", Question: "qa", Answer: "b", Contexts: []string{"c", "d"}}},
		{{ID: "1", Question: "q", Answer: "ab", Contexts: []string{"cd"}}},
		{{ID: "1", Question: "q", Answer: "ab", Contexts: []string{"c", "d", ""}}},
		{{ID: "1", Question: "q", Answer: "ab", Contexts: []string{"c", "d"}, Line: -1}},
		{{ID: "1", Question: "q", Answer: "ab", Contexts: []string{"c", "d"}, Sources: []Source{{ID: "x"}, {ID: "y"}}}},
		{{ID: "1", Question: "q", Answer: "ab", Contexts: []string{"c", "d"}, Sources: []Source{{ID: "y"}, {ID: "x"}}}},
		{{ID: "1", Question: "q", Answer: "ab", Contexts: []string{"c", "d"}, Sources: []Source{{}, {ID: "x"}}}},
		{{ID: "1", Question: "q", Answer: "ab", Contexts: []string{"c", "d"}, Sources: []Source{{}, {Title: "x"}}}},
	} {
		d := digest(rows...)
		if j, found := seen[d]; found {
			t.Errorf("datasets %d and %d have the same digest", i, j)
		}
		seen[d] = i
	}
}
