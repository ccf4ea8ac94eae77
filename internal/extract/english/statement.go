package english

import (
	"slices"
	"strings"
)

// answerStatement combines the question with an answer into a statement, such
// as "Sydney is the capital of Australia." It returns "" if the answer does not
// fit.
func (q *Question) answerStatement(answer string) string {
	a := Split(answer)
	if len(a) == 0 || q.Wh == "" {
		return ""
	}
	a[0] = LowerFirst(a[0])
	if q.asksSubject {
		return makeSentence(q.Before, q.withSubject(a))
	}
	phrase := q.answerPhrase(a)
	verb := q.statementVerb(false)
	rest := verb.rest
	at := len(rest)
	switch {
	case q.Wh == "how" && len(q.Noun) > 0 && IsBe(q.Aux.Lower):
		at = 0 // "is 6 km from the centre"
	case q.Wh == "how" && len(q.Noun) > 0, q.Wh == "who", q.Wh == "what", q.Wh == "which", q.Wh == "many", q.Wh == "much":
		at = objectIndex(rest, q.Prep)
	}
	return makeSentence(q.Before, q.statementSubject(), verb.head, rest[:at], phrase, rest[at:])
}

// Presumption returns the statement that a negated question without its question
// mark presumes, or "" if it is addressed to the reader or is not one.
func Presumption(asked string) string {
	q := ParseQuestion(asked)
	if q == nil || len(q.Subject) == 0 || q.Subject[0].is("you", "i", "we") {
		return ""
	}
	aux, negated := trimNegation(q.Aux.Lower)
	if !negated {
		return ""
	}
	q.Aux = Word{aux, aux}
	return q.yesNoStatement(true)
}

// yesNoStatement combines the question with "yes" or "no" into a statement.
func (q *Question) yesNoStatement(yes bool) string {
	if q.Wh != "" || len(q.Subject) == 0 {
		return ""
	}
	subject := q.statementSubject()
	if !yes {
		if none := negativePronoun(subject[0].Lower); none != "" { // "Was anyone hurt?"
			v := q.statementVerb(false)
			return makeSentence(q.Before, slices.Concat(Words(none), subject[1:]), v.head, v.rest)
		}
	}
	v := q.statementVerb(!yes)
	if n := len(v.head); !yes && subject[0].Lower == "there" && n > 1 && len(v.rest) > 1 && v.rest[0].is("a", "an", "any") {
		v.head[n-1], v.rest = Word{"no", "no"}, v.rest[1:] // "Is there a fee?"
	}
	return makeSentence(q.Before, subject, v.head, v.rest)
}

// negativePronoun returns the negative counterpart of a word such as "anyone",
// or "".
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

// choiceStatement combines an alternative question with the chosen alternative:
// "It is a tram." for "Is it a tram or a bus?" It returns "" if the answer is
// neither alternative.
func (q *Question) choiceStatement(a []Word) string {
	v := q.statementVerb(false)
	i := slices.IndexFunc(v.rest, func(w Word) bool { return w.Lower == "or" })
	same := func(x, y Word) bool { return x.Lower == y.Lower }
	switch size := len(a); {
	case i < size:
	case slices.EqualFunc(v.rest[i-size:i], a, same):
		return makeSentence(q.Before, q.statementSubject(), v.head, v.rest[:i], v.rest[min(i+1+size, len(v.rest)):])
	case i+1+size <= len(v.rest) && slices.EqualFunc(v.rest[i+1:i+1+size], a, same):
		return makeSentence(q.Before, q.statementSubject(), v.head, v.rest[:i-size], v.rest[i+1:])
	}
	return ""
}

// A verbPhrase consists of the auxiliary of a statement, including "not", and
// the words after it.
type verbPhrase struct{ head, rest []Word }

// statementVerb returns the verb phrase of the statement.
func (q *Question) statementVerb(negated bool) verbPhrase {
	rest := readdress(q.Rest)
	if i := slices.IndexFunc(rest, func(w Word) bool { return w.Lower == "ever" }); i >= 0 && i < 2 {
		rest = slices.Delete(slices.Clone(rest), i, i+1)
	}
	aux, not := trimNegation(q.Aux.Lower)
	if q.Wh == "" {
		not = false // "Isn't it required?" means "Is it required?"
	}
	negated = negated || not
	switch {
	case aux == "":
		return verbPhrase{nil, rest}
	case isDo(aux) && !negated:
		return verbPhrase{nil, inflect(rest, aux)}
	}
	if len(q.Subject) == 1 && q.Subject[0].Lower == "i" {
		switch aux {
		case "am":
			aux = "are"
		case "was":
			aux = "were"
		}
	}
	head := Words(aux)
	switch {
	case !negated:
	case aux == "can":
		head[0] = Word{"cannot", "cannot"}
	case aux == "must": // "No" to "Must I?" is "You need not."
		head = Words("need", "not")
	default:
		head = append(head, Word{"not", "not"})
	}
	return verbPhrase{head, rest}
}

// inflect puts the first verb of a predicate into the form indicated by "does"
// or "did": "take 10 mailboxes" becomes "takes 10 mailboxes".
func inflect(rest []Word, aux string) []Word {
	if aux == "do" {
		return rest
	}
	for i, w := range rest {
		if isAdverb(w.Lower) {
			continue
		}
		form := withS(w.Lower)
		if aux == "did" {
			form = PastTense(w.Lower)
			if w.Lower == "do" {
				form = "did"
			}
		}
		rest = slices.Clone(rest)
		rest[i] = Word{form + w.Text[min(len(w.Text), len(w.Lower)):], form}
		break
	}
	return rest
}

// statementSubject returns the subject of the statement.
func (q *Question) statementSubject() []Word { return readdress(q.Subject) }

// readdress replaces first-person pronouns with second-person ones: the asker
// is "you" in the statement.
func readdress(w []Word) []Word {
	for i := range w {
		var replacement string
		switch w[i].Lower {
		case "i", "me":
			replacement = "you"
		case "my":
			replacement = "your"
		default:
			continue
		}
		w = slices.Clone(w)
		w[i] = Word{replacement, replacement}
	}
	return w
}

// withSubject returns the words of the statement with the answer as its
// subject.
func (q *Question) withSubject(a []Word) []Word {
	aux, not := trimNegation(q.Aux.Lower)
	var verb []Word
	if aux != "" {
		verb = Words(aux)
	}
	if not {
		verb = append(verb, Word{"not", "not"})
	}
	rest := readdress(q.Rest)
	subject := q.answerPhrase(a)
	if len(rest) > 0 && rest[0].Lower == "there" { // "How many rooms are there?"
		return slices.Concat(Words("there"), verb, subject, rest[1:])
	}
	return slices.Concat(subject, verb, rest)
}

// answerPhrase completes the answer with words from the question: "3" becomes
// "3 batteries" for "how many batteries".
func (q *Question) answerPhrase(a []Word) []Word {
	first := a[0].Lower
	noun := ""
	if len(q.Noun) > 0 {
		noun = q.Noun[0].Lower
	}
	switch {
	case IsPreposition(first), first == "because":
		return a
	case len(q.Prep) > 0:
		prep := []Word{LowerFirst(q.Prep[0])}
		if len(q.Noun) > 0 && isBareNumeral(a) && !IsTimeNoun(noun) {
			return slices.Concat(prep, q.Noun, a)
		}
		return slices.Concat(prep, a)
	case q.Wh == "whose":
		owner := slices.Clone(a)
		if last := &owner[len(owner)-1]; !strings.HasSuffix(last.Lower, "'s") && !strings.HasSuffix(last.Lower, "s'") {
			last.Text += "'s"
		}
		return slices.Concat(owner, q.Noun)
	case q.Wh == "many", q.Wh == "much":
		if isBareNumeral(a) {
			return slices.Concat(a, q.Noun)
		}
	case q.Wh == "how" && noun != "" && IsBe(q.Aux.Lower):
		if noun == "old" && isBareNumeral(a) {
			return slices.Concat(a, Words("years"), q.Noun)
		}
		if noun != "long" && noun != "often" && noun != "soon" && noun != "far" && !slices.ContainsFunc(a, func(w Word) bool { return w.Lower == noun }) {
			return slices.Concat(a, q.Noun)
		}
	case (q.Wh == "what" || q.Wh == "which") && noun != "":
		switch {
		case noun == "percentage", noun == "share", noun == "proportion", noun == "amount", noun == "number":
			return slices.Concat(a, q.Noun[1:])
		case IsTimeNoun(noun):
			if !q.asksSubject {
				return withTimePreposition(a)
			}
		case noun != "of" && isBareNumeral(a):
			return slices.Concat(q.Noun, a)
		}
	case q.Wh == "when":
		return withTimePreposition(a)
	case q.Wh == "where" && (StartsUpper(a[0].Text) || IsDeterminer(first)):
		return slices.Concat(Words("in"), a)
	case q.Wh == "why":
		return slices.Concat(Words("because", "of"), a)
	}
	return a
}

// withTimePreposition prepends the appropriate preposition to a date, year or
// time of day.
func withTimePreposition(a []Word) []Word {
	first := a[0].Lower
	prep := ""
	switch {
	case strings.Contains(first, ":"), strings.HasSuffix(first, "am"), strings.HasSuffix(first, "pm"), first == "noon", first == "midnight",
		len(a) > 1 && a[1].is("am", "pm", "a.m", "p.m"):
		prep = "at"
	case len(a) == 1 && len(first) == 4 && IsNumeral(first):
		prep = "in"
	case slices.ContainsFunc(a, func(w Word) bool { return IsMonth(w.Lower) }):
		prep = "in"
		if slices.ContainsFunc(a, func(w Word) bool {
			return IsNumeral(w.Lower) && len(w.Lower) < 5 && (len(w.Lower) != 4 || w.Lower[0] >= '3')
		}) {
			prep = "on"
		}
	case strings.HasSuffix(strings.TrimSuffix(first, "s"), "day") && first != "today" && first != "everyday" && first != "yesterday":
		prep = "on"
	default:
		return a
	}
	return slices.Concat(Words(prep), a)
}

// isBareNumeral reports whether an answer is a number without a unit, such as
// "42" or "three".
func isBareNumeral(a []Word) bool {
	return !slices.ContainsFunc(a, func(w Word) bool {
		return !IsNumeral(w.Lower) && !w.is("about", "over", "nearly", "million", "thousand", "billion", "hundred")
	})
}

// objectIndex returns the index at which to insert an object into a predicate:
// after the verb if a preposition follows it, otherwise at the end.
func objectIndex(rest, prep []Word) int {
	if len(rest) < 3 || len(prep) > 0 || IsPreposition(rest[len(rest)-1].Lower) {
		return len(rest)
	}
	i := 0
	for i < len(rest)-1 && isAdverb(rest[i].Lower) {
		i++
	}
	if IsPreposition(rest[i+1].Lower) {
		return i + 1
	}
	return len(rest)
}

// makeSentence joins words into a capitalized sentence with a period.
func makeSentence(parts ...[]Word) string {
	return Capitalize(strings.TrimRight(Join(parts...), " .,;:!")) + "."
}
