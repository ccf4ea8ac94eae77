package report

import (
	"strings"
	"unicode"
	"unicode/utf8"

	"github.com/clipperhouse/uax29/v2/graphemes"
	"github.com/jedib0t/go-pretty/v6/text"
)

// wrap breaks s, which is on one line, into lines of at most width terminal
// cells, the first of which begins with so many cells already taken. Lines end
// at a blank, or between two wide characters, as Chinese and Japanese are broken;
// what is longer than a line is broken where it ends. No character is broken from
// the marks on it.
func wrap(s string, width, taken int) []string {
	width = max(width, 2) // a wide character
	var lines []string
	var line strings.Builder
	used, blank := taken, false
	end := func() {
		lines = append(lines, line.String())
		line.Reset()
		used, blank = 0, false
	}
	for _, piece := range pieces(s) {
		if piece == " " {
			blank = line.Len() > 0 // a line neither begins nor ends with one
			continue
		}
		w := cells(piece)
		gap := 0
		if blank {
			gap = 1
		}
		if used+gap+w > width && used > 0 && (line.Len() > 0 || w <= width) {
			end()
		}
		if blank {
			line.WriteByte(' ')
			used, blank = used+1, false
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

// cells returns how many cells of a terminal s takes.
func cells(s string) int { return text.StringWidthWithoutEscSequences(s) }

// pieces cuts s where a line may end: before and after a blank, and between
// characters of which one is wide, unless the second one closes or ends
// something.
func pieces(s string) []string {
	var all []string
	begin, wide, at := 0, false, 0
	for g := graphemes.FromString(s); g.Next(); {
		c := g.Value()
		isWide := cells(c) > 1
		first, _ := utf8.DecodeRuneInString(c)
		switch {
		case at == begin:
		case c == " ", s[at-1] == ' ', (wide || isWide) && !closes(first):
			all = append(all, s[begin:at])
			begin = at
		}
		at += len(c)
		wide = isWide
	}
	if begin < at {
		all = append(all, s[begin:at])
	}
	return all
}

// closes reports whether r stands at the end of something rather than at the
// beginning of a line: 。, 」 and the like.
func closes(r rune) bool {
	return unicode.In(r, unicode.Pe, unicode.Pf) || strings.ContainsRune("、。，．：；？！・…ー々,.:;?!", r)
}
