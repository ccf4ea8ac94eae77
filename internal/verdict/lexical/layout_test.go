package lexical

import (
	"slices"
	"strings"
	"testing"
)

func TestFindTables(t *testing.T) {
	t.Parallel()
	for _, tt := range []struct {
		text string
		want [][]string // cells of each row, for all tables
	}{
		{"intro\n| a | b |\n|---|---|\n| 1 | 2 |\n\nend", [][]string{{" a ", " b "}, {" 1 ", " 2 "}}},
		{"a\tb\n1\t2\n", [][]string{{"a", "b"}, {"1", "2"}}},
		{"a;b;c\n1;2;3\n4;5;6", [][]string{{"a", "b", "c"}, {"1", "2", "3"}, {"4", "5", "6"}}},
		{"one; two\nthree; four\nfive; six", nil}, // prose
		{"| a | b |\n| 1 |\n", nil},
		{"a \\| b | c\n1 | 2", [][]string{{"a \\| b ", " c"}, {"1 ", " 2"}}},
	} {
		var got [][]string
		for _, rows := range findTables(tt.text) {
			for _, r := range rows {
				got = append(got, r.cells)
			}
		}
		if !slices.EqualFunc(got, tt.want, slices.Equal) {
			t.Errorf("%q: got %q, want %q", tt.text, got, tt.want)
		}
	}
}

func FuzzFindTables(f *testing.F) {
	for _, s := range []string{"intro\n| a | b |\n|:--|--:|\n| 1 | 2 |\n", "a\tb\n1\t2\n", "|", "a|b\n|-", "- a\n- b", "\t\n\t\t\n", "a: b, c, d and e"} {
		f.Add(s)
	}
	f.Fuzz(func(t *testing.T, text string) {
		for _, rows := range findTables(text) {
			for _, r := range rows {
				if r.start < 0 || r.end < r.start || r.end > len(text) {
					t.Fatalf("%q: got row from %d to %d", text, r.start, r.end)
				}
				for _, c := range r.cells {
					if !strings.Contains(text[r.start:r.end], c) {
						t.Fatalf("%q: got cell %q, want a part of the row", text, c)
					}
				}
			}
		}
	})
}
