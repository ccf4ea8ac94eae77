package extract

import (
	"strings"
	"unicode"
	"unicode/utf8"

	"github.com/ragfaith/ragfaith/internal/extract/english"
)

// isQuestion reports whether a sentence is a question to the reader. Rhetorical questions ("Did you
// know that …?", "…, right?") and quoted questions within a statement do not count.
func isQuestion(text string, w words) bool {
	if strings.HasSuffix(text, ".") {
		return false
	}
	t := strings.TrimRight(text, "*_) \u00a0")
	quoted := false
	if q := strings.TrimRight(t, "\"'”’»"); len(q) < len(t) {
		t, quoted = q, true
	}
	mark, size := utf8.DecodeLastRuneInString(t)
	if before, _ := utf8.DecodeLastRuneInString(t[:len(t)-size]); !strings.ContainsRune("?？؟፧", mark) && (mark != ';' || !unicode.Is(unicode.Greek, before)) {
		return false // the Greek question mark is a semicolon
	}
	if quoted && !startsWithQuote(text) {
		return false // the quotation does not span the whole sentence
	}
	if _, ok := w.cutPrefix("did you know"); ok || isNegatedQuestion(w) || w.count() >= 12 && !w.containsAny("you", "your", "me", "my", "else") {
		return false // a long question that does not address the reader is rhetorical
	}
	switch w.last() {
	case "right", "correct", "true":
		return w.count() < 3
	case "it", "they", "he", "she", "you":
		return !strings.Contains(text, "n't ") && !strings.Contains(text, "n’t ") || strings.IndexByte(text, ',') < 0
	}
	return true
}

// isNegatedQuestion reports whether a question presumes its answer, as "Isn't the fee
// $900?" does, and is not addressed to the reader.
func isNegatedQuestion(w words) bool {
	first, rest := w.cutWord()
	second, _ := rest.cutWord()
	return !isOneOf(second, "you", "i", "we") && english.IsAuxiliary(strings.TrimSuffix(first, "t")+"'t") && strings.HasSuffix(first, "nt")
}

// isGreeting reports whether a sentence only greets, thanks, wishes or offers
// more help. opened is w without its opening phrase. A sentence with a digit is
// not a greeting, since it may state a fact.
func isGreeting(text string, w, opened words) bool {
	if startsWithQuote(text) || w.hasDigit() || w.count() > 40 {
		return false
	}
	// "Hi John", "Dear Mr. Smith,", "Great question".
	first, afterFirst := w.cutWord()
	takesName := isOneOf(first, "hello", "hi", "hey", "dear", "thanks", "hallo", "hola", "bonjour")
	if rest, ok := w.cutPhrase(salutation); ok && (len(rest) == 0 || rest.count() <= 1 && w.count() <= 3 && takesName) {
		return true
	}
	const maxAddress = 5
	if strings.HasSuffix(text, ",") && (first == "dear" && w.count() <= maxAddress || first == "best" && len(afterFirst) == 0) {
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

// offersHelp reports whether a sentence only offers more help, with or without a condition.
func (w words) offersHelp() bool {
	if rest, ok := w.cutPhrase(closing); ok {
		return rest.assertsNothing()
	}
	rest, ok := w.cutAnyPrefix("if you", "if youd", "should you", "in case you", "if anything", "if something")
	return ok && rest.leadsToOffer() || w.offersConditionally()
}

// offersConditionally reports whether w is an offer with a condition, such as
// "I can also list the other fees if you'd like."
func (w words) offersConditionally() bool {
	conditional, offers := false, false
	for rest := range w.suffixes() {
		if rest[0] != 'i' {
			continue
		}
		_, ok := rest.cutAnyPrefix("if you like", "if youd like", "if you want", "if you wish", "if you would like", "if you need", "if youre interested", "if needed", "if helpful")
		conditional = conditional || ok && (offers || len(rest) == len(w))
		_, ok = rest.cutAnyPrefix("i can", "i could", "i will")
		offers = offers || ok && (conditional || len(rest) == len(w))
	}
	return conditional && offers
}

// leadsToOffer reports whether w, the text after a condition, contains an
// offer: "If you have any other questions, feel free to ask."
func (w words) leadsToOffer() bool {
	for rest := range w.suffixes() {
		if after, ok := rest.cutPhrase(closing); ok {
			return after.assertsNothing()
		}
		if after, ok := rest.cutAnyPrefix("contact us", "contact me", "contact our"); ok {
			return after.count() <= 2 && w.containsAny("questions", "concerns")
		}
	}
	return false
}

// isSignature reports whether sentence i is the last, and a name on the line after a
// closing such as "Best regards,".
func (d document) isSignature(i int, text string, w words, p position) bool {
	if !p.last || i < 2 || !p.wholeLine || w.count() > 4 || w.hasDigit() || !isTitleCase(text) || endsSentence(text) || !strings.HasSuffix(d.sentence(i-1), ",") {
		return false
	}
	before := normalize(d.sentence(i - 1))
	return isGreeting(d.sentence(i-1), before, before.trimOpening())
}

// isDisclaimer reports whether a sentence only describes the answer itself:
// "Please note that this response is based on the provided context only.",
// "This is not legal advice." It must refer to the answer, its author or its
// sources, and every word must be typical of disclaimers. Any other word may
// assert a fact, as may "This is not recommended" and "Our data is verified".
func isDisclaimer(w words) bool {
	const minWords, maxWords = 4, 40
	if n := w.count(); n < minWords || n > maxWords || w.hasDigit() || w.contains(func(s string) bool { return !isDisclaimerWord(s) && !isAboutAnswer(s) }) {
		return false
	}
	before, _, isAdvice := strings.Cut(string(w), " advice")
	return (w.contains(namesAnswer) || w.contains(namesWriter)) && w.contains(isAboutAnswer) ||
		w.containsAny("this", "above") && w.contains(sourceWord.has) ||
		isAdvice && words(before).containsAny("not", "no")
}
