package lexical

import (
	"bytes"
	"slices"
	"strings"
	"unicode"
	"unicode/utf8"
)

// checkSigns returns an objection if the candidates have a word of the claim only with
// another sign or another index, as in C++ for C, O- for O+, 1:3 for 3:1 or Fe2+ for Fe3+,
// or relate things by another sign.
func (s *scratch) checkSigns(c *claim, contexts []string) objection {
	if len(c.candidates) == 0 {
		return objection{}
	}
	if w := s.absentAddress(c, contexts); w != "" {
		return objection{reason: notInContexts(w, ""), maxScore: maxContradictedScore, basis: basisMissing}
	}
	s.foldedClaim = s.foldedClaim.fold(c.text)
	claimed := bytes.Fields(s.foldedClaim.text)
	stated := make([][][]byte, len(c.candidates)) // words of each candidate
	for n, q := range c.candidates {
		stated[n] = bytes.Fields(slices.Clone(s.foldedText.fold(q.text(contexts)).text))
	}
	isStated := func(w []byte) bool {
		return slices.ContainsFunc(stated, func(words [][]byte) bool { return containsWord(words, w) })
	}
	at := 0
	for i, w := range claimed {
		at += 1 + bytes.Index(s.foldedClaim.text[at:], w)
		if lower := c.text[s.foldedClaim.at[at-1]] >= 'a'; isPlain(w) && (i == 0 || lower && w[0] >= 'a') || isStated(w) { // not a name
			continue
		}
		for n, words := range stated {
			for _, v := range words {
				if isVariant(w, v) {
					return otherSign(v, w, c.candidates[n])
				}
			}
		}
	}
	for _, w := range stated[0] { // the statement that covers most of the claim
		if plain := bytes.TrimLeft(w, "!¬"); len(plain) < len(w) && !isStated(plain) && containsWord(claimed, plain) {
			return otherSign(w, plain, c.candidates[0])
		}
		if !isSignOnly(w) || containsWord(claimed, w) {
			continue
		}
		for _, v := range claimed {
			if isSignOnly(v) && !containsWord(stated[0], v) {
				return otherSign(w, v, c.candidates[0])
			}
		}
	}
	return objection{}
}

// absentAddress returns the first e-mail address, URL or file path of c that no context contains, or "".
func (s *scratch) absentAddress(c *claim, contexts []string) string {
	for w := range strings.FieldsSeq(c.text) {
		w = strings.Trim(w, "<>()[]\"'`*.,;:!?")
		at := strings.IndexByte(w, '@')
		url := w[strings.Index(w, "://")+1:]
		isURL := len(url) < len(w)
		url = strings.TrimPrefix(url, "//")
		host := strings.TrimPrefix(url, "www.")
		isPath := w != "" && w[0] == '/' && strings.Count(w, "/") > 1 && !strings.ContainsAny(w, "\\{}()|")
		if (at > 0 && strings.IndexByte(w[at:], '.') > 0 || isURL || len(host) < len(url) || isPath) && s.search.absent(contexts, strings.TrimRight(host, "/")) {
			return w
		}
	}
	return ""
}

// containsWord reports whether words contain w, perhaps in two parts.
func containsWord(words [][]byte, w []byte) bool {
	for i, v := range words {
		if rest, ok := bytes.CutPrefix(w, v); ok && (len(rest) == 0 || i+1 < len(words) && bytes.Equal(words[i+1], rest)) {
			return true
		}
	}
	return false
}

// isVariant reports whether two words differ only in their signs, in the order of their
// parts, or, in short names such as H2O, in their digits.
func isVariant(v, w []byte) bool {
	if isPlain(v) && isPlain(w) || isLimit(v) || isLimit(w) {
		return false
	}
	if a, b := parts(v), parts(w); len(a) > 0 && slices.Equal(a, b) {
		return true
	}
	const maxName = 3
	a, b := letters(v), letters(w)
	return len(a) > 0 && len(a) <= maxName && bytes.Equal(a, b) && v[0] == a[0] && w[0] == b[0] && !bytes.ContainsAny(v, ":/.,") && !bytes.ContainsAny(w, ":/.,")
}

// isLimit reports whether w is a lower limit, such as 18+, which is compared as a value.
func isLimit(w []byte) bool {
	n, ok := bytes.CutSuffix(w, []byte("+"))
	return ok && len(bytes.Trim(n, "0123456789")) == 0
}

// isPlain reports whether w consists of letters only, or of digits only.
func isPlain(w []byte) bool {
	return !bytes.ContainsFunc(w, func(r rune) bool { return !unicode.IsLetter(r) }) || !bytes.ContainsFunc(w, func(r rune) bool { return !unicode.IsDigit(r) })
}

// parts returns the runs of letters and digits of w in ascending order.
func parts(w []byte) []string {
	p := strings.FieldsFunc(string(w), func(r rune) bool { return !unicode.IsLetter(r) && !unicode.IsNumber(r) })
	slices.Sort(p)
	return p
}

func letters(w []byte) []byte {
	return bytes.Map(func(r rune) rune {
		if unicode.IsLetter(r) {
			return r
		}
		return -1
	}, w)
}

// isSignOnly reports whether w consists of a sign, such as < or →.
func isSignOnly(w []byte) bool {
	r, size := utf8.DecodeRune(w)
	return size == len(w) && r != '°' && (unicode.In(r, unicode.Sm, unicode.So) || strings.ContainsRune("%‰‱", r))
}
