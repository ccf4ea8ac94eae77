package extract

import (
	"slices"
	"strings"
	"unicode"
	"unicode/utf8"
)

// A question is an English question taken apart, so that an answer can be put in
// its place: "In which year" "did" "the hall" "open".
type question struct {
	before []word // "In May 2021," of "In May 2021, who left?"
	prep   []word // "in" of "In which year"
	wh     string // who, what, which, when, where, why, how, many, much, whose; "" for yes or no
	noun   []word // "year" of "which year", "tall" of "how tall"
	aux    word   // the zero word if there is none, as in "Who left?"
	// subject is what stands before the verb in a statement, and rest what follows
	// aux there. The answer is the subject if asksSubject is set.
	subject, rest []word
	asksSubject   bool
}

// A word is a word of a text with the punctuation around it, and the plain word in
// lower case.
type word struct{ text, low string }

// wordsOf cuts a text into words.
func splitWords(text string) []word {
	fields := strings.Fields(text)
	all := make([]word, len(fields))
	for i, f := range fields {
		all[i] = word{f, normalizeWord(f)}
	}
	return all
}

// plainWord is s in lower case, without punctuation at its ends, and with straight
// apostrophes.
func normalizeWord(s string) string {
	if isLowerASCII(s) {
		return s
	}
	s = strings.TrimFunc(s, func(r rune) bool {
		return !unicode.IsLetter(r) && !unicode.IsNumber(r) && r != '$' && r != '€' && r != '£' && r != '%'
	})
	return strings.ToLower(strings.ReplaceAll(s, "’", "'"))
}

// isPlain reports whether s is small letters of ASCII and nothing else, as most words
// are.
func isLowerASCII(s string) bool {
	for i := range len(s) {
		if s[i]-'a' >= 26 {
			return false
		}
	}
	return true
}

// joined is the text of some words.
func joinWords(parts ...[]word) string {
	var b strings.Builder
	for _, p := range parts {
		for _, w := range p {
			if b.Len() > 0 {
				b.WriteByte(' ')
			}
			b.WriteString(w.text)
		}
	}
	return b.String()
}

const (
	maxQuestionBytes = 400 // bytes of a question that is taken apart
	maxPrefixWords   = 12  // words before the question word
)

// askedSentence is the question of a text that may have other sentences around it,
// without its mark: the only sentence that ends in "?", or the whole text if there
// is none. It is "" if the text asks several questions.
func findQuestion(text string) string {
	text = strings.TrimSpace(text)
	end := strings.IndexAny(text, "?？؟")
	if end < 0 {
		text = strings.TrimRight(text, ".: ")
		const longestTopic = 10 // words of a search without a verb
		if w := splitWords(text); len(text) > maxQuestionBytes || len(w) == 0 || !isQuestionWord(w[0].low) && !isAuxiliaryVerb(w[0].low) && requestLen(w) == 0 && (len(w) > longestTopic || hasFiniteVerb(w)) {
			return "" // a statement
		}
		return text
	}
	_, size := utf8.DecodeRuneInString(text[end:])
	if strings.ContainsAny(text[end+size:], "?？؟") {
		return ""
	}
	text = text[:end]
	start := 0
	for i := 0; i+1 < len(text); i++ {
		if text[i] == '\n' || strings.IndexByte(".!:", text[i]) >= 0 && text[i+1] == ' ' && i > 3 && text[i-2] != ' ' && text[i-2] != '.' {
			start = i + 1
		}
	}
	text = strings.TrimLeft(strings.TrimSpace(text[start:]), "¿\"“'*_ ")
	if len(text) > maxQuestionBytes {
		return ""
	}
	return text
}

// parseQuestion takes an English question apart. It reports false for one that it
// does not understand.
func parseQuestion(text string) (question, bool) {
	var q question
	w := splitWords(text)
	embedded := false
	for len(w) > 0 {
		switch w[0].low {
		case "and", "so", "but", "also", "then", "ok", "okay", "please", "exactly", "roughly", "approximately", "well":
			w = w[1:]
			continue
		}
		n := requestLen(w)
		if n == 0 {
			break
		}
		w, embedded = w[n:], true
	}
	if n := prefixLen(w); n > 0 {
		q.before, w = w[:n], w[n:]
		if isSourcePrefix(q.before) || hasFiniteVerb(q.before) {
			q.before = nil
		}
	}
	if len(w) == 0 || asksTwice(w) {
		return q, false
	}
	if isPreposition(w[0].low) && len(w) > 1 && isQuestionWord(w[1].low) {
		q.prep, w = w[:1], w[1:]
	}
	if head, ok := cutContraction(w[0].low); ok {
		w = append([]word{{head, head}, {"is", "is"}}, w[1:]...)
	}
	switch {
	case isQuestionWord(w[0].low):
		return q, q.parseWh(w, embedded)
	case isAuxiliaryVerb(w[0].low) && len(w) > 1 && !embedded && !slices.ContainsFunc(w, isForeignWord):
		if len(w) > 2 && w[1].low == "you" && w[2].low == "know" {
			return q, false // "Did you know they won?"
		}
		q.aux = w[0]
		q.subject, q.rest = splitSubject(w[1:], q.aux.low, true)
		return q, len(q.subject) > 0
	case embedded && (w[0].low == "if" || w[0].low == "whether") && len(w) > 2:
		return q, q.parseClause(w[1:])
	}
	return q, false
}

// isForeign knows common words of languages in which "was", "will" or "is" begin
// other questions than in English.
func isForeignWord(w word) bool {
	switch w.low {
	case "der", "die", "das", "den", "dem", "ein", "eine", "einen", "ist", "und", "nicht", "für", "von", "mit", "ich", "man", "het", "een", "de", "van", "niet", "voor", "op":
		return true
	}
	return false
}

// parseStatement takes a clause in the order of a statement: "the fee is paid".
func (q *question) parseClause(w []word) bool {
	for i := 1; i < len(w); i++ {
		if isAuxiliaryVerb(w[i].low) {
			q.subject, q.aux, q.rest = w[:i], w[i], w[i+1:]
			return true
		}
	}
	for i := 1; i < len(w); i++ {
		if verbs().is(w[i].low, thirdPerson|pastForm) {
			q.subject, q.rest = w[:i], w[i:]
			return true
		}
	}
	return false
}

// parseWh takes apart a question that begins with a question word.
func (q *question) parseWh(w []word, embedded bool) bool {
	q.wh, w = w[0].low, w[1:]
	if q.wh == "whom" {
		q.wh = "who"
	}
	if len(w) == 0 {
		return false
	}
	if q.wh == "how" && !isAuxiliaryVerb(w[0].low) {
		switch w[0].low {
		case "many", "much":
			q.wh, w = w[0].low, w[1:]
		case "come", "about", "to":
			return false
		}
	}
	n := q.nounLen(w)
	q.noun, w = w[:n], w[n:]
	switch {
	case len(w) == 0:
		return false
	case !isAuxiliaryVerb(w[0].low):
		if q.wh == "when" || q.wh == "where" || q.wh == "why" || q.wh == "how" {
			return embedded && q.parseClause(append(slices.Clone(q.noun), w...))
		}
		if embedded && q.wh != "who" && !verbs().is(w[0].low, pastForm|thirdPerson) {
			return q.parseClause(w)
		}
		q.asksSubject, q.rest = true, w
		return true
	}
	q.aux, w = w[0], w[1:]
	if len(w) == 0 {
		return false
	}
	q.asksSubject = q.wh != "when" && q.wh != "where" && q.wh != "why" && q.wh != "how" && len(q.prep) == 0 && q.lacksSubject(w)
	if q.asksSubject {
		q.rest = w
		return true
	}
	if n := len(w) - 1; isBe(q.aux.low) && n > 0 && isPreposition(w[n].low) && !isParticiple(w[n-1].low) {
		q.subject, q.rest = w[:n], w[n:] // "Which shelf are the maps on?"
		return true
	}
	q.subject, q.rest = splitSubject(w, q.aux.low, false)
	if len(q.subject) == 0 {
		return false
	}
	if isBe(q.aux.low) && q.wh != "when" && q.wh != "where" && q.wh != "why" && q.wh != "how" && !q.asksObject() {
		// "What is the capital of Australia?": "Sydney is the capital of Australia".
		switch {
		case isPronounSubject(q.subject):
			return true
		case q.wh == "what" && len(q.noun) > 0: // "What colour is the logo?"
			q.subject, q.rest = w, nil
			return true
		case q.wh == "much" && len(q.noun) == 0:
			q.subject, q.rest = w, nil
			return true
		}
		q.asksSubject, q.subject, q.rest = true, nil, w
	}
	return true
}

// nounLength is how many words of w belong to the question word: "company" in
// "which company bought", "tall" in "how tall is".
func (q *question) nounLen(w []word) int {
	first := 0
	switch q.wh {
	case "who", "when", "where", "why":
		return 0
	case "what", "much":
		if isAuxiliaryVerb(w[0].low) {
			return 0
		}
		if len(w) == 1 || !isAuxiliaryVerb(w[1].low) && verbs().is(w[0].low, pastForm|thirdPerson) {
			return 0 // "what happens", "what caused"
		}
		first = 1
	case "which", "whose", "many", "how":
		if isAuxiliaryVerb(w[0].low) {
			return 0
		}
		first = 1
	}
	for i := first; i < len(w); i++ {
		switch {
		case isAuxiliaryVerb(w[i].low):
			return i
		case verbs().is(w[i].low, pastForm) && !auxiliaryFollows(w[i:]):
			return i
		case verbs().is(w[i].low, baseForm|thirdPerson) && !isPreposition(w[i-1].low) && !isDeterminer(w[i-1].low) && !auxiliaryFollows(w[i:]):
			return i
		}
	}
	return first
}

// auxiliaryFollows reports whether a question word's verb is still to come: "the
// used cars are".
func auxiliaryFollows(w []word) bool {
	for i := 1; i < min(len(w), 6); i++ {
		switch {
		case isAuxiliaryVerb(w[i].low):
			return i+1 < len(w)
		case isDeterminer(w[i].low), isPreposition(w[i].low) && w[i].low != "of":
			return false
		}
	}
	return false
}

// subjectMissing reports whether w, which follows the auxiliary, has no subject, so
// that the question word is it: "Who will lead the team?"
func (q *question) lacksSubject(w []word) bool {
	first := w[0].low
	switch {
	case isDo(q.aux.low), isDeterminer(first), isPronoun([]byte(first)), first == "there", startsUpper(w[0].text) && !isBe(q.aux.low):
		return false
	case isBe(q.aux.low):
		return first == "not" || isPreposition(first) || isParticiple(first) || isAdverb(first) || isAdjective(first) && (len(w) == 1 || isPreposition(w[1].low) || w[1].low == "to")
	case len(w) == 1, isBe(first), first == "be", first == "been", isAdverb(first), first == "not":
		return true
	case isHave(q.aux.low):
		return isParticiple(first)
	case isPreposition(w[len(w)-1].low):
		return false
	}
	return verbs().is(first, baseForm) && !verbs().is(w[1].low, baseForm)
}

// asksObject reports whether the answer to a question with "be" follows the rest:
// "What is the hall called?", "Which bridge are they building?"
func (q *question) asksObject() bool {
	if len(q.rest) == 0 {
		return false
	}
	return isParticiple(q.rest[0].low) || isPreposition(q.rest[len(q.rest)-1].low) || isAdverb(q.rest[0].low) && len(q.rest) > 1 && isParticiple(q.rest[1].low)
}
