package english

import (
	"slices"
	"strings"
	"unicode"
	"unicode/utf8"
)

// yesNoStatement combines the question with "yes" or "no" into a statement.
func (q *Question) yesNoStatement(yes bool) string {
	if q.Wh != "" {
		return ""
	}
	subject := q.Subject
	negated := !yes
	if none := negatedSubject(subject); none != nil && negated { // "Was anyone hurt?"
		subject, negated = slices.Concat(none, subject[1:]), false
	}
	head, rest := q.statementVerb(negated)
	return sentence(q.Before, subject, head, rest)
}

// negatedSubject returns "no one" for "anyone" at the start of a subject, and nil for other words.
func negatedSubject(subject []Word) []Word {
	switch subject[0].Lower {
	case "any":
		if len(subject) > 1 && subject[1].Lower == "of" {
			return Words("none")
		}
		return Words("no")
	case "anyone":
		return Words("no", "one")
	case "anybody", "anything":
		return Words("no" + strings.TrimPrefix(subject[0].Lower, "any"))
	}
	return nil
}

func sentence(parts ...[]Word) string {
	return Capitalize(strings.TrimRight(Join(parts...), " .,;:!")) + "."
}

// statementVerb returns the auxiliary of the statement, including "not", and the words after it.
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
		before, after, ok := strings.Cut(strings.ToLower(w.Text), w.Lower) // quotes and punctuation
		if !ok {
			before = ""
		}
		rest[i] = Word{before + form + after, form}
		break
	}
	return rest
}

// YesOrNo parses the "yes" or "no" at the start of an answer. It reports
// whether there is one, and whether it is affirmative.
func YesOrNo(answer string) (yes, ok bool) {
	yes, _, ok = cutYesNo(answer)
	return yes, ok
}

// cutYesNo cuts "yes" or "no", in one of several languages, from the start of text.
func cutYesNo(text string) (yes bool, rest string, ok bool) {
	if yes, ok := polarity(strings.Trim(text, " \ufe0f")); ok {
		return yes, "", true
	}
	end := 0
	for n := range 4 { // up to four words
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
		isYes, known := polarity(strings.ToLower(strings.ReplaceAll(text[:end], "’", "'")))
		if !known {
			continue
		}
		after := strings.TrimLeft(text[end:], " ")
		if number := strings.TrimLeft(after, ". "); strings.HasPrefix(after, ".") && number != "" && number[0]-'0' <= 9 { // "No. 12"
			return false, "", false
		}
		if after == "" {
			return isYes, "", true
		}
		if r, _ := utf8.DecodeRuneInString(after); strings.ContainsRune(",.;:!-(–—。，、،", r) {
			rest := strings.TrimLeftFunc(after, func(r rune) bool {
				return !unicode.IsLetter(r) && !unicode.IsNumber(r) && r != '$' && r != '€' && r != '£'
			})
			if number := len(after) - len(rest); number > 1 && rest != "" && rest[0]-'0' <= 9 && after[number-1] == '-' {
				rest = after[number-1:] // "No, -5 °C."
			}
			return isYes, rest, true
		}
		if first, _, _ := strings.Cut(after, " "); IsSubjectPronoun(strings.ToLower(first)) && first != "one" && n == 0 { // not: "No one came."
			return isYes, after, true
		}
	}
	return false, "", false
}

// polarity reports whether s, in lower case, means yes or no.
func polarity(s string) (yes, ok bool) {
	switch s {
	case "yes", "yep", "yeah", "yup", "correct", "right", "true", "indeed", "absolutely", "certainly", "definitely", "affirmative", "of course", "that's correct", "that is correct", "that's right",
		"that is right", "that's true", "that is true", "this is correct", "this is true", "sure", "exactly", "precisely", "naturally", "you bet", "👍", "👌", "✅", "✔", "☑", "ja", "jawohl", "doch", "oui", "sí", "sì", "sim", "да", "tak", "evet", "是", "是的", "对", "はい", "نعم":
		return true, true
	case "no", "nope", "nah", "false", "incorrect", "wrong", "negative", "not at all", "absolutely not", "certainly not", "definitely not", "of course not", "that's incorrect", "that is incorrect",
		"that's false", "that is false", "no way", "by no means", "👎", "❌", "✖", "✗", "🚫", "that's wrong", "that is wrong", "that's not correct", "that is not correct", "not true", "that's not true", "that is not true", "this is incorrect", "this is false", "nein", "non", "não", "nee", "нет", "nie", "hayır", "不", "不是", "否",
		"いいえ", "لا":
		return false, true
	}
	return false, false
}

// replyStatement combines the question with an answer that means yes or no into
// a statement. rest is the remaining answer.
func (q *Question) replyStatement(yes bool, rest string) string {
	w := Split(strings.TrimRight(rest, ".!; "))
	if len(w) > 0 && w[0].is("not", "never") && !HasFiniteVerb(w) { // "Not on Sundays."
		yes, w = false, w[1:]
		if len(w) > 0 && w[0].is("necessarily", "always", "only") {
			return ""
		}
	}
	repeats, negated := q.repeats(w)
	switch {
	case repeats && negated == yes:
		return "" // "Yes, it is not."
	case repeats || len(w) == 0:
		return q.yesNoStatement(yes)
	}
	statement := strings.TrimSuffix(q.yesNoStatement(yes), ".")
	w[0] = lowerFirst(w[0])
	if head, tail, _ := strings.Cut(w[0].Lower, "'"); isContractedClause(w[0].Lower) && !isHave(q.Aux.Lower) {
		switch tail { // "it's on Tuesday"
		case "s":
			w = slices.Concat(Words(head, "is"), w[1:])
		case "re":
			w = slices.Concat(Words(head, "are"), w[1:])
		}
	}
	if !yes {
		if s := q.correction(w); s != "" {
			return s
		}
	}
	switch {
	case w[0].is("but", "and", "although", "though", "because", "since", "if", "unless", "as", "so", "provided", "when", "once"):
		statement += ", " + Join(w)
	case HasFiniteVerb(w):
		if !IsSubjectPronoun(w[0].Lower) && !isContractedClause(w[0].Lower) || len(w) > maxFragmentWords {
			return "" // stands alone
		}
		corrects := !yes && q.corrects(w)
		first := q.Subject[0]
		isPronoun := len(q.Subject) == 1 && (IsSubjectPronoun(first.Lower) || first.is("this", "that"))
		if w[0].is("it", "they", "he", "she") && !isPronoun && first.Lower != "there" {
			w = slices.Concat(q.Subject, w[1:])
		}
		if corrects {
			return Capitalize(Join(w)) + "."
		}
		statement += "; " + Join(w)
	case IsPreposition(w[0].Lower) && yes:
		statement += " " + Join(w)
	default:
		statement += ", " + Join(w)
	}
	return statement + "."
}

// correction returns the statement with the value or name in w instead of the one asked
// about, if w has little else: "12", "it has 12" or "on Tuesday".
func (q *Question) correction(w []Word) string {
	head, rest := q.statementVerb(false)
	predicate := slices.Concat(head, rest)
	if len(w) > 2 && w[0].is("it", "they", "he", "she") && len(predicate) > 0 && w[1].Lower == predicate[0].Lower {
		w = w[2:]
	}
	from := 0 // index of the value after a preposition
	if IsPreposition(w[0].Lower) && len(w) > 1 {
		from = 1
	}
	if HasFiniteVerb(w) {
		return ""
	}
	for i := max(from, 1); i < len(predicate); i++ {
		at, x, before := i-from, predicate[i], predicate[i-1]
		alike := IsNumeral(x.Lower) && IsNumeral(w[from].Lower) && numberKind(x) == numberKind(w[from]) || StartsUpper(x.Text) && StartsUpper(w[from].Text)
		switch {
		case !alike, from > 0 && before.Lower != w[0].Lower:
			continue
		case before.is("than", "least", "most", "over", "under", "above", "below", "before", "after", "until", "within"), IsMonth(before.Lower):
			return "" // "more than 10"
		}
		end := i + 1
		if StartsUpper(x.Text) {
			for end < len(predicate) && StartsUpper(predicate[end].Text) {
				end++
			}
		} else if unit := w[from+1:]; len(unit) > 0 {
			if len(unit) > 1 || end == len(predicate) || !sameUnit(unit[0], predicate[end]) {
				return ""
			}
			end++
		}
		return sentence(q.Before, q.Subject, predicate[:at], w, predicate[end:])
	}
	return ""
}

// numberKind returns the symbol that shows what a number counts, "year" if it has four digits, or "".
func numberKind(w Word) string {
	for _, sign := range [...]string{"$", "€", "£", "%", ":"} {
		if strings.Contains(w.Text, sign) {
			return sign
		}
	}
	if len(w.Lower) == len("2020") && strings.Trim(w.Lower, "0123456789") == "" {
		return "year"
	}
	return ""
}

// sameUnit reports whether two words are the same unit, in the singular or plural, or am and pm.
func sameUnit(a, b Word) bool {
	return strings.TrimSuffix(a.Lower, "s") == strings.TrimSuffix(b.Lower, "s") || a.is("am", "pm") && b.is("am", "pm")
}

// repeats reports whether w, a clause after "yes" or "no", only restates the
// question, as "it isn't" and "the owner can" do, and whether it is negated.
func (q *Question) repeats(w []Word) (repeats, negated bool) {
	if len(w) == 0 {
		return false, false
	}
	asked := slices.Concat(q.Before, q.Subject, q.Rest)
	hasVerb := false
	for i := range w {
		low := w[i].Lower
		_, not := trimNegation(low)
		if !hasVerb && (IsAuxiliary(low) || low == "cannot") && (i > 0 || len(w) == 1) {
			hasVerb = true
			negated = not || low == "cannot"
			continue
		}
		if low == "not" || low == "never" {
			negated = true
			continue
		}
		if !IsSubjectPronoun(low) && !IsDeterminer(low) && !slices.ContainsFunc(asked, func(x Word) bool { return x.Lower == low }) && low != "so" && low != "indeed" {
			if _, tail, ok := strings.Cut(low, "'"); ok && isContractedClause(low) && tail == "s" && !hasVerb {
				hasVerb = true // "it's not"
				continue
			}
			return false, negated
		}
	}
	return hasVerb, negated
}

// corrects reports whether w, a clause that starts with a pronoun, has the verb
// and the prepositions of the question, as "it leaves at 10 am" does for "Does
// the train leave at 9 am?" Such a clause implies that the answer is no.
func (q *Question) corrects(w []Word) bool {
	head, rest := q.statementVerb(false)
	asked := slices.Concat(head, rest)
	if len(w) <= len(asked) || len(asked) == 0 || w[1].Lower != asked[0].Lower {
		return false
	}
	for _, x := range asked {
		if IsPreposition(x.Lower) && !slices.ContainsFunc(w, func(y Word) bool { return y.Lower == x.Lower }) {
			return false
		}
	}
	return !slices.ContainsFunc(w[1:], func(x Word) bool { return IsPronoun(x.Lower) || x.is("them", "not") })
}
