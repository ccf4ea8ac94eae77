package english

import (
	"slices"
	"strings"
)

// splitSubject splits the words after the auxiliary of a question into subject
// and predicate: "the owner" and "restore a workspace" after "can". In English,
// only word classes indicate the boundary.
func splitSubject(w []Word, aux string) (subject, predicate []Word) {
	isDemonstrative := w[0].is("this", "that", "these", "those") && (len(w) == 1 || !determinesNoun(w, aux))
	if isDemonstrative || w[0].Lower == "there" || IsSubjectPronoun(w[0].Lower) {
		return w[:1], w[1:]
	}
	from := firstPredicateIndex(w)
	var n int
	switch {
	case IsBe(aux):
		n = bePredicateIndex(w, from)
	case isHave(aux):
		n = firstIndex(w, from, func(i int) bool { return IsParticiple(w[i].Lower) || isAdverb(w[i].Lower) })
	default:
		n = verbPredicateIndex(w, from)
	}
	if n == 0 {
		if IsBe(aux) {
			return w, nil
		}
		return nil, nil
	}
	return w[:n], w[n:]
}

// determinesNoun reports whether the demonstrative at the start of w modifies a noun.
func determinesNoun(w []Word, aux string) bool {
	next := w[1].Lower
	if IsBe(aux) {
		return len(w) > 2 && !IsDeterminer(next) && !IsPreposition(next) && !IsParticiple(next)
	}
	return len(w) > 2 && !IsVerb(next, BaseForm) && next != "be"
}

// firstPredicateIndex returns the first possible index of the predicate, which
// follows the determiners of the subject and at least one other word.
func firstPredicateIndex(w []Word) int {
	n := 0
	for n < len(w)-1 && (IsDeterminer(w[n].Lower) || w[n].Lower == "of" && n > 0) {
		n++
	}
	return n + 1
}

// bePredicateIndex returns the index of the predicate after a form of "be", or
// 0. If no word clearly starts it, it is a prepositional phrase or the last word.
func bePredicateIndex(w []Word, from int) int {
	strong := func(i int) bool {
		low, last := w[i].Lower, i == len(w)-1
		border := last || strings.HasSuffix(w[i].Text, ",") || IsPreposition(w[i+1].Lower) || isAdverb(w[i+1].Lower) ||
			IsDeterminer(w[i+1].Lower) || IsNumeral(w[i+1].Lower) || w[i+1].is("that", "or")
		switch {
		case strings.HasSuffix(low, "ing") && !last && w[i+1].Lower == "of", // "the next meeting of"
			w[i-1].Lower == "or",
			i > 1 && IsNumeral(w[i-2].Lower) && w[i].is("long", "tall", "wide", "high", "deep", "thick", "old"), // "12 km long"
			IsPreposition(w[i-1].Lower) || IsDeterminer(w[i-1].Lower) && i > from:
			return false
		case w[i].is("not", "also", "still", "already", "always", "ever", "only"):
			return true
		case IsDeterminer(low):
			return true
		case IsParticiple(low), isAdjective(low):
			return border
		case isAdverb(low):
			return !last && (IsParticiple(w[i+1].Lower) || isAdjective(w[i+1].Lower))
		case w[i].is("more", "less", "too", "very", "as"):
			return true
		case strings.HasSuffix(low, "ing") && len(low) > 5:
			return border
		}
		return false
	}
	pair := func(i int) bool { return i+3 == len(w) && w[i+1].Lower == "or" && !IsPreposition(w[i-1].Lower) } // "oral or written"
	preposition := func(i int) bool { return IsPreposition(w[i].Lower) && w[i].Lower != "of" }
	if n := firstOf(w, from, strong, func(i int) bool { return startsValue(w, i) }, pair, preposition); n > 0 || len(w) <= from {
		return n
	}
	return len(w) - 1
}

// startsValue reports whether word i starts a number, date or name that follows a common
// noun: "3 years" after "the warranty", "Ann Lee" after "the CEO".
func startsValue(w []Word, i int) bool {
	before, next := w[i-1], Word{}
	if i+1 < len(w) {
		next = w[i+1]
	}
	switch {
	case IsPreposition(before.Lower), IsDeterminer(before.Lower), before.Lower == "or", StartsUpper(before.Text) && strings.ToUpper(before.Text) != before.Text:
		return false
	case StartsUpper(w[i].Text):
		isOther := func(x Word) bool { return !StartsUpper(x.Text) && !IsNumeral(x.Lower) && x.Lower != "or" }
		return next.Text != "" && !slices.ContainsFunc(w[i:], isOther) || IsMonth(w[i].Lower) && IsNumeral(next.Lower)
	case !IsNumeral(w[i].Lower), IsPreposition(next.Lower) && next.Lower != "per" && next.Lower != "of" && !strings.ContainsAny(w[i].Lower, "$€£"):
		return false
	}
	const words = 2 // of a value: "3 years", "$5 per month", but not "the size 10 shoes in stock"
	isLast := i+words >= len(w) || w[i+1].Lower == "per" || w[i+words].is("per", "a", "long", "old", "or")
	return isLast && (next.Text == "" && strings.ContainsAny(w[i].Lower, "$€£%") || next.Lower == "per" || IsMonth(next.Lower) || next.Text != "" && len(next.Lower) <= len("km") || strings.HasSuffix(next.Lower, "s"))
}

// verbPredicateIndex returns the index of the predicate after "does", "can" or
// another auxiliary, or 0. The predicate starts with a verb in its base form.
func verbPredicateIndex(w []Word, from int) int {
	isVerb := func(i int) bool {
		low := w[i].Lower
		switch {
		case IsPreposition(w[i-1].Lower), IsDeterminer(w[i-1].Lower):
			return false
		case w[i].is("be", "have", "do", "not", "ever", "also", "still", "only", "always"):
			return true
		case isAdverb(low):
			return i+1 < len(w)
		case !IsVerb(low, BaseForm):
			return false
		case i+1 == len(w), w[i].is("take", "make", "give", "keep"): // "take place"
			return true
		}
		// A noun such as "plan" or "cost" precedes its verb.
		next := w[i+1].Lower
		return !IsVerb(next, BaseForm) || IsVerb(next, ParticipleForm) && next != "cost" || IsPreposition(next)
	}
	precedesObject := func(i int) bool {
		return i+1 < len(w) && (IsDeterminer(w[i+1].Lower) || IsNumeral(w[i+1].Lower)) && !IsPreposition(w[i].Lower) && !IsPreposition(w[i-1].Lower)
	}
	precedesPhrase := func(i int) bool {
		return i+1 < len(w) && IsPreposition(w[i+1].Lower) && !IsPreposition(w[i].Lower) && w[i+1].Lower != "of"
	}
	if n := firstOf(w, from, isVerb, precedesObject, precedesPhrase); n > 0 || len(w) != from+1 { // the last two for an unknown verb
		return n
	}
	return from // "Does the app sync?"
}

// firstOf tries the rules in turn and returns the first index at or after from that satisfies one, or 0.
func firstOf(w []Word, from int, rules ...func(i int) bool) int {
	for _, ok := range rules {
		if n := firstIndex(w, from, ok); n > 0 {
			return n
		}
	}
	return 0
}

// firstIndex returns the first index at or after from for which ok reports true, or 0.
func firstIndex(w []Word, from int, ok func(i int) bool) int {
	for i := max(from, 1); i < len(w); i++ {
		if ok(i) {
			return i
		}
	}
	return 0
}

// HasFiniteVerb reports whether w probably contains a finite verb and so may be a clause.
func HasFiniteVerb(w []Word) bool {
	for i := range w {
		low := w[i].Lower
		switch {
		case i == 1 && len(w) > 2 && w[i].is("ist", "sind", "wird", "hat", "haben", "kann", "darf", "est", "sont", "es", "son", "está", "están", "é", "são"), i == 0 && low == "se" && len(w) > 1:
			return true // a clause in another language
		case IsAuxiliary(low) && low != "may" && (low != "am" || i > 0 && w[i-1].Lower == "i"), low == "may" && i > 0 && !StartsUpper(w[i].Text), low == "cannot", isContractedClause(low):
			return true
		case i == 0 && IsSubjectPronoun(low) && low != "one" && len(w) > 1:
			return true
		case i == 2 && i+1 == len(w) && isAdverb(w[1].Lower) && IsVerb(low, BaseForm|PastForm|ThirdPerson):
			return true // "Keys never expire"
		case i == 0, i+1 == len(w) && len(w) < 4:
			continue
		case i+1 < len(w) && IsDeterminer(w[i+1].Lower) && low != "and" && low != "or" && low != "but" && !IsPreposition(low) && !IsDeterminer(low) && !isAdverb(low) &&
			!strings.ContainsAny(w[i].Text, ",;"):
			return true // only a verb precedes a determiner
		case IsDeterminer(w[i-1].Lower), IsPreposition(w[i-1].Lower), IsNumeral(w[i-1].Lower), StartsUpper(w[i].Text):
			continue
		case IsVerb(low, PastForm|ThirdPerson), strings.HasSuffix(low, "ed") && len(low) > 4:
			return true
		case IsVerb(low, BaseForm) && strings.HasSuffix(w[i-1].Lower, "s") && i+1 < len(w):
			return true
		case IsSubjectPronoun(low):
			return true
		}
	}
	return false
}

// isContractedClause reports whether low is a pronoun contracted with a verb, such as "it's".
func isContractedClause(low string) bool {
	head, tail, ok := strings.Cut(low, "'")
	return ok && (IsSubjectPronoun(head) || head == "that" || head == "there") && (tail == "s" || tail == "re" || tail == "ve" || tail == "ll" || tail == "d" || tail == "m")
}
