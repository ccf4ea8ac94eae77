package tokenizer

import (
	"slices"
	"strings"
	"testing"

	"github.com/dlclark/regexp2/v2"
)

func TestPatternRejectsUnsupportedSyntax(t *testing.T) {
	chars, err := readCharacters()
	if err != nil {
		t.Fatal(err)
	}
	for _, pattern := range []string{
		`\s+`, `\p{L}+`, `[a-c]`, `(a)`, `(?i:a)`, `^a`, `a$`, `.`, `a{,2}`, `a{2}?`, `a\`, `*a`, `a**`, `a++`, `a{2}+`, `a{2000}`,
		strings.Repeat("a", 9000),
	} {
		if _, err := (&parser{chars: chars, states: maxStates}).pattern(pattern); err == nil || !strings.HasPrefix(err.Error(), "pattern ") {
			t.Errorf("%.40q: got %v, want an error about the pattern", pattern, err)
		}
	}
}

// findRanges returns the matches of a pattern in text and the text between them.
func findRanges(f finder, text string) (ranges []string) {
	for _, m := range findAll(f, nil, []byte(text)) {
		ranges = append(ranges, text[m.lo:m.hi])
	}
	return ranges
}

// The expected values come from Split with a Regex in the reference.
func TestPatternAgreesWithOniguruma(t *testing.T) {
	chars, err := readCharacters()
	if err != nil {
		t.Fatal(err)
	}
	for _, c := range []struct {
		pattern, text string
		want          []string
	}{
		{` {2,}`, "a  b c   ", []string{"a", "  ", "b c", "   "}},
		{`北|京`, "北京x", []string{"北", "京", "x"}},
		{`x*`, "axb", []string{"", "a", "x", "b", ""}},
		{`a{2,3}`, "aaaaab", []string{"aaa", "aa", "b"}},
	} {
		f, err := (&parser{chars: chars, states: maxStates}).pattern(c.pattern)
		if err != nil {
			t.Errorf("%s: %v", c.pattern, err)
			continue
		}
		if got := findRanges(f, c.text); !slices.Equal(got, c.want) {
			t.Errorf("%s in %q: got %q, want %q", c.pattern, c.text, got, c.want)
		}
	}
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
