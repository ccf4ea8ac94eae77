package extract

import (
	"strconv"
	"strings"
	"unicode"
	"unicode/utf8"

	"golang.org/x/text/unicode/norm"
)

// Fold returns s with one spelling for characters that look the same to a reader: apostrophes,
// digits of any script, fractions and Roman numerals, look-alike letters of another script within
// a word, superscripts and subscripts, comparison signs, and spaces. [PlainText] folds contexts
// in the same way.
func Fold(s string) string {
	b := viewBuilder{raw: s}
	for i := 0; i < len(s); {
		if specialBytes[s[i]] == '.' {
			i++
			continue
		}
		char, n, ok := foldAt(s, i)
		if ok {
			b.replace(i, i+n, char)
		}
		i += n
	}
	return b.view().text
}

// specialBytes marks with an x each byte that may start markup or a character that is folded.
const specialBytes = "" +
	".............x...................x..x.x...xx.x..xx..........x.x." +
	"...........................xx..xx.............................x." +
	"................................................................" +
	"..x.......x.x.xxxxxxxx...x.x...xxxxx......x....xx..............."

// foldAt returns the replacement of the n bytes of s at i, and whether they have one. n is
// the size of the character if they have none.
func foldAt(s string, i int) (char string, n int, ok bool) {
	if s[i] < utf8.RuneSelf {
		char, n = foldASCII(s, i)
		return char, max(n, 1), n > 0
	}
	r, n := utf8.DecodeRuneInString(s[i:])
	switch {
	case isInvisible(r):
		return "", n, !isShapingJoiner(s, i, n)
	case r == '\u2010', r == '\u2011':
		return "-", n, true
	case isCompatible(s, i, r):
		char = strings.ReplaceAll(norm.NFKC.String(s[i:i+n]), "⁄", "/")
		if len(char) > 1 && strings.Contains(char, "/") && i > 0 && s[i-1]-'0' <= 9 { // 2½
			char = " " + char
		}
		return char, n, true
	case isBetweenLetters(s, i, n) && (isApostrophe(r) || (!unicode.IsLetter(r) || r == 'ꞌ') && !strings.ContainsRune("’–—", r) && isNot(s, i, n)):
		return "'", n, true
	case unicode.IsDigit(r):
		return digit(r), n, true
	case r == '–' && i+n < len(s) && s[i+n]-'0' <= 9 && isMinus(s[:i]):
		return "-", n, true
	}
	if char, ok = foldSuperOrSubscript(s, i, r); ok {
		return char, n, true
	}
	if char = counterpart(r, lookAlikes, asLatin); char != "" && isMixed(s, i) {
		return char, n, true
	}
	char = counterpart(r, "−﹣⩽≦⩾≧✕✖⟶➔➜⟵", "--≤≤≥≥××→→→←")
	return char, n, char != ""
}

// counterpart returns the character of to at the position of r among those of from, or "".
func counterpart(r rune, from, to string) string {
	k := strings.IndexRune(from, r)
	if k < 0 {
		return ""
	}
	return string([]rune(to)[utf8.RuneCountInString(from[:k])])
}

// isCompatible reports whether the character r at i is folded to its compatibility
// decomposition: spaces, ligatures, numbers in circles, fractions, Roman numerals, letters
// and signs of full width, and mathematical letters.
func isCompatible(s string, i int, r rune) bool {
	switch {
	case r == '\u00a0', r >= '\u2000' && r <= '\u200a', r == '\u202f', r == '\u205f', r == '\u3000', r >= 'ﬀ' && r <= 'ﬆ':
		return true
	case r >= '①' && r <= '⑳', r == '⓪':
		return !isLineStart(s, i) // not a list marker
	case r >= '¼' && r <= '¾', r >= '⅐' && r <= '⅞', r >= 'Ⅰ' && r <= 'ⅿ', r == '℃', r == '℉', r >= '𝐀' && r <= '𝟿':
		return true
	case r == '．', r == '，': // within a number
		before, _ := utf8.DecodeLastRuneInString(s[:i])
		after, _ := utf8.DecodeRuneInString(s[i+len("．"):])
		return isFullWidthDigit(before) && isFullWidthDigit(after)
	}
	return r >= '！' && r <= '～' && (unicode.IsLetter(r) || unicode.IsDigit(r) || strings.ContainsRune("＃＄％＆＊＋－／＜＝＞＠", r))
}

// foldASCII folds signs written with several ASCII characters, such as <=, a grave accent used
// as an apostrophe, a 0 or 1 within a word that looks like a letter, as in n0t, the dollar signs
// of formulas such as $45$, and the backslash of escaped numbers such as 7\.4. n is 0 if nothing
// is folded.
func foldASCII(s string, i int) (char string, n int) {
	switch s[i] {
	case '`':
		if isBetweenLetters(s, i, 1) {
			return "'", 1
		}
	case '$':
		end := i + 1
		for end < len(s) && strings.IndexByte("0123456789.,", s[end]) >= 0 {
			end++
		}
		if end > i+1 && end < len(s) && s[end] == '$' && (end+1 == len(s) || s[end+1]-'0' > 9) && s[end-1]-'0' <= 9 {
			return s[i+1 : end], end + 1 - i
		}
	case '\\':
		if i > 0 && i+2 < len(s) && s[i-1]-'0' <= 9 && (s[i+1] == '.' || s[i+1] == ',') && s[i+2]-'0' <= 9 {
			return "", 1
		}
	case '0', '1':
		if start, end := lettersAround(s, i); start < i && end > i+1 && (start == 0 || s[start-1]-'0' > 9) && (end == len(s) || s[end]-'0' > 9) {
			return string("ol"[s[i]-'0']), 1
		}
	case '<', '>', '!', '+', '-':
		for _, sign := range [...][2]string{{"<=", "≤"}, {">=", "≥"}, {"!=", "≠"}, {"<-", "←"}, {"->", "→"}, {"+/-", "±"}} {
			if strings.HasPrefix(s[i:], sign[0]) && (s[i] != '<' || s[i+1] != '-' || i+2 < len(s) && s[i+2] == ' ') {
				return sign[1], len(sign[0])
			}
		}
	}
	return "", 0
}

// lettersAround returns the range of the lower-case letters beside byte i, at most 20 on each side.
func lettersAround(s string, i int) (start, end int) {
	const maxLetters = 20
	for start = i; start > max(0, i-maxLetters) && isLower(s[start-1]); {
		start--
	}
	for end = i + 1; end < min(len(s), i+maxLetters) && isLower(s[end]); {
		end++
	}
	return start, end
}

func isLower(b byte) bool { return b >= 'a' && b <= 'z' }

// isApostrophe reports whether r stands for an apostrophe, other than ' and ’.
func isApostrophe(r rune) bool { return strings.ContainsRune("ʼʹ´‘‛′＇՚ꞌˈʻʽ‵׳", r) }

// isBetweenLetters reports whether ASCII letters surround the n bytes at i.
func isBetweenLetters(s string, i, n int) bool {
	return i > 0 && i+n < len(s) && isLower(s[i-1]|0x20) && isLower(s[i+n]|0x20)
}

// isNot reports whether the n bytes at i stand for the apostrophe of a word that ends in n't.
func isNot(s string, i, n int) bool {
	end := i + n + 1
	return s[i-1]|0x20 == 'n' && s[end-1]|0x20 == 't' && (end == len(s) || !isLower(s[end]|0x20))
}

// digit returns the ASCII form of a digit. The digits of each script are a range that
// starts at zero.
func digit(r rune) string {
	zero := r
	for zero > r-9 && unicode.IsDigit(zero-1) {
		zero--
	}
	return strconv.Itoa(int(r - zero))
}

const superscripts = "⁰¹²³⁴⁵⁶⁷⁸⁹⁺⁻"

// foldSuperOrSubscript writes a superscript after a number as an exponent, 10^-6, and any other
// superscript or subscript as a plain character: Fe3+, H2O. It keeps the ² and ³ of units.
func foldSuperOrSubscript(s string, i int, r rune) (string, bool) {
	subscript := r >= '₀' && r <= '₋'
	if !subscript && !strings.ContainsRune(superscripts, r) {
		return "", false
	}
	char := strings.Replace(norm.NFKC.String(string(r)), "−", "-", 1)
	if subscript {
		return char, true
	}
	before, size := utf8.DecodeLastRuneInString(s[:i])
	next, _ := utf8.DecodeRuneInString(s[i+utf8.RuneLen(r):])
	switch {
	case size > 0 && strings.ContainsRune(superscripts, before):
	case unicode.IsDigit(before):
		char = "^" + char
	case (r == '²' || r == '³') && !strings.ContainsRune(superscripts, next), !isSymbol(s[:i]):
		return "", false // a unit, a footnote
	}
	return char, true
}

// isSymbol reports whether s ends in a word of at most two letters, as chemical symbols and
// variables are.
func isSymbol(s string) bool {
	n := len(s)
	for n > 0 && isLower(s[n-1]|0x20) {
		n--
	}
	return len(s)-n > 0 && len(s)-n <= 2
}

// Letters of Greek and Cyrillic that look like Latin ones, after the confusables of Unicode
// Technical Standard 39.
const (
	lookAlikes = "αγικνορστυχϲΑΒΕΖΗΙΚΜΝΟΡΤΥΧаеһіјԛорсѕԝухѵАВСЕНІЈКМОРЅТХУ"
	asLatin    = "ayikvopotuxcABEZHIKMNOPTYXaehijqopcswyxvABCEHIJKMOPSTXY"
)

// isMixed reports whether the word around byte i also contains an ASCII letter.
func isMixed(s string, i int) bool {
	const maxWord = 40
	isASCIIOrEnd := func(r rune) bool { return r < utf8.RuneSelf || !unicode.IsLetter(r) }
	before, after := s[max(0, i-maxWord):i], s[i:min(len(s), i+maxWord)]
	k, n := strings.LastIndexFunc(before, isASCIIOrEnd), strings.IndexFunc(after, isASCIIOrEnd)
	return k >= 0 && isLower(before[k]|0x20) || n >= 0 && isLower(after[n]|0x20)
}

// isMinus reports whether a dash between s and a digit is a minus sign: a space precedes it,
// and no other number.
func isMinus(s string) bool {
	before := strings.TrimRight(s, " (")
	return len(before) < len(s) && (before == "" || before[len(before)-1]-'0' > 9)
}
