package extract

import "strings"

// splitSubject splits what follows the auxiliary of a question into subject and
// predicate: "the owner" and "restore a workspace" after "can". English marks
// the boundary only by word class. If weak is set, the predicate after "is" may
// also be a prepositional phrase or any last word.
func splitSubject(w []word, aux string, weak bool) (subject, predicate []word) {
	if len(w) == 0 {
		return nil, nil
	}
	if first := w[0].low; first == "there" || isSubjectPronoun(first) || (first == "this" || first == "that" || first == "these" || first == "those") && (len(w) == 1 || !determinesNoun(w, aux)) {
		return w[:1], w[1:]
	}
	from := firstPredicateIndex(w)
	n := 0
	switch {
	case isBe(aux):
		n = bePredicateIndex(w, from, weak)
	case isHave(aux):
		n = firstIndex(w, from, func(i int) bool { return isParticiple(w[i].low) || isAdverb(w[i].low) })
	default:
		n = verbPredicateIndex(w, from)
	}
	if n == 0 {
		if isBe(aux) {
			return w, nil
		}
		return nil, nil
	}
	return w[:n], w[n:]
}

// determinesNoun reports whether the demonstrative at the start of w modifies a
// noun.
func determinesNoun(w []word, aux string) bool {
	next := w[1].low
	if isBe(aux) {
		return len(w) > 2 && !isDeterminer(next) && !isPreposition(next) && !isParticiple(next)
	}
	return len(w) > 2 && !isVerb(next, baseForm) && next != "be"
}

// firstPredicateIndex returns the first index at which a predicate may start:
// after the determiners of the subject and one word.
func firstPredicateIndex(w []word) int {
	n := 0
	for n < len(w)-1 && (isDeterminer(w[n].low) || w[n].low == "of" && n > 0) {
		n++
	}
	return n + 1
}

// bePredicateIndex returns the index of the predicate after "is", or 0.
func bePredicateIndex(w []word, from int, weak bool) int {
	strong := func(i int) bool {
		low, last := w[i].low, i == len(w)-1
		border := last || isPreposition(w[i+1].low) || isAdverb(w[i+1].low) || isDeterminer(w[i+1].low) || w[i+1].low == "to" || w[i+1].low == "than" ||
			w[i+1].low == "that" || w[i+1].low == "if" || w[i+1].low == "when" || w[i+1].low == "or" || strings.HasSuffix(w[i].text, ",") || isNumeral(w[i+1].low)
		switch {
		case strings.HasSuffix(low, "ing") && !last && w[i+1].low == "of", // "the next meeting of"
			isPreposition(w[i-1].low) || isDeterminer(w[i-1].low) && i > 0 && i-1 >= from:
			return false
		case low == "not", low == "also", low == "still", low == "already", low == "always", low == "ever", low == "only":
			return true
		case isDeterminer(low):
			return true
		case isParticiple(low), isAdjective(low):
			return border && !modifiesSubject(w, i)
		case isAdverb(low):
			return !last && (isParticiple(w[i+1].low) || isAdjective(w[i+1].low))
		case low == "more", low == "less", low == "too", low == "very", low == "as":
			return true
		case strings.HasSuffix(low, "ing") && len(low) > 5:
			return border
		}
		return false
	}
	if n := firstIndex(w, from, strong); n > 0 || !weak {
		return n
	}
	if n := firstIndex(w, from, func(i int) bool { return isPreposition(w[i].low) && w[i].low != "of" }); n > 0 {
		return n
	}
	if len(w) > from {
		return len(w) - 1
	}
	return 0
}

// modifiesSubject reports whether the participle at i belongs to the noun
// before it, since another predicate follows: "the tickets sold in May
// refundable".
func modifiesSubject(w []word, i int) bool {
	if i+2 >= len(w) || !isPreposition(w[i+1].low) {
		return false
	}
	last := w[len(w)-1].low
	return isParticiple(last) && !isPreposition(w[len(w)-2].low) && !isDeterminer(w[len(w)-2].low) && len(w)-1 > i+1
}

// verbPredicateIndex returns the index of the predicate after "does" or "can",
// which starts with a verb in its base form, or 0.
func verbPredicateIndex(w []word, from int) int {
	if n := firstIndex(w, from, func(i int) bool {
		low := w[i].low
		switch {
		case isPreposition(w[i-1].low), isDeterminer(w[i-1].low):
			return false
		case low == "be", low == "have", low == "do", low == "not", low == "ever", low == "also", low == "still", low == "only", low == "always":
			return true
		case isAdverb(low):
			return i+1 < len(w)
		case !isVerb(low, baseForm):
			return false
		}
		// A noun such as "plan" or "cost" precedes its verb.
		return i+1 == len(w) || !isVerb(w[i+1].low, baseForm) || isVerb(w[i+1].low, participleForm) || isPreposition(w[i+1].low)
	}); n > 0 {
		return n
	}
	// An unknown verb precedes its object.
	if n := firstIndex(w, from, func(i int) bool {
		return i+1 < len(w) && (isDeterminer(w[i+1].low) || isNumeral(w[i+1].low)) && !isPreposition(w[i].low) && !isPreposition(w[i-1].low)
	}); n > 0 {
		return n
	}
	if n := firstIndex(w, from, func(i int) bool {
		return i+1 < len(w) && isPreposition(w[i+1].low) && !isPreposition(w[i].low) && w[i+1].low != "of"
	}); n > 0 {
		return n
	}
	if len(w) > from {
		return len(w) - 1
	}
	return 0
}

// firstIndex returns the first index at or after from for which ok holds, or 0.
func firstIndex(w []word, from int, ok func(i int) bool) int {
	for i := max(from, 1); i < len(w); i++ {
		if ok(i) {
			return i
		}
	}
	return 0
}
