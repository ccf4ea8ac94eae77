package entail

import (
	"strings"
	"testing"
)

func TestQuoteIsTheClause(t *testing.T) {
	t.Parallel()
	c := newComparer(t)
	for _, g := range []struct{ sentence, word, want string }{
		{"The policy does not cover water damage.", "cover", "The policy does not cover water damage"},
		{"Guests pay a fee, but members do not pay $5 for it.", "not", "members do not pay $5 for it"},
		{"Rates rose by 5 % in May; they fell in June.", "rose", "Rates rose by 5 % in May"},
		{"In May (the last month of the year) sales rose by 5%.", "5", "sales rose by 5%"},
		{"The price of $40 fell.", "40", "The price of $40 fell"},
		{"Dear readers, the committee of the city, which met at noon in the old town hall, did not approve the plan of the mayor for the park.", "approve", "did not approve the plan of the mayor for the park"},
		{"One two three four five six seven eight nine ten eleven twelve thirteen fourteen fifteen sixteen seventeen.", "ten", "four five six seven eight nine ten eleven twelve thirteen fourteen fifteen sixteen seventeen"},
	} {
		var x Sentence
		parse(c, &x, g.sentence)
		if got := phraseAt(&x, strings.Index(g.sentence, g.word)).Quote(); got != g.want {
			t.Errorf("%q in %q: got %q, want %q", g.word, g.sentence, got, g.want)
		}
	}
}

// phraseAt returns the word that contains byte i.
func phraseAt(x *Sentence, i int) Phrase {
	k := 0
	for int(x.Words[k].End) <= i {
		k++
	}
	return x.Span(k, k)
}
