package lexicon

import (
	"slices"
	"strings"
	"testing"
	"unicode/utf8"
)

func load(t testing.TB) *Lexicon {
	t.Helper()
	l, err := Load()
	if err != nil {
		t.Fatal(err)
	}
	return l
}

func TestInflectedFormsShareKey(t *testing.T) {
	t.Parallel()
	l := load(t)
	for _, same := range [][]string{
		{"study", "studies", "studied", "Study's"},
		{"run", "running", "runs", "ran"},
		{"place", "places", "placed", "PLACE"},
		{"wolf", "wolves"},
		{"class", "classes"},
		{"January", "Jan", "jan"},
		{"3,000", "3000", "3000.0"},
		{"14", "14th", "014"},
		{"café", "cafe", "CAFÉ", "cafe\u0301"},
		{"Straße", "Strasse", "STRASSE", "STRAẞE"},
		{"Müller", "Mueller", "MUELLER", "Muller"},
		{"Zürich", "Zuerich", "Zurich"},
		{"Übergrößen", "Uebergroessen"},
	} {
		for _, w := range same[1:] {
			if key(l, w) != key(l, same[0]) {
				t.Errorf("%q and %q: got different keys, want the same", same[0], w)
			}
		}
	}
	for _, pair := range [][2]string{{"new", "news"}, {"14", "20"}, {"bus", "bu"}, {"3.5", "35"}, {"wing", "w"}, {"Bauer", "Baur"}, {"poet", "pot"}} {
		if key(l, pair[0]) == key(l, pair[1]) {
			t.Errorf("%q and %q: got the same key, want different ones", pair[0], pair[1])
		}
	}
}

// key returns the key of the only token in word, or 0.
func key(l *Lexicon, word string) uint64 {
	ts := l.Tokens(nil, word)
	if len(ts) != 1 {
		return 0
	}
	return ts[0].Key
}

func TestIDFIncreasesWithRarity(t *testing.T) {
	t.Parallel()
	l := load(t)
	words := []string{"the", "number", "museum", "physicist", "xyzzyq"}
	idf := make([]float64, len(words))
	for i, w := range words {
		idf[i] = l.IDF(key(l, w))
	}
	if !slices.IsSorted(idf) || idf[0] == idf[4] {
		t.Errorf("%v: got IDF %v, want ascending", words, idf)
	}
}

func TestRelations(t *testing.T) {
	t.Parallel()
	l := load(t)
	for _, c := range []struct {
		a, b string
		want Relation
	}{
		{"Germany", "German", Adjective},
		{"bought", "purchased", Synonym},
		{"hot", "cold", Antonym},
		{"increase", "decreased", Antonym},
	} {
		for _, p := range [][2]string{{c.a, c.b}, {c.b, c.a}} {
			got := Relation(0)
			l.Related(key(l, p[0]), func(k uint64, r Relation) {
				if k == key(l, p[1]) {
					got = r
				}
			})
			if got != c.want {
				t.Errorf("%v: got relation %d, want %d", p, got, c.want)
			}
		}
	}
}

func TestTokenClasses(t *testing.T) {
	t.Parallel()
	l := load(t)
	text := "He didn't pay, nor won’t he: 14th May 2020, about $3k in Oslo."
	var got []string
	for _, tk := range l.Tokens(nil, text) {
		var w strings.Builder
		w.WriteString(text[tk.Start:tk.End])
		for _, c := range []struct {
			name  string
			class Class
		}{{"not", Negation}, {"number", Number}, {"ordinal", Ordinal}, {"month", Month}, {"capital", Capital}, {"initial", Initial}} {
			if tk.Is(c.class) {
				w.WriteString("/" + c.name)
			}
		}
		got = append(got, w.String())
	}
	want := "He/capital/initial didn't/not pay nor/not won’t/not he 14th/number/ordinal/initial May/month/capital 2020/number about 3/number k in Oslo/capital"
	if s := strings.Join(got, " "); s != want {
		t.Errorf("got  %s\nwant %s", s, want)
	}
}

func TestTokensSplitsIdeogramsIntoPairs(t *testing.T) {
	t.Parallel()
	l := load(t)
	text := "東京都 ist グ"
	var got []string
	for _, tk := range l.Tokens(nil, text) {
		got = append(got, text[tk.Start:tk.End])
	}
	if want := []string{"東京", "京都", "ist", "グ"}; !slices.Equal(got, want) {
		t.Errorf("got %q, want %q", got, want)
	}
}

func TestUnpackRejectsCorruptData(t *testing.T) {
	t.Parallel()
	for _, s := range []string{"", "x", packed[:7], packed[:20], packed[:len(packed)/2], packed[:len(packed)-1], packed + "x", strings.Replace(packed, "RFLEX", "RFLEY", 1)} {
		l := &Lexicon{words: make([]wordInfo, 1)}
		if err := l.unpack(s); err == nil {
			t.Errorf("%d bytes: got no error, want one", len(s))
		}
	}
}

func TestReadListsReportsErrorLine(t *testing.T) {
	t.Parallel()
	l := &Lexicon{words: make([]wordInfo, 1)}
	if err := l.readLists("\nnonsense a b"); err == nil || !strings.Contains(err.Error(), "words.txt:2") {
		t.Errorf("got %v, want an error with words.txt:2", err)
	}
}

func FuzzTokens(f *testing.F) {
	for _, s := range []string{
		"He didn't pay 3,000.50 on 14th May; naïve café don’t", "東京都は 1.4千万", "&amp; &#8217; a&b;", "\xff\xfea\xc3",
		"ab\u0301c 1.2.3.4 0000 .5 5. 1,2,3 1,234,5678", strings.Repeat("a", 200) + strings.Repeat("9", 200),
	} {
		f.Add(s)
	}
	l := load(f)
	f.Fuzz(func(t *testing.T, text string) {
		last := int32(0)
		for _, tk := range l.Tokens(nil, text) {
			if tk.Start < last || tk.End <= tk.Start || int(tk.End) > len(text) || tk.Key == 0 {
				t.Fatalf("%q: got invalid token %+v", text, tk)
			}
			last = tk.End
			if r, _ := utf8.DecodeRuneInString(text[tk.Start:]); IsSpaceless(r) {
				last = tk.Start // pairs of characters overlap
			}
			if utf8.ValidString(text) && !utf8.ValidString(text[tk.Start:tk.End]) {
				t.Fatalf("%q: got token %q with a partial character", text, text[tk.Start:tk.End])
			}
		}
	})
}

func BenchmarkTokens(b *testing.B) {
	l := load(b)
	text := strings.Repeat("The museum of Dakar closed on 5 November 1853, and about 31,700 people restored it; nobody objected. ", 100)
	var ts []Token
	b.SetBytes(int64(len(text)))
	b.ReportAllocs()
	for b.Loop() {
		ts = l.Tokens(ts[:0], text)
	}
}
