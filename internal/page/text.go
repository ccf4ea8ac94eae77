package page

import (
	"fmt"
	"strings"

	template "github.com/DataDog/datadog-agent/pkg/template/html"
)

// Visible returns text as HTML in which invisible characters and those that change the
// text direction are replaced by their code points.
func Visible(text string) template.HTML {
	text = strings.ReplaceAll(strings.ToValidUTF8(text, "\uFFFD"), "\r\n", "\n")
	var b strings.Builder
	start := 0
	for i, r := range text {
		if !hidden(r) {
			continue
		}
		b.WriteString(template.HTMLEscapeString(text[start:i]))
		fmt.Fprintf(&b, `<span class="hidden-character">U+%04X</span>`, r)
		start = i + len(string(r))
	}
	b.WriteString(template.HTMLEscapeString(text[start:]))
	return template.HTML(b.String()) //nolint:gosec // escaped above
}

// hidden reports whether a character is invisible or changes the text direction. Joiners
// are not hidden, since letters and emoji need them. The script of the report has the same
// list (HIDDEN in text.js).
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
