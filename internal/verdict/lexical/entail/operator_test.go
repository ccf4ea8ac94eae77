package entail

import (
	"bufio"
	"math"
	"os"
	"slices"
	"strings"
	"testing"

	"github.com/ragfaith/ragfaith/internal/lexicon"
)

func newComparer(tb testing.TB) *Comparer {
	tb.Helper()
	lex, err := lexicon.Load()
	if err != nil {
		tb.Fatal(err)
	}
	c, err := New(lex)
	if err != nil {
		tb.Fatal(err)
	}
	return c
}

func TestOperators(t *testing.T) { testFindings(t, "testdata/operators.txt") }

func TestDifferences(t *testing.T) { testFindings(t, "testdata/differences.txt") }

func testFindings(t *testing.T, name string) {
	t.Helper()
	const none = Kind(math.MaxUint8)
	kinds := map[string]Kind{
		"none": none, "polarity": Polarity, "antonym": Antonym,
	}
	checked := []Kind{Polarity, Antonym}
	f, err := os.Open(name)
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	c := newComparer(t)
	var claim, stated Sentence
	var a Alignment
	lines := bufio.NewScanner(f)
	for n := 1; lines.Scan(); n++ {
		if strings.HasPrefix(lines.Text(), "#") {
			continue
		}
		fields := strings.Split(lines.Text(), " | ")
		if len(fields) != 3 {
			t.Fatalf("%s:%d: got %d fields, want 3", name, n, len(fields))
		}
		want, ok := kinds[fields[0]]
		if !ok {
			t.Fatalf("%s:%d: invalid kind %q", name, n, fields[0])
		}
		parse(c, &stated, fields[1])
		parse(c, &claim, fields[2])
		a.Align(&claim, &stated)
		got := slices.DeleteFunc(a.Check(nil), func(f Finding) bool { return !slices.Contains(checked, f.Kind) })
		found := slices.ContainsFunc(got, func(f Finding) bool { return f.Kind == want })
		if want == none && len(got) > 0 || want != none && !found {
			t.Errorf("%s:%d: got findings %v, want %s", name, n, got, fields[0])
		}
	}
	if err := lines.Err(); err != nil {
		t.Fatal(err)
	}
}

func BenchmarkOperators(b *testing.B) {
	c := newComparer(b)
	var claim, stated Sentence
	var a Alignment
	parse(c, &stated, "Probation may be extended once, by no more than three months, if the manager and the employee agree before it ends.")
	parse(c, &claim, "Probation can be extended once by at most three months if both sides agree before the end.")
	a.Align(&claim, &stated)
	var fs []Finding
	b.ReportAllocs()
	for b.Loop() {
		fs = a.Check(fs[:0])
	}
	if len(fs) > 0 {
		b.Fatalf("got findings %v, want none", fs)
	}
}

func TestSentenceEntailsItself(t *testing.T) {
	c := newComparer(t)
	var a Alignment
	var claim, stated Sentence
	for _, name := range []string{"testdata/operators.txt", "testdata/differences.txt"} {
		text, err := os.ReadFile(name)
		if err != nil {
			t.Fatal(err)
		}
		for line := range strings.Lines(string(text)) {
			for s := range strings.SplitSeq(strings.TrimSpace(line), " | ") {
				parse(c, &stated, s)
				parse(c, &claim, s)
				a.Align(&claim, &stated)
				if got := a.Check(nil); len(got) > 0 {
					t.Errorf("%q for itself: got findings %v, want none", s, got)
				}
			}
		}
	}
}

func FuzzOperators(f *testing.F) {
	f.Add("Only members may vote, except in May.", "All members, guests included, must vote at most 3 times.")
	f.Add("Nicht alle, außer", "even")
	f.Add("不支持，除非", "所有支持 whether or not")
	c := newComparer(f)
	f.Fuzz(func(t *testing.T, stated, claimed string) {
		if len(stated)+len(claimed) > 2000 {
			t.Skip()
		}
		var a Alignment
		var x, y Sentence
		parse(c, &x, claimed)
		parse(c, &y, stated)
		a.Align(&x, &y)
		for _, g := range a.Check(nil) {
			if !strings.Contains(claimed, g.Claimed.Quote()) || !strings.Contains(stated, g.Stated.Quote()) {
				t.Errorf("got finding %v, want words of %q and %q", g, stated, claimed)
			}
		}
	})
}

func parse(c *Comparer, x *Sentence, text string) { c.Parse(x, text, c.lex.Tokens(nil, text)) }
