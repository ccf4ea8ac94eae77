package lexical

import (
	"slices"
	"strings"
	"unicode"
)

// An operation is an operator between two words, as in "distance * time", or a mark after
// words, as in "Pro plan: ✅".
type operation struct {
	before, after string // in lower case; after is "" for a mark
	sign, text    string // in one spelling, and as written
}

// isOperator reports whether r is part of an operator or mark. Other signs are compared as words;
// see isSign.
func isOperator(r rune) bool {
	switch r {
	case '+', '-', '*', '/', '×', '÷', '&', '|', '=', '✅', '✓', '✔', '☑', '❌', '✗', '✘', '\ufe0f': // the last one selects an emoji
		return true
	}
	return false
}

// appendOperations appends the operations of a text of at most maxAligned bytes to dst.
func appendOperations(dst []operation, text string) []operation {
	for i := 0; i < len(text) && len(text) <= maxAligned; {
		n := strings.IndexFunc(text[i:], isOperator)
		if n < 0 {
			break
		}
		start := i + n
		i = len(text) - len(strings.TrimLeftFunc(text[start:], isOperator))
		line := text[strings.LastIndexByte(text[:start], '\n')+1 : start]
		before, after := strings.TrimRight(line, " "), strings.TrimLeft(text[i:], " ")
		sign, isMark := operator(text[start:i])
		if isMark {
			before, after = strings.TrimRight(before, " :|-–—("), ""
		}
		o := operation{before: before[wordStart(before):], after: after[:wordEnd(after)], sign: sign, text: text[start:i]}
		if isMark { // two words tell more
			o.before = before[wordStart(strings.TrimRight(before[:len(before)-len(o.before)], " ")):]
		} else if spaced := len(before) < len(line); o.after == "" || spaced != (len(after) < len(text[i:])) || !spaced && (sign == "/" || sign == "-" && len(o.before)+len(o.after) > 2) {
			continue // and/or, well-known
		}
		if sign != "" && o.before != "" {
			o.before, o.after = strings.ToLower(o.before), strings.ToLower(o.after)
			dst = append(dst, o)
		}
	}
	return dst
}

// operator returns an operator in one spelling, or "", and reports whether it is a mark.
func operator(s string) (sign string, isMark bool) {
	switch s = strings.TrimSuffix(s, "\ufe0f"); s {
	case "+", "-", "*", "/", "&&", "||", "+=", "-=", "*=", "/=":
		return s, false
	case "×":
		return "*", false
	case "÷":
		return "/", false
	case "✅", "✓", "✔", "☑":
		return "✓", true
	case "❌", "✗", "✘":
		return "✗", true
	}
	return "", false
}

// wordStart returns the offset of the word at the end of s.
func wordStart(s string) int {
	return len(strings.TrimRightFunc(s, isWord))
}

// wordEnd returns the end of the word at the start of s.
func wordEnd(s string) int {
	return len(s) - len(strings.TrimLeftFunc(s, isWord))
}

func isWord(r rune) bool { return unicode.IsLetter(r) || unicode.IsNumber(r) || r == '_' }

// otherOperator returns the operation among stated that differs from o in its operator only,
// if none is the same.
func (o operation) otherOperator(stated []operation) (other operation, ok bool) {
	for _, x := range stated {
		switch {
		case x.before != o.before || x.after != o.after:
		case x.sign == o.sign:
			return operation{}, false
		case len(o.before) == 1 || !strings.Contains("-/", o.sign) || !strings.Contains("-/", x.sign): // else typography: "Home - News"
			other, ok = x, true
		}
	}
	return other, ok
}

// checkOperators returns an objection if the candidates have an operation of the claim only with
// another operator.
func (c *claim) checkOperators(contexts []string) (objection, quote) {
	claimed := appendOperations(nil, c.text)
	if len(claimed) == 0 {
		return objection{}, quote{}
	}
	var stated []operation
	var at []quote // of each
	for _, q := range c.candidates {
		stated = appendOperations(stated, q.text(contexts))
		for len(at) < len(stated) {
			at = append(at, q)
		}
	}
	for _, o := range claimed {
		if x, ok := o.otherOperator(stated); ok {
			return notStated(x.text, o.text, basisValue), at[slices.Index(stated, x)]
		}
	}
	return objection{}, quote{}
}

// sameOperations reports whether text[start:end], whose words are those of s.foldedClaim, has
// no other operator where that has one.
func (s *scratch) sameOperations(text string, start, end int) bool {
	const maxMark = 8 // bytes of a mark after the last word
	if len(s.operations) == 0 {
		return true
	}
	start, end = runeBounds(text, start, min(len(text), end+maxMark))
	stated := appendOperations(nil, text[start:end])
	return !slices.ContainsFunc(s.operations, func(o operation) bool { _, ok := o.otherOperator(stated); return ok })
}
