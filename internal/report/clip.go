package report

import (
	"strings"
	"unicode"
)

// clip returns s on one line, in at most so many characters, with "…" where it
// was cut. Runs of white space are a blank, and nothing in it changes the
// direction of the text, moves a cursor or is forbidden in XML: such characters
// are shown as escapes. Only as much of s is read as is returned.
func clip(s string, most int) string {
	var b strings.Builder
	length, blank := 0, false
	for _, r := range s {
		if unicode.IsSpace(r) {
			blank = length > 0
			continue
		}
		piece := printable(r)
		n := len([]rune(piece))
		if blank {
			n++
		}
		if length += n; length > most {
			b.WriteString("…")
			break
		}
		if blank {
			b.WriteByte(' ')
			blank = false
		}
		b.WriteString(piece)
	}
	return b.String()
}
