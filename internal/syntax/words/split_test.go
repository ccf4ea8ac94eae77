package words

import (
	"slices"
	"strings"
	"testing"
)

func TestSplitFollowsTheTreebank(t *testing.T) {
	tests := []struct{ sentence, want string }{
		{"I don't know, Anna's isn't ours.", "I|do|n't|know|,|Anna|'s|is|n't|ours|."},
		{"It’s the dogs’ food; they’ll cannot.", "It|’s|the|dogs|’|food|;|they|’ll|can|not|."},
		{"It costs $49 or 50% (US$5).", "It|costs|$|49|or|50|%|(|US|$|5|)|."},
		{"A 15-year term, a co-worker and an e-mail", "A|15|-|year|term|,|a|co-worker|and|an|e-mail"},
		{"Mr. Smith of the U.S. left at 5pm on Jan. 3.", "Mr.|Smith|of|the|U.S.|left|at|5|pm|on|Jan.|3|."},
		{"Wait...what?! \"No,\" she said—really.", "Wait|...|what|?!|\"|No|,|\"|she|said|—|really|."},
		{"See https://a.b/c?d=e, www.x.org and me@x.org.", "See|https://a.b/c?d=e|,|www.x.org|and|me@x.org|."},
		{"1,234.5 at 10:30 on 1/2/2003, and/or call 303-832-8160", "1,234.5|at|10:30|on|1/2/2003|,|and|/|or|call|303-832-8160"},
		{"from 500-1000 (2020–21) on 2020-01-05 by AT&T", "from|500|-|1000|(|2020|–|21|)|on|2020-01-05|by|AT&T"},
		{"U.S.-based, e.g., at 3 p.m. No. 5", "U.S.|-|based|,|e.g.|,|at|3|p.m.|No.|5"},
		{"[1] wouldn't've", "[|1|]|would|n't|'ve"},
		{"We like vitamin C.", "We|like|vitamin|C|."},
		{"C# and C++", "C#|and|C++"},
		{"'s", "'s"},
		{"a\u00a0b\u200bc", "a|b|c"},
	}
	for _, tt := range tests {
		var got []string
		for _, s := range Split(tt.sentence) {
			got = append(got, tt.sentence[s.Start:s.End])
		}
		if want := strings.Split(tt.want, "|"); !slices.Equal(got, want) {
			t.Errorf("%s: got %q, want %q", tt.sentence, got, want)
		}
	}
}

// FuzzSplit checks that the words have all that is not space, once and in order.
func FuzzSplit(f *testing.F) {
	f.Add("It's $5.00--ok? \xff")
	f.Fuzz(func(t *testing.T, sentence string) {
		end := 0
		for _, s := range Split(sentence) {
			if s.Start < end || s.End <= s.Start || s.End > len(sentence) {
				t.Fatalf("%q: got %v after byte %d", sentence, s, end)
			}
			if gap := strings.TrimFunc(sentence[end:s.Start], isSpace); gap != "" {
				t.Fatalf("%q: got no word for %q", sentence, gap)
			}
			end = s.End
		}
		if rest := strings.TrimFunc(sentence[end:], isSpace); rest != "" {
			t.Fatalf("%q: got no word for %q", sentence, rest)
		}
	})
}
