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

// testTokenizers returns the tokenizers in testdata.
func testTokenizers(t testing.TB) map[string]*Tokenizer {
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

// checkInvariants checks properties of every encoding.
func checkInvariants(t testing.TB, tok *Tokenizer, text string) Encoding {
	t.Helper()
	e, err := tok.Encode(text, nil)
	if err != nil {
		return e
	}
	if n := len(e.IDs); n != len(e.TypeIDs) || n != len(e.Offsets) || n != len(e.Sequence) {
		t.Fatalf("%q: got %d ids, %d types, %d offsets and %d sequences; want equal counts", text, n, len(e.TypeIDs), len(e.Offsets), len(e.Sequence))
	}
	added, valid := 0, utf8.ValidString(text)
	for i, o := range e.Offsets {
		if e.IDs[i] < 0 {
			t.Fatalf("%q: token %d: got id %d", text, i, e.IDs[i])
		}
		if e.Sequence[i] == special {
			added++
			if o != [2]int{} {
				t.Fatalf("%q: inserted token %d: got offsets %v, want none", text, i, o)
			}
			continue
		}
		if o[0] < 0 || o[1] < o[0] || o[1] > len(text) {
			t.Fatalf("%q: token %d: got offsets %v in %d bytes", text, i, o, len(text))
		}
		if valid && (!boundary(text, o[0]) || !boundary(text, o[1])) {
			t.Fatalf("%q: token %d: offsets %v split a character", text, i, o)
		}
	}
	if added != tok.Specials(false) {
		t.Fatalf("%q: got %d special tokens, want %d", text, added, tok.Specials(false))
	}
	if n := tok.Count(text); len(tok.post.single) <= 3 && n+added != len(e.IDs) {
		t.Fatalf("%q: got count %d, want %d", text, n, len(e.IDs)-added)
	}
	return e
}

func boundary(s string, i int) bool { return i == len(s) || utf8.RuneStart(s[i]) }

// checkOrder checks that tokens are in text order.
func checkOrder(t testing.TB, e Encoding, text string) {
	t.Helper()
	last := [2]int{}
	for i, o := range e.Offsets {
		if e.Sequence[i] == special {
			continue
		}
		if o[0] < last[0] || o[1] < last[1] {
			t.Fatalf("%q: token %d at %v follows one at %v", text, i, o, last)
		}
		last = o
	}
}

func TestEncodeConcurrently(t *testing.T) {
	var texts []string
	for _, c := range readReference(t).Small {
		texts = append(texts, string(c.A), strings.Repeat(string(c.A), 20))
	}
	for name, tok := range testTokenizers(t) {
		want := make([]Encoding, len(texts))
		for i, text := range texts {
			want[i] = checkInvariants(t, tok, text)
		}
		var group sync.WaitGroup
		for g := range 4 {
			group.Go(func() {
				for i := range texts {
					i = (i + 7*g) % len(texts)
					e, err := tok.Encode(texts[i], nil)
					if err != nil || !slices.Equal(e.IDs, want[i].IDs) || !slices.Equal(e.Offsets, want[i].Offsets) {
						t.Errorf("%s: %q: got %v, %v, want %v", name, texts[i], e, err, want[i])
					}
				}
			})
		}
		group.Wait()
	}
}

// States are pooled, but results must not share their memory.
func TestEncodeKeepsEarlierResults(t *testing.T) {
	for name, tok := range testTokenizers(t) {
		e, err := tok.EncodePair("hello world", "the quick brown fox", nil)
		if err != nil {
			t.Fatal(err)
		}
		ids, offsets := slices.Clone(e.IDs), slices.Clone(e.Offsets)
		if _, err := tok.EncodePair("something else, and longer", "x", nil); err != nil {
			t.Fatal(err)
		}
		if !slices.Equal(e.IDs, ids) || !slices.Equal(e.Offsets, offsets) {
			t.Errorf("%s: got %v %v after another call, want %v %v", name, e.IDs, e.Offsets, ids, offsets)
		}
	}
}

// Quadratic time would exceed the test timeout.
func TestEncodeLongWordsInLinearTime(t *testing.T) {
	if testing.Short() {
		t.Skip("slow, skipped with -short")
	}
	const size = 1 << 17
	for name, tok := range testTokenizers(t) {
		for _, unit := range []string{"a", " ", "\u0301", "playing", "北", "'", "\r\n", "\xff", "</s> ", "[MASK] ", "ab"} {
			text := strings.Repeat(unit, size/len(unit))
			if e := checkInvariants(t, tok, text); len(e.IDs) == 0 && unit != " " && unit != "\r\n" {
				t.Errorf("%s: %q: got no tokens", name, unit)
			}
		}
	}
}

func TestFileTruncationAndSpecials(t *testing.T) {
	all := testTokenizers(t)
	if tr, ok := all["wordpiece"].FileTruncation(); !ok || tr != (Truncation{128, LongestFirst}) {
		t.Errorf("got %v, %v; want 128 tokens, longest first", tr, ok)
	}
	if tr, ok := all["bpe"].FileTruncation(); ok {
		t.Errorf("got %v, want none", tr)
	}
	for name, want := range map[string][2]int{"wordpiece": {2, 3}, "bpe": {2, 4}, "unigram": {2, 4}, "unigram-bytes": {0, 0}} {
		if got := [2]int{all[name].Specials(false), all[name].Specials(true)}; got != want {
			t.Errorf("%s: got %v special tokens, want %v", name, got, want)
		}
	}
}

func TestEncodeTruncation(t *testing.T) {
	tok := testTokenizers(t)["wordpiece"]
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
		{long, long, Truncation{2, OnlyFirst}, true}, // fewer than the special tokens: no limit
	} {
		e, err := tok.EncodePair(c.a, c.b, &c.tr)
		if (err == nil) != c.ok || err != nil && !errors.Is(err, ErrCannotTruncate) {
			t.Errorf("%+v: got %d tokens, error %v; want success: %t", c, len(e.IDs), err, c.ok)
		}
	}
	if _, err := tok.Encode(long, &Truncation{9, OnlySecond}); !errors.Is(err, ErrCannotTruncate) {
		t.Errorf("OnlySecond for one text: got %v, want %v", err, ErrCannotTruncate)
	}
	if e, err := tok.EncodePair(long, long, &Truncation{3, LongestFirst}); err != nil || len(e.IDs) != 3 {
		t.Errorf("limit equal to special tokens: got %v, %v; want 3 tokens", e.IDs, err)
	}
}

func FuzzEncode(f *testing.F) {
	for _, c := range readReference(f).Small {
		f.Add(string(c.A), "the word", 9)
	}
	f.Add("\xff[MASK] \u0344</s>  a", "", 0)
	all := testTokenizers(f)
	f.Fuzz(func(t *testing.T, a, b string, limit int) {
		for name, tok := range all {
			e := checkInvariants(t, tok, a)
			checkOrder(t, e, a)
			checkSplit(t, tok, a)
			pair, err := tok.EncodePair(a, b, nil)
			if err != nil {
				t.Fatalf("%s: %q %q: %v", name, a, b, err)
			}
			if n := tok.Count(a) + tok.Count(b) + tok.Specials(true); n != len(pair.IDs) {
				t.Fatalf("%s: %q %q: got %d tokens, want %d", name, a, b, len(pair.IDs), n)
			}
			limit = limit & 63
			cut, err := tok.EncodePair(a, b, &Truncation{limit, LongestFirst})
			if err != nil || limit >= tok.Specials(true) && len(cut.IDs) > limit {
				t.Fatalf("%s: %q %q: got %d tokens, %v, want at most %d", name, a, b, len(cut.IDs), err, limit)
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
		checkInvariants(t, tok, text)
		checkSplit(t, tok, text)
		if _, err := tok.EncodePair(text, "a", &Truncation{9, LongestFirst}); err == nil {
			tok.Specials(true)
		}
	})
}
