package extract

import (
	"math/rand/v2"
	"strings"
	"testing"
	"unicode/utf8"

	"github.com/google/go-cmp/cmp"
)

// restates reports whether text may be a claim from sentence: sentence contains its
// characters in this order. Entities, escapes and tables are not compared.
func restates(text, sentence string) bool {
	if strings.ContainsAny(sentence, `&\|`) {
		return true
	}
	if strings.Contains(sentence, "<sup>") { // a power
		text = strings.ReplaceAll(text, "^", "")
	}
	for _, c := range strings.ReplaceAll(text, sourcePlaceholder, "") {
		at := strings.IndexRune(sentence, c)
		if c == ' ' {
			continue
		}
		if at < 0 {
			return false
		}
		sentence = sentence[at+utf8.RuneLen(c):]
	}
	return true
}

// checkInvariants checks the documented properties of an extraction.
func checkInvariants(t *testing.T, answer string) {
	t.Helper()
	e := extract(t, answer)
	runes := []rune(answer)
	valid := utf8.ValidString(answer)
	check := func(text string, start, end int) {
		if start < 0 || end <= start || end > len(runes) {
			t.Fatalf("%q: got range %d to %d of %d code points", answer, start, end, len(runes))
		}
		if valid && string(runes[start:end]) != text || !strings.Contains(answer, text) || text != strings.TrimSpace(text) {
			t.Fatalf("%q: got text %q for range %d to %d", answer, text, start, end)
		}
	}
	end := 0
	for i, c := range e.Claims {
		if valid {
			raw := string(runes[c.Start:c.End])
			check(raw, c.Start, c.End)
			if newView(answer).cuts == nil && c.Text != stripMarkdown(raw) && !strings.Contains(raw, "|") || !restates(c.Text, raw) {
				t.Fatalf("%q: claim %q does not restate %q", answer, c.Text, raw)
			}
		}
		if c.Text == "" || c.Text != strings.TrimSpace(c.Text) || c.End-c.Start < 1 || c.Statement == "" && !strings.HasSuffix(c.Judged(), c.Text) ||
			c.Statement != Statements("", []Claim{c})[0] {
			t.Fatalf("%q: got inconsistent claim %+v", answer, c)
		}
		if c.ID != i || c.Start < end {
			t.Fatalf("%q: claim %d is out of order: %+v", answer, i, c)
		}
		end = c.End
	}
	end = 0
	for _, s := range e.Skipped {
		check(s.Text, s.Start, s.End)
		if s.Kind == "" || s.Start < end {
			t.Fatalf("%q: skipped %+v is out of order or has no kind", answer, s)
		}
		end = s.End
	}
	if (e.Reason() == "") != (len(e.Claims) > 0) {
		t.Fatalf("%q: got reason %q with %d claims", answer, e.Reason(), len(e.Claims))
	}
	if d := cmp.Diff(e, extract(t, answer)); d != "" {
		t.Fatalf("%q: second extraction differs:\n%s", answer, d)
	}
}

// fragments returns the building blocks of random answers.
func fragments() []string {
	return []string{
		"I don't know", "the context does not mention", "but", "it", "based on the provided passages", "here is", "the answer", "Hello", "Paris", "1990",
		"is", "Sure", ",", ".", "!", "?", ":", ";", "\n", "\n\n", "- ", "1. ", "# ", "**", "\"", "’", "'", "😀", "é", "日本。", "\xff", "\xe2\x80", "```\n", "|", "> ",
		"feel free to ask", "if you", "following", "these steps", "not mentioned in", "—", "…", "\u00a0", "| a | b |\n|---|---|\n| 1 | 2 |\n", "[x](http://y.z)", "[^1]", "[^1]: ", "    x = 1;\n", "`c`", "*e*", "_f_", "<br>", "\\*", "Advantages:\n- ", "===\n", "https://a.b", "[1]", "(2)", "【3】", "<sup>4</sup>", "²", "<think>", "</think>", "<p>", "</li>", "&amp;", "&#39;", "&copy=2", "`&lt;`", "&#124;", "\u200b", "\u00ad", "\nSources:\n", "[1] a.pdf\n", "Answer: ", "([1], [2])", "[[1]](http://y.z)",
	}
}

func TestExtractInvariantsOnRandomAnswers(t *testing.T) {
	r := rand.New(rand.NewPCG(3, 4))
	all := fragments()
	n := 30000
	if testing.Short() {
		n = 2000
	}
	for range n {
		var b strings.Builder
		for range r.IntN(16) {
			b.WriteString(all[r.IntN(len(all))])
			if r.IntN(2) == 0 {
				b.WriteByte(' ')
			}
		}
		checkInvariants(t, b.String())
	}
}

func FuzzExtract(f *testing.F) {
	for _, s := range []string{"", "It rains. I don't know.", "Here is:\n- a\n- b", "**T**\n\nText is here now.", "\xff é", strings.Join(fragments(), " "), strings.Join(fragments(), "")} {
		f.Add(s)
	}
	f.Fuzz(func(t *testing.T, answer string) { checkInvariants(t, answer) })
}

const typicalAnswer = "Based on the provided passages, here are the steps to wash wine glasses:\n\n" +
	"1. Lay a towel in the sink and fill it with hot water.\n2. Wash one wine glass at a time to avoid damage.\n" +
	"3. Scrub the inside of the glass with a stemware brush that has soft-foam bristles.\n\n" +
	"If there is stubborn residue, dissolve a small amount of baking soda in hot water, e.g. two spoons. Rinse the glass once more. " +
	"The passages do not mention a dishwasher. I hope this helps! Let me know if you have other questions."

func BenchmarkExtract(b *testing.B) {
	b.SetBytes(int64(len(typicalAnswer)))
	b.ReportAllocs()
	for b.Loop() {
		if _, err := (Sentences{}).Extract(b.Context(), "", typicalAnswer); err != nil {
			b.Fatal(err)
		}
	}
}

func BenchmarkExtractPathological(b *testing.B) {
	for name, unit := range map[string]string{
		"dots": ".", "sentences": "a. ", "newlines": "\n", "items": "1. I\n", "commas": "I don't know, ", "ifs": "If you. ",
		"numbers": "[1]", "parentheses": "(1) ", "indexes": "x[1]", "tags": "<b>", "entities": "&amp;", "superscripts": "¹", "reasoning": "<think>", "ends": "</think>",
		"sources": "Sources:\n", "source": "Source: a\n", "sourced": "Source: # a\nIt is red.\n", "entries": "[1] a.pdf\n", "backticks": "`a ", "cited": "It is [1]. ", "open": "[", "links": "[a](b) ", "emphasis": "*a ", "bold": "**", "code": "`` ` ", "images": "![", "quotes": " \n>",
	} {
		b.Run(name, func(b *testing.B) {
			text := strings.Repeat(unit, (8<<20)/len(unit))
			b.SetBytes(int64(len(text)))
			for b.Loop() {
				extract(b, text)
			}
		})
	}
}
