package tokenizer

import (
	"slices"
	"testing"

	"github.com/dlclark/regexp2/v2"
)

// gpt2Pattern is the pattern of GPT-2.
const gpt2Pattern = `'s|'t|'re|'ve|'m|'ll|'d| ?\p{L}+| ?\p{N}+| ?[^\s\p{L}\p{N}]+|\s+(?!\S)|\s+`

// findRanges returns the matches of a pattern in text and the text between them.
func findRanges(f finder, text string) (ranges []string) {
	for _, m := range findAll(f, nil, []byte(text)) {
		ranges = append(ranges, text[m.lo:m.hi])
	}
	return ranges
}

func TestGPT2WordsAgreeWithRegexp(t *testing.T) {
	chars, err := readCharacters()
	if err != nil {
		t.Fatal(err)
	}
	engine := regexp2.MustCompile(gpt2Pattern, regexp2.None)
	for _, text := range []string{
		"it's we'll 'sx ''re don't we'VE", "a  b   \n c\r\n\r\n d \t\n", "12345 ½x1٣ 1a", " !? a.b--c ... \n\n!", "é\u0301x \u00a0\u00a0y",
		"  ", "\n", " \n ", "'", "x'", "' s", "北京12 한국", "\u200b \u200bz", "a\u3000b", "'ſ's", "!\r\n\r\nx", "\t!a", " \r!",
	} {
		var want []string
		for m, err := engine.FindStringMatch(text); m != nil || err != nil; m, err = engine.FindNextMatch(m) {
			if err != nil {
				t.Fatal(err)
			}
			want = append(want, m.String())
		}
		if got := findRanges(gpt2Words{chars}, text); !slices.Equal(got, want) {
			t.Errorf("%q:\n got %q\nwant %q", text, got, want)
		}
	}
}
