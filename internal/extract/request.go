package extract

import (
	"strings"
	"unicode"
	"unicode/utf8"
)

// asksTwice reports whether w is two questions: "When is it due, and does it count?"
func asksTwice(w []word) bool {
	for i := 1; i+1 < len(w); i++ {
		if low := w[i].low; (low == "and" || low == "or") && (isQuestionWord(w[i+1].low) || isAuxiliaryVerb(w[i+1].low) && (strings.HasSuffix(w[i-1].text, ",") || i+2 < len(w) && isSubjectPronoun(w[i+2].low))) {
			return true
		}
	}
	return false
}

// requestLength is the number of words of a polite request that a question begins
// with: "Can you tell me", "I would like to know".
func requestLen(w []word) int {
	n := 0
	if len(w) > 2 && isAuxiliaryVerb(w[0].low) && w[1].low == "you" {
		n = 2
		if w[n].low == "please" {
			n++
		}
	} else if len(w) > 2 && (w[0].low == "i" || w[0].low == "i'd" || w[0].low == "we") {
		for n < min(len(w), 5) && w[n].low != "know" {
			n++
		}
	}
	if n >= len(w) {
		return 0
	}
	switch w[n].low {
	case "tell", "explain", "say", "remind", "know", "show":
	default:
		return 0
	}
	n++
	if n < len(w) && (w[n].low == "me" || w[n].low == "us") {
		n++
	}
	if n < len(w) && (isQuestionWord(w[n].low) || w[n].low == "if" || w[n].low == "whether" || n+1 < len(w) && isPreposition(w[n].low) && isQuestionWord(w[n+1].low)) {
		return n
	}
	return 0
}

// prefixLength is the number of words up to the comma before a question word or
// auxiliary: "In May 2021," before "who left".
func prefixLen(w []word) int {
	for i := range min(len(w)-1, maxPrefixWords) {
		if i == 0 && (isQuestionWord(w[0].low) || isAuxiliaryVerb(w[0].low)) {
			return 0
		}
		if next := w[i+1].low; strings.HasSuffix(w[i].text, ",") && (isQuestionWord(next) || isAuxiliaryVerb(next) || isPreposition(next) && i+2 < len(w) && isQuestionWord(w[i+2].low)) {
			return i + 1
		}
	}
	return 0
}

// namesSourceWord reports whether w begins as "according to the passage" does.
func isSourcePrefix(w []word) bool {
	switch w[0].low {
	case "according", "based":
		return true
	}
	rest, _ := normalize(nil, joinWords(w))
	_, ok := rest.cutAttribution()
	return ok
}

// contracted is the question word of "what's".
func cutContraction(low string) (string, bool) {
	head, ok := strings.CutSuffix(low, "'s")
	return head, ok && isQuestionWord(head)
}

func startsUpper(text string) bool {
	r, _ := utf8.DecodeRuneInString(text)
	return unicode.IsUpper(r)
}
