// Package english parses English questions and turns short answers into
// statements. It contains a small grammar of English: word classes, verb forms
// and the boundary between subject and predicate.
package english

import (
	"slices"
	"strings"
	"unicode/utf8"
)

// A Question is a parsed question. For example, "In May 2021, did the hall open" has the
// Before "In May 2021,", the Aux "did", the Subject "the hall" and the Rest "open".
type Question struct {
	Before []Word // introductory phrase: "In May 2021," in "In May 2021, who left?"
	Wh     string // question word, or "many" or "much" after "how"; "" in a yes/no question
	Aux    Word   // auxiliary verb, or zero, as in "Who left?"
	// Subject precedes the auxiliary in the statement, and Rest follows it. If there is a
	// question word, Rest has all other words, and Subject is nil.
	Subject, Rest []Word
}

const (
	maxQuestionBytes = 400 // longer questions are not parsed
	maxPrefixWords   = 12  // words before the question word
	maxFragmentWords = 12  // words of a short answer
)

// FindQuestion returns the question in a text, without its question mark. It is the only sentence
// that ends in "?", or the whole text if there is no question mark. FindQuestion returns "" if the
// text contains several questions or is a statement.
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
		if !isTopic && !IsQuestionWord(w[0].Lower) && !IsAuxiliary(w[0].Lower) {
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
		if text[i] == '\n' || strings.IndexByte(".!:", text[i]) >= 0 && text[i+1] == ' ' && i > 3 && text[i-2] != ' ' && text[i-2] != '.' && !endsInTitle(text[:i]) {
			start = i + 1
		}
	}
	text = strings.TrimLeft(strings.TrimSpace(text[start:]), "¿\"“'*_ ")
	if len(text) > maxQuestionBytes {
		return ""
	}
	return text
}

// endsInTitle reports whether text ends in an abbreviated title, as "Is Dr" does.
func endsInTitle(text string) bool {
	return slices.Contains([]string{"Dr", "Mr", "Mrs", "Ms", "Prof", "St"}, text[strings.LastIndexByte(text, ' ')+1:])
}

// ParseQuestion parses a question. It returns nil on failure.
func ParseQuestion(text string) *Question {
	if q := new(Question); q.parse(Split(text)) {
		return q
	}
	return nil
}

func (q *Question) parse(w []Word) bool {
	for len(w) > 0 && w[0].is("and", "so", "but", "also", "then", "ok", "okay", "please", "exactly", "roughly", "approximately", "well") {
		w = w[1:]
	}
	if n := prefixLen(w); n > 0 {
		q.Before, w = w[:n], w[n:]
		if HasFiniteVerb(q.Before) {
			q.Before = nil
		}
	}
	if len(w) == 0 {
		return false
	}
	if IsPreposition(w[0].Lower) && len(w) > 1 && IsQuestionWord(w[1].Lower) {
		w = w[1:]
	}
	if head, ok := strings.CutSuffix(w[0].Lower, "'s"); ok && IsQuestionWord(head) {
		w = slices.Concat(Words(head, "is"), w[1:])
	}
	if IsQuestionWord(w[0].Lower) {
		return q.parseWh(w)
	}
	asksReader := len(w) > 2 && w[1].Lower == "you" && w[2].is("know", "tell", "explain", "say", "remind", "show", "please") // "Did you know they won?"
	if !IsAuxiliary(w[0].Lower) || len(w) == 1 || asksReader || w[0].is("was", "will", "is") && slices.ContainsFunc(w, isForeignWord) {
		return false
	}
	q.Aux = w[0]
	switch {
	case w[1].Lower != "i":
	case q.Aux.Lower == "am":
		q.Aux = Word{"are", "are"}
	case q.Aux.Lower == "was":
		q.Aux = Word{"were", "were"}
	}
	q.Subject, q.Rest = splitSubject(readdress(w[1:]), q.Aux.Lower)
	return len(q.Subject) > 0
}

// readdress replaces first-person pronouns with second-person ones: the asker is "you" in
// the statement.
func readdress(w []Word) []Word {
	w = slices.Clone(w)
	for i := range w {
		switch w[i].Lower {
		case "i", "me":
			w[i] = Word{"you", "you"}
		case "my":
			w[i] = Word{"your", "your"}
		}
	}
	return w
}

// isForeignWord reports whether w is a common word of another language in which
// questions can start with "was", "will" or "is".
func isForeignWord(w Word) bool {
	return w.is("der", "die", "das", "den", "dem", "ein", "eine", "einen", "ist", "und", "nicht", "für", "von", "mit", "ich", "man", "het", "een", "de", "van", "niet", "voor", "op")
}

func (q *Question) parseWh(w []Word) bool {
	q.Wh, w = w[0].Lower, w[1:]
	if q.Wh == "how" && len(w) > 0 && w[0].is("many", "much") {
		q.Wh, w = w[0].Lower, w[1:]
	}
	q.Rest = w
	if verb := slices.IndexFunc(w, func(x Word) bool { return IsAuxiliary(x.Lower) }); verb >= 0 {
		q.Aux, q.Rest = w[verb], slices.Concat(w[:verb], w[verb+1:])
	}
	return len(w) > 0
}

// startsWithQuestionWord reports whether w starts with a question word,
// optionally preceded by a preposition.
func startsWithQuestionWord(w []Word) bool {
	return IsQuestionWord(w[0].Lower) || len(w) > 1 && IsPreposition(w[0].Lower) && IsQuestionWord(w[1].Lower)
}

// prefixLen returns the number of words before the question word or auxiliary if they end in a
// comma, such as "In May 2021," before "who left". Otherwise it returns 0.
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
