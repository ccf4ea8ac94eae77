package english

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

// Statement returns the statement that a short answer to the question asked
// makes, or "" if the answer stands alone. q is the parsed question, or nil.
func Statement(asked string, q *Question, text string) string {
	if len(text) > maxReplyBytes {
		return ""
	}
	if yes, rest, ok := cutYesNo(text); ok {
		if q == nil || q.Wh != "" {
			return questionAndAnswer(asked, text, rest)
		}
		return q.replyStatement(yes, rest)
	}
	answer := TrimAnswer(text)
	switch {
	case q == nil:
		return questionAndAnswer(asked, answer, answer)
	case repeatsQuestionWord(asked, answer):
		return ""
	case q.Wh != "":
		return q.answerStatement(answer)
	}
	w := Split(answer)
	if s := q.choiceStatement(w); s != "" {
		return s
	}
	if isPronounTag(w) {
		_, denies := q.repeats(w)
		return q.replyStatement(!denies, answer)
	}
	if IsPreposition(w[0].Lower) || isAdverb(w[0].Lower) {
		return q.replyStatement(true, answer)
	}
	return questionAndAnswer(asked, answer, answer)
}

// questionAndAnswer joins a question that could not be parsed with its answer,
// so that the claim has the words of both. It returns "" if the answer is long
// enough to stand alone in any language.
func questionAndAnswer(asked, answer, said string) string {
	const maxWords = 3
	if w := Split(said); len(w) > maxWords || isUnspaced(w) && utf8.RuneCountInString(said) > maxUnspacedRunes || repeatsQuestionWord(asked, said) {
		return ""
	}
	const stops = ".!。！ "
	return strings.TrimRight(Join(Split(asked)), stops) + ": " + strings.TrimRight(Join(Split(answer)), stops)
}

// repeatsQuestionWord reports whether an answer of more than three words shares
// a content word with the question, and so names its subject itself.
func repeatsQuestionWord(asked, answer string) bool {
	w := Split(answer)
	if len(w) <= 3 {
		return false
	}
	known := Split(asked)
	return slices.ContainsFunc(w, func(x Word) bool {
		return len(x.Lower) > 3 && !IsPreposition(x.Lower) && !IsDeterminer(x.Lower) && !IsAuxiliary(x.Lower) &&
			slices.ContainsFunc(known, func(y Word) bool { return x.Lower == y.Lower })
	})
}

// TrimAnswer returns a short answer without its full stop, a leading "It is"
// before a fragment and a trailing "did".
func TrimAnswer(text string) string {
	text = strings.TrimRight(text, ".!;, ")
	w := Split(text)
	if len(w) > 1 && len(w) <= 5 && IsAuxiliary(w[len(w)-1].Lower) && w[len(w)-1].Text != "May" && !IsSubjectPronoun(w[len(w)-2].Lower) {
		if _, not := trimNegation(w[len(w)-1].Lower); !not && !HasFiniteVerb(w[:len(w)-1]) {
			return Join(w[:len(w)-1]) // "Petra Lund did."
		}
	}
	n := 0
	switch {
	case len(w) > 3 && w[0].Lower == "the" && w[1].Lower == "answer" && IsBe(w[2].Lower):
		n = 3
	case len(w) > 1 && w[0].is("it's", "that's", "they're"):
		n = 1
	case len(w) > 2 && w[0].is("it", "that", "this", "they", "these") && IsBe(w[1].Lower):
		n = 2
	case len(w) > 3 && w[0].is("that", "it") && isModal(w[1].Lower) && w[2].Lower == "be":
		n = 3
	}
	if n > 0 && w[n].Lower != "not" && !IsParticiple(w[n].Lower) && !isAdjective(w[n].Lower) && !HasFiniteVerb(w[n:]) {
		return Join(w[n:])
	}
	return text
}

// HasFiniteVerb reports whether w may be a clause.
func HasFiniteVerb(w []Word) bool {
	for i := range w {
		low := w[i].Lower
		switch {
		case IsAuxiliary(low) && low != "may", low == "may" && i > 0 && !StartsUpper(w[i].Text), low == "cannot", isContractedClause(low):
			return true
		case i == 0 && IsSubjectPronoun(low) && low != "one" && len(w) > 1:
			return true
		case i == 0, i+1 == len(w) && len(w) < 4:
			continue
		case i+1 < len(w) && IsDeterminer(w[i+1].Lower) && low != "and" && low != "or" && low != "but" && !IsPreposition(low) && !IsDeterminer(low) && !isAdverb(low) &&
			!strings.ContainsAny(w[i].Text, ",;"):
			return true // only a verb precedes a determiner
		case IsDeterminer(w[i-1].Lower), IsPreposition(w[i-1].Lower), IsNumeral(w[i-1].Lower), StartsUpper(w[i].Text):
			continue
		case IsVerb(low, PastForm|ThirdPerson), strings.HasSuffix(low, "ed") && len(low) > 4:
			return true
		case IsVerb(low, BaseForm) && strings.HasSuffix(w[i-1].Lower, "s") && i+1 < len(w):
			return true
		case IsSubjectPronoun(low):
			return true
		}
	}
	return false
}

// isContractedClause reports whether low is a pronoun with its verb, such as
// "it's".
func isContractedClause(low string) bool {
	head, tail, ok := strings.Cut(low, "'")
	return ok && (IsSubjectPronoun(head) || head == "that" || head == "there") && (tail == "s" || tail == "re" || tail == "ve" || tail == "ll" || tail == "d" || tail == "m")
}

// isAnswerFragment reports whether text is a fragment: a name, a number, a
// date, or a phrase without a finite verb. The longer the text, the stricter
// the check.
func isAnswerFragment(text string) bool {
	if strings.Contains(text, ": ") || strings.HasSuffix(text, ":") {
		return false
	}
	w := Split(TrimAnswer(text))
	switch {
	case len(w) == 0, w[0].Lower == "", len(w) > maxFragmentWords, HasFiniteVerb(w), isUnspaced(w) && utf8.RuneCountInString(text) > maxUnspacedRunes:
		return false
	case len(w) <= 3, IsNumeral(w[0].Lower):
		return len(w) == 1 || !IsVerb(w[0].Lower, BaseForm) || StartsUpper(w[1].Text) // "Turn it off."
	case IsPreposition(w[0].Lower):
		return !strings.Contains(text, ",")
	case IsDeterminer(w[0].Lower):
		return isNounPhrase(w)
	}
	capitals := true
	for _, x := range w {
		capitals = capitals && (StartsUpper(x.Text) || IsNumeral(x.Lower) || IsDeterminer(x.Lower) || IsPreposition(x.Lower) || x.is("and", "or"))
	}
	return capitals || len(w) <= 6 && !slices.ContainsFunc(w[1:], func(x Word) bool {
		return IsVerb(x.Lower, BaseForm|ThirdPerson) || strings.HasSuffix(x.Lower, "ed")
	})
}

// isUnspaced reports whether w has a word in a script that is written without
// spaces.
func isUnspaced(w []Word) bool {
	return slices.ContainsFunc(w, func(x Word) bool {
		return strings.ContainsFunc(x.Lower, func(r rune) bool { return unicode.In(r, unicode.Han, unicode.Hiragana, unicode.Katakana, unicode.Thai) })
	})
}

// isNounPhrase reports whether w, which starts with a determiner, has no
// possible verb: between the noun and a preposition or the last word, no word
// ends as verbs do.
func isNounPhrase(w []Word) bool {
	for i := 2; i < len(w)-1; i++ {
		switch low := w[i].Lower; {
		case IsPreposition(low):
			return true
		case StartsUpper(w[i].Text), w[i+1].Lower == "of":
		case strings.HasSuffix(low, "s"), strings.HasSuffix(low, "ed"), IsVerb(low, BaseForm):
			return false
		}
	}
	return true
}

// IsShortAnswer reports whether a text is incomplete without its question: a
// fragment, or "yes" or "no".
func IsShortAnswer(text string) bool {
	if len(text) > maxReplyBytes {
		return false
	}
	switch n := strings.Count(text, " "); {
	case startsWithYesNo(text), n < 3 && isPronounTag(Split(text)):
		return true
	case n >= maxFragmentWords+4, n >= minCommonVerbWords && hasCommonVerb(text):
		return false
	}
	return isAnswerFragment(text)
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
