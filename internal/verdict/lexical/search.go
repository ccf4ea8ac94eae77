package lexical

import (
	"bytes"
	"slices"
	"strings"
	"unicode/utf8"
)

// Limits of the text search for a task.
const (
	// The search covers at most minSearchBytes plus searchesPerByte times the length of
	// the contexts.
	searchesPerByte = 64
	minSearchBytes  = 1 << 27
	// maxHyphenated limits the bytes of hyphenated words that are kept.
	maxHyphenated = 1 << 16
)

// A searcher searches the contexts of a task for words that no token matches. It also
// finds words inside other words or with a hyphen, and numbers with different digit
// separators. So if a reason reports a word as missing, a text search by the user does
// not find it either.
type searcher struct {
	ready    bool
	size     int    // total size of the contexts in bytes
	budget   int    // bytes that may still be searched
	joined   []byte // hyphenated words in the contexts, lowercased and without hyphens
	trigrams trigrams
}

func (s *searcher) reset() { s.ready, s.joined = false, s.joined[:0] }

// trigrams is a Bloom filter of all sequences of three bytes in the added texts. It
// ignores the case of ASCII letters.
type trigrams [1 << 15 / 64]uint64

func (x *trigrams) add(text string) {
	k := uint32(0)
	for i := range len(text) {
		k = k<<5 | uint32(text[i]&31)
		x[k>>6&511] |= 1 << (k & 63)
	}
}

// mayContain reports whether an added text may contain s.
func (x *trigrams) mayContain(s string) bool {
	k := uint32(0)
	for i := range len(s) {
		k = k<<5 | uint32(s[i]&31)
		if i >= 2 && x[k>>6&511]&(1<<(k&63)) == 0 {
			return false
		}
	}
	return true
}

// absent reports whether none of the contexts contains word. It returns false if the
// budget is used up.
func (s *searcher) absent(contexts []string, word string) bool {
	if !s.ready {
		s.ready, s.size = true, 0
		clear(s.trigrams[:])
		for _, c := range contexts {
			s.size += len(c)
			s.join(c)
			s.trigrams.add(c)
		}
		s.budget = searchesPerByte*s.size + minSearchBytes
	}
	if s.budget < 0 || len(s.joined) >= maxHyphenated {
		return false
	}
	if digits, numbers := firstNumber(word); numbers > 1 { // a date, already compared by value
		return !s.containsAny(contexts, word)
	} else if numbers == 1 {
		s.budget -= s.size
		return !slices.ContainsFunc(contexts, func(c string) bool { return hasDigits(c, digits) })
	}
	if i := strings.IndexAny(word, "'’"); i > 0 { // museum's
		word = word[:i]
	}
	lower := strings.ToLower(word)
	if bytes.Contains(s.joined, []byte(lower)) {
		return false
	}
	_, first := utf8.DecodeRuneInString(lower)
	if rest := lower[first:]; first == 1 && !s.trigrams.mayContain(lower) || !s.trigrams.mayContain(rest) {
		return !s.containsForm(contexts, lower) && !s.containsSplit(contexts, lower)
	}
	if s.containsAny(contexts, word) {
		return false
	}
	if s.containsForm(contexts, lower) || s.containsSplit(contexts, lower) {
		return false
	}
	const minLong = 6
	if len(lower) >= minLong { // ignore the case of the first letter by omitting it
		return !s.containsAny(contexts, lower[first:])
	}
	upper := strings.ToUpper(lower)
	_, firstUpper := utf8.DecodeRuneInString(upper)
	return !s.containsAny(contexts, lower) && !s.containsAny(contexts, upper[:firstUpper]+lower[first:]) && !s.containsAny(contexts, upper)
}

// containsSplit reports whether any context contains word as two words: "stake holders"
// for "stakeholders".
func (s *searcher) containsSplit(contexts []string, word string) bool {
	const minPart = 3
	for i := minPart; i <= len(word)-minPart && s.budget > 0; i++ {
		if !s.trigrams.mayContain(word[:i]) || !s.trigrams.mayContain(word[i:]) || !utf8.RuneStart(word[i]) {
			continue
		}
		split := word[:i] + " " + word[i:]
		if s.containsAny(contexts, split) || s.containsAny(contexts, strings.ToUpper(split[:1])+split[1:]) {
			return true
		}
	}
	return false
}

// withoutEnding returns word without an English ending and without the second of the two
// letters before it, "scam" for "scammers", or "" if it has none or is too short.
func withoutEnding(word string) string {
	const minStem = 4
	for _, ending := range [...]string{"ations", "ation", "ings", "ing", "ers", "er", "ors", "or", "ies", "ied", "es", "ed", "ions", "ion", "ally", "ly", "al", "ity", "ment", "ments", "ness", "s", "e"} {
		stem, ok := strings.CutSuffix(word, ending)
		if !ok || len(stem) < minStem {
			continue
		}
		if n := len(stem); n > minStem && stem[n-1] == stem[n-2] {
			stem = stem[:n-1]
		}
		return stem
	}
	return ""
}

// containsRelative reports whether any context contains an English word that starts like
// word, without its ending.
func (s *searcher) containsRelative(contexts []string, word string) bool {
	stem := withoutEnding(strings.ToLower(word))
	return stem != "" && s.budget > 0 && s.trigrams.mayContain(stem) && slices.ContainsFunc(contexts, func(c string) bool { return s.startsWord(c, stem) })
}

// startsWord reports whether a word of text starts with stem, in lower case or with a
// capital.
func (s *searcher) startsWord(text, stem string) bool {
	s.budget -= len(text)
	for from := 1; from+len(stem)-1 <= len(text); {
		i := strings.Index(text[from:], stem[1:])
		if i < 0 {
			return false
		}
		from += i
		if text[from-1]|0x20 == stem[0] && (from < 2 || !isLetter(text[from-2])) {
			return true
		}
		from++
	}
	return false
}

// containsForm reports whether any context contains a word that differs from word, which
// is not in English, only in its ending.
func (s *searcher) containsForm(contexts []string, word string) bool {
	const minStem, maxEnding = 4, 3
	n := utf8.RuneCountInString(word)
	if n == len(word) || n < minStem+1 {
		return false
	}
	stem := word
	for range min(maxEnding, n-minStem, n/3) {
		_, size := utf8.DecodeLastRuneInString(stem)
		stem = stem[:len(stem)-size]
	}
	_, first := utf8.DecodeRuneInString(stem)
	return s.trigrams.mayContain(stem[first:]) && (s.containsAny(contexts, stem) || s.containsAny(contexts, strings.ToUpper(stem[:first])+stem[first:]))
}

// containsAny reports whether any context contains substr.
func (s *searcher) containsAny(contexts []string, substr string) bool {
	s.budget -= s.size
	return slices.ContainsFunc(contexts, func(text string) bool { return strings.Contains(text, substr) })
}

// join adds the hyphenated words of text to s.joined: "email" for "e-mail".
func (s *searcher) join(text string) {
	for _, hyphen := range [...]string{"-", "\u00ad", "‐", "‑"} {
		for from := 0; len(s.joined) < maxHyphenated; {
			i := strings.Index(text[from:], hyphen)
			if i < 0 {
				break
			}
			start, end := from+i, from+i+len(hyphen)
			from = end
			for start > 0 && isLetter(text[start-1]) {
				start--
			}
			for end < len(text) && isLetter(text[end]) {
				end++
			}
			if start == from-len(hyphen) || end == from {
				continue
			}
			s.joined = append(s.joined, ' ')
			for _, part := range [...]string{text[start : from-len(hyphen)], text[from:end]} {
				for i := range len(part) {
					c := part[i]
					if c-'A' < 26 {
						c |= 0x20
					}
					s.joined = append(s.joined, c)
				}
			}
		}
	}
}

// isLetter reports whether c is an ASCII letter or part of a multi-byte character.
func isLetter(c byte) bool { return c|0x20 >= 'a' && c|0x20 <= 'z' || c >= utf8.RuneSelf }

// firstNumber returns the digits of the first number in s and the count of numbers.
func firstNumber(s string) (digits string, numbers int) {
	var b []byte
	for i := range len(s) {
		if s[i]-'0' > 9 {
			continue
		}
		if i == 0 || s[i-1]-'0' > 9 && (i == 1 || !isSeparator(s[i-1]) || s[i-2]-'0' > 9) {
			numbers++
		}
		if numbers == 1 {
			b = append(b, s[i])
		}
	}
	return string(b), numbers
}

// hasDigits reports whether text contains these digits in a row, possibly with
// separators between them.
func hasDigits(text, digits string) bool {
	for from := 0; ; from++ {
		i := strings.IndexByte(text[from:], digits[0])
		if i < 0 {
			return false
		}
		from += i
		n, pos := 0, from
		for n < len(digits) && pos < len(text) {
			if text[pos] == digits[n] {
				n++
				pos++
				continue
			}
			gap := separatorLen(text[pos:])
			if gap == 0 {
				break
			}
			pos += gap
		}
		if n == len(digits) {
			return true
		}
	}
}

// separatorLen returns the length of the digit separator at the start of s, or 0. A
// separator is "," as in 1,000, or up to four bytes such as ". " in text that was
// tokenized and joined.
func separatorLen(s string) int {
	for n := 0; n < len(s) && n < 4; {
		switch {
		case s[n]-'0' <= 9:
			return n
		case isSeparator(s[n]):
			n++
		case strings.HasPrefix(s[n:], "\u00a0"), strings.HasPrefix(s[n:], "\u202f"), strings.HasPrefix(s[n:], "\u2009"), strings.HasPrefix(s[n:], "’"):
			_, size := utf8.DecodeRuneInString(s[n:])
			n += size
		default:
			return 0
		}
	}
	return 0
}

// isSeparator reports whether c may separate the digits of a number.
func isSeparator(c byte) bool { return c == ',' || c == '.' || c == ' ' || c == '\'' }
