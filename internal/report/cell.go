package report

import (
	"fmt"
	"strings"
	"unicode"

	"github.com/jedib0t/go-pretty/v6/text"
)

// cell returns s in at most width terminal cells, with "..." where it was cut.
// Nothing in it moves the cursor, colours the screen or changes the direction
// of the text: a line break is shown as \n, and other characters that can't be
// printed as escapes. Only as much of s is read as is shown.
func cell(s string, width int) string {
	var b strings.Builder
	wide := 0 // cells in b
	room := 0 // bytes of b that leave space for the dots
	for _, r := range s {
		piece := printable(r)
		w := text.StringWidthWithoutEscSequences(piece)
		if wide+w > width {
			return cut(b.String()[:room], width)
		}
		b.WriteString(piece)
		wide += w
		if wide+len("...") <= width {
			room = b.Len()
		}
	}
	return b.String()
}

// cut puts the dots behind what is left of a text.
func cut(head string, width int) string {
	return head + strings.Repeat(".", min(len("..."), width))
}

// printable returns r, or what shows it where a terminal would obey it.
func printable(r rune) string {
	const joiner, nonJoiner = '\u200d', '\u200c' // letters and emoji need them
	switch {
	case unicode.IsPrint(r), r == joiner, r == nonJoiner:
		return string(r)
	case unicode.Is(unicode.Zs, r):
		return " "
	case r == '\n':
		return `\n`
	case r == '\r':
		return `\r`
	case r == '\t':
		return `\t`
	case r < 0x80:
		return fmt.Sprintf(`\x%02x`, r)
	case r < 0x10000:
		return fmt.Sprintf(`\u%04x`, r)
	}
	return fmt.Sprintf(`\U%08x`, r)
}

// Printable returns s with all that a terminal would obey shown as escapes, so
// that a text from a dataset can be part of a message.
func Printable(s string) string {
	for _, r := range s {
		if !unicode.IsPrint(r) {
			var b strings.Builder
			for _, r := range s {
				b.WriteString(printable(r))
			}
			return b.String()
		}
	}
	return s
}
