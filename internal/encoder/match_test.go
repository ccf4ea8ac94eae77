package encoder

import (
	"slices"
	"strings"
	"testing"
	"unicode/utf8"
)

// naiveWords returns words with the indices of their tokens.
func naiveWords(pieces []string, ids []int32) (words []string, tokens [][]int) {
	for i, id := range ids {
		p := pieces[id]
		if strings.HasPrefix(p, "##") && len(words) > 0 {
			words[len(words)-1] += p[2:]
			tokens[len(tokens)-1] = append(tokens[len(tokens)-1], i)
			continue
		}
		words, tokens = append(words, p), append(tokens, []int{i})
	}
	return words, tokens
}

func naiveSimilar(a, b string) bool {
	x, y := []rune(a), []rune(b)
	short := min(len(x), len(y))
	if short < minSharedPrefix {
		return false
	}
	n := max(minSharedPrefix, short-2)
	return slices.Equal(x[:n], y[:n])
}

// naiveTypes returns the token types of a claim, computed directly from the
// definition.
func naiveTypes(pieces []string, window, claim []int32) []int32 {
	have, _ := naiveWords(pieces, window)
	types := make([]int32, len(claim))
	words, tokens := naiveWords(pieces, claim)
	for i, w := range words {
		t := int32(absentWord)
		switch {
		case slices.Contains(have, w):
			t = sameWord
		case slices.ContainsFunc(have, func(v string) bool { return naiveSimilar(w, v) }):
			t = similarWord
		}
		for _, j := range tokens[i] {
			types[j] = t
		}
	}
	return types
}

// FuzzLayout compares the layout of a sequence with its definition.
func FuzzLayout(f *testing.F) {
	f.Add("direct ##ed ##s inter ##est [UNK] a ##b", []byte{0, 1, 3, 4}, []byte{0, 2, 3, 4, 5})
	f.Add("abcd abcdef abcdefg abcx ##x ##", []byte{0, 1, 2, 4, 5}, []byte{3, 3, 2, 4, 0, 1})
	f.Add("été étés éteint 北京市民 北京市民x 北京 ##市 😀😀😀😀😀", []byte{0, 2, 3, 6}, []byte{1, 4, 5, 6, 7})
	f.Add("##a ##b", []byte{0, 1}, []byte{1, 0})
	f.Fuzz(func(t *testing.T, vocabulary string, window, claim []byte) {
		pieces := strings.Fields(vocabulary)
		if len(pieces) == 0 || !utf8.ValidString(vocabulary) {
			return
		}
		ids := func(b []byte) []int32 {
			var ids []int32
			for _, v := range b {
				ids = append(ids, int32(v)%int32(len(pieces)))
			}
			return ids
		}
		w, c := ids(window), ids(claim)
		m := &wordMatcher{pieces: pieces}
		m.setWindow(c)
		m.setTypes(make([]int32, len(w)), w) // a matcher can be reused
		m.setWindow(w)
		var got tokenSequence
		got.start(w, 2, len(c)+2)
		got.addClaim(m, nil)
		got.addClaim(m, c)

		n := len(w) + 2
		want := tokenSequence{window: n, ends: []int{n + 1, n + 2 + len(c)}}
		want.ids = slices.Concat([]int32{clsToken}, w, []int32{sepToken, sepToken}, c, []int32{sepToken})
		want.types = slices.Concat(make([]int32, n), []int32{sameWord}, naiveTypes(pieces, w, c), []int32{sameWord})
		for i := range n {
			want.positions = append(want.positions, int32(i))
		}
		want.positions = append(want.positions, int32(n))
		for i := range len(c) + 1 {
			want.positions = append(want.positions, int32(n+i))
		}
		if !slices.Equal(got.ids, want.ids) || !slices.Equal(got.types, want.types) || !slices.Equal(got.positions, want.positions) ||
			got.window != want.window || !slices.Equal(got.ends, want.ends) {
			t.Errorf("pieces %q:\n got %v\nwant %v", pieces, got, want)
		}
	})
}
