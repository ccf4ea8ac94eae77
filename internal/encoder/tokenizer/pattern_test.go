package tokenizer

import (
	"slices"
	"strings"
	"testing"
)

func TestNewPatternRejectsUnsupportedSyntax(t *testing.T) {
	for pattern, want := range map[string]string{
		`[a[bc]]`:                   "nested character classes",
		`[a&&b]`:                    "&& in a character class",
		`[[:alpha:]]`:               "nested character classes",
		`\h+`:                       `\h is not supported`,
		`\bword`:                    `\b is not supported`,
		`(a)\1`:                     `\1 is not supported`,
		`a{2}+`:                     "{n,m}+",
		`a{2}?`:                     "{n}?",
		`a{,}`:                      "repetition {,}",
		`a{2000}`:                   "repetition {2000}",
		`a**`:                       "repeated quantifiers",
		`(?i)straße`:                "group ",
		`(?<name>a)`:                "group ",
		`\p{Emoji}`:                 `\p{Emoji} is not supported`,
		`\x{110000}`:                "is not a character",
		`\xff`:                      "is a byte",
		`(a`:                        "unexpected end of pattern",
		`a)`:                        "unmatched )",
		`*a`:                        "nothing to repeat",
		`[\S]`:                      `\S in a character class`,
		`[]a]`:                      `"]" at the start`,
		`[z-a]`:                     "invalid character class range",
		"a\\":                       "unexpected end of pattern",
		`x{1,2`:                     "unexpected end of pattern",
		string(rune(0x80)) + "\xff": "not UTF-8",
		strings.Repeat("(", 60):     "more than 50 levels deep",
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

// The expected values come from Split with a Regex in the reference.
func TestPatternAgreesWithOniguruma(t *testing.T) {
	for _, c := range []struct {
		pattern, text string
		want          []string // matches and the text between them
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
		all, err := findAll(f, nil, []byte(c.text))
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

// The hand-written patterns must agree with the regexp engine.
func TestBuiltinPatternsAgreeWithRegexp(t *testing.T) {
	chars, err := readCharacters()
	if err != nil {
		t.Fatal(err)
	}
	texts := []string{
		"it's we'LL 'sx ''re don'T", "a  b   \n c\r\n\r\n d \t\n", "12345 ½x1٣ 1a", " !? a.b--c ... \n\n!", "é\u0301x \u00a0\u00a0y",
		"  ", "\n", " \n ", "'", "x'", "' s", "北京12 한국", "\u200b \u200bz", "a\u3000b", "'ſ's", "!\r\n\r\nx", "\t!a", " \r!",
	}
	for _, pattern := range []string{gpt2Pattern, cl100kPattern, llama3Pattern, qwen2Pattern} {
		known, ok := builtinPattern(chars, pattern)
		if !ok {
			t.Fatalf("no built-in implementation of %s", pattern)
		}
		// With a group around it, the pattern is not recognized as built-in.
		engine, err := newPattern(chars, "(?:"+pattern+")")
		if err != nil {
			t.Fatal(err)
		}
		for _, text := range texts {
			got, err1 := findAll(known, nil, []byte(text))
			want, err2 := findAll(engine, nil, []byte(text))
			if err1 != nil || err2 != nil || !slices.Equal(got, want) {
				t.Errorf("%s in %q:\n got %v, %v\nwant %v, %v", pattern, text, got, err1, want, err2)
			}
		}
	}
}
