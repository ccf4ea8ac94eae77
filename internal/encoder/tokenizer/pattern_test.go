package tokenizer

import (
	"slices"
	"strings"
	"testing"
)

func TestPatternsThatMeanSomethingElseInGoAreRefused(t *testing.T) {
	for pattern, want := range map[string]string{
		`[a[bc]]`:                   "brackets in brackets",
		`[a&&b]`:                    "&& in brackets",
		`[[:alpha:]]`:               "brackets in brackets",
		`\h+`:                       `\h isn't supported`,
		`\bword`:                    `\b isn't supported`,
		`(a)\1`:                     `\1 isn't supported`,
		`a{2}+`:                     "{n,m}+",
		`a{2}?`:                     "{n}?",
		`a{,}`:                      "the repetition {,}",
		`a{2000}`:                   "the repetition {2000}",
		`a**`:                       "a quantifier behind a quantifier",
		`(?i)straße`:                "a group like",
		`(?<name>a)`:                "a group like",
		`\p{Emoji}`:                 `\p{Emoji} isn't supported`,
		`\x{110000}`:                "is no character",
		`\xff`:                      "is a byte",
		`(a`:                        "ends too early",
		`a)`:                        "closes nothing",
		`*a`:                        "nothing to repeat",
		`[\S]`:                      `\S in brackets`,
		`[]a]`:                      `a "]" at the beginning`,
		`[z-a]`:                     "invalid character class range",
		"a\\":                       "ends too early",
		`x{1,2`:                     "ends too early",
		string(rune(0x80)) + "\xff": "not UTF-8",
		strings.Repeat("(", 60):     "more than 50 deep",
		strings.Repeat("a", 9000):   "9000 bytes",
	} {
		chars, err := readCharacters()
		if err != nil {
			t.Fatal(err)
		}
		if _, err := newPattern(chars, pattern); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%.40q: got %v, want %s", pattern, err, want)
		}
	}
}

// What they find was asked of the reference, by its Split with a Regex.
func TestPatternsFindWhatOnigurumaFinds(t *testing.T) {
	for _, c := range []struct {
		pattern, text string
		want          []string // what is found and what is between
	}{
		{`\w+`, "a½ b٣ ⅷ Ⓐ_x", []string{"a½", " ", "b٣", " ", "ⅷ", " ", "Ⓐ_x"}},
		{`[\w]+`, "a½b", []string{"a", "½", "b"}},
		{`\s+`, "a\u0085\u2003b\u200bc", []string{"a", "\u0085\u2003", "b\u200bc"}},
		{`\d{2}`, "12345", []string{"12", "34", "5"}},
		{`[a-c-]+`, "a-d-c", []string{"a-", "d", "-c"}},
		{`(?i:'s|'t|'re|'ve|'m|'ll|'d)`, "it'S 'ſ", []string{"it", "'S", " ", "'ſ"}},
		{`a++b`, "aab aa", []string{"aab", " aa"}},
		{`x*`, "axb", []string{"", "a", "x", "b", ""}},
		{`^a`, "a\na\n", []string{"a", "\n", "a", "\n"}},
		{`.$`, "ab\ncd", []string{"a", "b", "\nc", "d"}},
		{`\x{5317}|\u4eac`, "北京", []string{"北", "京"}},
	} {
		chars, err := readCharacters()
		if err != nil {
			t.Fatal(err)
		}
		f, err := newPattern(chars, c.pattern)
		if err != nil {
			t.Errorf("%s: %v", c.pattern, err)
			continue
		}
		all, err := cover(f, nil, []byte(c.text))
		if err != nil {
			t.Errorf("%s: %v", c.pattern, err)
		}
		var got []string
		for _, m := range all {
			got = append(got, c.text[m.lo:m.hi])
		}
		if !slices.Equal(got, c.want) {
			t.Errorf("%s in %q: got %q, want %q", c.pattern, c.text, got, c.want)
		}
	}
}

// The known patterns are written out by hand. What they find has to be what the
// general engine finds for the same pattern.
func TestKnownPatternsFindWhatTheEngineFinds(t *testing.T) {
	chars, err := readCharacters()
	if err != nil {
		t.Fatal(err)
	}
	texts := []string{
		"it's we'LL 'sx ''re don'T", "a  b   \n c\r\n\r\n d \t\n", "12345 ½x1٣ 1a", " !? a.b--c ... \n\n!", "é\u0301x \u00a0\u00a0y",
		"  ", "\n", " \n ", "'", "x'", "' s", "北京12 한국", "\u200b \u200bz", "a\u3000b", "'ſ's", "!\r\n\r\nx", "\t!a", " \r!",
	}
	for _, pattern := range []string{gpt2Pattern, cl100kPattern, llama3Pattern, qwen2Pattern} {
		known, ok := knownPattern(chars, pattern)
		if !ok {
			t.Fatalf("%s isn't known", pattern)
		}
		// A group around it makes it another pattern.
		engine, err := newPattern(chars, "(?:"+pattern+")")
		if err != nil {
			t.Fatal(err)
		}
		for _, text := range texts {
			got, err1 := cover(known, nil, []byte(text))
			want, err2 := cover(engine, nil, []byte(text))
			if err1 != nil || err2 != nil || !slices.Equal(got, want) {
				t.Errorf("%s in %q:\n got %v, %v\nwant %v, %v", pattern, text, got, err1, want, err2)
			}
		}
	}
}
