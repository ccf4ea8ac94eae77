package english

import (
	"slices"
	"strings"
	"unicode"
	"unicode/utf8"
)

// A Word is a word with its surrounding punctuation.
type Word struct {
	Text  string // as in the text, including punctuation
	Lower string // result of [Normalize]
}

func (w Word) is(list ...string) bool { return slices.Contains(list, w.Lower) }

// Split splits a text into words.
func Split(text string) []Word {
	fields := strings.Fields(text)
	all := make([]Word, len(fields))
	for i, f := range fields {
		all[i] = Word{f, Normalize(f)}
	}
	return all
}

// Normalize returns s in lower case, without surrounding punctuation and with
// straight apostrophes.
func Normalize(s string) string {
	if isLowerASCII(s) {
		return s
	}
	s = strings.TrimFunc(s, func(r rune) bool {
		return !unicode.IsLetter(r) && !unicode.IsNumber(r) && r != '$' && r != '€' && r != '£' && r != '%'
	})
	return strings.ToLower(strings.ReplaceAll(s, "’", "'"))
}

// isLowerASCII reports whether s consists of lower-case ASCII letters. It is a
// fast path for most words.
func isLowerASCII(s string) bool {
	for i := range len(s) {
		if s[i]-'a' >= 26 {
			return false
		}
	}
	return true
}

// Join joins the text of words with spaces.
func Join(parts ...[]Word) string {
	var b strings.Builder
	for _, p := range parts {
		for _, w := range p {
			if b.Len() > 0 {
				b.WriteByte(' ')
			}
			b.WriteString(w.Text)
		}
	}
	return b.String()
}

// Words converts lower-case strings to words.
func Words(list ...string) []Word {
	w := make([]Word, len(list))
	for i, s := range list {
		w[i] = Word{s, s}
	}
	return w
}

// lowerFirst removes the initial capital of a function word or number.
func lowerFirst(w Word) Word {
	if IsDeterminer(w.Lower) || IsPreposition(w.Lower) || isAdverb(w.Lower) || IsNumeral(w.Lower) {
		_, size := utf8.DecodeRuneInString(w.Text)
		w.Text = strings.ToLower(w.Text[:size]) + w.Text[size:]
	}
	return w
}

// Capitalize returns s with its first letter in upper case.
func Capitalize(s string) string {
	r, size := utf8.DecodeRuneInString(s)
	if up := unicode.ToUpper(r); up != r && r != utf8.RuneError {
		return string(up) + s[size:]
	}
	return s
}

// StartsUpper reports whether text starts with an upper-case letter.
func StartsUpper(text string) bool {
	r, _ := utf8.DecodeRuneInString(text)
	return unicode.IsUpper(r)
}
