package lexical

import (
	"strings"
	"unicode"
	"unicode/utf8"

	"golang.org/x/text/unicode/norm"
)

// A reason that names a word as missing from the contexts must be true for a
// reader who searches them for it. So words are looked for as they are written,
// beside what was found while the contexts were read, and in bounds:
const (
	// searchedBytes is how long contexts may be in all to be searched.
	searchedBytes = 1 << 20
	// searchesPerByte bounds the searches of a row, by the length of its contexts,
	// beside baseSearch.
	searchesPerByte = 64
	baseSearch      = 1 << 27
)

// A searcher looks for words in the contexts of a row.
type searcher struct {
	text   string // the contexts, folded; "" before the first search
	state  searchState
	budget int // bytes that may still be searched
}

type searchState uint8

const (
	notFolded searchState = iota
	foldedAll
	tooLong
)

// absent reports whether word, as it is written, is in none of the contexts. It
// returns false where that would take too long to find out.
func (f *searcher) absent(contexts []string, word string) bool {
	if f.state == notFolded {
		f.fold(contexts)
	}
	if f.budget -= len(f.text); f.state == tooLong || f.budget < 0 {
		return false
	}
	return !stands(f.text, word)
}

func (f *searcher) fold(contexts []string) {
	size := 0
	for _, c := range contexts {
		size += len(c)
	}
	if size > searchedBytes {
		f.state = tooLong
		return
	}
	b := make([]byte, 0, size+len(contexts))
	for _, c := range contexts {
		b = append(foldText(b, c), '\n')
	}
	f.text, f.state, f.budget = string(b), foldedAll, searchesPerByte*size+baseSearch
}

// stands reports whether word stands in a folded text: letters anywhere, so that
// another form of a word counts too, and digits as a number, however it is
// grouped.
func stands(folded, word string) bool {
	if i := strings.IndexAny(word, "'’"); i > 0 { // museum's
		word = word[:i]
	}
	w := strings.Trim(string(foldText(make([]byte, 0, len(word)), word)), " -.,")
	var digits []byte // of the first number in it
	numbers := 0
	for i := range len(w) {
		if w[i]-'0' > 9 {
			continue
		}
		if i == 0 || w[i-1]-'0' > 9 && (i == 1 || !grouping(w[i-1]) || w[i-2]-'0' > 9) {
			numbers++
		}
		if numbers == 1 {
			digits = append(digits, w[i])
		}
	}
	if numbers != 1 { // words, or a date
		return strings.Contains(folded, w)
	}
	return hasNumber(folded, digits)
}

// hasNumber reports whether a number of text has these digits, with or without
// marks between groups of them.
func hasNumber(text string, digits []byte) bool {
	for from := 0; ; {
		i := strings.IndexByte(text[from:], digits[0])
		if i < 0 {
			return false
		}
		i += from
		from = i + 1
		if i > 0 && text[i-1]-'0' <= 9 {
			continue
		}
		n, at := 0, i
		for n < len(digits) && at < len(text) {
			if text[at] == digits[n] {
				n++
			} else if !grouping(text[at]) || at+1 == len(text) || text[at+1]-'0' > 9 {
				break
			}
			at++
		}
		if n == len(digits) && (at == len(text) || text[at]-'0' > 9) {
			return true
		}
	}
}

// grouping reports whether c may stand between the digits of a folded number.
func grouping(c byte) bool { return c == ',' || c == '.' || c == ' ' || c == '\'' }

// foldText appends text in lower case, without accents, invisible characters,
// apostrophes and the hyphens within words.
func foldText(dst []byte, text string) []byte {
	for i := 0; i < len(text); {
		c := text[i]
		switch {
		case c >= 'A' && c <= 'Z':
			dst = append(dst, c|0x20)
		case c == '\'' || c == '`':
		case c == '-' && inWord(dst, text[i+1:]):
		case c < ' ':
			dst = append(dst, ' ')
		case c < utf8.RuneSelf:
			dst = append(dst, c)
		default:
			size := 0
			dst, size = foldRune(dst, text[i:])
			i += size
			continue
		}
		i++
	}
	return dst
}

// inWord reports whether letters stand before and after a hyphen.
func inWord(before []byte, after string) bool {
	return len(before) > 0 && len(after) > 0 && letterByte(before[len(before)-1]) && letterByte(after[0])
}

func letterByte(c byte) bool { return c|0x20 >= 'a' && c|0x20 <= 'z' || c >= utf8.RuneSelf }

// foldRune appends the first character of text, which is not ASCII.
func foldRune(dst []byte, text string) ([]byte, int) {
	r, size := utf8.DecodeRuneInString(text)
	switch {
	case strings.ContainsRune("’‘ʼ´′", r) || unicode.Is(unicode.Cf, r) || unicode.Is(unicode.Mn, r):
		return dst, size
	case unicode.IsSpace(r):
		return append(dst, ' '), size
	case strings.ContainsRune("‐‑", r):
		if inWord(dst, text[size:]) {
			return dst, size
		}
		return append(dst, '-'), size
	}
	if r > 0x2fff && r < 0xf900 { // of scripts without case or accents
		return append(dst, text[:size]...), size
	}
	p := norm.NFKD.PropertiesString(text)
	d := p.Decomposition()
	if d == nil {
		return utf8.AppendRune(dst, unicode.ToLower(r)), size
	}
	for _, x := range string(d) {
		if !unicode.Is(unicode.Mn, x) {
			dst = utf8.AppendRune(dst, unicode.ToLower(x))
		}
	}
	return dst, size
}
