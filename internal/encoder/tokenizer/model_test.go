package tokenizer

import (
	"math"
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
		tok := mustParse(t, []byte(`{"model":{"type":"Unigram","unk_id":0,"vocab":[`+c.vocab+`]}}`))
		if e, err := tok.Encode(c.text, 0); err != nil || !slices.Equal(e.IDs, c.want) {
			t.Errorf("%s in %s: got %v, %v, want %v", c.text, c.vocab, e.IDs, err, c.want)
		}
	}
}

// mergeOneByOne merges the pair of the lowest rank until no pair merges.
func mergeOneByOne(b *bpe, ids []int32) []int32 {
	for {
		best, at := merged{rank: math.MaxInt32}, -1
		for i := range len(ids) - 1 {
			if m, ok := b.merges[[2]int32{ids[i], ids[i+1]}]; ok && m.rank < best.rank {
				best, at = m, i
			}
		}
		if at < 0 {
			return ids
		}
		ids = slices.Replace(ids, at, at+2, best.id)
	}
}

func TestMergeTakesLowestRankFirst(t *testing.T) {
	tok := testTokenizers(t)["bpe"]
	b, ok := tok.model.(*bpe)
	if !ok {
		t.Fatalf("got model %T, want BPE", tok.model)
	}
	random := rand.New(rand.NewPCG(1, 2))
	const letters = "aaellloot hinrs"
	merges, rounds := 0, 5000
	if testing.Short() {
		rounds = 200
	}
	for range rounds {
		var s state
		var ids, got []int32
		for range 2 + random.IntN(40) {
			ids = append(ids, b.rawIDs[letters[random.IntN(len(letters))]])
			s.addSymbol(ids[len(ids)-1], 1)
		}
		b.merge(&s)
		for _, w := range s.word {
			if w.length > 0 {
				got = append(got, w.id)
			}
		}
		if want := mergeOneByOne(b, slices.Clone(ids)); !slices.Equal(got, want) {
			t.Fatalf("%v: got %v, want %v", ids, got, want)
		}
		merges += len(ids) - len(got)
	}
	if merges < rounds {
		t.Errorf("got %d merges, want at least %d", merges, rounds)
	}
}
