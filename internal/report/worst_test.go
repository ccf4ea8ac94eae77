package report

import (
	"math/rand/v2"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

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
		switch {
		case a.Faithfulness != b.Faithfulness:
			return int(5*a.Faithfulness - 5*b.Faithfulness)
		case a.Support != b.Support:
			return int(3*a.Support - 3*b.Support)
		}
		return a.Index - b.Index
	})
	var want []int
	for _, r := range sorted[:30] {
		want = append(want, r.Index)
	}
	random.Shuffle(len(all), func(i, j int) { all[i], all[j] = all[j], all[i] })
	w := NewWorst(30)
	for _, r := range all {
		_ = w.Write(r)
	}
	var got []int
	for _, r := range w.Rows() {
		got = append(got, r.Index)
	}
	if d := cmp.Diff(want, got); d != "" || w.unsupported != 200 {
		t.Errorf("got %d unsupported rows, want 200; worst rows (-want +got):\n%s", w.unsupported, d)
	}
}

func TestWorstIgnoresSupportedRows(t *testing.T) {
	supported := resulttest.Scored()
	supported.Claims = supported.Claims[:1]
	w := NewWorst(2)
	for _, r := range []*result.Row{supported, resulttest.NoClaims(), resulttest.JudgeFailed(), resulttest.JudgeFailed(), resulttest.JudgeFailed()} {
		_ = w.Write(r)
	}
	if len(w.Rows()) != 0 || len(w.Failed()) != 2 || w.failures != 3 {
		t.Errorf("got %d rows, %d of %d failed rows, want 0, 2 of 3", len(w.Rows()), len(w.Failed()), w.failures)
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
