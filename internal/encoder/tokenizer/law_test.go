package tokenizer

import (
	"errors"
	"os"
	"slices"
	"strings"
	"sync"
	"testing"
	"unicode/utf8"
)

// tiny are the tokenizers in testdata.
func tiny(t testing.TB) map[string]*Tokenizer {
	t.Helper()
	all := make(map[string]*Tokenizer)
	for _, name := range []string{"wordpiece", "bpe", "bpe-words", "bpe-bytes", "bpe-suffix", "unigram", "unigram-bytes"} {
		tok, err := Parse(readTestdata(t, name+".json"))
		if err != nil {
			t.Fatalf("%s: %v", name, err)
		}
		all[name] = tok
	}
	return all
}

// checkLaws checks what holds for every text and every tokenizer.
func checkLaws(t testing.TB, tok *Tokenizer, text string) Encoding {
	t.Helper()
	e, err := tok.Encode(text, nil)
	if err != nil {
		return e
	}
	if n := len(e.IDs); n != len(e.TypeIDs) || n != len(e.Offsets) || n != len(e.Sequence) {
		t.Fatalf("%q: %d ids, %d types, %d offsets, %d sequences", text, n, len(e.TypeIDs), len(e.Offsets), len(e.Sequence))
	}
	added, valid := 0, utf8.ValidString(text)
	for i, o := range e.Offsets {
		if e.IDs[i] < 0 {
			t.Fatalf("%q: token %d has the id %d", text, i, e.IDs[i])
		}
		if e.Sequence[i] == special {
			added++
			if o != [2]int{} {
				t.Fatalf("%q: an added special is at %v", text, o)
			}
			continue
		}
		if o[0] < 0 || o[1] < o[0] || o[1] > len(text) {
			t.Fatalf("%q: token %d is at %v of %d bytes", text, i, o, len(text))
		}
		if valid && (!boundary(text, o[0]) || !boundary(text, o[1])) {
			t.Fatalf("%q: token %d is at %v, inside a character", text, i, o)
		}
	}
	if added != tok.Specials(false) {
		t.Fatalf("%q: %d specials, not %d", text, added, tok.Specials(false))
	}
	if n := tok.Count(text); len(tok.post.single) <= 3 && n+added != len(e.IDs) {
		t.Fatalf("%q: counts %d tokens, and has %d", text, n, len(e.IDs)-added)
	}
	return e
}

func boundary(s string, i int) bool { return i == len(s) || utf8.RuneStart(s[i]) }

// checkOrder checks that tokens are in the order of the text.
func checkOrder(t testing.TB, e Encoding, text string) {
	t.Helper()
	last := [2]int{}
	for i, o := range e.Offsets {
		if e.Sequence[i] == special {
			continue
		}
		if o[0] < last[0] || o[1] < last[1] {
			t.Fatalf("%q: token %d at %v is behind one at %v", text, i, o, last)
		}
		last = o
	}
}

func TestGoroutinesGiveWhatOneDoes(t *testing.T) {
	var texts []string
	for _, c := range readReference(t).Small {
		texts = append(texts, string(c.A), strings.Repeat(string(c.A), 20))
	}
	for name, tok := range tiny(t) {
		want := make([]Encoding, len(texts))
		for i, text := range texts {
			want[i] = checkLaws(t, tok, text)
		}
		var group sync.WaitGroup
		for g := range 4 {
			group.Go(func() {
				for i := range texts {
					i = (i + 7*g) % len(texts)
					e, err := tok.Encode(texts[i], nil)
					if err != nil || !slices.Equal(e.IDs, want[i].IDs) || !slices.Equal(e.Offsets, want[i].Offsets) {
						t.Errorf("%s: %q: another result", name, texts[i])
					}
				}
			})
		}
		group.Wait()
	}
}

// A result belongs to the caller, though the memory it was made in is used again.
func TestResultsDoNotChangeWithTheNextText(t *testing.T) {
	for name, tok := range tiny(t) {
		e, err := tok.EncodePair("hello world", "the quick brown fox", nil)
		if err != nil {
			t.Fatal(err)
		}
		ids, offsets := slices.Clone(e.IDs), slices.Clone(e.Offsets)
		if _, err := tok.EncodePair("something else, and longer", "x", nil); err != nil {
			t.Fatal(err)
		}
		if !slices.Equal(e.IDs, ids) || !slices.Equal(e.Offsets, offsets) {
			t.Errorf("%s: the result changed", name)
		}
	}
}

// With quadratic time anywhere this doesn't end before the test's time is up.
func TestALongTextWithoutAPlaceToDivideIsNoTrouble(t *testing.T) {
	if testing.Short() {
		t.Skip("slow, skipped with -short")
	}
	const size = 1 << 17
	for name, tok := range tiny(t) {
		for _, unit := range []string{"a", " ", "\u0301", "playing", "北", "'", "\r\n", "\xff", "</s> ", "[MASK] ", "ab"} {
			text := strings.Repeat(unit, size/len(unit))
			if e := checkLaws(t, tok, text); len(e.IDs) == 0 && unit != " " && unit != "\r\n" {
				t.Errorf("%s: nothing for %q", name, unit)
			}
		}
	}
}

func TestTheLimitInTheFileIsTold(t *testing.T) {
	all := tiny(t)
	if tr, ok := all["wordpiece"].FileTruncation(); !ok || tr != (Truncation{128, LongestFirst}) {
		t.Errorf("got %v, %v", tr, ok)
	}
	if tr, ok := all["bpe"].FileTruncation(); ok {
		t.Errorf("got %v of a file without", tr)
	}
	for name, want := range map[string][2]int{"wordpiece": {2, 3}, "bpe": {2, 4}, "unigram": {2, 4}, "unigram-bytes": {0, 0}} {
		if got := [2]int{all[name].Specials(false), all[name].Specials(true)}; got != want {
			t.Errorf("%s: %v specials, want %v", name, got, want)
		}
	}
}

func TestTruncationThatCannotBeIsAnError(t *testing.T) {
	tok := tiny(t)["wordpiece"]
	long := strings.Repeat("word ", 20)
	for _, c := range []struct {
		a, b string
		tr   Truncation
		ok   bool
	}{
		{"word", long, Truncation{9, OnlyFirst}, false},
		{long, "word", Truncation{9, OnlySecond}, false},
		{long, "word", Truncation{9, OnlyFirst}, true},
		{"word", "word", Truncation{5, OnlyFirst}, true},
		{"word", "word", Truncation{5, Strategy(9)}, true},
		{long, "word", Truncation{5, Strategy(9)}, false},
		{long, long, Truncation{2, OnlyFirst}, true}, // less than the specials: no limit
	} {
		e, err := tok.EncodePair(c.a, c.b, &c.tr)
		if (err == nil) != c.ok || err != nil && !errors.Is(err, ErrCannotTruncate) {
			t.Errorf("%+v: %d tokens, %v", c, len(e.IDs), err)
		}
	}
	if _, err := tok.Encode(long, &Truncation{9, OnlySecond}); !errors.Is(err, ErrCannotTruncate) {
		t.Errorf("the second of one text: %v", err)
	}
	if e, err := tok.EncodePair(long, long, &Truncation{3, LongestFirst}); err != nil || len(e.IDs) != 3 {
		t.Errorf("room for the specials only: %v, %v", e.IDs, err)
	}
}

func FuzzEncode(f *testing.F) {
	for _, c := range readReference(f).Small {
		f.Add(string(c.A), "the word", 9)
	}
	f.Add("\xff[MASK] \u0344</s>  a", "", 0)
	all := tiny(f)
	f.Fuzz(func(t *testing.T, a, b string, limit int) {
		for name, tok := range all {
			e := checkLaws(t, tok, a)
			checkOrder(t, e, a)
			checkSplit(t, tok, a)
			pair, err := tok.EncodePair(a, b, nil)
			if err != nil {
				t.Fatalf("%s: %q %q: %v", name, a, b, err)
			}
			if n := tok.Count(a) + tok.Count(b) + tok.Specials(true); n != len(pair.IDs) {
				t.Fatalf("%s: %q %q: %d tokens, counted %d", name, a, b, len(pair.IDs), n)
			}
			limit = limit & 63
			cut, err := tok.EncodePair(a, b, &Truncation{limit, LongestFirst})
			if err != nil || limit >= tok.Specials(true) && len(cut.IDs) > limit {
				t.Fatalf("%s: %q %q: %d tokens where %d are the limit: %v", name, a, b, len(cut.IDs), limit, err)
			}
		}
	})
}

func FuzzParse(f *testing.F) {
	files, err := os.ReadDir("testdata")
	if err != nil {
		f.Fatal(err)
	}
	for _, file := range files {
		if strings.HasSuffix(file.Name(), ".json") {
			f.Add(readTestdata(f, file.Name()), " the [MASK] Café\u0301 \xff 12")
		}
	}
	for _, x := range readReference(f).Expected {
		if x.Parts != nil && x.File == "wordpiece" {
			small := `{"type":"WordPiece","unk_token":"u","continuing_subword_prefix":"##","max_input_chars_per_word":9,"vocab":{"u":0,"a":1,"##b":2,"é":3}}`
			x.Parts["model"] = []byte(small)
			f.Add(withParts(f, []byte(`{"version":"1.0"}`), x.Parts), "ab the é, 12 x")
		}
	}
	f.Fuzz(func(t *testing.T, data []byte, text string) {
		tok, err := Parse(data)
		if err != nil {
			return
		}
		checkLaws(t, tok, text)
		checkSplit(t, tok, text)
		if _, err := tok.EncodePair(text, "a", &Truncation{9, LongestFirst}); err == nil {
			tok.Specials(true)
		}
	})
}
