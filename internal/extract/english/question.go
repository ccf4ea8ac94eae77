// Package english parses English questions and turns short answers into
// statements. It contains a small grammar of English: word classes, verb forms
// and the boundary between subject and predicate.
package english

import (
	"slices"
	"strings"
	"unicode/utf8"
)

// A Question is a parsed question. For example, "In which year did the hall
// open" has the Prep "In", the Wh "which", the Noun "year", the Aux "did", the
// Subject "the hall" and the Rest "open".
type Question struct {
	Before []Word // introductory phrase: "In May 2021," in "In May 2021, who left?"
	Prep   []Word // preposition of the question word: "in" in "In which year"
	Wh     string // question word, or "many" or "much" after "how"; "" in a yes/no question
	Noun   []Word // noun or adjective of the question word: "year" in "which year", "tall" in "how tall"
	Aux    Word   // auxiliary verb, or zero, as in "Who left?"
	// In the statement, Subject precedes the verb and Rest follows Aux. Subject
	// is nil if asksSubject is set, since the answer is the subject.
	Subject, Rest []Word
	asksSubject   bool
}

const (
	maxQuestionBytes = 400 // longer questions are not parsed
	maxPrefixWords   = 12  // words before the question word
)

// FindQuestion returns the question in a text, without its question mark. It is
// the only sentence that ends in "?", or the whole text if there is no question
// mark. FindQuestion returns "" if the text contains several questions or is a
// statement.
func FindQuestion(text string) string {
	text = strings.TrimSpace(text)
	end := strings.IndexAny(text, "?？؟")
	if end < 0 {
		text = strings.TrimRight(text, ".: ")
		w := Split(text)
		if len(text) > maxQuestionBytes || len(w) == 0 {
			return ""
		}
		const maxTopicWords = 10 // limit for search terms without a verb
		isTopic := len(w) <= maxTopicWords && !HasFiniteVerb(w)
		if !isTopic && !IsQuestionWord(w[0].Lower) && !IsAuxiliary(w[0].Lower) && requestLen(w) == 0 {
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

// ParseQuestion parses a question. It returns nil on failure.
func ParseQuestion(text string) *Question {
	if q := new(Question); q.parse(Split(text)) {
		return q
	}
	return nil
}

func (q *Question) parse(w []Word) bool {
	embedded := false
	for len(w) > 0 {
		switch w[0].Lower {
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
		q.Before, w = w[:n], w[n:]
		if HasFiniteVerb(q.Before) {
			q.Before = nil
		}
	}
	if len(w) == 0 || asksTwice(w) {
		return false
	}
	if IsPreposition(w[0].Lower) && len(w) > 1 && IsQuestionWord(w[1].Lower) {
		q.Prep, w = w[:1], w[1:]
	}
	if head, ok := cutContraction(w[0].Lower); ok {
		w = slices.Concat(Words(head, "is"), w[1:])
	}
	switch {
	case IsQuestionWord(w[0].Lower):
		return q.parseWh(w, embedded)
	case IsAuxiliary(w[0].Lower) && len(w) > 1 && !embedded && !slices.ContainsFunc(w, isForeignWord):
		if len(w) > 2 && w[1].Lower == "you" && w[2].Lower == "know" {
			return false // "Did you know they won?"
		}
		q.Aux = w[0]
		q.Subject, q.Rest = splitSubject(w[1:], q.Aux.Lower, true)
		return len(q.Subject) > 0
	case embedded && w[0].is("if", "whether") && len(w) > 2:
		return q.parseClause(w[1:])
	}
	return false
}

// isForeignWord reports whether w is a common word of another language in which
// questions can start with "was", "will" or "is".
func isForeignWord(w Word) bool {
	switch w.Lower {
	case "der", "die", "das", "den", "dem", "ein", "eine", "einen", "ist", "und", "nicht", "für", "von", "mit", "ich", "man", "het", "een", "de", "van", "niet", "voor", "op":
		return true
	}
	return false
}

// parseClause parses a clause in declarative word order, such as "the fee is
// paid".
func (q *Question) parseClause(w []Word) bool {
	for i := 1; i < len(w); i++ {
		if IsAuxiliary(w[i].Lower) {
			q.Subject, q.Aux, q.Rest = w[:i], w[i], w[i+1:]
			return true
		}
	}
	for i := 1; i < len(w); i++ {
		if IsVerb(w[i].Lower, ThirdPerson|PastForm) {
			q.Subject, q.Rest = w[:i], w[i:]
			return true
		}
	}
	return false
}

// parseWh parses a question that starts with a question word.
func (q *Question) parseWh(w []Word, embedded bool) bool {
	q.Wh, w = w[0].Lower, w[1:]
	if q.Wh == "whom" {
		q.Wh = "who"
	}
	if len(w) == 0 {
		return false
	}
	if q.Wh == "how" && !IsAuxiliary(w[0].Lower) {
		switch w[0].Lower {
		case "many", "much":
			q.Wh, w = w[0].Lower, w[1:]
		case "come", "about", "to":
			return false
		}
	}
	n := q.nounLen(w)
	q.Noun, w = w[:n], w[n:]
	switch {
	case len(w) == 0:
		return false
	case !IsAuxiliary(w[0].Lower):
		if q.asksAdverbial() {
			return embedded && q.parseClause(append(slices.Clone(q.Noun), w...))
		}
		if embedded && q.Wh != "who" && !IsVerb(w[0].Lower, PastForm|ThirdPerson) {
			return q.parseClause(w)
		}
		q.asksSubject, q.Rest = true, w
		return true
	}
	q.Aux, w = w[0], w[1:]
	if len(w) == 0 {
		return false
	}
	q.asksSubject = !q.asksAdverbial() && len(q.Prep) == 0 && q.lacksSubject(w)
	if q.asksSubject {
		q.Rest = w
		return true
	}
	if n := len(w) - 1; IsBe(q.Aux.Lower) && n > 0 && IsPreposition(w[n].Lower) && !IsParticiple(w[n-1].Lower) {
		q.Subject, q.Rest = w[:n], w[n:] // "Which shelf are the maps on?"
		return true
	}
	q.Subject, q.Rest = splitSubject(w, q.Aux.Lower, false)
	if len(q.Subject) == 0 {
		return false
	}
	if IsBe(q.Aux.Lower) && !q.asksAdverbial() && !q.asksObject() {
		// "What is the capital of Australia?": "Sydney is the capital of Australia".
		switch {
		case isPronounSubject(q.Subject):
			return true
		case q.Wh == "what" && len(q.Noun) > 0: // "What colour is the logo?"
			q.Subject, q.Rest = w, nil
			return true
		case q.Wh == "much" && len(q.Noun) == 0:
			q.Subject, q.Rest = w, nil
			return true
		}
		q.asksSubject, q.Subject, q.Rest = true, nil, w
	}
	return true
}

// asksAdverbial reports whether the question asks for a time, place, reason or
// manner.
func (q *Question) asksAdverbial() bool {
	return q.Wh == "when" || q.Wh == "where" || q.Wh == "why" || q.Wh == "how"
}

// nounLen returns the number of words of w that belong to the question word,
// such as "company" in "which company bought" and "tall" in "how tall is".
func (q *Question) nounLen(w []Word) int {
	first := 0
	switch q.Wh {
	case "who", "when", "where", "why":
		return 0
	case "what", "much":
		if IsAuxiliary(w[0].Lower) {
			return 0
		}
		if len(w) == 1 || !IsAuxiliary(w[1].Lower) && IsVerb(w[0].Lower, PastForm|ThirdPerson) {
			return 0 // "what happens", "what caused"
		}
		first = 1
	case "which", "whose", "many", "how":
		if IsAuxiliary(w[0].Lower) {
			return 0
		}
		first = 1
	}
	for i := first; i < len(w); i++ {
		switch {
		case IsAuxiliary(w[i].Lower):
			return i
		case IsVerb(w[i].Lower, PastForm) && !auxiliaryFollows(w[i:]):
			return i
		case IsVerb(w[i].Lower, BaseForm|ThirdPerson) && !IsPreposition(w[i-1].Lower) && !IsDeterminer(w[i-1].Lower) && !auxiliaryFollows(w[i:]):
			return i
		}
	}
	return first
}

// auxiliaryFollows reports whether the main verb comes later in w, as in "the
// used cars are".
func auxiliaryFollows(w []Word) bool {
	for i := 1; i < min(len(w), 6); i++ {
		switch {
		case IsAuxiliary(w[i].Lower):
			return i+1 < len(w)
		case IsDeterminer(w[i].Lower), IsPreposition(w[i].Lower) && w[i].Lower != "of":
			return false
		}
	}
	return false
}

// lacksSubject reports whether w, the words after the auxiliary, contains no
// subject. The question word is then the subject, as in "Who will lead the
// team?"
func (q *Question) lacksSubject(w []Word) bool {
	first := w[0].Lower
	switch {
	case isDo(q.Aux.Lower), IsDeterminer(first), IsPronoun(first), first == "there", StartsUpper(w[0].Text) && !IsBe(q.Aux.Lower):
		return false
	case IsBe(q.Aux.Lower):
		if isAdjective(first) && (len(w) == 1 || IsPreposition(w[1].Lower)) {
			return true
		}
		return first == "not" || IsPreposition(first) || IsParticiple(first) || isAdverb(first)
	case len(w) == 1, IsBe(first), first == "be", first == "been", isAdverb(first), first == "not":
		return true
	case isHave(q.Aux.Lower):
		return IsParticiple(first)
	case IsPreposition(w[len(w)-1].Lower):
		return false
	}
	return IsVerb(first, BaseForm) && !IsVerb(w[1].Lower, BaseForm)
}

// asksObject reports whether the answer to a question with "be" follows Rest in
// the statement, as for "What is the hall called?" and "Which bridge are they
// building?"
func (q *Question) asksObject() bool {
	if len(q.Rest) == 0 {
		return false
	}
	return IsParticiple(q.Rest[0].Lower) || IsPreposition(q.Rest[len(q.Rest)-1].Lower) || isAdverb(q.Rest[0].Lower) && len(q.Rest) > 1 && IsParticiple(q.Rest[1].Lower)
}

// asksTwice reports whether w contains two questions, as in "When is it due,
// and does it count?"
func asksTwice(w []Word) bool {
	for i := 1; i+1 < len(w); i++ {
		if !w[i].is("and", "or") {
			continue
		}
		next := w[i+1:]
		afterComma := strings.HasSuffix(w[i-1].Text, ",")
		if IsQuestionWord(next[0].Lower) || IsAuxiliary(next[0].Lower) && (afterComma || len(next) > 1 && IsSubjectPronoun(next[1].Lower)) {
			return true
		}
	}
	return false
}

// requestLen returns the number of words in a polite request at the start of a
// question, such as "Can you tell me" or "I would like to know".
func requestLen(w []Word) int {
	n := 0
	if len(w) > 2 && IsAuxiliary(w[0].Lower) && w[1].Lower == "you" {
		n = 2
		if w[n].Lower == "please" {
			n++
		}
	} else if len(w) > 2 && w[0].is("i", "i'd", "we") {
		for n < min(len(w), 5) && w[n].Lower != "know" {
			n++
		}
	}
	if n >= len(w) {
		return 0
	}
	switch w[n].Lower {
	case "tell", "explain", "say", "remind", "know", "show":
	default:
		return 0
	}
	n++
	if n < len(w) && w[n].is("me", "us") {
		n++
	}
	if n < len(w) && (w[n].is("if", "whether") || startsWithQuestionWord(w[n:])) {
		return n
	}
	return 0
}

// startsWithQuestionWord reports whether w starts with a question word,
// optionally preceded by a preposition.
func startsWithQuestionWord(w []Word) bool {
	return IsQuestionWord(w[0].Lower) || len(w) > 1 && IsPreposition(w[0].Lower) && IsQuestionWord(w[1].Lower)
}

// prefixLen returns the number of words before the question word or auxiliary
// if they end in a comma, such as "In May 2021," before "who left". Otherwise
// it returns 0.
func prefixLen(w []Word) int {
	for i := range min(len(w)-1, maxPrefixWords) {
		if i == 0 && (IsQuestionWord(w[0].Lower) || IsAuxiliary(w[0].Lower)) {
			return 0
		}
		if strings.HasSuffix(w[i].Text, ",") && (IsAuxiliary(w[i+1].Lower) || startsWithQuestionWord(w[i+1:])) {
			return i + 1
		}
	}
	return 0
}

// cutContraction returns the question word of a contraction such as "what's".
func cutContraction(low string) (string, bool) {
	head, ok := strings.CutSuffix(low, "'s")
	return head, ok && IsQuestionWord(head)
}
