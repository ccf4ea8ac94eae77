package page

import (
	"fmt"
	"html/template"
	"strconv"
	"strings"
)

// visible is a text as HTML, in which characters that can't be seen or that change
// the direction of what follows are shown by their number.
func visible(text string) template.HTML {
	var b strings.Builder
	appendVisible(&b, text)
	return template.HTML(b.String()) //nolint:gosec // appendVisible escapes
}

func appendVisible(b *strings.Builder, text string) {
	text = strings.ReplaceAll(strings.ToValidUTF8(text, "\uFFFD"), "\r\n", "\n")
	at := 0
	for i, r := range text {
		if !hidden(r) {
			continue
		}
		template.HTMLEscape(writer{b}, []byte(text[at:i]))
		fmt.Fprintf(b, `<span class="hidden-character">U+%04X</span>`, r)
		at = i + len(string(r))
	}
	template.HTMLEscape(writer{b}, []byte(text[at:]))
}

type writer struct{ b *strings.Builder }

func (w writer) Write(p []byte) (int, error) { return w.b.Write(p) }

// hidden reports whether a character can't be seen, or changes the direction of
// what follows. Joiners are not hidden, since letters and emoji need them.
func hidden(r rune) bool {
	switch {
	case r < ' ':
		return r != '\t' && r != '\n'
	case r >= 0x7f && r <= 0x9f, r == 0x61c, r == 0x180e, r == 0x200b, r == 0x200e, r == 0x200f,
		r >= 0x2028 && r <= 0x202e, r >= 0x2060 && r <= 0x2069, r == 0xfeff, r >= 0xfff9 && r <= 0xfffb,
		r >= 0xe0000 && r <= 0xe007f:
		return true
	}
	return false
}

func digits(n int) string { return strconv.Itoa(n) }
