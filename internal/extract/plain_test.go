package extract

import (
	"strings"
	"testing"
	"unicode/utf8"
)

func TestNewPlainText(t *testing.T) {
	for raw, want := range map[string]string{
		"Plain text costs $5 < $6 & stays.":                  "Plain text costs $5 < $6 & stays.",
		"The **Pro** plan, _the_ ~~old~~ one.":               "The Pro plan, the  one.",
		"Now <del>$5</del> <s class=\"x\">$6</s> $7.":        "Now   $7.",
		"5 * 3 * 2, snake_case_name, a_b, **":                "5 * 3 * 2, snake_case_name, a_b, **",
		"* an item\n* another *one*\n***\n":                  "* an item\n* another one\n***\n",
		"See [the FAQ](https://x.example/faq#a_b) now[3].":   "See the FAQ (https://x.example/faq#a_b) now[3].",
		"![A plan](plan.png)":                                "A plan (plan.png)",
		"<p>One &amp; two</p><p>Three</p>":                   "\nOne & two\n\nThree\n",
		"<ul><li>a</li><li>b</li></ul>":                      "\n\n- a\n\n- b\n\n",
		"<table><tr><th>A</th><th>B</th></tr></table>":       "\n\n| A | B \n",
		"in\u00adter\u200bnal\ufeff":                         "internal",
		"12\u00a0%, 1\u2009000, e\u2011mail, ﬁre":            "12 %, 1 000, e-mail, fire",
		"10<sup>6</sup> cells, 5 m<sup>2</sup>":              "10^6 cells, 5 m2",
		"Since 2020<sup>3</sup> it costs":                    "Since 2020 3 it costs",
		"a<!-- b --> c<SCRIPT src=\"x\">d()</script> <!-- e": "a c <!-- e",
		"a\r\nb\rc": "a\nb\rc",
		"\u0645\u06cc\u200c\u062e\u0648\u0627\u0647\u0645": "\u0645\u06cc\u200c\u062e\u0648\u0627\u0647\u0645", // joiner within a word
	} {
		if got := NewPlainText(raw).Text(); got != want {
			t.Errorf("NewPlainText(%q): got %q, want %q", raw, got, want)
		}
	}
}

// FuzzPlainText checks that Span maps offsets in the text to the same
// characters of the context.
func FuzzPlainText(f *testing.F) {
	for _, s := range []string{"**a** b", "<p>x</p>", "[a](b)", "a &amp; b", "_", "~~x~~", "![x](y) *z*", "\u00ad\u00a0ﬃ", "a*b*c **", "<td><li>", `$45$ 7\.4`, "１２．５"} {
		f.Add(s)
	}
	f.Fuzz(func(t *testing.T, raw string) {
		p := NewPlainText(raw)
		text := p.Text()
		if !p.Changed() && text != raw {
			t.Fatalf("got %q unchanged, want %q", text, raw)
		}
		last := 0
		for i, r := range text {
			size := utf8.RuneLen(r)
			if r == utf8.RuneError {
				size = 1
			}
			from, to := p.Span(i, min(len(text), i+size))
			if from < last || to < from || to > len(raw) {
				t.Fatalf("%q: byte %d of %q: got span %d to %d after %d", raw, i, text, from, to, last)
			}
			last = from
			if 'a' <= r && r <= 'z' && !strings.ContainsAny(raw, "&ﬀﬁﬂﬃﬄﬅﬆ") && raw[from] < utf8.RuneSelf && !strings.Contains("01", raw[from:from+1]) && raw[from] != byte(r) {
				t.Fatalf("%q: got %q at %d to %d, want %q", raw, raw[from:to], from, to, r)
			}
		}
	})
}
