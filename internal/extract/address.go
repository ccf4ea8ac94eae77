package extract

import (
	"strings"
	"unicode"
	"unicode/utf8"
)

// isQuestion reports whether a sentence asks. A question that asserts ("Did you
// know that …?", "…, right?") and one that is only quoted in a statement do
// not count.
func isQuestion(text string, w words) bool {
	if strings.HasSuffix(text, ".") {
		return false // as most
	}
	t := strings.TrimRight(text, "*_) \u00a0")
	quoted := false
	if q := strings.TrimRight(t, "\"'”’»"); len(q) < len(t) {
		t, quoted = q, true
	}
	if !strings.HasSuffix(t, "?") && !strings.HasSuffix(t, "？") && !strings.HasSuffix(t, "؟") && !endsInGreekQuestionMark(t) && !strings.HasSuffix(t, "፧") {
		return false
	}
	if quoted {
		// Only a quotation as a whole asks.
		if !startsWithQuote(text) {
			return false
		}
	}
	if _, ok := w.cutPrefix("did you know"); ok || w.count() >= 12 && startsLikeQuestion(w) && !w.contains(addressesReader) {
		return false
	}
	switch string(w.last()) {
	case "right", "correct", "true":
		return w.count() < 3
	case "it", "they", "he", "she", "you":
		return !strings.Contains(text, "n't ") && !strings.Contains(text, "n’t ") || strings.IndexByte(text, ',') < 0
	}
	return true
}

// asksInGreek reports whether t ends with the semicolon that is the question
// mark of Greek.
func endsInGreekQuestionMark(t string) bool {
	t, ok := strings.CutSuffix(t, ";")
	if !ok {
		return false
	}
	r, _ := utf8.DecodeLastRuneInString(t)
	return unicode.Is(unicode.Greek, r)
}

// isAddress knows the words with which a question turns to the reader. A long
// one without them is a question of the text, and what it takes for granted is
// judged.
func addressesReader(s []byte) bool {
	switch string(s) {
	case "you", "your", "me", "my", "else":
		return true
	}
	return false
}

// isEnglishQuestion reports whether w begins as English questions do, so that
// isAddress can be asked.
func startsLikeQuestion(w words) bool {
	first, _ := w.cutWord()
	switch string(first) {
	case "what", "who", "whom", "whose", "which", "where", "when", "why", "how", "is", "are", "was", "were", "do", "does",
		"did", "can", "could", "will", "would", "should", "has", "have", "had", "may", "might", "must":
		return true
	}
	return false
}

// isQuoted reports whether text begins with a quotation: somebody else speaks.
func startsWithQuote(text string) bool {
	if text == "" || text[0] < utf8.RuneSelf {
		return text != "" && (text[0] == '"' || text[0] == '\'' || text[0] == '`')
	}
	for _, mark := range [...]string{"“", "‘", "«", "„"} {
		if strings.HasPrefix(text, mark) {
			return true
		}
	}
	return false
}

// isGreeting reports whether a sentence only greets, thanks, wishes or offers
// more help; opened is w without what opens it. One with a digit in it is left to the judge.
func isGreeting(text string, w, opened words) bool {
	if startsWithQuote(text) || w.hasDigit() || w.count() > 40 {
		return false
	}
	// "Hi John", "Great question".
	if rest, ok := w.cutPhrase(salutation); ok && (len(rest) == 0 || rest.count() <= 1 && takesName(w)) {
		return true
	}
	if w.offersHelp() {
		return true
	}
	if len(opened) == len(w) {
		return false
	}
	if rest, ok := opened.cutPhrase(salutation); ok && len(rest) == 0 {
		return true
	}
	return opened.offersHelp()
}

// offersHelp reports whether a sentence begins with an offer of more help or
// sets a condition for one, and says no more.
func (w words) offersHelp() bool {
	if rest, ok := w.cutPhrase(closing); ok {
		return rest.assertsNothing(2)
	}
	for _, condition := range [...]string{"if you", "if youd", "should you", "in case you", "if anything", "if something"} {
		if rest, ok := w.cutPrefix(condition); ok && rest.leadsToOffer() {
			return true
		}
	}
	return w.offersConditionally()
}

// offersOnDemand knows an offer with its condition behind it: "I can also list the
// other fees if you'd like." With "that" it may assert something.
func (w words) offersConditionally() bool {
	for _, condition := range [...]string{"if you like", "if youd like", "if you want", "if you wish", "if you would like", "if you need"} {
		if rest, ok := w.cutPrefix(condition); ok {
			for len(rest) > 0 {
				if after, ok := rest.cutPrefix("i"); ok {
					first, then := after.cutWord()
					return (string(first) == "can" || string(first) == "could" || string(first) == "will") && !then.contains(isAssertingVerb)
				}
				_, rest = rest.cutWord()
			}
		}
	}
	rest, ok := w.cutPrefix("i can")
	if !ok {
		if rest, ok = w.cutPrefix("i could"); !ok {
			return false
		}
	}
	for len(rest) > 0 {
		for _, condition := range [...]string{"if you like", "if youd like", "if you want", "if you wish", "if you need", "if you would like", "if youre interested", "if needed", "if helpful"} {
			if _, ok := rest.cutPrefix(condition); ok {
				return true
			}
		}
		first, after := rest.cutWord()
		if isAssertingVerb(first) {
			return false
		}
		rest = after
	}
	return false
}

// isAssertingVerb knows the words behind "I can" that a fact may follow.
func isAssertingVerb(s []byte) bool {
	switch string(s) {
	case "that", "confirm", "tell", "say", "see", "assure":
		return true
	}
	return false
}

// isHello reports whether the greeting is one that a name may follow.
func takesName(w words) bool {
	first, _ := w.cutWord()
	switch string(first) {
	case "hello", "hi", "hey", "dear", "thanks", "hallo", "hola", "bonjour":
		return w.count() <= 3
	}
	return false
}

// offers reports whether a sentence with a condition turns to an offer: "If you
// have any other questions, feel free to ask."
func (w words) leadsToOffer() bool {
	for len(w) > 0 {
		if rest, ok := w.cutPhrase(closing); ok {
			return rest.assertsNothing(1)
		}
		_, w = w.cutWord()
	}
	return false
}
