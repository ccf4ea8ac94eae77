package extract

import (
	"slices"
	"strings"
	"unicode"
	"unicode/utf8"
)

// isBareAnswer reports whether text is a fragment: a name, a number, a date, a
// phrase without a finite verb. A longer text is one only if it looks like it.
func isAnswerFragment(text string) bool {
	if strings.Contains(text, ": ") || strings.HasSuffix(text, ":") {
		return false
	}
	w := splitWords(trimAnswer(text))
	switch {
	case len(w) == 0, w[0].low == "", len(w) > maxFragmentWords, hasFiniteVerb(w), isUnspaced(w) && utf8.RuneCountInString(text) > maxUnspacedRunes:
		return false
	case len(w) <= 3, isNumeral(w[0].low):
		return len(w) == 1 || !verbs().is(w[0].low, baseForm) || startsUpper(w[1].text) // "Turn it off."
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
		return verbs().is(x.low, baseForm|thirdPerson) || strings.HasSuffix(x.low, "ed")
	})
}

// isUnspaced reports whether words are in a script that is written without spaces.
func isUnspaced(w []word) bool {
	return slices.ContainsFunc(w, func(x word) bool {
		return strings.ContainsFunc(x.low, func(r rune) bool { return unicode.In(r, unicode.Han, unicode.Hiragana, unicode.Katakana, unicode.Thai) })
	})
}

// isNounPhrase reports whether nothing in words that begin with a determiner may be
// a verb: none but the noun behind the determiner, the last word, and what follows
// a preposition ends as verbs do.
func isNounPhrase(w []word) bool {
	for i := 2; i < len(w)-1; i++ {
		switch low := w[i].low; {
		case isPreposition(low):
			return true
		case startsUpper(w[i].text), w[i+1].low == "of":
		case strings.HasSuffix(low, "s"), strings.HasSuffix(low, "ed"), verbs().is(low, baseForm):
			return false
		}
	}
	return true
}

// isShortAnswer reports whether a claim says too little without its question: it
// is a fragment, or "yes" or "no".
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
