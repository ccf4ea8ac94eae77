package segment

import (
	"strings"
	"unicode"
	"unicode/utf8"
)

// A token is the word before a stop.
type token struct {
	start, end int
	class      wordClass
	runes      int  // number of letters and digits
	ascii      bool // only ASCII letters
	asciiLower bool // only lower-case ASCII letters
	lowerCase  bool // only lower-case letters of any script
	capital    bool // starts with a capital
}

// maxToken limits the length of a token in bytes. No abbreviation is longer.
const maxToken = 40

// wordBefore returns the word that ends at end and starts after the last white
// space, quote or bracket, at floor or later.
func (sp *splitter) wordBefore(floor, end int) token {
	text := sp.text
	start := end
	for start > floor && end-start < maxToken {
		r, size := utf8.DecodeLastRuneInString(text[floor:start])
		if r < utf8.RuneSelf {
			if b := byte(r); b == ' ' || '\t' <= b && b <= '\r' || b == '"' || b == '(' || b == '[' || b == '{' ||
				b == '*' || b == '_' || b == '`' || b == '/' || b == ',' || b == ';' || b == ':' || b == '-' {
				break
			}
		} else if unicode.IsSpace(r) || isOpener(r) || r == '—' || r == '–' || r == '…' {
			break
		}
		start -= size
	}
	for start < end && text[start] == '\'' {
		start++
	}
	t := token{start: start, end: end}
	sp.classify(&t)
	return t
}

func (sp *splitter) classify(t *token) {
	s := sp.text[t.start:t.end]
	if s == "" {
		t.class = classNone
		return
	}
	letters, numbers, stops, vowels, uppers := 0, 0, 0, 0, 0
	run, longest := 0, 0 // runs of letters between stops
	ascii := true
	for _, r := range s {
		switch {
		case r == '.':
			stops++
			run = 0
			continue
		case unicode.IsDigit(r):
			numbers++
		case unicode.IsLetter(r):
			letters++
			run++
			longest = max(longest, run)
			if r >= utf8.RuneSelf {
				ascii = false
				vowels++
			} else if strings.IndexByte("aeiouyAEIOUY", byte(r)) >= 0 {
				vowels++
			}
			if unicode.IsUpper(r) {
				uppers++
			}
		}
	}
	first, _ := utf8.DecodeRuneInString(s)
	t.runes = letters + numbers
	t.capital = unicode.IsUpper(first)
	t.ascii = ascii && letters > 0 && letters+strings.Count(s, "'") == len(s)
	t.lowerCase = uppers == 0 && letters > 0 && numbers == 0 && stops == 0
	t.asciiLower = t.ascii && uppers == 0
	found := sp.lookup(s)
	if found == classWord && letters > 1 {
		if e := afterElision(s); e != "" && e != "s" && e != "t" {
			found = sp.lookup(e)
		}
	}
	switch {
	case found != classWord:
		t.class = found
	case letters == 0 && numbers > 0:
		t.class = classDigits
	case s[len(s)-1] == ')' || s[len(s)-1] == ']':
		t.class = classWord // "(see c)."
	case letters == 1 && numbers == 0:
		t.class = classInitial
	case stops > 0 && numbers == 0 && longest == 1:
		t.class = classAcronym
	case letters == 0:
		t.class = classNone
	case vowels == 0 && letters <= 4 && numbers == 0 && uppers < letters && ascii:
		t.class = classNoVowel
	}
}

// lookup returns the abbreviation class of s, trying the given spelling before
// lower case.
func (sp *splitter) lookup(s string) wordClass {
	if len(s) > maxWord {
		return classWord
	}
	if k, ok := sp.lang.abbreviations[s]; ok {
		return k
	}
	var buf [2 * maxWord]byte
	lower := buf[:0] // strings.ToLower would allocate
	for _, r := range s {
		lower = utf8.AppendRune(lower, unicode.ToLower(r))
	}
	return sp.lang.abbreviations[string(lower)]
}

// afterElision returns the part of a word such as "l'Ing" after the apostrophe,
// or "".
func afterElision(s string) string {
	if i := strings.IndexByte(s, '\''); i > 0 && i < 6 {
		return s[i+1:]
	}
	if i := strings.Index(s, "’"); i > 0 && i < 6 {
		return s[i+len("’"):]
	}
	return ""
}

// lastWord returns the run of letters at the end of s.
func lastWord(s string) string {
	from := len(s)
	for from > 0 && len(s)-from < 16 {
		if b := s[from-1]; b < utf8.RuneSelf && !isASCIILetter(b) {
			break
		}
		from--
	}
	return s[from:]
}

// lettersAt returns the run of letters and marks of any script at text[i].
func lettersAt(text string, i, end int) string {
	j := i
	for j < end && j-i < maxToken {
		r, size := utf8.DecodeRuneInString(text[j:end])
		if !unicode.IsLetter(r) && !unicode.IsMark(r) {
			break
		}
		j += size
	}
	return text[i:j]
}

// wordAt returns the ASCII word, including apostrophes, at text[i]. It returns
// "" for an initial.
func wordAt(text string, i, end int) string {
	j := i
	for j < end && j-i < 24 && (isASCIILetter(text[j]) || text[j] == '\'' && j > i) {
		j++
	}
	if j-i == 1 && j < end && text[j] == '.' {
		return ""
	}
	return text[i:j]
}

// continues reports whether no sentence ends with word, such as an article.
func (sp *splitter) continues(word string) bool { return sp.lang.is(word, useNonFinal) }

// stopSize returns the size in bytes of the non-ASCII stop at text[i], or 0. wide is false for
// ellipses and double marks, which like ASCII stops need a following space.
func stopSize(text string, i int) (size int, wide bool) {
	if strings.IndexByte("\xD6\xD8\xDB\xDC\xE0\xE1\xE2\xE3\xEF", text[i]) < 0 {
		return 0, false // the fast path of all non-ASCII text
	}
	r, size := utf8.DecodeRuneInString(text[i:])
	switch r {
	case '…', '‼', '‽', '⁇', '⁈', '⁉':
		return size, false
	case '։', '؟', '۔', '\u0700', '\u0701', '\u0702', // Armenian, Arabic, Urdu, Syriac
		'।', '॥', '།', '༎', '።', '፧', '፨', '။', '។', '៕', '᠃', '᠉', // Indic, Tibetan, Ethiopic, Burmese, Khmer, Mongolian
		'。', '！', '．', '？', '｡':
		return size, true
	}
	return 0, false
}

// isCloser reports whether r closes a quotation, bracket or emphasis, so that
// it belongs to the sentence before it.
func isCloser(r rune) bool {
	return strings.ContainsRune("\"')]}*_`~”’“»›」』）】》〉］〕", r)
}

// isOpener reports whether r may precede the first letter of a sentence.
func isOpener(r rune) bool {
	return strings.ContainsRune("\"'([{*_`~<“‘”„‚«‹»¿¡「『（【《〈", r)
}

func isSpace(text string, i int) bool {
	r, _ := utf8.DecodeRuneInString(text[i:])
	return unicode.IsSpace(r)
}

// skipSpace returns the offset of the first byte in text[i:end] that is not white space, or end.
func skipSpace(text string, i, end int) int {
	if i >= end {
		return i
	}
	return end - len(strings.TrimLeftFunc(text[i:end], unicode.IsSpace))
}

// trim returns the bounds of text[start:end] without surrounding white space.
func trim(text string, start, end int) (from, to int) {
	from = skipSpace(text, start, end)
	return from, from + len(strings.TrimRightFunc(text[from:max(from, end)], unicode.IsSpace))
}

func isASCIILetter(b byte) bool { return b|0x20-'a' < 26 }

func isDigit(b byte) bool { return b-'0' < 10 }

// repeats returns how often b is repeated at the start of text[i:end].
func repeats(text string, i, end int, b byte) int {
	n := i
	for n < end && text[n] == b {
		n++
	}
	return n - i
}
