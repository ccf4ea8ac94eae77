package values

import (
	"strings"
	"unicode"
	"unicode/utf8"

	"github.com/ragfaith/ragfaith/internal/verdict/lexical/lexicon"
)

// A class is a bit set of the properties of a token. The number that goes with it is in
// token.num.
type class uint32

const (
	digits    class = 1 << iota // a number in digits
	numeral                     // one to ninety
	scale                       // hundred, million, bn
	ordinal                     // first, 14th
	fraction                    // half, thirds: the denominator
	month                       // 1 to 12
	weekday                     // 0 (Sunday) to 6
	clockWord                   // noon, midnight: minutes
	dozen                       // dozen, score, couple, pair: the number
	lone                        // hour, decade: a duration after "a"
	currency                    // $ and the like
	stop                        // a word that ends the noun after a number
	word                        // letters
	ideogram                    // a character of a script without spaces
	decimal                     // digits with decimals
	times                       // once, twice: the number
	limit                       // until, from: the side, as in Value
	thousands                   // digits that may have a full stop as thousands separator: 1.500
)

// trigger is the set of classes that a value may start with.
const trigger = digits | numeral | scale | ordinal | fraction | month | weekday | clockWord | dozen | lone | times

// A token is a word, a number in digits, or any other character except spaces.
type token struct {
	start, end int
	class      class
	num        float64
}

const (
	window = 192 // tokens in memory
	before = 12  // tokens kept before the current one
	ahead  = 48  // tokens read ahead of the current one; no value is longer
)

// A reader reads the tokens of a text through a window, which bounds its memory.
type reader struct {
	text string
	pos  int // end of the tokens in the window
	i, n int // current token, number of tokens
	toks [window]token

	languageRead, decimalComma bool // results of hasDecimalComma
}

// fill moves the current token to the start of the window and reads tokens until the
// window is full or the text ends.
func (r *reader) fill() {
	if drop := r.i - before; drop > 0 {
		copy(r.toks[:], r.toks[drop:r.n])
		r.i, r.n = r.i-drop, r.n-drop
	}
	text, i := r.text, r.pos
	for i < len(text) && r.n < window {
		c := text[i]
		t := &r.toks[r.n]
		switch {
		case c == ' ' || c == '\r':
			i++
			continue
		case c|0x20 >= 'a' && c|0x20 <= 'z':
			i = r.word(t, i)
		case c-'0' <= 9 || c == '.' && startsDecimal(text, i):
			i = r.digits(t, i)
		case c < utf8.RuneSelf:
			*t = token{start: i, end: i + 1}
			if c == '$' {
				t.class = currency
			}
			i++
		default:
			if n := spaceLen(text[i:]); n > 0 {
				i += n
				continue
			}
			i = r.foreign(t, i)
		}
		r.n++
	}
	r.pos = i
}

// spaceLen returns the length of the no-break or narrow space at the start of s, or 0.
func spaceLen(s string) int {
	switch {
	case strings.HasPrefix(s, "\u00a0"):
		return 2
	case strings.HasPrefix(s, "\u202f"), strings.HasPrefix(s, "\u2009"), strings.HasPrefix(s, "\u3000"):
		return 3
	}
	return 0
}

const maxWord = 16 // bytes of a word that can have a class

// word reads the word of ASCII letters at i, or leaves it to foreign.
func (r *reader) word(t *token, i int) int {
	text := r.text
	var buf [maxWord]byte
	j := i
	for j < len(text) {
		c := text[j] | 0x20
		if c < 'a' || c > 'z' {
			break
		}
		if j-i < maxWord {
			buf[j-i] = c
		}
		j++
	}
	if j < len(text) && text[j] >= utf8.RuneSelf && isLetter(text[j:]) {
		return r.foreign(t, i)
	}
	*t = token{start: i, end: j, class: word}
	if j-i <= maxWord {
		c, num := lookup(buf[:j-i])
		t.class |= c
		t.num = num
		if t.class&(month|weekday) != 0 {
			r.checkName(t)
		}
	}
	if j+1 < len(text) && text[j] == '\'' && isASCIILetter(text[j+1]) { // Anna's, o'clock
		for j++; j < len(text) && isASCIILetter(text[j]); j++ {
		}
		t.end = j
	}
	return j
}

// checkName removes the class of the verbs "may", "march" and "sat" and of other words
// that are names of months and days only with a capital letter.
func (r *reader) checkName(t *token) {
	w := r.text[t.start:t.end]
	if w[0] < 'a' {
		return
	}
	switch w {
	case "may", "march":
		if !r.is(r.n-1, "on", "until", "since", "from", "by", "before", "after", "through", "to") || !startsDay(r.text[t.end:]) {
			t.class &^= month
		}
	case "mar", "sun", "sat", "mon", "wed", "second", "dec", "jan":
		t.class &^= month | weekday
	case "mars", "mai", "marco":
		if !r.has(r.n-1, digits) { // 20 mars
			t.class &^= month
		}
	}
}

// startsDay reports whether s starts with a space and a number of one or two digits, as in
// text without capitals: "on march 19".
func startsDay(s string) bool {
	n := 1
	for n < len(s) && s[n]-'0' <= 9 {
		n++
	}
	return n > 1 && n < 4 && s[0] == ' ' && (n == len(s) || !isASCIILetter(s[n]) && s[n] != '%' && s[n] != ':')
}

// foreign reads the word with other than ASCII letters at i, or a single character.
func (r *reader) foreign(t *token, i int) int {
	text := r.text
	first, size := utf8.DecodeRuneInString(text[i:])
	*t = token{start: i, end: i + size}
	switch {
	case first == '€' || first == '£' || first == '¥' || first == '₹':
		t.class = currency
		return t.end
	case first == '½' || first == '¼' || first == '¾':
		t.class, t.num = digits|decimal, map3(first)
		return t.end
	case digitOf(first) >= 0:
		return r.foreignDigits(t, i)
	case !unicode.IsLetter(first):
		return t.end
	case lexicon.IsSpaceless(first):
		t.class = word | ideogram
		switch first {
		case '千':
			t.class, t.num = t.class|scale, 1e3
		case '万', '萬':
			t.class, t.num = t.class|scale, 1e4
		case '亿', '億':
			t.class, t.num = t.class|scale, 1e8
		}
		return t.end
	}
	j := i
	for j < len(text) {
		c, size := utf8.DecodeRuneInString(text[j:])
		if !unicode.IsLetter(c) && !unicode.IsMark(c) || lexicon.IsSpaceless(c) {
			break
		}
		j += size
	}
	t.end, t.class = j, word
	if j-i <= 2*maxWord {
		var buf [2 * maxWord]byte
		c, num := lookup(lexicon.Fold(buf[:0], text[i:j]))
		t.class |= c
		t.num = num
	}
	return j
}

func map3(c rune) float64 {
	switch c {
	case '¼':
		return 0.25
	case '¾':
		return 0.75
	}
	return 0.5
}

// digitOf returns the value of an Arabic, Persian or full-width digit, or -1.
func digitOf(c rune) int {
	for _, zero := range [...]rune{'٠', '۰', '０'} {
		if c >= zero && c <= zero+9 {
			return int(c - zero)
		}
	}
	return -1
}

// foreignDigits reads a number in digits other than ASCII.
func (r *reader) foreignDigits(t *token, i int) int {
	t.class = digits
	for t.end = i; t.end < len(r.text); {
		c, size := utf8.DecodeRuneInString(r.text[t.end:])
		d := digitOf(c)
		if d < 0 {
			break
		}
		t.num = t.num*10 + float64(d)
		t.end += size
	}
	return t.end
}

func isLetter(s string) bool {
	c, _ := utf8.DecodeRuneInString(s)
	return unicode.IsLetter(c) && !lexicon.IsSpaceless(c)
}

func isASCIILetter(c byte) bool { c |= 0x20; return c >= 'a' && c <= 'z' }

// at returns token i, or an empty token outside the window.
func (r *reader) at(i int) *token {
	if i < 0 || i >= r.n {
		return &token{start: len(r.text), end: len(r.text)}
	}
	return &r.toks[i]
}

// str returns token i as written.
func (r *reader) str(i int) string {
	t := r.at(i)
	return r.text[t.start:t.end]
}

// is reports whether token i is one of the words, which are in lower case.
func (r *reader) is(i int, words ...string) bool {
	if i < 0 || i >= r.n {
		return false
	}
	s := r.str(i)
	for _, w := range words {
		if len(s) == len(w) && (s[0]^w[0])&^0x20 == 0 && strings.EqualFold(s, w) {
			return true
		}
	}
	return false
}

// has reports whether token i has one of the classes.
func (r *reader) has(i int, c class) bool { return i >= 0 && i < r.n && r.toks[i].class&c != 0 }

// joined reports whether no space separates tokens i and i+1.
func (r *reader) joined(i int) bool {
	return i >= 0 && i+1 < r.n && r.toks[i].end == r.toks[i+1].start
}

// isHyphen reports whether token i is a hyphen or dash.
func (r *reader) isHyphen(i int) bool {
	return r.is(i, "-", "–", "—", "‑", "−", "~", "〜")
}
