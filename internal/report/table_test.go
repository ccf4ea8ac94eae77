package report

import (
	"flag"
	"fmt"
	"math"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"unicode"

	"github.com/google/go-cmp/cmp"
	"github.com/jedib0t/go-pretty/v6/text"

	"github.com/ragfaith/ragfaith/internal/dataset"
	"github.com/ragfaith/ragfaith/internal/result"
	"github.com/ragfaith/ragfaith/internal/result/resulttest"
)

var update = flag.Bool("update", false, "rewrite the golden files")

// golden compares got with a file in testdata, or updates the file.
func golden(t *testing.T, name, got string) {
	t.Helper()
	path := filepath.Join("testdata", name)
	if *update {
		if err := os.WriteFile(path, []byte(got), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	want, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	checkDiff(t, strings.Split(string(want), "\n"), strings.Split(got, "\n"))
}

// rows returns n results of all kinds in several scripts.
func rows(n int) []*result.Row {
	answers := []string{
		"Einstein was born in Ulm on 14 March 1879, and died in Princeton in 1955.",
		"アインシュタインは1879年3月14日にウルムで生まれた。彼は理論物理学者であった。",
		"Two\nlines\tand \x1b[31mred\x1b[0m \u202etxet", "e\u0301te\u0301 👍", "",
	}
	var all []*result.Row
	for i := range n {
		r := &result.Row{
			Index: i, ID: fmt.Sprintf("row-%d", i), Question: "Where and when was he born?", Answer: answers[i%5], Contexts: []string{"c"},
			Status: result.Scored, Faithfulness: float64(i%3) / 2, Support: float64(i%7) / 7,
			Claims: slices.Repeat([]result.Claim{{Verdict: result.NotMentioned}}, 2),
		}
		for k := range i % 3 {
			r.Claims[k].Verdict = result.Supported
		}
		if i%5 == 4 {
			r.Status, r.Reason, r.Faithfulness, r.Support, r.Claims = result.NoClaims, "empty", math.NaN(), math.NaN(), nil
		}
		if i%10 == 7 {
			r = resulttest.JudgeFailed()
			r.Index, r.ID = i, fmt.Sprintf("row-%d", i)
		}
		all = append(all, r)
	}
	return all
}

func TestTableGolden(t *testing.T) {
	for _, tt := range []struct {
		n, width int
		unsorted bool
	}{{20, 0, false}, {20, 0, true}, {21, 0, false}, {21, 0, true}, {1000, 0, true}, {1000, 80, true}, {1000, 50, false}, {8, 200, false}, {0, 0, false}} {
		t.Run(fmt.Sprintf("%d rows, width %d, unsorted %v", tt.n, tt.width, tt.unsorted), func(t *testing.T) {
			got := write(t, FormatTable, Options{Width: tt.width, DatasetOrder: tt.unsorted}, rows(tt.n)...)
			name := fmt.Sprintf("table-%d-%d.txt", tt.n, tt.width)
			if tt.unsorted {
				name = "unsorted-" + name
			}
			golden(t, name, got)
		})
	}
}

func TestTableKeepsTheLowestRows(t *testing.T) {
	all := rows(1000)
	all[999].Status, all[999].Faithfulness = result.Scored, -0.5
	all[998].Status, all[998].Faithfulness = result.NoClaims, 0 // --no-claims 0
	var b strings.Builder
	w := newTable(&b, Options{Tally: new(Tally)})
	for _, r := range all {
		_ = w.Write(r)
		if len(w.head) > maxTableRows {
			t.Fatalf("got %d rows in memory, want at most %d", len(w.head), maxTableRows)
		}
	}
	var got []int
	for i := range w.head {
		got = append(got, w.head[i].index)
	}
	want := []int{999, 0, 3, 6, 12, 15, 18, 21, 30, 33, 36, 42, 45, 48, 51, 60, 63, 66, 72, 75}
	checkDiff(t, want, got)
}

func TestTableShowsKeptColumns(t *testing.T) {
	all := rows(3)
	for i, r := range all {
		r.Kept = []dataset.Column{{Name: "model", Value: []byte(`"m"`)}, {Name: "human", Value: fmt.Appendf(nil, "%d.5", i*100)}, {Name: "list", Value: []byte("[\n1]")}}
	}
	all[2].Kept = nil
	golden(t, "table-kept.txt", write(t, FormatTable, Options{Width: 160, KeepAll: true}, all...))
}

func TestTableFitsWidth(t *testing.T) {
	all := rows(30)
	for _, r := range all {
		r.Kept = []dataset.Column{{Name: "a column", Value: []byte(`"some text in it"`)}, {Name: "数値", Value: []byte("17")}}
	}
	for width := 22; width < 240; width++ {
		got := write(t, FormatTable, Options{Width: width, KeepAll: true}, all...)
		frame, rest, _ := strings.Cut(got, "\n\n")
		if !strings.HasPrefix(rest, "[30 rows x 9 columns]\n") {
			t.Fatalf("width %d: got %q after the table, want the dimensions", width, rest)
		}
		head, _, _ := strings.Cut(frame, "\n")
		want := text.StringWidthWithoutEscSequences(head)
		for line := range strings.SplitSeq(frame, "\n") {
			if w := text.StringWidthWithoutEscSequences(line); w > width || w != want {
				t.Fatalf("got width %d, want %d as the first line, at most %d: %s", w, want, width, line)
			}
		}
		if !strings.Contains(frame, "faithfulness") {
			t.Fatalf("width %d: got no column faithfulness", width)
		}
	}
}

func TestTableTruncatesLongTextsEarly(t *testing.T) {
	long := rows(1)[0]
	long.Answer = strings.Repeat("x", 1<<20)
	var b strings.Builder
	w, err := New(FormatTable, &b, Options{DatasetOrder: true})
	if err != nil {
		t.Fatal(err)
	}
	allocs := testing.AllocsPerRun(1, func() {
		for range 100 {
			_ = w.Write(long)
		}
	})
	if allocs > 100*200 {
		t.Errorf("got %v allocations for 100 rows, want at most 200 for each", allocs)
	}
}

func FuzzTableCell(f *testing.F) {
	f.Add("plain", "\x1b]0;title\x07", 80)
	f.Add("\u202e\u2066\u200b\ufeff\u2028", "\xff\x00\x9b31m", 120)
	f.Add("👩‍👩‍👧", "\r\n\t\v", 40)
	f.Fuzz(func(t *testing.T, id, answer string, width int) {
		r := rows(1)[0]
		r.ID, r.Answer = id, answer
		r.Kept = []dataset.Column{{Name: id, Value: []byte(`"` + strings.ReplaceAll(answer, `"`, "") + `"`)}}
		got := write(t, FormatTable, Options{Width: width % 300, KeepAll: true}, r)
		for _, c := range strings.ReplaceAll(got, "\n", "") {
			if unicode.IsControl(c) || unicode.Is(unicode.Bidi_Control, c) {
				t.Fatalf("got %U unescaped in %q", c, got)
			}
		}
		if frame, _, _ := strings.Cut(got, "\n\n"); strings.Count(frame, "\n") != 1 {
			t.Fatalf("got %q, want one line below the header", frame)
		}
		if p := Printable(answer); strings.ContainsFunc(p, unicode.IsControl) || strings.ContainsFunc(p, func(c rune) bool { return unicode.Is(unicode.Bidi_Control, c) }) {
			t.Fatalf("Printable: got %q with control characters", p)
		}
	})
}

// checkDiff checks that got equals want.
func checkDiff(t *testing.T, want, got any, opts ...cmp.Option) {
	t.Helper()
	if d := cmp.Diff(want, got, opts...); d != "" {
		t.Errorf("(-want +got):\n%s", d)
	}
}
