package values

import (
	"strings"
	"unicode/utf8"

	"github.com/ragfaith/ragfaith/internal/lexicon"
)

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

// signs reads the characters between two words, including numbers such as .5. It returns the end
// of what it read.
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
	last := len(r.toks) - 1
	if w[0] < 'a' {
		if len(w) == 3 && t.class&weekday != 0 && !r.is(last, "on", "every") && !r.isBesideDay(t) {
			t.class &^= weekday // the Sun, "Sat down"
		}
		return
	}
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

// isBesideDay reports whether another day or a time is next to t: Mon-Fri, Sat 9:00, Tue, 4 May.
func (r *reader) isBesideDay(t *token) bool {
	const between = " -–/&.,:"
	last := len(r.toks) - 1
	if r.is(last, "-", "–", "/", "&", ",", "to", "and") {
		last--
	}
	if r.has(last, weekday) {
		return true
	}
	rest := strings.TrimPrefix(strings.TrimLeft(r.text[t.end:], between), "to ")
	if rest == "" || len(rest) == len(r.text)-t.end {
		return false
	}
	next, _, _ := strings.Cut(rest+" ", " ")
	day, ok := load().words[strings.ToLower(strings.TrimRight(next, between+";)"))]
	return isDigit(rest[0]) || ok && day.class&weekday != 0
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

// foreign reads the word w, which does not start with an ASCII letter, from byte start on, or its
// characters if its script has no spaces. It returns the end of what it read.
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
