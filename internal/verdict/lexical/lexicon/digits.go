package lexicon

import (
	"bytes"
	"strconv"
)

// number appends the token of the digits at i, including separators: 3,000 and 3000.0
// have the same key. Letters that directly follow (5km) are a separate token, except
// for an ordinal suffix (14th).
func (l *Lexicon) number(dst []Token, text string, i int, initial bool) ([]Token, int) {
	j := i
	var v float64
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
			v = v*10 + float64(c-'0')
		case decimal || j+1 >= len(text) || !isDigit(text[j+1]):
			break digits
		case c == ',' && groupOfThree(text, j+1), c == '.' && thousands(text, i):
		case c == '.' && n < len(canon) && !dotted(text, i, j+1):
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
		v, _ = strconv.ParseFloat(string(w), 64)
	}
	for len(w) > 1 && w[0] == '0' && w[1] != '.' {
		w = w[1:]
	}
	t := Token{Key: Hash(w), Value: v, Start: int32(i), Class: Number} //nolint:gosec // texts are shorter than 2 GiB
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

// dotted reports whether the number at i, with a full stop before byte j, is part of
// something like 31.12.1999 or 1.2.3, and so has no decimals.
func dotted(text string, i, j int) bool {
	if i > 1 && text[i-1] == '.' && isDigit(text[i-2]) {
		return true
	}
	for j < len(text) && isDigit(text[j]) {
		j++
	}
	return j+1 < len(text) && text[j] == '.' && isDigit(text[j+1])
}

// thousands reports whether the number that starts at i has several groups of three
// digits separated by full stops: 1.500.000.
func thousands(text string, i int) bool {
	groups := 0
	for k := i; k < len(text); k++ {
		switch {
		case isDigit(text[k]):
		case text[k] == '.' && groupOfThree(text, k+1):
			if groups == 0 && k-i > 3 {
				return false
			}
			groups++
			k += 3
		default:
			return groups > 1
		}
	}
	return groups > 1
}

func groupOfThree(text string, k int) bool {
	for d := range 3 {
		if k+d >= len(text) || !isDigit(text[k+d]) {
			return false
		}
	}
	return k+3 >= len(text) || !isDigit(text[k+3])
}

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
