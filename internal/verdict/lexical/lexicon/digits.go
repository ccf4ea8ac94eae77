package lexicon

import "bytes"

// number appends the token of the number that starts at i, and returns the end of the
// token. The key does not depend on separators: 3,000 and 3000.0 have the same key. The
// token includes an ordinal suffix (14th) but no other letters (5km).
func (l *Lexicon) number(dst []Token, text string, i int, initial bool) ([]Token, int) {
	j := i
	var canon [40]byte
	n, decimal := 0, false
digits:
	for ; j < len(text); j++ {
		switch c := text[j]; {
		case isDigit(c):
			if n < len(canon) {
				canon[n] = c
				n++
			}
		case decimal || j+1 >= len(text) || !isDigit(text[j+1]):
			break digits
		case c == ',' && isGroupOfThree(text, j+1):
		case c == '.' && n < len(canon) && !isDotted(text, i, j+1):
			canon[n] = '.'
			n++
			decimal = true
		default:
			break digits
		}
	}
	w := canon[:n]
	if decimal {
		w = bytes.TrimSuffix(bytes.TrimRight(w, "0"), []byte("."))
	}
	for len(w) > 1 && w[0] == '0' && w[1] != '.' {
		w = w[1:]
	}
	t := Token{Key: Hash(w), Start: int32(i), Class: Number} //nolint:gosec // texts are shorter than 2 GiB
	if initial {
		t.Class |= Initial
	}
	if isOrdinalEnding(text, j) {
		t.Class |= Ordinal
		j += 2
	}
	t.End = int32(j) //nolint:gosec // texts are shorter than 2 GiB
	return append(dst, t), j
}

// isDotted reports whether the number at i is part of a dotted sequence, such as
// 31.12.1999 or 1.2.3, and so has no decimals. j is the offset after its first full
// stop.
func isDotted(text string, i, j int) bool {
	if i > 1 && text[i-1] == '.' && isDigit(text[i-2]) {
		return true
	}
	for j < len(text) && isDigit(text[j]) {
		j++
	}
	return j+1 < len(text) && text[j] == '.' && isDigit(text[j+1])
}

// isGroupOfThree reports whether text[i:] starts with exactly three digits.
func isGroupOfThree(text string, i int) bool {
	for d := range 3 {
		if i+d >= len(text) || !isDigit(text[i+d]) {
			return false
		}
	}
	return i+3 >= len(text) || !isDigit(text[i+3])
}

// isOrdinalEnding reports whether text[j:] starts with an English ordinal suffix.
func isOrdinalEnding(text string, j int) bool {
	if j+2 > len(text) || j+2 < len(text) && (isASCIILetter(text[j+2]) || isDigit(text[j+2])) {
		return false
	}
	switch string([]byte{text[j] | 0x20, text[j+1] | 0x20}) {
	case "st", "nd", "rd", "th":
		return true
	}
	return false
}
