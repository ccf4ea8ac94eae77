package tokenizer

import (
	"math/rand/v2"
	"slices"
	"testing"
)

// The expected values come from the reference.
func TestUnigramFindsBestPath(t *testing.T) {
	for _, c := range []struct {
		vocab, text string
		want        []int32
	}{
		// An unknown character costs 10 more than the least likely token: the score
		// of "a", "bc" is -22.5, that of "ab" and an unknown "c" is -23.
		{`["<unk>",0],["ab",-1],["a",-11.5],["bc",-11],["q",-12]`, "abc", []int32{2, 3}},
		// Equal scores: the longest last token wins.
		{`["<unk>",0],["a",-1],["b",-1],["ab",-2],["c",-1],["bc",-2],["abc",-3]`, "abc", []int32{6}},
		{`["<unk>",0],["a",-1],["b",-1],["ab",-2],["c",-1],["bc",-2],["abc",-3]`, "abab", []int32{3, 3}},
	} {
		tok, err := Parse([]byte(`{"model":{"type":"Unigram","unk_id":0,"vocab":[` + c.vocab + `]}}`))
		if err != nil {
			t.Fatal(err)
		}
		if e, err := tok.Encode(c.text, nil); err != nil || !slices.Equal(e.IDs, c.want) {
			t.Errorf("%s in %s: got %v, %v, want %v", c.text, c.vocab, e.IDs, err, c.want)
		}
	}
}

func TestMergeShortAgreesWithMergeLong(t *testing.T) {
	tok := testTokenizers(t)["bpe"]
	b, ok := tok.model.(*bpe)
	if !ok {
		t.Fatalf("got model %T, want BPE", tok.model)
	}
	random := rand.New(rand.NewPCG(1, 2))
	const letters = "aaellloot hinrs"
	merged := 0
	for range 5000 {
		var short, long state
		for range 2 + random.IntN(maxShortWord-1) {
			id := b.rawIDs[letters[random.IntN(len(letters))]]
			short.addSymbol(id, 1)
			long.addSymbol(id, 1)
		}
		n := len(short.word)
		short.word[n-1].next, long.word[n-1].next = noValue, noValue
		b.mergeShort(&short)
		b.mergeLong(&long)
		long.word = slices.DeleteFunc(long.word, func(s symbol) bool { return s.length == 0 })
		same := func(a, b symbol) bool { return a.id == b.id && a.length == b.length }
		if !slices.EqualFunc(short.word, long.word, same) {
			t.Fatalf("mergeShort: got %v, mergeLong: got %v", short.word, long.word)
		}
		merged += n - len(short.word)
	}
	if merged < 5000 {
		t.Errorf("got %d merges, want at least 5000", merged)
	}
}
