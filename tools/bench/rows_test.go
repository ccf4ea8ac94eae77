package main

import (
	"fmt"
	"path/filepath"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/ragfaith/ragfaith/internal/dataset"
)

func TestWriteGivesTheSameRowsInEveryFormat(t *testing.T) {
	const n = 1500 // more than a batch
	var want []dataset.Row
	for _, ext := range []string{"jsonl", "csv", "parquet"} {
		path := filepath.Join(t.TempDir(), "x."+ext)
		if err := write(n, path, 1); err != nil {
			t.Fatal(err)
		}
		set, err := dataset.Open([]string{path}, dataset.Options{})
		if err != nil {
			t.Fatal(err)
		}
		var rows []dataset.Row
		for row, err := range set.Rows() {
			if err != nil {
				t.Fatal(err)
			}
			row.File, row.Line, row.Offset = "", 0, 0
			rows = append(rows, row)
		}
		if want == nil {
			want = rows
		}
		if d := cmp.Diff(want, rows); d != "" || len(rows) != n {
			t.Errorf("%s: got %d rows, want %d: %s", ext, len(rows), n, d)
		}
	}
}

func TestCheckOrder(t *testing.T) {
	lines := func(indexes ...int) string {
		var b strings.Builder
		for _, i := range indexes {
			fmt.Fprintf(&b, `{"index":%d,"id":"a"}`+"\n", i)
		}
		return b.String()
	}
	for _, tt := range []struct {
		text string
		n    int
		ok   bool
	}{
		{lines(0, 1, 2), 3, true},
		{lines(), 0, true},
		{lines(0, 1), 3, false},
		{lines(0, 1, 2, 3), 3, false},
		{lines(0, 2, 1), 3, false},
		{lines(0, 1, 1), 3, false},
		{lines(0) + "x\n", 2, false},
		{lines(0) + "1,\n", 2, false},
		{`{"index":0,` + "\n", 1, false},
	} {
		if err := checkOrder(strings.NewReader(tt.text), tt.n); (err == nil) != tt.ok {
			t.Errorf("%q: got %v, want success %t", tt.text, err, tt.ok)
		}
	}
}
