package english

import (
	"slices"
	"strings"
	"unicode"
	"unicode/utf8"
)

const (
	maxUnspacedRunes = 8   // length of a name in a script without spaces
	maxReplyBytes    = 300 // longer claims are treated as complete
)

// Statement combines a question and a short answer into a statement. It returns
// "" if the answer is complete by itself. q is the parsed question, or nil.
func Statement(question string, q *Question, text string) string {
	if len(text) > maxReplyBytes {
		return ""
	}
	if yes, rest, ok := cutYesNo(text); ok {
		if q == nil || q.Wh != "" {
			return questionAndAnswer(question, text, rest)
		}
		return q.replyStatement(yes, rest)
	}
	answer := TrimAnswer(text)
	switch {
	case q == nil:
		return questionAndAnswer(question, answer, answer)
	case repeatsQuestionWord(question, answer):
		return ""
	case q.Wh != "":
		if at := strings.LastIndexByte(question, ','); at > 0 && strings.Contains(question[at:], " or ") && strings.Contains(strings.ToLower(question[at:]), strings.ToLower(answer)) {
			question = question[:at] // "How many rooms are there, 10 or 12?"
		}
		return strings.TrimRight(question, ".!。！ ") + ": " + answer
	}
	w := Split(answer)
	if head, rest := q.statementVerb(false); len(rest) > 0 {
		if rest = chooseOption(rest, w); rest != nil {
			return sentence(q.Before, q.Subject, head, rest)
		}
	}
	if IsPreposition(w[0].Lower) || isAdverb(w[0].Lower) {
		return q.replyStatement(true, answer)
	}
	return questionAndAnswer(question, answer, answer)
}

// chooseOption returns a predicate with "X or Y" replaced by w, if w is X or Y, or else nil.
func chooseOption(predicate, w []Word) []Word {
	at := slices.IndexFunc(predicate, func(x Word) bool { return x.Lower == "or" })
	if at < 1 || slices.ContainsFunc(predicate[:at-1], func(x Word) bool { return strings.HasSuffix(x.Text, ",") }) { // "A, B or C"
		return nil
	}
	left, right := predicate[:at], predicate[at+1:]
	if IsPreposition(w[0].Lower) && len(w) > 1 && len(right) > 0 { // "at 3 pm or 5 pm", "by courier or by post"
		if right[0].Lower == w[0].Lower {
			right = right[1:]
		}
		w = w[1:]
	}
	n := len(w)
	if n > len(left) || n > len(right) || n < len(right) && !IsNumeral(w[0].Lower) { // what follows a noun may belong to both
		return nil
	}
	same := func(a, b Word) bool { return a.Lower == b.Lower }
	switch {
	case slices.EqualFunc(left[at-n:], w, same):
		return slices.Concat(left, right[n:]) // "$5 or $8 per month"
	case slices.EqualFunc(right[:n], w, same):
		return slices.Concat(left[:at-n], right)
	}
	return nil
}

// questionAndAnswer joins a question that could not be parsed with its answer. It returns "" if
// reply, the answer without "yes" or "no", is long enough to stand alone in any language.
func questionAndAnswer(question, answer, reply string) string {
	const maxWords = 3
	if w := Split(reply); len(w) > maxWords || isUnspaced(w) && utf8.RuneCountInString(reply) > maxUnspacedRunes || repeatsQuestionWord(question, reply) {
		return ""
	}
	const stops = ".!。！ "
	return strings.TrimRight(Join(Split(question)), stops) + ": " + strings.TrimRight(Join(Split(answer)), stops)
}

// repeatsQuestionWord reports whether an answer of more than three words shares
// a content word with the question, or a shorter one its verb and another word.
// Such an answer states its subject itself.
func repeatsQuestionWord(question, answer string) bool {
	w, questionWords := Split(answer), Split(question)
	n := 0
	for _, x := range w {
		if len(x.Lower) > 3 && !IsPreposition(x.Lower) && !IsDeterminer(x.Lower) && !IsAuxiliary(x.Lower) &&
			slices.ContainsFunc(questionWords, func(y Word) bool { return x.Lower == y.Lower }) {
			n++
		}
	}
	return n > 0 && len(w) > 3 || n > 1 && IsVerb(w[len(w)-1].Lower, BaseForm|PastForm)
}

// TrimAnswer returns a short answer without final punctuation, a leading "It
// is" before a fragment, and a trailing auxiliary such as "did".
func TrimAnswer(text string) string {
	text = strings.TrimRight(text, ".!;, ")
	w := Split(text)
	if len(w) > 1 && len(w) <= 5 && IsAuxiliary(w[len(w)-1].Lower) && !w[len(w)-1].is("am") && w[len(w)-1].Text != "May" && !IsSubjectPronoun(w[len(w)-2].Lower) {
		if _, not := trimNegation(w[len(w)-1].Lower); !not && !HasFiniteVerb(w[:len(w)-1]) {
			return Join(w[:len(w)-1]) // "Petra Lund did."
		}
	}
	n := 0
	switch {
	case len(w) > 3 && w[0].Lower == "the" && w[1].Lower == "answer" && IsBe(w[2].Lower):
		n = 3
	case len(w) > 1 && w[0].is("it's", "that's", "they're"):
		n = 1
	case len(w) > 2 && w[0].is("it", "that", "this", "they", "these") && IsBe(w[1].Lower):
		n = 2
	}
	if n > 0 && w[n].Lower != "not" && !IsParticiple(w[n].Lower) && !isAdjective(w[n].Lower) && !HasFiniteVerb(w[n:]) {
		return Join(w[n:])
	}
	return text
}

// isAnswerFragment reports whether text is a name, a number, a date, or another
// phrase without a finite verb. Longer texts must pass stricter checks.
func isAnswerFragment(text string) bool {
	if strings.Contains(text, ": ") || strings.HasSuffix(text, ":") {
		return false
	}
	w := Split(TrimAnswer(text))
	switch {
	case len(w) == 0, w[0].Lower == "", len(w) > maxFragmentWords, HasFiniteVerb(w), isUnspaced(w) && utf8.RuneCountInString(text) > maxUnspacedRunes:
		return false
	case len(w) > 3 && IsVerb(w[0].Lower, BaseForm) && (IsNumeral(w[1].Lower) || IsDeterminer(w[1].Lower)): // "Use 1 tbsp of salt."
		return false
	case len(w) <= 3, IsNumeral(w[0].Lower):
		return len(w) == 1 || !IsVerb(w[0].Lower, BaseForm) || StartsUpper(w[1].Text) // "Turn it off."
	case IsDeterminer(w[0].Lower):
		return true
	case IsPreposition(w[0].Lower):
		return !strings.Contains(text, ",")
	}
	capitals := true
	for _, x := range w {
		capitals = capitals && (StartsUpper(x.Text) || IsNumeral(x.Lower) || IsDeterminer(x.Lower) || IsPreposition(x.Lower) || x.is("and", "or"))
	}
	return capitals || len(w) <= 6 && !slices.ContainsFunc(w[1:], func(x Word) bool {
		return IsVerb(x.Lower, BaseForm|ThirdPerson) || strings.HasSuffix(x.Lower, "ed")
	})
}

// isUnspaced reports whether w contains a word in a script written without spaces.
func isUnspaced(w []Word) bool {
	return slices.ContainsFunc(w, func(x Word) bool {
		return strings.ContainsFunc(x.Lower, func(r rune) bool { return unicode.In(r, unicode.Han, unicode.Hiragana, unicode.Katakana, unicode.Thai) })
	})
}

// IsShortAnswer reports whether text is incomplete without its question: a fragment, "yes" or "no".
func IsShortAnswer(text string) bool {
	if len(text) > maxReplyBytes {
		return false
	}
	_, ok := YesOrNo(text)
	return ok || strings.Count(text, " ") < maxFragmentWords+4 && isAnswerFragment(text)
}
