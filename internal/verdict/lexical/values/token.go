package values

import (
	"strings"
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
	unitStart                   // a word or sign that the name of a unit may start with
	hedgeEnd                    // a word or sign that a hedge may end with
	negation                    // not, never, don't
	change                      // rose, fell: "rose by"
)

// trigger is the set of classes that a value may start with.
const trigger = digits | numeral | scale | ordinal | fraction | month | weekday | clockWord | dozen | lone | times

// A token is a word, a number in digits, or any other character except spaces.
type token struct {
	start, end int
	class      class
	num        float64
}

// A reader reads the values of a text.
type reader struct {
	finder *Finder
	text   string
	toks   []token
	none   token // at the end of the text

	languageRead, decimalComma bool // results of hasDecimalComma
}

// read splits text, whose words are given, into tokens.
func (r *reader) read(text string, words []lexicon.Token) {
	r.text, r.toks, r.none, r.languageRead = text, r.toks[:0], token{start: len(text), end: len(text)}, false
	pos := 0
	for i := range words {
		w := &words[i]
		pos = r.signs(pos, int(w.Start))
		start, end := max(pos, int(w.Start)), int(w.End)
		if start >= end {
			continue // part of a number such as 530 000
		}
		c := text[start]
		switch {
		case isDigit(c):
			pos = r.digits(start)
		case c < utf8.RuneSelf:
			for end+1 < len(text) && text[end] == '\'' && isASCIILetter(text[end+1]) { // o'clock, L'Aquila
				for end++; end < len(text) && isASCIILetter(text[end]); end++ {
				}
			}
			r.word(start, end, w)
			pos = end
		default:
			pos = r.foreign(start, w)
		}
	}
	r.signs(pos, len(text))
}

func (r *reader) add(t token) { r.toks = append(r.toks, t) }

// signs reads the characters between two words, and numbers such as .5. It returns the end of what
// it read.
func (r *reader) signs(i, end int) int {
	for i < end {
		c := r.text[i]
		switch {
		case c == ' ' || c == '\r' || isASCIILetter(c) || isDigit(c): // letters and digits only in entities
			i++
		case c == '.' && startsDecimal(r.text, i):
			i = r.digits(i)
		case c < utf8.RuneSelf:
			r.add(token{start: i, end: i + 1, class: r.finder.signs[c]})
			i++
		default:
			i = r.foreignSign(i)
		}
	}
	return i
}

// foreignSign reads the character at byte i, which is not ASCII.
func (r *reader) foreignSign(i int) int {
	c, size := utf8.DecodeRuneInString(r.text[i:])
	t := token{start: i, end: i + size}
	switch c {
	case '\u00a0', '\u202f', '\u2009', '\u3000':
		return t.end
	case '€', '£', '¥', '₹':
		t.class = currency | unitStart
	case '¼':
		t.class, t.num = digits|decimal, 0.25
	case '½':
		t.class, t.num = digits|decimal, 0.5
	case '¾':
		t.class, t.num = digits|decimal, 0.75
	default:
		t.class = unitStart | hedgeEnd
	}
	r.add(t)
	return t.end
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

// word adds the word from byte start to end, which starts with w.
func (r *reader) word(start, end int, w *lexicon.Token) {
	t := token{start: start, end: end, class: word}
	if w.Is(lexicon.Negation) {
		t.class |= negation
	}
	if w.Word > 0 && int(w.Word) < len(r.finder.words) {
		l := &r.finder.words[w.Word]
		t.class, t.num = t.class|l.class, l.num
		if t.class&(month|weekday) != 0 {
			r.checkName(&t)
		}
	}
	r.add(t)
}

// checkName removes the class of the verbs "may", "march" and "sat" and of other words
// that are names of months and days only with a capital letter.
func (r *reader) checkName(t *token) {
	w := r.text[t.start:t.end]
	if w[0] < 'a' {
		return
	}
	last := len(r.toks) - 1
	switch w {
	case "may", "march":
		if !r.is(last, "on", "until", "since", "from", "by", "before", "after", "through", "to") || !startsDay(r.text[t.end:]) {
			t.class &^= month
		}
	case "mar", "sun", "sat", "mon", "wed", "second", "dec", "jan":
		t.class &^= month | weekday
	case "mars", "mai", "marco":
		if !r.has(last, digits) { // 20 mars
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

// foreign reads the word w, which starts with another character than an ASCII letter, from byte start
// on, or its characters if its script has no spaces. It returns the end of what it read.
func (r *reader) foreign(start int, w *lexicon.Token) int {
	first, _ := utf8.DecodeRuneInString(r.text[start:])
	end := int(w.End)
	switch {
	case digitOf(first) >= 0:
		return r.foreignDigits(start)
	case !lexicon.IsSpaceless(first):
		r.word(start, end, w)
		return end
	}
	for start < end {
		c, size := utf8.DecodeRuneInString(r.text[start:])
		t := token{start: start, end: start + size, class: word | ideogram | unitStart | hedgeEnd}
		switch c {
		case '千':
			t.class, t.num = t.class|scale, 1e3
		case '万', '萬':
			t.class, t.num = t.class|scale, 1e4
		case '亿', '億':
			t.class, t.num = t.class|scale, 1e8
		}
		r.add(t)
		start = t.end
	}
	return end
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
func (r *reader) foreignDigits(i int) int {
	t := token{start: i, end: i, class: digits}
	for t.end < len(r.text) {
		c, size := utf8.DecodeRuneInString(r.text[t.end:])
		d := digitOf(c)
		if d < 0 {
			break
		}
		t.num = t.num*10 + float64(d)
		t.end += size
	}
	r.add(t)
	return t.end
}

func isASCIILetter(c byte) bool { c |= 0x20; return c >= 'a' && c <= 'z' }

// at returns token i, or an empty one if there is none.
func (r *reader) at(i int) *token {
	if i < 0 || i >= len(r.toks) {
		return &r.none
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
	if i < 0 || i >= len(r.toks) {
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
func (r *reader) has(i int, c class) bool { return i >= 0 && i < len(r.toks) && r.toks[i].class&c != 0 }

// joined reports whether no space separates tokens i and i+1.
func (r *reader) joined(i int) bool {
	return i >= 0 && i+1 < len(r.toks) && r.toks[i].end == r.toks[i+1].start
}

// isHyphen reports whether token i is a hyphen or dash.
func (r *reader) isHyphen(i int) bool {
	return r.is(i, "-", "–", "—", "‑", "−", "~", "〜")
}
