package html

import "testing"

func TestVisible(t *testing.T) {
	for text, want := range map[string]string{
		"a\u202eb":      `a<span class="hidden-character">U+202E</span>b`,
		"\x00":          `<span class="hidden-character">U+0000</span>`,
		"a\tb\r\nc\n":   "a\tb\nc\n",
		"\xff<":         "\uFFFD&lt;",
		"👩\u200d🚀":      "👩\u200d🚀",
		"x\xff\u2066\r": "x\uFFFD<span class=\"hidden-character\">U+2066</span><span class=\"hidden-character\">U+000D</span>",
	} {
		if got := string(visible(text)); got != want {
			t.Errorf("visible(%q): got %q, want %q", text, got, want)
		}
	}
}
