package entail

import (
	"slices"
	"strings"

	"github.com/ragfaith/ragfaith/internal/lexicon"
)

// Asserts reports whether the sentence itself states what its bytes from start to end say: they
// start it, or a clause of it, and nothing around them takes them back.
func (x *Sentence) Asserts(start, end int) bool {
	first, last := -1, -1
	for i := range x.Words {
		if w := &x.Words[i]; int(w.End) > start && int(w.Start) < end {
			if last = i; first < 0 {
				first = i
			}
		}
	}
	if first < 0 {
		return true
	}
	if _, ok := x.doubt(first, last); ok || x.deniedAt(first) {
		return false
	}
	for i := range x.Clauses {
		if cl := &x.Clauses[i]; cl.First < first && x.isCondition(cl) {
			return false
		}
	}
	isClause := false
	for i := first; i <= last; i++ {
		isClause = isClause || isAuxiliary(x.Words[i].Lower) || i > first && x.isPredicate(i)
	}
	if first > 0 && isClause && !x.stopsAt(first) {
		switch x.lower(first - 1) {
		case "of", "except", "excluding", "besides", "from", "than", "with", "without":
			return false // "the sister of the mayor won", "everyone except Anna passed"
		}
	}
	for i := first - 1; i >= 0 && isClause && !x.stopsAt(i+1) && !strings.ContainsAny(x.Gap(i+1), marks); i-- {
		if w := x.Words[i].Lower; isComplementizer(w) || isAuxiliary(w) || x.Words[i].Content && x.isPredicate(i) {
			return false
		}
	}
	return true
}

// deniedAt reports whether the words before word i in its phrase deny what starts there: "do
// not", "hardly", "under no circumstances".
func (x *Sentence) deniedAt(i int) bool {
	if i == 0 || x.stopsAt(i) {
		return false
	}
	before := &x.Words[i-1]
	return before.Is(lexicon.Negation) || before.traits&negative != 0 || i > 2 && x.lower(i-2) == "no" && !x.Words[i-3].Content
}

// unasserted finds a claim that the statement denies, asks, supposes or reports as a belief.
func (a *Alignment) unasserted() (Finding, bool) {
	c, s := a.Claim, a.Stated
	first, second, last := len(s.Words), len(s.Words), -1
	for i, j := range a.To {
		switch {
		case j < 0 || a.How[i] == Opposite:
			continue
		case j < first:
			first, second = j, first
		case j > first:
			second = min(second, j)
		}
		last = max(last, j)
	}
	for j := first + 1; j < min(second, last); j++ {
		if s.Words[j].Key == s.Words[first].Key { // "It would be great if the Great Wall"
			first = j
		}
	}
	for j := first + 1; j < last; j++ {
		if w := &s.Words[j-1]; isComplementizer(s.Words[j].Lower) && w.traits&(saying|thinking|doubting) != 0 && !c.contains(w.Lower) {
			first = j + 1 // "the man pretended that he was"
		}
	}
	if last < 0 || c.takenBackBeyond(0, len(c.Words), s) != s.takenBackBeyond(first, last+1, c) || c.qualifies() {
		return Finding{}, false // the claim denies or supposes it too
	}
	if s.isUnreal(first, last) && !slices.ContainsFunc(c.Words, func(w Word) bool { return isUnreal(w.Lower) || w.traits&(possible|optional) != 0 || w.Lower == "will" }) {
		return Finding{Kind: Assertion, Stated: s.Span(first, last)}, true
	}
	if y, ok := s.doubt(first, last); ok {
		return Finding{Kind: Assertion, Stated: y}, true
	}
	return Finding{}, false
}

// isUnreal reports whether words first to last say what would have been, or what would be
// under a condition.
func (x *Sentence) isUnreal(first, last int) bool {
	for i := first; i <= last; i++ {
		if isUnreal(x.Words[i].Lower) && (x.lower(i+1) == "have" && x.lower(i+2) != "to" || slices.ContainsFunc(x.Clauses, func(cl Clause) bool { return x.isCondition(&cl) })) {
			return true
		}
	}
	return false
}

func isUnreal(w string) bool { return w == "would" || w == "could" || w == "might" }

// qualifies reports whether x supposes something, or says what somebody thinks.
func (x *Sentence) qualifies() bool {
	return x.any(0, len(x.Words), thinking|doubting) || slices.ContainsFunc(x.Clauses, func(cl Clause) bool { return x.isCondition(&cl) })
}

// doubt returns the words around words first to last by which the sentence, or the next
// one, does not state them.
func (x *Sentence) doubt(first, last int) (Phrase, bool) {
	whole := x.Span(0, len(x.Words)-1)
	if x.asks(first, last) || x.deniedNext() || strings.ContainsAny(x.Text[:x.Words[0].Start], "❌✗✘") {
		return whole, true
	}
	if cl := &x.Clauses[x.Words[first].Clause]; x.isCondition(cl) && first <= cl.First+maxGoverning && last < x.phraseEnd(cl.First) {
		return x.Span(cl.First, last), true
	}
	from := first // start of the words that govern the first one
	for from > 0 && !x.stopsAt(from) {
		from--
	}
	if from > 0 && strings.Contains(x.Gap(from), ":") && x.any(0, from, doubting|negative) && x.takenBack(0, from) { // "Myth: X"
		return x.Span(0, last), true
	}
	end := len(x.Words)
	k := x.complementizer(first)
	switch {
	case k < 0:
		if from = max(from, first-maxGoverning); x.takenBack(from, first) && x.any(from, first, saying|thinking|showing|doubting) {
			return x.Span(from, last), true
		}
		return Phrase{}, false
	case x.Words[k].Lower == "whether":
		return x.Span(from, last), true
	}
	if k == 0 && (last+1 >= end || !isAuxiliary(x.lower(last+1))) {
		return Phrase{}, false // "That wall is"
	}
	from = min(from, k)
	if from > 0 && x.contentAfter(from, k-from) < 0 { // "One myth, which is old, is that"
		return whole, x.takenBack(0, x.phraseEnd(0))
	}
	if x.takenBack(from, first) != (last+1 < end && isAuxiliary(x.lower(last+1)) && x.takenBack(last+1, end)) {
		return x.Span(from, last), true
	}
	if w := x.lower(k - 1); w == "and" || w == "but" || w == "or" {
		from = 0
	}
	if !isAuxiliary(x.lower(k-1)) && !x.any(from, first, saying|showing|doubting|negative) {
		return x.Span(from, last), true
	}
	return Phrase{}, false
}

// maxGoverning is the distance in words at which a verb may govern a clause.
const maxGoverning = 6

// asks reports whether words first to last are most of a yes-no question that the text does
// not affirm.
func (x *Sentence) asks(first, last int) bool {
	rest := x.Text[x.Words[last].End:]
	i := strings.IndexAny(rest, "?？؟")
	if i < 0 || strings.ContainsAny(rest[:i], ".!;\n/") || first > maxGoverning || strings.Count(rest[:i], " ") > maxGoverning || x.is(0, "did", "you", "know") {
		return false
	}
	quoted := strings.FieldsFunc("."+x.Text[x.Words[first].Start:x.Words[last].End], func(r rune) bool { return strings.ContainsRune(marks, r) })
	if after := strings.TrimLeft(rest[i:], "?？؟"); len(quoted)%2 == 0 && strings.IndexAny(after, marks) == 0 {
		return false // they quote the question: The question is “Why do prices rise?”
	}
	for k := range min(3, len(x.Words)) {
		switch x.Words[k].Lower {
		case "who", "whom", "whose", "what", "which", "when", "where", "why", "how":
			return false
		}
	}
	answer := strings.FieldsFunc(strings.ToLower(rest[i:]+x.Next), func(r rune) bool { return strings.ContainsRune("?？؟.,:;!*_ \n\"”", r) })
	for k := range min(3, len(answer)) { // "A: Yes", "Short answer: yes"
		switch answer[k] {
		case "yes", "yep", "correct", "true", "right", "indeed", "ja", "oui", "sí", "sì", "sim", "да":
			return false
		}
	}
	return true
}

// deniedNext reports whether the next sentence only says that this one is not true, as "This was
// never proven" does, and not "His grave was never found".
func (x *Sentence) deniedNext() bool {
	const maxWords = 5
	end := strings.IndexAny(x.Next, ".!?\n")
	if end < 0 {
		end = len(x.Next)
	}
	if strings.Count(x.Next[:end], " ") >= maxWords {
		return false
	}
	var next Sentence
	x.comparer.Parse(&next, x.Next[:end], x.comparer.lex.Tokens(nil, x.Next[:end]))
	n := len(next.Words)
	if n == 0 || !next.any(n-1, n, showing|doubting) || next.contains("need") || !next.takenBack(0, n) {
		return false
	}
	switch next.Words[0].Lower {
	case "this", "that":
		return true
	case "it", "they", "these", "those": // may be about a thing in this sentence
		return next.any(n-1, n, doubting) || next.contains("true") || next.contains("correct")
	case "the", "such":
		return slices.Contains([]string{"claim", "claims", "statement", "statements", "story", "stories", "rumor", "rumour", "report", "reports", "allegation"}, next.lower(1))
	}
	return n < 3
}

// isCondition reports whether a clause supposes what it says.
func (x *Sentence) isCondition(cl *Clause) bool {
	switch x.lower(cl.First) {
	case "if", "unless", "provided", "providing", "whether":
		return x.lower(cl.First-1) != "even"
	case "had", "should", "were": // "Had the pump failed, the town"
		return cl.First == 0 && !strings.Contains(x.Text, "?")
	}
	return x.is(cl.First, "in", "case")
}

// complementizer returns the word that makes a clause, whose first word with a counterpart
// is first, the object or subject of another one, or -1. A subject may stand between them.
func (x *Sentence) complementizer(first int) int {
	const maxBetween = 5
	content := 0
	for k := first - 1; k >= 0 && k >= first-maxBetween && content < 2; k-- {
		if k+1 < first && x.stopsAt(k+1) {
			return -1
		}
		if w := x.Words[k].Lower; isComplementizer(w) {
			for i := k - 1; i >= 0 && i >= k-maxBetween && !x.stopsAt(i+1); i-- {
				if v := x.Words[i].Lower; v == "so" || v == "such" || v == "now" || v == "given" {
					return -1 // a result or a reason, which are stated
				}
			}
			if n := x.lower(k + 1); isAuxiliary(n) || k+1 < first && x.isPredicate(k+1) {
				return -1 // a relative clause
			}
			return k
		}
		if x.Words[k].Content {
			content++
		}
	}
	return -1
}

func isComplementizer(w string) bool {
	return slices.Contains([]string{"that", "whether", "dass", "daß", "que", "che", "dat", "att", "что"}, w)
}

// any reports whether one of the words from first up to end has a trait in t.
func (x *Sentence) any(first, end int, t trait) bool {
	for i := first; i < end; i++ {
		if x.Words[i].traits&t != 0 {
			return true
		}
	}
	return false
}

// takenBack reports whether an odd number of words from first up to end deny or doubt:
// "it is a myth that", but not "it is not a myth that".
func (x *Sentence) takenBack(first, end int) bool { return x.takenBackBeyond(first, end, nil) }

// takenBackBeyond is takenBack for the words that other does not have.
func (x *Sentence) takenBackBeyond(first, end int, other *Sentence) bool {
	odd := false
	for i := first; i < end; i++ {
		w := &x.Words[i]
		switch {
		case other != nil && other.Has(w.Key):
		case w.Is(lexicon.Negation):
			switch x.lower(i + 1) {
			case "secret", "surprise", "surprising", "wonder", "coincidence":
				continue
			}
			odd = odd == x.isIdiom(i)
		case x.is(i, "far", "from"), (w.Lower == "wish" || w.Lower == "wished") && x.lower(i+1) != "to":
			odd = !odd
		case w.traits&(negative|doubting) != 0:
			odd = !odd
		}
	}
	return odd
}

// marks are quotation marks.
const marks = "\"“”„«»"
