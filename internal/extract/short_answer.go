package extract

import (
	"slices"
	"strings"
	"unicode"
	"unicode/utf8"
)

const (
	maxFragmentWords   = 12  // of a short answer
	maxUnspacedRunes   = 8   // of a name in a script without spaces
	maxReplyBytes      = 300 // longer claims are complete
	minCommonVerbWords = 6   // shorter text is a fragment even with a common verb
)

// statement returns the statement that a short answer makes, or "" if it stands
// alone.
func statement(asked string, q *question, text string) string {
	if len(text) > maxReplyBytes {
		return ""
	}
	if yes, rest, ok := cutYesNo(text); ok {
		if q == nil || q.wh != "" {
			return questionAndAnswer(asked, text, rest)
		}
		return q.replyStatement(yes, rest)
	}
	answer := trimAnswer(text)
	switch {
	case q == nil:
		return questionAndAnswer(asked, answer, answer)
	case repeatsQuestionWord(asked, answer):
		return ""
	case q.wh != "":
		return q.answerStatement(answer)
	}
	w := splitWords(answer)
	if s := q.choiceStatement(w); s != "" {
		return s
	}
	if isPronounTag(w) {
		_, denies := q.repeats(w)
		return q.replyStatement(!denies, answer)
	}
	if isPreposition(w[0].low) || isAdverb(w[0].low) {
		return q.replyStatement(true, answer)
	}
	return questionAndAnswer(asked, answer, answer)
}

// questionAndAnswer joins a question that could not be parsed with its answer,
// so that the claim has the words of both. It returns "" if the answer is long
// enough to stand alone in any language.
func questionAndAnswer(asked, answer, said string) string {
	const maxWords = 3
	if w := splitWords(said); len(w) > maxWords || isUnspaced(w) && utf8.RuneCountInString(said) > maxUnspacedRunes || repeatsQuestionWord(asked, said) {
		return ""
	}
	const stops = ".!。！ "
	return strings.TrimRight(joinWords(splitWords(asked)), stops) + ": " + strings.TrimRight(joinWords(splitWords(answer)), stops)
}

// repeatsQuestionWord reports whether an answer of more than three words shares
// a content word with the question, and so names its subject itself.
func repeatsQuestionWord(asked, answer string) bool {
	w := splitWords(answer)
	if len(w) <= 3 {
		return false
	}
	known := splitWords(asked)
	return slices.ContainsFunc(w, func(x word) bool {
		return len(x.low) > 3 && !isPreposition(x.low) && !isDeterminer(x.low) && !isAuxiliaryVerb(x.low) && slices.ContainsFunc(known, func(y word) bool { return x.low == y.low })
	})
}

// trimAnswer returns a short answer without its full stop, a leading "It is"
// before a fragment and a trailing "did".
func trimAnswer(text string) string {
	text = strings.TrimRight(text, ".!;, ")
	w := splitWords(text)
	if len(w) > 1 && len(w) <= 5 && isAuxiliaryVerb(w[len(w)-1].low) && w[len(w)-1].text != "May" && !isSubjectPronoun(w[len(w)-2].low) {
		if _, not := trimNegation(w[len(w)-1].low); !not && !hasFiniteVerb(w[:len(w)-1]) {
			return joinWords(w[:len(w)-1]) // "Petra Lund did."
		}
	}
	n := 0
	switch {
	case len(w) > 3 && w[0].low == "the" && w[1].low == "answer" && isBe(w[2].low):
		n = 3
	case len(w) > 1 && (w[0].low == "it's" || w[0].low == "that's" || w[0].low == "they're"):
		n = 1
	case len(w) > 2 && (w[0].low == "it" || w[0].low == "that" || w[0].low == "this" || w[0].low == "they" || w[0].low == "these") && isBe(w[1].low):
		n = 2
	case len(w) > 3 && (w[0].low == "that" || w[0].low == "it") && isModal(w[1].low) && w[2].low == "be":
		n = 3
	}
	if n > 0 && w[n].low != "not" && !isParticiple(w[n].low) && !isAdjective(w[n].low) && !hasFiniteVerb(w[n:]) {
		return joinWords(w[n:])
	}
	return text
}

// hasFiniteVerb reports whether w may be a clause.
func hasFiniteVerb(w []word) bool {
	for i := range w {
		low := w[i].low
		switch {
		case isAuxiliaryVerb(low) && low != "may", low == "may" && i > 0 && !startsUpper(w[i].text), low == "cannot", isContractedClause(low):
			return true
		case i == 0 && isSubjectPronoun(low) && low != "one" && len(w) > 1:
			return true
		case i == 0, i+1 == len(w) && len(w) < 4:
			continue
		case i+1 < len(w) && isDeterminer(w[i+1].low) && low != "and" && low != "or" && low != "but" && !isPreposition(low) && !isDeterminer(low) && !isAdverb(low) &&
			!strings.ContainsAny(w[i].text, ",;"):
			return true // only a verb precedes a determiner
		case isDeterminer(w[i-1].low), isPreposition(w[i-1].low), isNumeral(w[i-1].low), startsUpper(w[i].text):
			continue
		case isVerb(low, pastForm|thirdPerson), strings.HasSuffix(low, "ed") && len(low) > 4:
			return true
		case isVerb(low, baseForm) && strings.HasSuffix(w[i-1].low, "s") && i+1 < len(w):
			return true
		case isSubjectPronoun(low):
			return true
		}
	}
	return false
}

// isContractedClause reports whether low is a pronoun with its verb, such as
// "it's".
func isContractedClause(low string) bool {
	head, tail, ok := strings.Cut(low, "'")
	return ok && (isSubjectPronoun(head) || head == "that" || head == "there") && (tail == "s" || tail == "re" || tail == "ve" || tail == "ll" || tail == "d" || tail == "m")
}

// isAnswerFragment reports whether text is a fragment: a name, a number, a
// date, or a phrase without a finite verb. The longer the text, the stricter
// the check.
func isAnswerFragment(text string) bool {
	if strings.Contains(text, ": ") || strings.HasSuffix(text, ":") {
		return false
	}
	w := splitWords(trimAnswer(text))
	switch {
	case len(w) == 0, w[0].low == "", len(w) > maxFragmentWords, hasFiniteVerb(w), isUnspaced(w) && utf8.RuneCountInString(text) > maxUnspacedRunes:
		return false
	case len(w) <= 3, isNumeral(w[0].low):
		return len(w) == 1 || !isVerb(w[0].low, baseForm) || startsUpper(w[1].text) // "Turn it off."
	case isPreposition(w[0].low):
		return !strings.Contains(text, ",")
	case isDeterminer(w[0].low):
		return isNounPhrase(w)
	}
	capitals := true
	for _, x := range w {
		capitals = capitals && (startsUpper(x.text) || isNumeral(x.low) || isDeterminer(x.low) || isPreposition(x.low) || x.low == "and" || x.low == "or")
	}
	return capitals || len(w) <= 6 && !slices.ContainsFunc(w[1:], func(x word) bool {
		return isVerb(x.low, baseForm|thirdPerson) || strings.HasSuffix(x.low, "ed")
	})
}

// isUnspaced reports whether w has a word in a script that is written without
// spaces.
func isUnspaced(w []word) bool {
	return slices.ContainsFunc(w, func(x word) bool {
		return strings.ContainsFunc(x.low, func(r rune) bool { return unicode.In(r, unicode.Han, unicode.Hiragana, unicode.Katakana, unicode.Thai) })
	})
}

// isNounPhrase reports whether w, which starts with a determiner, has no
// possible verb: between the noun and a preposition or the last word, no word
// ends as verbs do.
func isNounPhrase(w []word) bool {
	for i := 2; i < len(w)-1; i++ {
		switch low := w[i].low; {
		case isPreposition(low):
			return true
		case startsUpper(w[i].text), w[i+1].low == "of":
		case strings.HasSuffix(low, "s"), strings.HasSuffix(low, "ed"), isVerb(low, baseForm):
			return false
		}
	}
	return true
}

// isShortAnswer reports whether a claim is incomplete without its question: a
// fragment, or "yes" or "no".
func isShortAnswer(text string) bool {
	if len(text) > maxReplyBytes {
		return false
	}
	n := strings.Count(text, " ")
	return startsWithYesNo(text) || n < maxFragmentWords+4 && (n < minCommonVerbWords || !hasCommonVerb(text)) && isAnswerFragment(text) || n < 3 && isPronounTag(splitWords(text))
}

// hasCommonVerb is a fast check that most sentences pass and no fragment does.
func hasCommonVerb(text string) bool {
	for _, verb := range [...]string{" is ", " was ", " are ", " were ", " has ", " had ", " have ", " can ", " will "} {
		if strings.Contains(text, verb) {
			return true
		}
	}
	return false
}
