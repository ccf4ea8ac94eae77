package tokenizer

import (
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
