package extract

import (
	"slices"
	"strings"
)

// answerStatement returns the statement that the question and an answer make,
// such as "Sydney is the capital of Australia." It returns "" if the answer
// does not fit.
func (q *question) answerStatement(answer string) string {
	a := splitWords(answer)
	if len(a) == 0 || q.wh == "" {
		return ""
	}
	a[0] = lowerFirst(a[0])
	if q.asksSubject {
		return makeSentence(q.before, q.withSubject(a))
	}
	given := q.answerPhrase(a)
	verb := q.statementVerb(false)
	rest := verb.rest
	at := len(rest)
	switch {
	case q.wh == "how" && len(q.noun) > 0 && isBe(q.aux.low):
		at = 0 // "is 6 km from the centre"
	case q.wh == "how" && len(q.noun) > 0, q.wh == "who", q.wh == "what", q.wh == "which", q.wh == "many", q.wh == "much":
		at = objectIndex(rest, q.prep)
	}
	return makeSentence(q.before, q.statementSubject(), verb.head, rest[:at], given, rest[at:])
}

// yesNoStatement returns the statement that the question and "yes" or "no"
// make.
func (q *question) yesNoStatement(yes bool) string {
	if q.wh != "" || len(q.subject) == 0 {
		return ""
	}
	subject := q.statementSubject()
	if !yes {
		if none := negativePronoun(subject[0].low); none != "" { // "Was anyone hurt?"
			v := q.statementVerb(false)
			return makeSentence(q.before, slices.Concat(literals(none), subject[1:]), v.head, v.rest)
		}
	}
	v := q.statementVerb(!yes)
	if n := len(v.head); !yes && subject[0].low == "there" && n > 1 && len(v.rest) > 1 && (v.rest[0].low == "a" || v.rest[0].low == "an" || v.rest[0].low == "any") {
		v.head[n-1], v.rest = word{"no", "no"}, v.rest[1:] // "Is there a fee?"
	}
	return makeSentence(q.before, subject, v.head, v.rest)
}

// negativePronoun returns the negative counterpart of "any" and the like, or
// "".
func negativePronoun(low string) string {
	switch low {
	case "anyone", "anybody", "someone", "somebody":
		return "no one"
	case "anything", "something":
		return "nothing"
	case "any":
		return "no"
	}
	return ""
}

// choiceStatement returns the statement that takes one of the alternatives of a
// question: "It is a tram." for "Is it a tram or a bus?" It returns "" if the
// answer is neither.
func (q *question) choiceStatement(a []word) string {
	v := q.statementVerb(false)
	i := slices.IndexFunc(v.rest, func(w word) bool { return w.low == "or" })
	same := func(x, y word) bool { return x.low == y.low }
	switch k := len(a); {
	case i < k:
	case slices.EqualFunc(v.rest[i-k:i], a, same):
		return makeSentence(q.before, q.statementSubject(), v.head, v.rest[:i], v.rest[min(i+1+k, len(v.rest)):])
	case i+1+k <= len(v.rest) && slices.EqualFunc(v.rest[i+1:i+1+k], a, same):
		return makeSentence(q.before, q.statementSubject(), v.head, v.rest[:i-k], v.rest[i+1:])
	}
	return ""
}

// A verbPhrase is the verb of a statement, including "not", and what follows
// it.
type verbPhrase struct{ head, rest []word }

// statementVerb returns the verb phrase of the statement that q asks about.
func (q *question) statementVerb(negated bool) verbPhrase {
	rest := readdress(q.rest)
	if i := slices.IndexFunc(rest, func(w word) bool { return w.low == "ever" }); i >= 0 && i < 2 {
		rest = slices.Delete(slices.Clone(rest), i, i+1)
	}
	aux, not := trimNegation(q.aux.low)
	if q.wh == "" {
		not = false // "Isn't it required?" means "Is it required?"
	}
	negated = negated || not
	switch {
	case aux == "":
		return verbPhrase{nil, rest}
	case isDo(aux) && !negated:
		return verbPhrase{nil, inflect(rest, aux)}
	}
	if len(q.subject) == 1 && q.subject[0].low == "i" {
		switch aux {
		case "am":
			aux = "are"
		case "was":
			aux = "were"
		}
	}
	head := literals(aux)
	switch {
	case !negated:
	case aux == "can":
		head[0] = word{"cannot", "cannot"}
	case aux == "must": // "No" to "Must I?" is "You need not."
		head = literals("need", "not")
	default:
		head = append(head, word{"not", "not"})
	}
	return verbPhrase{head, rest}
}

// inflect puts the first verb of a predicate into the form that "does" or "did"
// stands for: "take 10 mailboxes" becomes "takes 10 mailboxes".
func inflect(rest []word, aux string) []word {
	if aux == "do" {
		return rest
	}
	for i, w := range rest {
		if isAdverb(w.low) {
			continue
		}
		form := withS(w.low)
		if aux == "did" {
			form = pastTense(w.low)
			if w.low == "do" {
				form = "did"
			}
		}
		rest = slices.Clone(rest)
		rest[i] = word{form + w.text[min(len(w.text), len(w.low)):], form}
		break
	}
	return rest
}

// statementSubject returns the subject of the statement.
func (q *question) statementSubject() []word { return readdress(q.subject) }

// readdress replaces "I" by "you" and the like, from the point of view of the
// answer.
func readdress(w []word) []word {
	for i := range w {
		var replacement string
		switch w[i].low {
		case "i", "me":
			replacement = "you"
		case "my":
			replacement = "your"
		default:
			continue
		}
		w = slices.Clone(w)
		w[i] = word{replacement, replacement}
	}
	return w
}

// withSubject returns the statement whose subject is the answer.
func (q *question) withSubject(a []word) []word {
	aux, not := trimNegation(q.aux.low)
	var verb []word
	if aux != "" {
		verb = literals(aux)
	}
	if not {
		verb = append(verb, word{"not", "not"})
	}
	rest := readdress(q.rest)
	subject := q.answerPhrase(a)
	if len(rest) > 0 && rest[0].low == "there" { // "How many rooms are there?"
		return slices.Concat(literals("there"), verb, subject, rest[1:])
	}
	return slices.Concat(subject, verb, rest)
}

// answerPhrase returns the answer with the words that the question implies: "3
// batteries" for "3" to "how many batteries".
func (q *question) answerPhrase(a []word) []word {
	first := a[0].low
	noun := ""
	if len(q.noun) > 0 {
		noun = q.noun[0].low
	}
	switch {
	case isPreposition(first), first == "because":
		return a
	case len(q.prep) > 0:
		prep := []word{lowerFirst(q.prep[0])}
		if len(q.noun) > 0 && isBareNumeral(a) && !isTimeNoun(noun) {
			return slices.Concat(prep, q.noun, a)
		}
		return slices.Concat(prep, a)
	case q.wh == "whose":
		owner := slices.Clone(a)
		if last := &owner[len(owner)-1]; !strings.HasSuffix(last.low, "'s") && !strings.HasSuffix(last.low, "s'") {
			last.text += "'s"
		}
		return slices.Concat(owner, q.noun)
	case q.wh == "many", q.wh == "much":
		if isBareNumeral(a) {
			return slices.Concat(a, q.noun)
		}
	case q.wh == "how" && noun != "" && isBe(q.aux.low):
		if noun == "old" && isBareNumeral(a) {
			return slices.Concat(a, literals("years"), q.noun)
		}
		if noun != "long" && noun != "often" && noun != "soon" && noun != "far" && !slices.ContainsFunc(a, func(w word) bool { return w.low == noun }) {
			return slices.Concat(a, q.noun)
		}
	case (q.wh == "what" || q.wh == "which") && noun != "":
		switch {
		case noun == "percentage", noun == "share", noun == "proportion", noun == "amount", noun == "number":
			return slices.Concat(a, q.noun[1:])
		case isTimeNoun(noun):
			if !q.asksSubject {
				return withTimePreposition(a)
			}
		case noun != "of" && isBareNumeral(a):
			return slices.Concat(q.noun, a)
		}
	case q.wh == "when":
		return withTimePreposition(a)
	case q.wh == "where" && (startsUpper(a[0].text) || isDeterminer(first)):
		return slices.Concat(literals("in"), a)
	case q.wh == "why":
		return slices.Concat(literals("because", "of"), a)
	}
	return a
}

// withTimePreposition adds the preposition to a date, year or time of day.
func withTimePreposition(a []word) []word {
	first := a[0].low
	prep := ""
	switch {
	case strings.Contains(first, ":"), strings.HasSuffix(first, "am"), strings.HasSuffix(first, "pm"), first == "noon", first == "midnight",
		len(a) > 1 && (a[1].low == "am" || a[1].low == "pm" || a[1].low == "a.m" || a[1].low == "p.m"):
		prep = "at"
	case len(a) == 1 && len(first) == 4 && isNumeral(first):
		prep = "in"
	case slices.ContainsFunc(a, func(w word) bool { return isMonth(w.low) }):
		prep = "in"
		if slices.ContainsFunc(a, func(w word) bool { return isNumeral(w.low) && len(w.low) < 5 && (len(w.low) != 4 || w.low[0] >= '3') }) {
			prep = "on"
		}
	case strings.HasSuffix(strings.TrimSuffix(first, "s"), "day") && first != "today" && first != "everyday" && first != "yesterday":
		prep = "on"
	default:
		return a
	}
	return slices.Concat(literals(prep), a)
}

// isBareNumeral reports whether an answer is a number without a unit, such as
// "42" or "three".
func isBareNumeral(a []word) bool {
	for _, w := range a {
		if !isNumeral(w.low) && w.low != "about" && w.low != "over" && w.low != "nearly" && w.low != "million" && w.low != "thousand" && w.low != "billion" && w.low != "hundred" {
			return false
		}
	}
	return true
}

// objectIndex returns the index of the object in a predicate: after the verb if
// a preposition follows, otherwise at the end.
func objectIndex(rest, prep []word) int {
	if len(rest) < 3 || len(prep) > 0 || isPreposition(rest[len(rest)-1].low) {
		return len(rest)
	}
	i := 0
	for i < len(rest)-1 && isAdverb(rest[i].low) {
		i++
	}
	if isPreposition(rest[i+1].low) {
		return i + 1
	}
	return len(rest)
}

// makeSentence joins words to a capitalized sentence with a full stop.
func makeSentence(parts ...[]word) string {
	return capitalize(strings.TrimRight(joinWords(parts...), " .,;:!")) + "."
}
