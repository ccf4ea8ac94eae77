package entail

import (
	"strings"

	"github.com/ragfaith/ragfaith/internal/verdict/lexical/lexicon"
)

// Asserts reports whether the sentence states its bytes from start to end itself: they
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
	if _, ok := x.doubt(first, last); ok {
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
	for i := first - 1; i >= 0 && isClause && !x.stopsAt(i+1) && !strings.ContainsAny(x.Gap(i+1), "\"“„«"); i-- {
		if w := x.Words[i].Lower; isComplementizer(w) || isAuxiliary(w) || x.Words[i].Content && x.isPredicate(i) {
			return false
		}
	}
	return true
}

// unasserted finds a claim that the statement denies, asks, supposes or reports as a
// belief.
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
	for j := first + 1; j < last; j++ { // "the man pretended that he"
		if isComplementizer(s.Words[j].Lower) && a.From[j] < 0 && s.any(first, j, doubting) {
			first = j + 1
		}
	}
	if last < 0 || c.takenBackBeyond(0, len(c.Words), s) != s.takenBackBeyond(first, last+1, c) || c.qualifies() {
		return Finding{}, false // the claim denies or supposes it too
	}
	if y, ok := s.doubt(first, last); ok {
		return Finding{Kind: Assertion, Stated: y, Missing: true}, true
	}
	return Finding{}, false
}

// qualifies reports whether x supposes something, or says what somebody thinks.
func (x *Sentence) qualifies() bool {
	for i := range x.Clauses {
		if x.isCondition(&x.Clauses[i]) {
			return true
		}
	}
	return x.any(0, len(x.Words), thinking|doubting)
}

// doubt returns the words around words first to last by which the sentence, or the next
// one, does not state them.
func (x *Sentence) doubt(first, last int) (Phrase, bool) {
	whole := x.Span(0, len(x.Words)-1)
	if x.asks(first, last) || x.deniedNext() || x.isCounterfactual() || x.isAttributed(first, last) && x.isRejected(first, last) {
		return whole, true
	}
	if cl := &x.Clauses[x.Words[first].Clause]; x.isCondition(cl) && first <= cl.First+maxGoverning && last < x.phraseEnd(cl.First) {
		return x.Span(cl.First, last), true
	}
	from := first // start of the words that govern the first one
	for from > 0 && !x.stopsAt(from) {
		from--
	}
	if from > 0 { // "Myth: X", "Supposedly, X"
		label := from - 1
		for label > 0 && !x.stopsAt(label) {
			label--
		}
		if isLabel := from-label < 3 || strings.Contains(x.Gap(from), ":"); isLabel && x.any(label, from, doubting|negative) && x.takenBack(label, from) {
			return x.Span(label, last), true
		}
	}
	end := len(x.Words)
	k := x.complementizer(first)
	switch {
	case k < 0:
		if from = max(from, first-maxGoverning); x.takenBack(from, first) && x.any(from, first, saying|thinking|showing|doubting) {
			return x.Span(from, last), true
		}
		return whole, x.rejects(last + 1)
	case x.Words[k].Lower == "whether":
		return x.Span(from, last), true
	}
	if k == 0 && !(last+1 < end && (x.foreign || isAuxiliary(x.lower(last+1)))) {
		return Phrase{}, false // "That wall is"
	}
	if from = min(from, k); from == k { // "stimmt nicht, dass"
		for from = max(0, k-1); from > 0 && !x.stopsAt(from); from-- {
		}
	}
	if x.takenBack(from, first) != (last+1 < end && (k == 0 && x.foreign || isAuxiliary(x.lower(last+1))) && x.takenBack(last+1, end)) {
		return x.Span(from, last), true
	}
	if w := x.lower(k - 1); w == "and" || w == "but" || w == "or" {
		from = 0
	}
	if !x.foreign && !x.any(from, first, saying|showing|doubting|negative) {
		return x.Span(from, last), true
	}
	return Phrase{}, false
}

// isAttributed reports whether words first to last are another's: quoted, after a label, a
// mark or an introduction, or reported.
func (x *Sentence) isAttributed(first, last int) bool {
	const marks = "\"“”„«»[]:❌✗✘❎🚫"
	before, after := x.Text[:x.Words[first].Start], x.Text[x.Words[last].End:]
	return strings.ContainsAny(before, marks) || strings.HasSuffix(strings.TrimSpace(before), ",") || strings.ContainsAny(after, marks[:strings.Index(marks, "[")]) ||
		x.any(0, first, saying|thinking|doubting) || x.any(last+1, len(x.Words), saying|thinking) || x.foreign && x.complementizer(first) >= 0
}

// isRejected reports whether the words around words first to last, or the next sentence,
// reject what they say.
func (x *Sentence) isRejected(first, last int) bool {
	const crosses = "❌✗✘❎🚫"
	if strings.ContainsAny(x.Text[:x.Words[first].Start], crosses) {
		return true
	}
	next := x.next()
	for _, part := range [...]struct {
		x          *Sentence
		first, end int
	}{{x, 0, first}, {x, last + 1, len(x.Words)}, {next, 0, len(next.Words)}} {
		for i := part.first; i < part.end; i++ {
			if part.x.is(i, "in", "fact") || part.x.is(i, "in", "reality") || (part.end == first || part.x.endsAfter(i)) && part.x.Words[i].traits&doubting != 0 && part.x.takenBack(max(part.first, i-2), i+1) {
				return true
			}
		}
	}
	return false
}

// endsAfter reports whether nothing of its own follows word i in its phrase: "was a mistake",
// "disproved the claim".
func (x *Sentence) endsAfter(i int) bool {
	for i++; i < len(x.Words) && !x.stopsAt(i); i++ {
		if w := &x.Words[i]; w.Content && w.traits&(saying|doubting|linking|light) == 0 {
			return false
		}
	}
	return true
}

// next returns the next sentence.
func (x *Sentence) next() *Sentence {
	var next Sentence
	x.comparer.Parse(&next, x.nextText())
	return &next
}

func (x *Sentence) nextText() string {
	if end := strings.IndexAny(x.Next, ".!?\n"); end >= 0 {
		return x.Next[:end]
	}
	return x.Next
}

// isCounterfactual reports whether the sentence says what would be in a case that an
// inverted clause supposes: "Had it rained, it would have".
func (x *Sentence) isCounterfactual() bool {
	switch x.lower(0) {
	case "had", "should", "were":
	default:
		return false
	}
	if strings.Contains(x.Text, "?") {
		return false
	}
	for i := 1; i < len(x.Words); i++ {
		switch x.Words[i].Lower {
		case "would", "could", "might", "will":
			return true
		}
	}
	return false
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

// deniedNext reports whether the next sentence only says that this one is not true.
func (x *Sentence) deniedNext() bool {
	if x.Next == "" {
		return false
	}
	const maxWords = 8
	if strings.Count(x.nextText(), " ") >= maxWords { // much faster than parsing it
		return false
	}
	next := x.next()
	if n := len(next.Words); n == 0 || n > maxWords {
		return false
	}
	switch next.Words[0].Lower {
	case "this", "that", "it", "these", "das", "dies", "eso", "esto", "ce", "cela", "c'est", "questo":
	default:
		if next.Words[0].traits&(negative|doubting) == 0 {
			return false
		}
	}
	for i := range next.Words {
		if w := &next.Words[i]; w.Content && w.traits&(negative|negating|doubting|showing|saying|thinking|linking|light) == 0 {
			return false
		}
	}
	return next.takenBack(0, len(next.Words))
}

// isCondition reports whether a clause supposes what it says.
func (x *Sentence) isCondition(cl *Clause) bool {
	switch x.lower(cl.First) {
	case "if", "unless", "provided", "providing", "whether":
		return x.lower(cl.First-1) != "even"
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
			for i := k - 1; i >= 0 && i >= k-maxBetween; i-- {
				if v := x.Words[i].Lower; v == "so" || v == "such" || v == "now" || v == "given" {
					return -1 // a result or a reason, which are stated
				}
			}
			if n := x.lower(k + 1); !x.foreign && (isAuxiliary(n) || k+1 < first && x.isPredicate(k+1)) {
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
	switch w {
	case "that", "whether", "dass", "daß", "que", "che", "dat", "att", "что":
		return true
	}
	return false
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
		case other != nil && other.has(w.Key):
		case x.is(i, "far", "from"):
			odd = !odd
		case w.Is(lexicon.Negation):
			switch x.lower(i + 1) {
			case "secret", "surprise", "surprising", "wonder", "coincidence":
				continue
			}
			odd = odd == x.isIdiom(i)
		case w.traits&(negative|doubting) != 0, x.foreign && w.traits&negating != 0:
			odd = !odd
		}
	}
	return odd
}

// rejects reports whether the words from word i on say that those before it are not true,
// as in "“X” is false" and "X, which is a myth".
func (x *Sentence) rejects(i int) bool {
	const maxWords = 6
	if i >= len(x.Words) || !strings.ContainsAny(x.Gap(i), "”\"»,—–(") {
		return false
	}
	end := min(len(x.Words), i+maxWords)
	for k := i + 1; k < end; k++ {
		if x.stopsAt(k) {
			end = k
		}
	}
	if x.lower(i) == "but" {
		i++
	}
	w := x.lower(i)
	return (isAuxiliary(w) || w == "which" || w == "a" || w == "this" || w == "that" || w == "it") && x.any(i, end, doubting) && x.takenBack(i, end)
}
