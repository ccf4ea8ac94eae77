package extract

import (
	"strings"
	"unicode"
	"unicode/utf8"
)

// A word is a word of a text with the punctuation around it, and its normalized
// form.
type word struct{ text, low string }

// splitWords splits a text into words.
func splitWords(text string) []word {
	fields := strings.Fields(text)
	all := make([]word, len(fields))
	for i, f := range fields {
		all[i] = word{f, normalizeWord(f)}
	}
	return all
}

// normalizeWord returns s in lower case, without surrounding punctuation and
// with straight apostrophes.
func normalizeWord(s string) string {
	if isLowerASCII(s) {
		return s
	}
	s = strings.TrimFunc(s, func(r rune) bool {
		return !unicode.IsLetter(r) && !unicode.IsNumber(r) && r != '$' && r != '€' && r != '£' && r != '%'
	})
	return strings.ToLower(strings.ReplaceAll(s, "’", "'"))
}

// isLowerASCII reports whether s consists of lower-case ASCII letters, as most
// words do.
func isLowerASCII(s string) bool {
	for i := range len(s) {
		if s[i]-'a' >= 26 {
			return false
		}
	}
	return true
}

// joinWords joins the text of words with spaces.
func joinWords(parts ...[]word) string {
	var b strings.Builder
	for _, p := range parts {
		for _, w := range p {
			if b.Len() > 0 {
				b.WriteByte(' ')
			}
			b.WriteString(w.text)
		}
	}
	return b.String()
}

// literals returns lower-case words as themselves.
func literals(list ...string) []word {
	w := make([]word, len(list))
	for i, s := range list {
		w[i] = word{s, s}
	}
	return w
}

// lowerFirst returns w without its initial capital if it is a function word or
// number.
func lowerFirst(w word) word {
	if isDeterminer(w.low) || isPreposition(w.low) || isAdverb(w.low) || isNumeral(w.low) {
		_, size := utf8.DecodeRuneInString(w.text)
		w.text = strings.ToLower(w.text[:size]) + w.text[size:]
	}
	return w
}

// capitalize returns s with an initial capital.
func capitalize(s string) string {
	r, size := utf8.DecodeRuneInString(s)
	if up := unicode.ToUpper(r); up != r && r != utf8.RuneError {
		return string(up) + s[size:]
	}
	return s
}

func startsUpper(text string) bool {
	r, _ := utf8.DecodeRuneInString(text)
	return unicode.IsUpper(r)
}
