package report

import (
	"cmp"
	"fmt"
	"io"
	"math"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"
	"unicode"

	gocmp "github.com/google/go-cmp/cmp"

	"github.com/ragfaith/ragfaith/internal/dataset"
	"github.com/ragfaith/ragfaith/internal/result"
	"github.com/ragfaith/ragfaith/internal/result/resulttest"
)

func TestWorstKeepsLowestRows(t *testing.T) {
	random := rand.New(rand.NewPCG(1, 2))
	var all []*result.Row
	for i := range 200 {
		r := resulttest.Scored()
		r.Index = i
		r.Faithfulness, r.Support = float64(random.IntN(5))/5, float64(random.IntN(3))/3
		all = append(all, r)
	}
	sorted := slices.Clone(all)
	slices.SortStableFunc(sorted, func(a, b *result.Row) int {
		return cmp.Or(cmp.Compare(a.Faithfulness, b.Faithfulness), cmp.Compare(a.Support, b.Support), cmp.Compare(a.Index, b.Index))
	})
	var want []int
	for _, r := range sorted[:30] {
		want = append(want, r.Index)
	}
	random.Shuffle(len(all), func(i, j int) { all[i], all[j] = all[j], all[i] })
	w := feed(NewWorst(30), all...)
	var got []int
	for _, r := range w.rows {
		got = append(got, r.Index)
	}
	if d := gocmp.Diff(want, got); d != "" || w.unsupported != 200 {
		t.Errorf("got %d unsupported rows, want 200; worst rows (-want +got):\n%s", w.unsupported, d)
	}
}

func TestClipTruncatesAndEscapes(t *testing.T) {
	for _, tt := range []struct {
		in, want string
		limit    int
	}{
		{"", "", 5},
		{" a \n\t b\u00a0\u3000c ", "a b c", 9},
		{"abcdef", "abcdef", 6},
		{"abcdefg", "abcdef…", 6},
		{"ab \u202ecd", `ab \u202ecd`, 11},
		{"ab \u202ecd", `ab…`, 8},
		{"\x00\xff\ufffe", `\x00` + "\ufffd" + `\ufffe`, 20},
		{"👩\u200d🚀", "👩\u200d🚀", 3},
		{strings.Repeat("\n", 1<<20), "", 3},
	} {
		if got := Clip(tt.in, tt.limit); got != tt.want {
			t.Errorf("Clip(%.20q, %d): got %q, want %q", tt.in, tt.limit, got, tt.want)
		}
	}
}

func TestWrapBreaksAtWords(t *testing.T) {
	for _, tt := range []struct {
		in            string
		width, indent int
		want          []string
	}{
		{"", 10, 0, []string{""}},
		{"one two three", 8, 0, []string{"one two", "three"}},
		{"one two three", 8, 5, []string{"one", "two", "three"}},
		{"one two", 8, 7, []string{"", "one two"}},
		{"one two", 8, 9, []string{"", "one two"}},
		{"abcdefghij", 4, 0, []string{"abcd", "efgh", "ij"}},
		{"彼は物理学者。である", 8, 0, []string{"彼は物理", "学者。で", "ある"}},
	} {
		if d := gocmp.Diff(tt.want, wrap(tt.in, tt.width, tt.indent)); d != "" {
			t.Errorf("wrap(%q, %d, %d) (-want +got):\n%s", tt.in, tt.width, tt.indent, d)
		}
	}
}

func FuzzWrap(f *testing.F) {
	f.Add("one two 彼は。 👩‍🚀 x", 7, 3)
	f.Fuzz(func(t *testing.T, s string, width, indent int) {
		width, indent = 2+(width&63), indent&15
		s = Clip(s, 500)
		lines := wrap(s, width, indent)
		if got, want := strings.Join(strings.Fields(strings.Join(lines, "")), ""), strings.Join(strings.Fields(s), ""); got != want {
			t.Fatalf("got text %q, want %q", got, want)
		}
		for _, line := range lines {
			if cells(line) > width {
				t.Fatalf("got line %q, want width at most %d", line, width)
			}
		}
	})
}

func TestMarksAreInOrder(t *testing.T) {
	claims := []result.Claim{{Verdict: result.Contradicted}, {Verdict: result.Supported}, {Verdict: result.NotMentioned}}
	if got, want := marks(claims, Palette{}), "✗✓?"; got != want {
		t.Errorf("got %s, want %s", got, want)
	}
	if got, want := marks(claims, Palette{Enabled: true}), "\x1b[31m✗\x1b[0m\x1b[32m✓\x1b[0m\x1b[33m?\x1b[0m"; got != want {
		t.Errorf("got %q, want %q", got, want)
	}
	if got, want := marks(slices.Repeat(claims, 4), Palette{}), "✗✓?✗✓?✗✓?✗…"; got != want {
		t.Errorf("got %s, want %s", got, want)
	}
}

// withText returns a row with text in all fields.
func withText(i int, text string) *result.Row {
	r := resulttest.Scored()
	r.Index, r.ID, r.Question, r.File, r.Line = i, text, text, text+".jsonl", i+1
	for k := range r.Claims {
		r.Claims[k].Text, r.Claims[k].Reason = text, text
		r.Claims[k].Evidence = []result.Evidence{{Chunk: 1, Quote: text}}
	}
	return r
}

func TestWorstRowsFitWidthAndAreEscaped(t *testing.T) {
	texts := []string{
		"\x1b[2J\x1b]0;owned\x07 \u202etxet\u2066 \r\n\t\x9b31m", strings.Repeat("word ", 200), strings.Repeat("長", 300), strings.Repeat("x", 300), "", "👩‍🚀 e\u0301",
	}
	for width := 30; width < 140; width += 7 {
		var all []*result.Row
		for i, text := range texts {
			all = append(all, withText(i, text))
		}
		all = append(all, resulttest.JudgeFailed())
		plain := write(t, FormatTable, Options{Width: width, Marks: true, Show: 20}, all...)
		_, shown, _ := strings.Cut(plain, "dtype: float64")
		for line := range strings.Lines(shown) {
			line = strings.TrimSuffix(line, "\n")
			if w := cells(line); w > width && !strings.HasPrefix(line, "scored ") && !strings.HasPrefix(line, "mean of ") {
				t.Errorf("got width %d, want at most %d: %s", w, width, line)
			}
			if strings.ContainsFunc(line, func(c rune) bool { return unicode.IsControl(c) || unicode.Is(unicode.Bidi_Control, c) }) {
				t.Errorf("got %q, want no control characters", line)
			}
		}
		colored := write(t, FormatTable, Options{Width: width, Marks: true, Show: 20, Palette: Palette{Enabled: true}}, all...)
		for _, code := range []string{"0", "1", "2", "31", "32", "33"} {
			colored = strings.ReplaceAll(colored, "\x1b["+code+"m", "")
		}
		if d := gocmp.Diff(plain, colored); d != "" {
			t.Errorf("without color codes (-plain +colored):\n%s", d)
		}
	}
}

func TestWorstRowsOrderAndCounts(t *testing.T) {
	var all []*result.Row
	for i := range 30 {
		r := resulttest.Scored()
		r.Index, r.ID = i, fmt.Sprintf("row-%d", i)
		r.Faithfulness = float64((i*7)%30) / 30
		all = append(all, r)
		f := resulttest.JudgeFailed()
		f.ID = fmt.Sprintf("failed-%d", i)
		all = append(all, f)
	}
	got := write(t, FormatTable, Options{Show: 2}, all...)
	_, got, _ = strings.Cut(got, "\nFailed rows: ")
	for _, want := range []string{"30\n\n1. failed-0: failed\n   why: verdict: no reply\n\n2. failed-1: ", "\nand 28 more\n\nRows with unsupported claims: 30, the worst first\n\n1. row-0: 0.0000, 1 of 2", "\n2. row-13: 0.0333, "} {
		if !strings.Contains(got, want) {
			t.Errorf("got %s\nwant it to contain %q", got, want)
		}
	}
	if !strings.HasSuffix(got, "\nand 28 more\n") || strings.Contains(got, "row-26") {
		t.Errorf("got %s\nwant two rows and a count of the others", got)
	}
	supported := resulttest.Scored()
	supported.Claims = supported.Claims[:1]
	if got := write(t, FormatTable, Options{Show: 2}, supported); !strings.HasSuffix(got, "failed 0\n") {
		t.Errorf("got %s\nwant no list of rows", got)
	}
}

// The memory of worstRows does not depend on the length of rows.
func TestWorstRowsKeepShortTexts(t *testing.T) {
	w := newWorstRows(io.Discard, Options{Show: 3, Width: 80})
	long := strings.Repeat("長い ", 100_000)
	for i := range 50 {
		r := withText(i, long)
		r.Kept = []dataset.Column{}
		for range 10 {
			r.Claims = append(r.Claims, r.Claims...)
			if len(r.Claims) > 300 {
				break
			}
		}
		r.Faithfulness, r.Support = 0.5, math.NaN()
		_ = w.Write(r)
	}
	if len(w.rows) != 3 || len(w.rows[0].Listed) != shownClaims {
		t.Errorf("got %d rows with %d claims, want 3 with %d", len(w.rows), len(w.rows[0].Listed), shownClaims)
	}
	if n := len([]rune(w.rows[0].Listed[0].Text)); n > shownText+1 {
		t.Errorf("got a text of %d characters, want at most %d", n, shownText+1)
	}
}
