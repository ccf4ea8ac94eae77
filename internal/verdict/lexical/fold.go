package lexical

import (
	"bytes"
	"strings"
	"unicode"
	"unicode/utf8"
)

// A foldedText consists of the words and signs of a text in lower case, with a space before
// and after each.
type foldedText struct {
	text []byte
	at   []int32 // byte offset in the text of each byte
}

// fold folds text. It reuses the memory of f.
func (f foldedText) fold(text string) foldedText {
	f.text, f.at = append(f.text[:0], ' '), append(f.at[:0], 0)
	for i, r := range text {
		switch r { // kept by extract.Fold
		case '¹':
			r = '1'
		case '²', '³':
			r += '2' - '²'
		}
		switch {
		case r|0x20 >= 'a' && r|0x20 <= 'z':
			f.text, f.at = append(f.text, byte(r|0x20)), append(f.at, int32(i)) //nolint:gosec // an ASCII letter; texts are shorter than 2 GiB
		case r == '-' && isName(text[:i]) && i+1 < len(text) && text[i+1]-'0' <= 9: // C-14
		case unicode.IsLetter(r) || unicode.IsNumber(r) || unicode.IsMark(r):
			f.add(unicode.ToLower(r), i)
		case r == utf8.RuneError:
			f.space(i)
		case joinsSign(text, i, r):
			if r == '–' {
				r = '-'
			}
			f.add(r, i)
		case isSign(text, i, r):
			f.space(i)
			f.add(r, i)
			f.space(i)
		default:
			f.endWord(text, i)
		}
	}
	f.endWord(text, len(text))
	return f
}

func (f *foldedText) add(r rune, i int) {
	f.text = utf8.AppendRune(f.text, r)
	for len(f.at) < len(f.text) {
		f.at = append(f.at, int32(i)) //nolint:gosec // texts are shorter than 2 GiB
	}
}

// endWord ends a word before byte i of text. It writes words for signs as signs: minus 5,
// O negative, 5 percent.
func (f *foldedText) endWord(text string, i int) {
	start := bytes.LastIndexByte(f.text, ' ') + 1
	from := int(f.at[min(start, len(f.at)-1)])
	next := strings.TrimLeft(text[i:], " ")
	beforeNumber := next != "" && next[0]-'0' <= 9
	switch w := string(f.text[start:]); {
	case w == "percent":
		f.replace(start, '%', from)
	case w == "cent" && bytes.HasSuffix(f.text[:start], []byte(" per ")):
		f.replace(start-len("per "), '%', from)
	case w == "plus" && beforeNumber:
		f.replace(start, '+', from)
	case w == "minus" && beforeNumber:
		f.replace(start, '-', from)
		return
	case (w == "positive" || w == "negative") && start > 1 && isCapital(strings.TrimRight(text[:from], " ")):
		f.replace(start-1, map[string]rune{"positive": '+', "negative": '-'}[w], from)
	}
	f.space(i)
}

// replace replaces the bytes from start on by the sign r of byte i of the text.
func (f *foldedText) replace(start int, r rune, i int) {
	f.text, f.at = f.text[:start], f.at[:start]
	f.add(r, i)
}

// isCapital reports whether text ends in a short name in capital letters, such as AB, and
// not in the article A.
func isCapital(text string) bool {
	return isSymbol(text) && text[len(text)-1]-'A' < 26 && text != "A" && !strings.HasSuffix(text, " A")
}

// space ends a word.
func (f *foldedText) space(i int) {
	if len(f.text) == 1 || f.text[len(f.text)-1] != ' ' {
		f.add(' ', i)
	}
}

// isSign reports whether the character r of text at i has a meaning of its own: it is a
// symbol, and not typography, an emoji, a list marker or a rule.
func isSign(text string, i int, r rune) bool {
	switch {
	case r == ' ' || r == ',' || r == '.':
		return false
	case strings.ContainsRune("#^%‰‱", r):
	case strings.ContainsRune("~|©®™℠", r), r >= '─' && r <= '◿', r >= '✀' && r <= '➿', r >= '🀀':
		return false
	case !unicode.In(r, unicode.Sm, unicode.Sc, unicode.So):
		return false
	}
	before, size := strings.TrimRight(text[:i], " "), utf8.RuneLen(r)
	isMarker := (before == "" || before[len(before)-1] == '\n') && i+size < len(text) && (text[i+size] == ' ' || text[i+size] == text[i])
	return !isMarker && (r != '#' || i > 0 && isLetter(text[i-1])) && !strings.HasPrefix(text[i+size:], string(r)+string(r))
}

// joinsSign reports whether the character r of text at i belongs to the word or value next
// to it: the signs of C++, O-, -5, 3:1 and 9-17.
func joinsSign(text string, i int, r rune) bool {
	next, size := utf8.DecodeRuneInString(text[i+utf8.RuneLen(r):])
	last, _ := utf8.DecodeLastRuneInString(text[:i])
	ends := size == 0 || !unicode.IsLetter(next) && !unicode.IsNumber(next)
	switch r {
	case '-', '–':
		if unicode.IsDigit(next) || strings.ContainsRune("$€£¥", next) && size > 0 {
			return !unicode.IsLetter(last)
		}
		return r == '-' && ends && isSymbol(text[:i])
	case '√', '∛', '¬':
		return !ends
	case '!': // !ready
		return unicode.IsLetter(next) && (last == ' ' || last == '(' || i == 0)
	case '+', '#', '♯', '♭':
		return unicode.IsLetter(last) || last == '+' || unicode.IsDigit(last) && ends
	case ':', '/', '.':
		return unicode.IsDigit(last) && unicode.IsDigit(next)
	}
	return false
}

// isName reports whether text ends with a name of one or two capital letters.
func isName(text string) bool {
	n := len(text)
	for n > 0 && text[n-1]-'A' < 26 {
		n--
	}
	return len(text)-n > 0 && len(text)-n <= 2 && (n == 0 || !isLetter(text[n-1]))
}

// isSymbol reports whether text ends with a name such as O, AB, Na or Fe3, to which a sign belongs.
func isSymbol(text string) bool {
	const maxLen = 3
	n := len(text)
	for n > 0 && (isLetter(text[n-1]) || text[n-1]-'0' <= 9) {
		n--
	}
	return len(text)-n > 0 && len(text)-n <= maxLen && text[n]-'A' < 26
}
