package tokenizer

import (
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
	for _, name := range []string{"wordpiece", "bpe", "bpe-bytes", "unigram", "deberta"} {
		all[name] = mustParse(t, readTestdata(t, name+".json"))
	}
	return all
}

// checkInvariants checks properties of every encoding.
func checkInvariants(t testing.TB, tok *Tokenizer, text string) Encoding {
	t.Helper()
	e, err := tok.Encode(text, 0)
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
	if added != countSpecials(tok.post.single) {
		t.Fatalf("%q: got %d special tokens, want %d", text, added, countSpecials(tok.post.single))
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
					e, err := tok.Encode(texts[i], 0)
					if err != nil || !slices.Equal(e.IDs, want[i].IDs) || !slices.Equal(e.Offsets, want[i].Offsets) {
						t.Errorf("%s: %q: got %v, %v, want %v", name, texts[i], e, err, want[i])
					}
				}
			})
		}
		group.Wait()
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

// Like the reference, Encode ignores a limit below the number of special tokens.
func TestEncodeLimit(t *testing.T) {
	tok := testTokenizers(t)["wordpiece"]
	for limit, want := range map[int]int{0: 22, 1: 22, 2: 2, 3: 3, 9: 9, 22: 22, 30: 22} {
		if e, err := tok.Encode(strings.Repeat("word ", 20), limit); err != nil || len(e.IDs) != want {
			t.Errorf("limit %d: got %d tokens, %v; want %d", limit, len(e.IDs), err, want)
		}
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
			pair, err := tok.EncodePair(a, b)
			if err != nil {
				t.Fatalf("%s: %q %q: %v", name, a, b, err)
			}
			if n := tok.Count(a) + tok.Count(b) + countSpecials(tok.post.pair); n != len(pair.IDs) {
				t.Fatalf("%s: %q %q: got %d tokens, want %d", name, a, b, len(pair.IDs), n)
			}
			limit &= 63
			cut, err := tok.Encode(a, limit)
			if want := e.IDs[:min(len(cut.IDs), len(e.IDs))]; err != nil || limit >= max(1, countSpecials(tok.post.single)) && len(cut.IDs) > limit || len(want) != len(cut.IDs) {
				t.Fatalf("%s: %q: got %d tokens, %v, want at most %d", name, a, len(cut.IDs), err, limit)
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
		if pair, err := tok.EncodePair(text, "a"); err == nil && len(pair.IDs) < countSpecials(tok.post.pair) {
			t.Fatalf("%q: got %d tokens, want at least %d", text, len(pair.IDs), countSpecials(tok.post.pair))
		}
	})
}
