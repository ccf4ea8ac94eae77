package english

import (
	"slices"
	"strings"
)

// yesNoStatement combines the question with "yes" or "no" into a statement.
func (q *Question) yesNoStatement(yes bool) string {
	if q.Wh != "" || len(q.Subject) == 0 {
		return ""
	}
	subject := q.Subject
	if any, ok := strings.CutPrefix(subject[0].Lower, "any"); ok && !yes { // "Was anyone hurt?"
		none := "no" + strings.Replace(any, "one", " one", 1)
		v := q.statementVerb(false)
		return makeSentence(q.Before, slices.Concat(Words(none), subject[1:]), v.head, v.rest)
	}
	v := q.statementVerb(!yes)
	return makeSentence(q.Before, subject, v.head, v.rest)
}

// A verbPhrase consists of the auxiliary of a statement, including "not", and
// the words after it.
type verbPhrase struct{ head, rest []Word }

// statementVerb returns the verb phrase of the statement.
func (q *Question) statementVerb(negated bool) verbPhrase {
	rest := q.Rest
	if i := slices.IndexFunc(rest, func(w Word) bool { return w.Lower == "ever" }); i >= 0 && i < 2 {
		rest = slices.Delete(slices.Clone(rest), i, i+1)
	}
	aux, _ := trimNegation(q.Aux.Lower) // "Isn't it required?" means "Is it required?"
	switch {
	case aux == "":
		return verbPhrase{nil, rest}
	case isDo(aux) && !negated:
		return verbPhrase{nil, inflect(rest, aux)}
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

// makeSentence joins words into a capitalized sentence with a period.
func makeSentence(parts ...[]Word) string {
	return Capitalize(strings.TrimRight(Join(parts...), " .,;:!")) + "."
}
