package extract

import (
	"slices"
	"strings"
	"unicode"
	"unicode/utf8"
)

const (
	maxFragmentWords = 12  // words of a short answer
	maxUnspacedRunes     = 8   // code points of a name in a script without spaces
	maxReplyBytes    = 300 // bytes of a claim that is looked at
	minCommonVerbWords        = 6   // of what may be a short answer with a common verb
	maxShortAnswers   = 16  // claims that are short answers together
)

// JudgedAs returns [Claim.As] for each of some claims, which are sentences of an
// answer to question in their order. It depends on nothing else, and for a claim
// alone it is what it is among others, but for a fragment among sentences, which is
// judged by its own words. So stored results can be checked.
func JudgedAs(question string, claims []Claim) []string {
	all := make([]string, len(claims))
	for i := range claims {
		switch c := &claims[i]; {
		case c.Lead != "":
			all[i] = completeClause(c.Lead, c.Text)
		case mayHaveFrame(c.Text):
			all[i], _ = frameless(c.Text)
		}
	}
	says := func(i int) string {
		if all[i] != "" {
			return all[i]
		}
		return claims[i].Text
	}
	if strings.TrimSpace(question) == "" {
		return all
	}
	n := 0
	for n < min(len(claims), maxShortAnswers) && claims[n].Lead == "" && isShortAnswer(says(n)) {
		n++
	}
	if n < len(claims) {
		n = min(n, 1) // a fragment among sentences is theirs
	}
	if n == 0 {
		return all
	}
	asked := findQuestion(question)
	if asked == "" {
		return all
	}
	q, parsed := parseQuestion(asked)
	for i := range n {
		if as := statement(asked, &q, parsed, says(i)); as != "" {
			all[i] = as
		}
	}
	return all
}

// frameless is unframed with "" for a sentence without a frame.
func frameless(text string) (string, bool) {
	if s, ok := trimFrames(text); ok {
		return s, true
	}
	return "", false
}

// stateAnswer is the statement that a short answer makes, "" if it stands alone.
func statement(asked string, q *question, parsed bool, text string) string {
	if len(text) > maxReplyBytes {
		return ""
	}
	if yes, rest, ok := cutYesNo(text); ok {
		if !parsed || q.wh != "" {
			return questionAndAnswer(asked, text, rest)
		}
		return q.replyStatement(yes, rest)
	}
	answer := trimAnswer(text)
	switch {
	case !parsed:
		return questionAndAnswer(asked, answer, answer)
	case repeatsQuestionWord(asked, answer):
		return ""
	case q.wh != "":
		return q.answerStatement(answer)
	}
	w := splitWords(answer)
	if s := q.choiceStatement(w); s != "" {
		return s
	}
	if isPronounTag(w) {
		_, denies := q.repeats(w)
		return q.replyStatement(!denies, answer)
	}
	if isPreposition(w[0].low) || isAdverb(w[0].low) {
		return q.replyStatement(true, answer)
	}
	return questionAndAnswer(asked, answer, answer)
}

// beside puts an answer behind a question that was not understood, so that it is
// judged with the words of both. It does so only if what the answer says is too
// short to stand alone in any language.
func questionAndAnswer(asked, answer, says string) string {
	const longest = 3 // words
	if w := splitWords(says); len(w) > longest || isUnspaced(w) && utf8.RuneCountInString(says) > maxUnspacedRunes || repeatsQuestionWord(asked, says) {
		return ""
	}
	const stops = ".!。！ "
	return strings.TrimRight(joinWords(splitWords(asked)), stops) + ": " + strings.TrimRight(joinWords(splitWords(answer)), stops)
}

// restates reports whether an answer of some length has a content word of the
// question, and so says itself what it speaks of.
func repeatsQuestionWord(asked, answer string) bool {
	w := splitWords(answer)
	if len(w) <= 3 {
		return false
	}
	known := splitWords(asked)
	return slices.ContainsFunc(w, func(x word) bool {
		return len(x.low) > 3 && !isPreposition(x.low) && !isDeterminer(x.low) && !isAuxiliaryVerb(x.low) && slices.ContainsFunc(known, func(y word) bool { return x.low == y.low })
	})
}

// isReply reports whether text begins with "yes" or "no".
func startsWithYesNo(text string) bool {
	if len(text) > maxReplyBytes {
		return false
	}
	_, _, ok := cutYesNo(text)
	return ok
}

// YesOrNo reports whether an answer begins with a word for yes or for no, and which.
func YesOrNo(answer string) (yes, ok bool) {
	yes, _, ok = cutYesNo(answer)
	return yes, ok
}

// reply reads a text that begins with "yes" or "no" in one of several languages,
// and returns what follows.
func cutYesNo(text string) (yes bool, rest string, ok bool) {
	end := 0
	for n := range 3 { // words
		for end < len(text) && text[end] == ' ' {
			end++
		}
		k := strings.IndexFunc(text[end:], func(r rune) bool { return !unicode.IsLetter(r) && r != '\'' && r != '’' })
		if k < 0 {
			k = len(text) - end
		}
		if k == 0 {
			break
		}
		end += k
		said, known := polarity(strings.ToLower(strings.ReplaceAll(text[:end], "’", "'")))
		if !known {
			if n == 0 && !startsLongReply(text[:end]) {
				break
			}
			continue
		}
		after := strings.TrimLeft(text[end:], " ")
		if number := strings.TrimLeft(after, ". "); strings.HasPrefix(after, ".") && number != "" && number[0]-'0' <= 9 { // "No. 12"
			return false, "", false
		}
		switch {
		case after == "":
			return said, "", true
		case strings.ContainsAny(after[:1], ",.;:!-("), strings.HasPrefix(after, "–"), strings.HasPrefix(after, "—"), strings.HasPrefix(after, "。"), strings.HasPrefix(after, "，"), strings.HasPrefix(after, "、"), strings.HasPrefix(after, "،"):
			rest := strings.TrimLeftFunc(after, func(r rune) bool {
				return !unicode.IsLetter(r) && !unicode.IsNumber(r) && r != '$' && r != '€' && r != '£'
			})
			return said, rest, true
		}
		if first, _, _ := strings.Cut(after, " "); isSubjectPronoun(strings.ToLower(first)) && n == 0 {
			return said, after, true
		}
	}
	return false, "", false
}

// opensReply knows the first words of replies of several words.
func startsLongReply(first string) bool {
	switch first {
	case "Of", "of", "That", "that", "That's", "That’s", "that's", "This", "this", "Not", "not", "Absolutely", "absolutely", "Certainly", "certainly", "Definitely", "definitely":
		return true
	}
	return false
}

// polarity knows the words for yes and no.
func polarity(s string) (yes, ok bool) {
	switch s {
	case "yes", "yep", "yeah", "yup", "correct", "right", "true", "indeed", "absolutely", "certainly", "definitely", "affirmative", "of course", "that's correct", "that is correct", "that's right",
		"that is right", "that's true", "that is true", "this is correct", "this is true", "ja", "jawohl", "doch", "oui", "sí", "sì", "sim", "да", "tak", "evet", "是", "是的", "对", "はい", "نعم":
		return true, true
	case "no", "nope", "nah", "false", "incorrect", "wrong", "negative", "not at all", "absolutely not", "certainly not", "definitely not", "of course not", "that's incorrect", "that is incorrect",
		"that's false", "that is false", "that's wrong", "that is wrong", "that's not correct", "that is not correct", "this is incorrect", "this is false", "nein", "non", "não", "nee", "нет", "nie", "hayır", "不", "不是", "否",
		"いいえ", "لا":
		return false, true
	}
	return false, false
}

// bareAnswer is a short answer without its stop, and without "It is" before a
// fragment and "did" behind it.
func trimAnswer(text string) string {
	text = strings.TrimRight(text, ".!;, ")
	w := splitWords(text)
	if len(w) > 1 && len(w) <= 5 && isAuxiliaryVerb(w[len(w)-1].low) && w[len(w)-1].text != "May" && !isSubjectPronoun(w[len(w)-2].low) {
		if _, not := trimNegation(w[len(w)-1].low); !not && !hasFiniteVerb(w[:len(w)-1]) {
			return joinWords(w[:len(w)-1]) // "Petra Lund did."
		}
	}
	n := 0
	switch {
	case len(w) > 3 && w[0].low == "the" && w[1].low == "answer" && isBe(w[2].low):
		n = 3
	case len(w) > 1 && (w[0].low == "it's" || w[0].low == "that's" || w[0].low == "they're"):
		n = 1
	case len(w) > 2 && (w[0].low == "it" || w[0].low == "that" || w[0].low == "this" || w[0].low == "they" || w[0].low == "these") && isBe(w[1].low):
		n = 2
	case len(w) > 3 && (w[0].low == "that" || w[0].low == "it") && isModal(w[1].low) && w[2].low == "be":
		n = 3
	}
	if n > 0 && w[n].low != "not" && !isParticiple(w[n].low) && !isAdjective(w[n].low) && !hasFiniteVerb(w[n:]) {
		return joinWords(w[n:])
	}
	return text
}

// hasFiniteVerb reports whether words may be a clause of their own.
func hasFiniteVerb(w []word) bool {
	for i := range w {
		low := w[i].low
		switch {
		case isAuxiliaryVerb(low) && low != "may", low == "may" && i > 0 && !startsUpper(w[i].text), low == "cannot", isContractedClause(low):
			return true
		case i == 0 && isSubjectPronoun(low) && low != "one" && len(w) > 1:
			return true
		case i == 0, i+1 == len(w) && len(w) < 4:
			continue
		case i+1 < len(w) && isDeterminer(w[i+1].low) && low != "and" && low != "or" && low != "but" && !isPreposition(low) && !isDeterminer(low) && !isAdverb(low) &&
			!strings.ContainsAny(w[i].text, ",;"):
			return true // only a verb stands before a determiner
		case isDeterminer(w[i-1].low), isPreposition(w[i-1].low), isNumeral(w[i-1].low), startsUpper(w[i].text):
			continue
		case verbs().is(low, pastForm|thirdPerson), strings.HasSuffix(low, "ed") && len(low) > 4:
			return true
		case verbs().is(low, baseForm) && strings.HasSuffix(w[i-1].low, "s") && i+1 < len(w):
			return true
		case isSubjectPronoun(low):
			return true
		}
	}
	return false
}

// isContractedClause knows pronouns with their verb.
func isContractedClause(low string) bool {
	head, tail, ok := strings.Cut(low, "'")
	return ok && (isSubjectPronoun(head) || head == "that" || head == "there") && (tail == "s" || tail == "re" || tail == "ve" || tail == "ll" || tail == "d" || tail == "m")
}

// replied is the statement of a question and "yes" or "no", with what follows the
// word.
func (q *question) replyStatement(yes bool, rest string) string {
	w := splitWords(strings.TrimRight(rest, ".!; "))
	if len(w) > 0 && (w[0].low == "not" || w[0].low == "never") && !hasFiniteVerb(w) { // "Not on Sundays."
		yes, w = false, w[1:]
		if len(w) > 0 && (w[0].low == "necessarily" || w[0].low == "always" || w[0].low == "only") {
			return ""
		}
	}
	repeats, denies := q.repeats(w)
	switch {
	case repeats && denies == yes:
		return "" // "Yes, it is not."
	case repeats || len(w) == 0:
		return q.yesNoStatement(yes)
	}
	said := strings.TrimSuffix(q.yesNoStatement(yes), ".")
	w[0] = lowerFirst(w[0])
	switch {
	case isConjunction(w[0].low):
		said += ", " + joinWords(w)
	case hasFiniteVerb(w):
		if !isSubjectPronoun(w[0].low) && !isContractedClause(w[0].low) || len(w) > maxFragmentWords {
			return "" // it stands alone
		}
		if (w[0].low == "it" || w[0].low == "they" || w[0].low == "he" || w[0].low == "she") && !isPronounSubject(q.subject) && q.subject[0].low != "there" {
			w = slices.Concat(q.statementSubject(), w[1:])
		}
		said += "; " + joinWords(w)
	case isPreposition(w[0].low) && yes:
		said += " " + joinWords(w)
	default:
		said += ", " + joinWords(w)
	}
	return said + "."
}

func isConjunction(s string) bool {
	switch s {
	case "but", "and", "although", "though", "because", "since", "if", "unless", "as", "so", "provided", "when", "once":
		return true
	}
	return false
}

// isTag reports whether words are a pronoun and its auxiliary, which is another way
// to say "yes" or "no": "It is.", "They don't."
func isPronounTag(w []word) bool {
	return (len(w) == 2 || len(w) == 3 && w[2].low == "not") && (isSubjectPronoun(w[0].low) || w[0].low == "there") && (isAuxiliaryVerb(w[1].low) || w[1].low == "cannot")
}

// repeats reports whether a clause after "yes" or "no" only says that again, as "it
// isn't" and "the owner can" do, and whether it has a negation.
func (q *question) repeats(w []word) (repeats, denies bool) {
	if len(w) == 0 {
		return false, false
	}
	verb := -1
	for i := range w {
		low := w[i].low
		aux, not := trimNegation(low)
		if verb < 0 && (isAuxiliaryVerb(low) || low == "cannot") && (i > 0 || len(w) == 1) {
			verb = i
			denies = not || low == "cannot"
			_ = aux
			continue
		}
		if low == "not" || low == "never" {
			denies = true
			continue
		}
		if !isSubjectPronoun(low) && !isDeterminer(low) && !q.mentions(low) && low != "so" && low != "indeed" {
			if _, tail, ok := strings.Cut(low, "'"); ok && isContractedClause(low) && tail == "s" && verb < 0 {
				verb = i // "it's not"
				continue
			}
			return false, denies
		}
	}
	return verb >= 0, denies
}

// mentions reports whether the question has the word.
func (q *question) mentions(low string) bool {
	has := func(w word) bool { return w.low == low }
	return slices.ContainsFunc(q.subject, has) || slices.ContainsFunc(q.rest, has) || slices.ContainsFunc(q.before, has)
}
