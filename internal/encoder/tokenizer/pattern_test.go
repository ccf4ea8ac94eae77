package tokenizer

import (
	"slices"
	"testing"

	"github.com/dlclark/regexp2/v2"
)

// gpt2Pattern is the pattern of GPT-2.
const gpt2Pattern = `'s|'t|'re|'ve|'m|'ll|'d| ?\p{L}+| ?\p{N}+| ?[^\s\p{L}\p{N}]+|\s+(?!\S)|\s+`

func TestGPT2WordsAgreeWithRegexp(t *testing.T) {
	chars := readCharacters()
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
		var got []string
		for i := 0; i < len(text); {
			end := gpt2Splitter{chars: chars}.wordEnd([]byte(text), i)
			got = append(got, text[i:end])
			i = end
		}
		if !slices.Equal(got, want) {
			t.Errorf("%q:\n got %q\nwant %q", text, got, want)
		}
	}
}
