package layout

import (
	"slices"
	"testing"
)

// texts returns the text of each span.
func texts(text string, spans []Span) []string {
	var out []string
	for _, s := range spans {
		out = append(out, text[s.Start:s.End])
	}
	return out
}

func TestTables(t *testing.T) {
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
		for _, rows := range Tables(tt.text) {
			for _, r := range rows {
				got = append(got, texts(tt.text, r.Cells))
			}
		}
		if !slices.EqualFunc(got, tt.want, slices.Equal) {
			t.Errorf("%q: got %q, want %q", tt.text, got, tt.want)
		}
	}
}

func FuzzLayout(f *testing.F) {
	for _, s := range []string{"intro\n| a | b |\n|:--|--:|\n| 1 | 2 |\n", "a\tb\n1\t2\n", "|", "a|b\n|-", "- a\n- b", "\t\n\t\t\n", "a: b, c, d and e"} {
		f.Add(s)
	}
	f.Fuzz(func(t *testing.T, text string) {
		for _, rows := range Tables(text) {
			for _, r := range rows {
				for _, s := range append([]Span{r.Span}, r.Cells...) {
					if s.Start < r.Start || s.End < s.Start || s.End > r.End || r.End > len(text) {
						t.Fatalf("got span %v, want it within row %v and %d bytes", s, r.Span, len(text))
					}
				}
			}
		}
	})
}
