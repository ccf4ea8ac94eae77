package extract

import "strings"

// splitSubject cuts what follows the auxiliary of a question into the subject and
// the predicate: "the owner" and "restore a workspace" after "can". English marks
// the border by nothing but the kinds of the words around it. Where weak is set, the
// predicate after "is" may be a preposition or any last word too.
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

// isNounAfter reports whether a demonstrative at the beginning of w stands before
// its noun.
func determinesNoun(w []word, aux string) bool {
	next := w[1].low
	if isBe(aux) {
		return len(w) > 2 && !isDeterminer(next) && !isPreposition(next) && !isParticiple(next)
	}
	return len(w) > 2 && !verbs().is(next, baseForm) && next != "be"
}

// headStart is the first place where a predicate may begin: after the determiner
// of the subject and one word of it.
func firstPredicateIndex(w []word) int {
	n := 0
	for n < len(w)-1 && (isDeterminer(w[n].low) || w[n].low == "of" && n > 0) {
		n++
	}
	return n + 1
}

// predicateOfBe is where the predicate after "is" begins, 0 if there is none.
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

// isBareParticipleOf reports whether the participle at i belongs to the noun before
// it, since another predicate follows: "the tickets sold in May refundable".
func modifiesSubject(w []word, i int) bool {
	if i+2 >= len(w) || !isPreposition(w[i+1].low) {
		return false
	}
	last := w[len(w)-1].low
	return isParticiple(last) && !isPreposition(w[len(w)-2].low) && !isDeterminer(w[len(w)-2].low) && len(w)-1 > i+1
}

// predicateOfVerb is where the predicate after "does" or "can" begins: at a verb in
// its base form.
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
		case !verbs().is(low, baseForm):
			return false
		}
		// A noun such as "plan" or "cost" is followed by its verb.
		return i+1 == len(w) || !verbs().is(w[i+1].low, baseForm) || verbs().is(w[i+1].low, participleForm) || isPreposition(w[i+1].low)
	}); n > 0 {
		return n
	}
	// A verb that is not known stands before its object.
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

// firstWord is the first i from from on that ok holds for, 0 for none.
func firstIndex(w []word, from int, ok func(i int) bool) int {
	for i := max(from, 1); i < len(w); i++ {
		if ok(i) {
			return i
		}
	}
	return 0
}

func isQuestionWord(s string) bool {
	switch s {
	case "who", "whom", "whose", "what", "which", "when", "where", "why", "how":
		return true
	}
	return false
}

// isAuxiliaryVerb knows the auxiliaries of English, with and without "n't".
func isAuxiliaryVerb(s string) bool { return isBe(s) || isDo(s) || isHave(s) || isModal(s) }

// affirmative is an auxiliary without "n't", and whether it had that.
func trimNegation(aux string) (string, bool) {
	switch aux {
	case "can't", "cant", "cannot":
		return "can", true
	case "won't":
		return "will", true
	case "shan't":
		return "shall", true
	}
	return strings.CutSuffix(aux, "n't")
}

func isBe(s string) bool {
	s, _ = trimNegation(s)
	return s == "is" || s == "are" || s == "was" || s == "were" || s == "am"
}

func isDo(s string) bool {
	s, _ = trimNegation(s)
	return s == "do" || s == "does" || s == "did"
}

func isHave(s string) bool {
	s, _ = trimNegation(s)
	return s == "has" || s == "have" || s == "had"
}

func isModal(s string) bool {
	switch s, _ = trimNegation(s); s {
	case "can", "could", "may", "might", "must", "shall", "should", "will", "would":
		return true
	}
	return false
}

func isSubjectPronoun(s string) bool {
	switch s {
	case "i", "you", "he", "she", "it", "we", "they", "one", "everyone", "everybody", "anyone", "anybody", "someone", "somebody", "nobody", "everything", "anything", "something", "nothing":
		return true
	}
	return false
}

func isPronounSubject(w []word) bool {
	return len(w) == 1 && (isSubjectPronoun(w[0].low) || w[0].low == "this" || w[0].low == "that")
}

func isDeterminer(s string) bool {
	switch s {
	case "a", "an", "the", "this", "that", "these", "those", "my", "your", "his", "her", "its", "our", "their", "all", "any", "some", "each", "every", "no", "both",
		"another", "either", "neither", "many", "most", "several", "few":
		return true
	}
	return false
}

func isPreposition(s string) bool {
	switch s {
	case "of", "in", "on", "at", "by", "for", "from", "to", "with", "without", "within", "under", "over", "after", "before", "during", "since", "until", "till", "through",
		"between", "among", "against", "about", "above", "below", "across", "along", "around", "behind", "beside", "besides", "beyond", "despite", "except", "inside", "into",
		"near", "off", "onto", "out", "outside", "per", "than", "toward", "towards", "up", "upon", "via", "because", "as", "when", "if", "while", "where", "unless":
		return true
	}
	return false
}

// isAdverb knows the adverbs that stand before a verb.
func isAdverb(s string) bool {
	switch s {
	case "not", "also", "still", "already", "always", "ever", "never", "only", "often", "usually", "now", "then", "just", "even", "yet", "soon", "first", "currently", "daily":
		return true
	case "family", "supply", "reply", "apply", "assembly", "july", "italy", "ally", "bully", "monopoly":
		return false
	}
	return len(s) > 4 && strings.HasSuffix(s, "ly")
}

// isParticiple reports whether a word looks like a past or present participle.
func isParticiple(s string) bool {
	if verbs().is(s, participleForm) {
		return true
	}
	switch s {
	case "hundred", "need", "speed", "seed", "feed", "breed", "indeed", "exceed", "proceed", "red", "bed", "shed", "wing", "ring", "king", "thing", "spring", "string", "morning", "evening", "building":
		return false
	case "been", "done", "being":
		return true
	}
	return len(s) > 4 && (strings.HasSuffix(s, "ed") || strings.HasSuffix(s, "ing") && verbs().is(strings.TrimSuffix(s, "ing"), baseForm))
}

// isAdjective knows common adjectives that follow "is", and the endings of others.
func isAdjective(s string) bool {
	switch s {
	case "open", "free", "full", "empty", "safe", "legal", "illegal", "valid", "available", "true", "false", "correct", "wrong", "right", "new", "old", "big", "small", "large", "long",
		"short", "high", "low", "hot", "cold", "warm", "cool", "fast", "slow", "early", "late", "cheap", "expensive", "easy", "hard", "difficult", "rich", "poor", "strong", "weak", "dry", "wet",
		"mandatory", "compulsory", "optional", "necessary", "voluntary", "responsible", "due", "able", "unable", "ready", "alive", "dead", "exempt", "liable", "eligible", "subject", "similar",
		"different", "equal", "identical", "separate", "public", "private", "common", "rare", "present", "absent", "independent", "permanent", "temporary", "final", "binding", "better", "worse",
		"newest", "largest", "part", "older", "newer", "higher", "lower", "larger", "smaller", "longer", "shorter", "cheaper", "faster", "heavier", "earlier", "later", "bigger", "greater", "fewer", "unlimited":
		return true
	}
	if len(s) < 6 {
		return false
	}
	for _, end := range [...]string{"able", "ible", "ful", "less", "ous", "ive", "ic", "ical", "ish"} {
		if strings.HasSuffix(s, end) {
			return true
		}
	}
	return false
}

// isNumeral reports whether a word is or begins with a number.
func isNumeral(s string) bool {
	if s == "" {
		return false
	}
	if strings.IndexByte("0123456789$", s[0]) >= 0 || strings.HasPrefix(s, "€") || strings.HasPrefix(s, "£") {
		return true
	}
	switch s {
	case "one", "two", "three", "four", "five", "six", "seven", "eight", "nine", "ten", "eleven", "twelve":
		return true
	}
	return false
}
