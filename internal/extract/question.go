package extract

import (
	"slices"
	"strings"
	"unicode/utf8"
)

// A question is a parsed English question, which an answer turns into a
// statement. "In which year did the hall open" has the prep "in", the noun
// "year", the aux "did", the subject "the hall" and the rest "open".
type question struct {
	before []word // "In May 2021," of "In May 2021, who left?"
	prep   []word // "in" of "In which year"
	wh     string // question word, or "many" and "much" after "how"; "" in a yes/no question
	noun   []word // "year" of "which year", "tall" of "how tall"
	aux    word   // zero if there is none, as in "Who left?"
	// subject precedes the verb in a statement and rest follows aux. If
	// asksSubject is set, the answer is the subject.
	subject, rest []word
	asksSubject   bool
}

const (
	maxQuestionBytes = 400 // longer questions are not parsed
	maxPrefixWords   = 12  // before the question word
)

// findQuestion returns the question in a text that may have other sentences,
// without its question mark: the only sentence that ends in "?", or the whole
// text if there is none. It returns "" if the text has several questions or is
// a statement.
func findQuestion(text string) string {
	text = strings.TrimSpace(text)
	end := strings.IndexAny(text, "?？؟")
	if end < 0 {
		text = strings.TrimRight(text, ".: ")
		const maxTopicWords = 10 // of search terms without a verb
		if w := splitWords(text); len(text) > maxQuestionBytes || len(w) == 0 || !isQuestionWord(w[0].low) && !isAuxiliaryVerb(w[0].low) && requestLen(w) == 0 && (len(w) > maxTopicWords || hasFiniteVerb(w)) {
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

// parseQuestion parses an English question. It returns nil if it cannot.
func parseQuestion(text string) *question {
	if q := new(question); q.parse(splitWords(text)) {
		return q
	}
	return nil
}

func (q *question) parse(w []word) bool {
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
		if hasFiniteVerb(q.before) {
			q.before = nil
		}
	}
	if len(w) == 0 || asksTwice(w) {
		return false
	}
	if isPreposition(w[0].low) && len(w) > 1 && isQuestionWord(w[1].low) {
		q.prep, w = w[:1], w[1:]
	}
	if head, ok := cutContraction(w[0].low); ok {
		w = slices.Concat(literals(head, "is"), w[1:])
	}
	switch {
	case isQuestionWord(w[0].low):
		return q.parseWh(w, embedded)
	case isAuxiliaryVerb(w[0].low) && len(w) > 1 && !embedded && !slices.ContainsFunc(w, isForeignWord):
		if len(w) > 2 && w[1].low == "you" && w[2].low == "know" {
			return false // "Did you know they won?"
		}
		q.aux = w[0]
		q.subject, q.rest = splitSubject(w[1:], q.aux.low, true)
		return len(q.subject) > 0
	case embedded && (w[0].low == "if" || w[0].low == "whether") && len(w) > 2:
		return q.parseClause(w[1:])
	}
	return false
}

// isForeignWord reports whether w is a common word of a language in which
// "was", "will" or "is" start other questions than in English.
func isForeignWord(w word) bool {
	switch w.low {
	case "der", "die", "das", "den", "dem", "ein", "eine", "einen", "ist", "und", "nicht", "für", "von", "mit", "ich", "man", "het", "een", "de", "van", "niet", "voor", "op":
		return true
	}
	return false
}

// parseClause parses a clause in the word order of a statement: "the fee is
// paid".
func (q *question) parseClause(w []word) bool {
	for i := 1; i < len(w); i++ {
		if isAuxiliaryVerb(w[i].low) {
			q.subject, q.aux, q.rest = w[:i], w[i], w[i+1:]
			return true
		}
	}
	for i := 1; i < len(w); i++ {
		if isVerb(w[i].low, thirdPerson|pastForm) {
			q.subject, q.rest = w[:i], w[i:]
			return true
		}
	}
	return false
}

// parseWh parses a question that starts with a question word.
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
		if q.asksAdverbial() {
			return embedded && q.parseClause(append(slices.Clone(q.noun), w...))
		}
		if embedded && q.wh != "who" && !isVerb(w[0].low, pastForm|thirdPerson) {
			return q.parseClause(w)
		}
		q.asksSubject, q.rest = true, w
		return true
	}
	q.aux, w = w[0], w[1:]
	if len(w) == 0 {
		return false
	}
	q.asksSubject = !q.asksAdverbial() && len(q.prep) == 0 && q.lacksSubject(w)
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
	if isBe(q.aux.low) && !q.asksAdverbial() && !q.asksObject() {
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

// asksAdverbial reports whether the question word stands for a time, place,
// reason or manner.
func (q *question) asksAdverbial() bool {
	return q.wh == "when" || q.wh == "where" || q.wh == "why" || q.wh == "how"
}

// nounLen returns the number of words of w that belong to the question word:
// "company" in "which company bought", "tall" in "how tall is".
func (q *question) nounLen(w []word) int {
	first := 0
	switch q.wh {
	case "who", "when", "where", "why":
		return 0
	case "what", "much":
		if isAuxiliaryVerb(w[0].low) {
			return 0
		}
		if len(w) == 1 || !isAuxiliaryVerb(w[1].low) && isVerb(w[0].low, pastForm|thirdPerson) {
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
		case isVerb(w[i].low, pastForm) && !auxiliaryFollows(w[i:]):
			return i
		case isVerb(w[i].low, baseForm|thirdPerson) && !isPreposition(w[i-1].low) && !isDeterminer(w[i-1].low) && !auxiliaryFollows(w[i:]):
			return i
		}
	}
	return first
}

// auxiliaryFollows reports whether the verb of a question is still to come, as
// in "the used cars are".
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

// lacksSubject reports whether w, which follows the auxiliary, has no subject,
// so that the question word is the subject: "Who will lead the team?"
func (q *question) lacksSubject(w []word) bool {
	first := w[0].low
	switch {
	case isDo(q.aux.low), isDeterminer(first), isPronoun(first), first == "there", startsUpper(w[0].text) && !isBe(q.aux.low):
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
	return isVerb(first, baseForm) && !isVerb(w[1].low, baseForm)
}

// asksObject reports whether the answer to a question with "be" follows the
// rest: "What is the hall called?", "Which bridge are they building?"
func (q *question) asksObject() bool {
	if len(q.rest) == 0 {
		return false
	}
	return isParticiple(q.rest[0].low) || isPreposition(q.rest[len(q.rest)-1].low) || isAdverb(q.rest[0].low) && len(q.rest) > 1 && isParticiple(q.rest[1].low)
}

// asksTwice reports whether w has two questions: "When is it due, and does it
// count?"
func asksTwice(w []word) bool {
	for i := 1; i+1 < len(w); i++ {
		if low := w[i].low; (low == "and" || low == "or") && (isQuestionWord(w[i+1].low) || isAuxiliaryVerb(w[i+1].low) && (strings.HasSuffix(w[i-1].text, ",") || i+2 < len(w) && isSubjectPronoun(w[i+2].low))) {
			return true
		}
	}
	return false
}

// requestLen returns the number of words of a polite request at the start of a
// question: "Can you tell me", "I would like to know".
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

// prefixLen returns the number of words up to the comma before a question word
// or auxiliary: "In May 2021," before "who left".
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

// cutContraction returns the question word of "what's" and the like.
func cutContraction(low string) (string, bool) {
	head, ok := strings.CutSuffix(low, "'s")
	return head, ok && isQuestionWord(head)
}
