package main

import (
	"path/filepath"
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
