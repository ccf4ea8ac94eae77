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
	negated := !yes
	if end, ok := strings.CutPrefix(subject[0].Lower, "any"); ok && negated { // "Was anyone hurt?"
		none := "no" + strings.Replace(end, "one", " one", 1)
		subject, negated = slices.Concat(Words(none), subject[1:]), false
	}
	head, rest := q.statementVerb(negated)
	return sentence(q.Before, subject, head, rest)
}

// sentence joins words to a sentence.
func sentence(parts ...[]Word) string {
	return Capitalize(strings.TrimRight(Join(parts...), " .,;:!")) + "."
}

// statementVerb returns the auxiliary of the statement, including "not", and
// the words after it.
func (q *Question) statementVerb(negated bool) (head, rest []Word) {
	rest = q.Rest
	if i := slices.IndexFunc(rest, func(w Word) bool { return w.Lower == "ever" }); i >= 0 && i < 2 {
		rest = slices.Delete(slices.Clone(rest), i, i+1)
	}
	aux, _ := trimNegation(q.Aux.Lower) // "Isn't it required?" means "Is it required?"
	switch {
	case aux == "":
		return nil, rest
	case isDo(aux) && !negated:
		return nil, inflect(rest, aux)
	}
	head = Words(aux)
	switch {
	case !negated:
	case aux == "can":
		head[0] = Word{"cannot", "cannot"}
	case aux == "must": // "No" to "Must I?" is "You need not."
		head = Words("need", "not")
	default:
		head = append(head, Word{"not", "not"})
	}
	return head, rest
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
		switch {
		case aux == "did" && w.Lower == "do":
			form = "did"
		case aux == "did":
			form = PastTense(w.Lower)
		}
		rest = slices.Clone(rest)
		rest[i] = Word{form + w.Text[min(len(w.Text), len(w.Lower)):], form}
		break
	}
	return rest
}
