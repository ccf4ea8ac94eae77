package layout

import (
	"slices"
	"strings"
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

func TestLists(t *testing.T) {
	t.Parallel()
	for _, tt := range []struct {
		text  string
		lead  string
		items []string
	}{
		{"Hello. Bring:\n- a tent\n- a stove\n", "Bring:", []string{"- a tent", "- a stove"}},
		{"Bring:\n1. a tent\n   with poles\n2. a stove", "Bring:", []string{"1. a tent\n   with poles", "2. a stove"}},
		{"Bring: a tent, a stove and a lamp. Enjoy.", "Bring", []string{" a tent", " a stove", "a lamp"}},
		{"Bring (a) a tent, (b) a stove, (c) a lamp", "Bring", []string{"a) a tent", "b) a stove", "c) a lamp"}},
		{"Bring: a tent and a stove.", "", nil},
		{"- a tent\n- a stove", "", nil},
	} {
		lists := Lists(tt.text, 10)
		if len(lists) != min(1, len(tt.items)) {
			t.Errorf("%q: got %d lists, want %d", tt.text, len(lists), min(1, len(tt.items)))
			continue
		}
		for _, l := range lists {
			lead, items := tt.text[l.Lead.Start:l.Lead.End], texts(tt.text, l.Items)
			if lead != tt.lead || !slices.Equal(items, tt.items) {
				t.Errorf("%q: got %q, %q, want %q, %q", tt.text, lead, items, tt.lead, tt.items)
			}
		}
	}
	if got := Lists("Bring: a, b, c.\nTake: d, e, f.", 1); len(got) != 1 {
		t.Errorf("limit 1: got %d lists, want 1", len(got))
	}
}

// Quadratic work would exceed the timeout of the test.
func TestManyLeadsTakeLinearTime(t *testing.T) {
	for _, text := range []string{strings.Repeat("a: b ", 200_000) + ",", strings.Repeat(`"k":"the fee",`, 75_000), strings.Repeat("(a ", 300_000)} {
		if got := Lists(text, 256); len(got) > 256 {
			t.Errorf("%.20s: got %d lists, want at most 256", text, len(got))
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
		for _, l := range Lists(text, 100) {
			for _, item := range l.Items {
				if item.Start < l.Lead.End || item.End < item.Start || item.End > len(text) {
					t.Fatalf("got item %v, want it after lead %v and within %d bytes", item, l.Lead, len(text))
				}
			}
		}
	})
}
