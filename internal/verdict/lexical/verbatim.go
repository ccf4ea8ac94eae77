package lexical

import (
	"bytes"
	"strings"
	"unicode"
	"unicode/utf8"
)

// maxVerbatim is the number of bytes around the closest window that are searched for the
// text of a claim.
const maxVerbatim = 1 << 13

// isVerbatim reports whether a candidate or the text around the closest window asserts the
// text of the claim as a whole, ignoring case, punctuation and white space, without a condition
// or an exception after it.
func (j *Judge) isVerbatim(s *scratch, c *claim, contexts []string) bool {
	literal := strings.TrimRight(c.text, ".! ")
	for _, q := range c.candidates {
		at := indexStatement(q.text(contexts), literal)
		if at < 0 {
			continue
		}
		start, end := q.start+at, q.start+at+len(literal)
		s.foldedText = s.foldedText.fold(strings.TrimLeft(contexts[q.chunk][end:min(end+maxLimitStart, q.end)], " ,;"))
		if !startsLimit(s.foldedText.text) && j.asserts(s, contexts, q.chunk, start, end) {
			return true
		}
	}
	s.foldedClaim = s.foldedClaim.fold(c.text)
	for _, q := range c.candidates {
		if j.states(s, contexts, q) {
			return true
		}
	}
	text := contexts[c.best.chunk]
	from, to := int(c.best.from.start), len(text)
	if c.best.from.chunk == c.best.to.chunk {
		to = int(c.best.to.start)
	}
	from, to = runeBounds(text, max(0, from-maxVerbatim), min(len(text), to+maxVerbatim))
	return j.states(s, contexts, quote{chunk: c.best.chunk, start: from, end: to})
}

// maxLimitStart is the number of bytes after a claim that are searched for the start of a limit.
const maxLimitStart = 32

// indexStatement returns the offset of a statement in text, as written and in whole words, or -1.
// It does not find one whose first or last word may belong to a sign next to it, as in "minus 5".
func indexStatement(text, statement string) int {
	isLower := func(c byte) bool { return c-'a' < 26 }
	n := len(statement)
	if n < 2 || !isLower(statement[n-1]) || !isLower(statement[1]) {
		return -1
	}
	i := strings.Index(text, statement)
	if i < 0 || i > 0 && text[i-1] != ' ' || i+n < len(text) && strings.IndexByte(" .,;!?\n", text[i+n]) < 0 {
		return -1
	}
	return i
}

// states reports whether the text of q contains the claim in s.foldedClaim and asserts it.
func (j *Judge) states(s *scratch, contexts []string, q quote) bool {
	s.foldedText = s.foldedText.fold(q.text(contexts))
	claim, text := s.foldedClaim.text, s.foldedText.text
	for at := 0; ; {
		i := bytes.Index(text[at:], claim)
		if i < 0 {
			return false
		}
		end := at + i + len(claim) - 1 // the space after the claim
		start := q.start + int(s.foldedText.at[at+i+1])
		if last := q.start + int(s.foldedText.at[end-1]) + 1; !startsLimit(text[end:]) && j.asserts(s, contexts, q.chunk, start, last) {
			return true
		}
		at = end
	}
}

// asserts reports whether the sentences around bytes start to end of a context state what
// is between them.
func (j *Judge) asserts(s *scratch, contexts []string, chunk, start, end int) bool {
	for _, span := range j.sentences(s, contexts, chunk, start) {
		if span[1] <= start || span[0] >= end || span[1]-span[0] > maxAligned {
			continue
		}
		q := quote{chunk: chunk, start: span[0], end: span[1]}
		x := s.parse(j, contexts, q, q.text(contexts))
		if !x.Asserts(start-span[0], end-span[0]) {
			return false
		}
	}
	return true
}

// startsLimit reports whether words that were folded start a condition or an exception.
func startsLimit(words []byte) bool {
	for _, w := range [...]string{"except", "excluding", "unless", "if", "only if", "only when", "provided", "but not", "but only", "other than", "apart from", "as long as"} {
		if n := 1 + len(w); len(words) > n && words[n] == ' ' && string(words[1:n]) == w {
			return true
		}
	}
	return false
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
