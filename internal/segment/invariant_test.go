package segment

import (
	"math/rand/v2"
	"slices"
	"strings"
	"testing"
	"unicode"
	"unicode/utf8"
)

// checkInvariants checks the documented properties of the spans of text.
func checkInvariants(t *testing.T, text, lang string) {
	t.Helper()
	spans := Sentences(text, lang)
	at := 0
	for i, s := range spans {
		if s.Start < at || s.End <= s.Start || s.End > len(text) {
			t.Fatalf("%q: span %d is %v, want it within [%d, %d)", text, i, s, at, len(text))
		}
		checkGap(t, text, at, s.Start)
		sentence := text[s.Start:s.End]
		if strings.TrimSpace(sentence) != sentence {
			t.Fatalf("%q: sentence %q has surrounding white space", text, sentence)
		}
		if utf8.ValidString(text) && !utf8.ValidString(sentence) {
			t.Fatalf("%q: span %v splits a character", text, s)
		}
		at = s.End
	}
	checkGap(t, text, at, len(text))
	if second := Sentences(text, lang); !slices.Equal(spans, second) {
		t.Fatalf("%q: got %v, then %v", text, spans, second)
	}
}

// checkGap checks that text[from:to] has no letter or digit, except in item
// markers and the info strings of code fences.
func checkGap(t *testing.T, text string, from, to int) {
	t.Helper()
	for l := range strings.Lines(text[from:to]) {
		l = strings.TrimLeftFunc(l, func(r rune) bool { return unicode.IsSpace(r) || r == '>' })
		if strings.HasPrefix(l, "```") || strings.HasPrefix(l, "~~~") {
			continue
		}
		for range 4 {
			l += "." // markerAt requires text after the marker
			m := markerAt(l, 0, len(l))
			l = l[m.size : len(l)-1]
		}
		for _, r := range l {
			if unicode.IsLetter(r) || unicode.IsDigit(r) {
				t.Fatalf("%q: no sentence contains %q", text, text[from:to])
			}
		}
	}
}

func pieces() []string {
	return []string{
		"a", "The", "word", "Dr", "U.S", "e.g", "1", "23", "2.", "no", "Yahoo", "I", ".", "..", "…", "!", "?", "‼", "。", "！", "？",
		"।", "۔", "؟", "።", ":", ";", ",", "\"", "'", "“", "”", "(", ")", "[", "]", "[1]", "(Smith, 2019)", "**", "_", "`", "```", "~~~", "\n", "\n\n",
		"\r\n", " ", "  ", "\t", "\u00a0", "\u3000", "- ", "* ", "• ", "1. ", "2) ", "(a) ", "# ", "### ", "> ", "|", "---", "```md\n", "「", "」", "《", "》",
		"é", "е́", "😀", "👩‍👩‍👧", "日本", "ق", "\xff", "\xe3\x80", "\u2028", "-", "–", ":)", "https://a.b/c?d=e", "a.b@c.de", "v1.2", "Ո", "ά", "،", "„", "«", "»", "‘", "г.", "Nr.", "XII", "Januar", "08/16/2000 03:14 PM", "Regards,", "a.pdf - b.pdf", "____________________",
		"http://a.b http://c.d", "    x = 1;\n", "a | b\n--|--\n", "\n. ", "word.12 The", "who?what ", "``` x ```",
	}
}

func TestInvariantsForRandomText(t *testing.T) {
	r := rand.New(rand.NewPCG(1, 2))
	all, languages := pieces(), tags(t)
	n := 30000
	if testing.Short() {
		n = 2000
	}
	for range n {
		var b strings.Builder
		for range r.IntN(24) {
			b.WriteString(all[r.IntN(len(all))])
			if r.IntN(3) == 0 {
				b.WriteByte(' ')
			}
		}
		checkInvariants(t, b.String(), languages[r.IntN(len(languages))])
	}
}

// tags returns the tags of all languages and "", each with and without
// claimsSuffix.
func tags(t testing.TB) []string {
	t.Helper()
	out := []string{"", claimsSuffix}
	for tag := range languages().byTag {
		out = append(out, tag, tag+"-"+claimsSuffix)
	}
	slices.Sort(out)
	return out
}

func FuzzSentences(f *testing.F) {
	languages := tags(f)
	for _, s := range []string{
		"", "It rains. It pours.", "1. One. 2. Two.", "• a • b", "# T\n\n- x\n```\ncode\n```\n| a |", "今天下雨。「好。」", "Dr. A. B. Smith, e.g. (x). [1] No.",
		"\"a.\" b", ". . . .", "a: 1. B", "> q\n> > r", "```md\nx\n```", "\xff. \xe2\x80 B", strings.Join(pieces(), ""), strings.Join(pieces(), " "),
	} {
		f.Add(s, uint8(len(s)))
	}
	f.Fuzz(func(t *testing.T, text string, lang uint8) {
		checkInvariants(t, text, languages[int(lang)%len(languages)])
	})
}
