package report

import (
	"strings"
	"unicode"
	"unicode/utf8"

	"github.com/clipperhouse/uax29/v2/graphemes"
	"github.com/jedib0t/go-pretty/v6/text"
)

// wrap breaks s into lines of at most width terminal cells. The first line starts after
// indent cells. It breaks lines at spaces and between wide characters, as in Chinese and
// Japanese, and otherwise at the end of the line. It does not split grapheme clusters.
func wrap(s string, width, indent int) []string {
	width = max(width, 2) // the width of a wide character
	var lines []string
	var line strings.Builder
	used, space := indent, false
	end := func() {
		lines = append(lines, line.String())
		line.Reset()
		used, space = 0, false
	}
	for _, piece := range pieces(s) {
		if piece == " " {
			space = line.Len() > 0 // lines do not start or end with a space
			continue
		}
		w := cells(piece)
		gap := 0
		if space {
			gap = 1
		}
		if used+gap+w > width && used > 0 && (line.Len() > 0 || w <= width) {
			end()
		}
		if space {
			line.WriteByte(' ')
			used, space = used+1, false
		}
		for g := graphemes.FromString(piece); g.Next(); {
			w := cells(g.Value())
			if used > 0 && used+w > width {
				end()
			}
			line.WriteString(g.Value())
			used += w
		}
	}
	return append(lines, line.String())
}

// cells returns the width of s in terminal cells.
func cells(s string) int { return text.StringWidthWithoutEscSequences(s) }

// pieces splits s where a line may break: before and after a space, and next to a wide
// character, unless a closing character follows.
func pieces(s string) []string {
	var all []string
	start, wide, at := 0, false, 0
	for g := graphemes.FromString(s); g.Next(); {
		c := g.Value()
		isWide := cells(c) > 1
		first, _ := utf8.DecodeRuneInString(c)
		switch {
		case at == start:
		case c == " ", s[at-1] == ' ', (wide || isWide) && !closes(first):
			all = append(all, s[start:at])
			start = at
		}
		at += len(c)
		wide = isWide
	}
	if start < at {
		all = append(all, s[start:at])
	}
	return all
}

// closes reports whether r must not start a line, such as 。 or 」.
func closes(r rune) bool {
	return unicode.In(r, unicode.Pe, unicode.Pf) || strings.ContainsRune("、。，．：；？！・…ー々,.:;?!", r)
}
