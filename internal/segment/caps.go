package segment

import (
	"unicode"
	"unicode/utf8"
)

// caps says whether a block is written without capitals.
type caps uint8

const (
	uncounted caps = iota
	few
	usual
)

// fewCaps reports whether the block has next to no capitals, so that a small
// letter after a stop says nothing.
func (c *cutter) fewCaps(s *scan) bool {
	if s.caps == uncounted {
		s.caps = countCaps(c.text[s.start:s.end])
	}
	return s.caps == few
}

// countCaps counts the letters of a block: fewer than one capitalised word in
// 200 letters is few. A capital counts only before a small letter: "NASA" says
// nothing of how sentences begin, and neither does "I".
func countCaps(block string) caps {
	uppers, lowers := 0, 0
	capital := false // the last character was one
	for i := 0; i < len(block); {
		b := block[i]
		if b < utf8.RuneSelf {
			i++
			switch {
			case b-'a' < 26:
				lowers++
				if capital {
					uppers++
				}
				capital = false
			default:
				capital = b-'A' < 26
			}
			continue
		}
		r, size := utf8.DecodeRuneInString(block[i:])
		i += size
		if unicode.IsLower(r) {
			lowers++
			if capital {
				uppers++
			}
		}
		capital = unicode.IsUpper(r)
	}
	if uppers*200 < lowers {
		return few
	}
	return usual
}
