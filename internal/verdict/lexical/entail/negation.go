package entail

import (
	"strings"

	"github.com/ragfaith/ragfaith/internal/extract/english"
	"github.com/ragfaith/ragfaith/internal/lexicon"
)

// Negations returns the index of the last negation of x, or -1, and their number. Their scope is
// ambiguous if x has a condition or a word such as "avoid".
func (x *Sentence) Negations() (last, n int, ambiguous bool) {
	last = -1
	for i := range x.Words {
		w := &x.Words[i]
		ambiguous = ambiguous || w.Is(lexicon.Polarity)
		if w.Is(lexicon.Negation) && !x.isIdiom(i) {
			last = i
			n++
		}
	}
	return last, n, ambiguous
}

// cues returns the negations of x.
func (x *Sentence) cues() []cue {
	if x.cuesRead {
		return x.cueList
	}
	x.cuesRead, x.cueList = true, x.cueList[:0]
	for i := range x.Words {
		if !x.negates(i) {
			continue
		}
		q := cue{at: i, end: x.Clauses[x.Words[i].Clause].End, target: -1}
		for n := x.Words[i].Clause + 1; n < len(x.Clauses) && x.Clauses[n].Kind == Reported; n++ {
			q.end = x.Clauses[n].End // "denied that"
		}
		q.target = x.target(q)
		x.cueList = append(x.cueList, q)
	}
	return x.cueList
}

// negates reports whether word i reverses the polarity of others.
func (x *Sentence) negates(i int) bool {
	w := &x.Words[i]
	switch {
	case i > 0 && i+1 < len(x.Words) && x.Gap(i+1) == "-":
		return w.Lower == "non" // not "no-go"
	case w.Is(lexicon.Negation):
		return !x.isIdiom(i)
	case x.isName(i):
		return false
	case w.Lower == "rather", w.Lower == "other":
		return x.lower(i+1) == "than"
	case w.Lower == "anything":
		return x.lower(i+1) == "but"
	case w.Lower == "far":
		return x.lower(i+1) == "from"
	case w.Lower == "instead":
		return x.lower(i+1) == "of"
	case w.Lower == "keep" || w.Lower == "keeps" || w.Lower == "kept" || w.Lower == "keeping":
		return x.keptFrom(i) > 0
	case w.Lower == "stop":
		return strings.HasSuffix(x.lower(i+1), "ing")
	case w.traits&negative != 0 && x.lower(i+1) == "by": // stopped by a place; banned by somebody
		return i > 0 && isAuxiliary(x.lower(i-1))
	case w.Lower == "few":
		return x.lower(i-1) != "a"
	case w.Lower == "free":
		return x.lower(i+1) == "of"
	case w.Lower == "little":
		return true
	case w.Lower == "false", w.Lower == "untrue", w.Lower == "wrong", w.Lower == "incorrect":
		return x.lower(i+1) == "that"
	}
	return w.traits&negative != 0
}

// keptFrom returns the verb after "from" that the "keep" at word i denies, as in "keep the
// soap from foaming", or 0.
func (x *Sentence) keptFrom(i int) int {
	const maxDistance = 6
	for k := i + 1; k+1 < len(x.Words) && k <= i+maxDistance && !x.stopsAt(k); k++ {
		if x.Words[k].Lower == "from" && strings.HasSuffix(x.lower(k+1), "ing") {
			return k + 1
		}
	}
	return 0
}

// isIdiom reports whether the negation at word i negates nothing: "No, ...", "not only",
// "no later than".
func (x *Sentence) isIdiom(i int) bool {
	if i == 0 && len(x.Words) > 1 && strings.ContainsAny(x.Gap(1), ",.!;:") {
		return true
	}
	switch x.lower(i + 1) {
	case "only", "just", "merely", "necessarily", "least", "matter", "short", "else":
		return true
	case "more", "less", "fewer", "later", "earlier", "longer", "higher", "lower", "other":
		return x.lower(i+2) == "than"
	}
	for k := i + 1; k+1 < len(x.Words) && k <= i+6; k++ { // "do not take more than 6" is a bound
		if w := x.Words[k].Lower; (w == "than" || w == "exceed" || w == "exceeds" || w == "exceeding") && x.isNumeric(k+1) {
			return true
		}
	}
	return x.lower(i-1) == "or" && (x.lower(i-2) == "whether" || i+1 == len(x.Words))
}

func (x *Sentence) isNumber(i int) bool {
	return x.Words[i].Class&(lexicon.Number|lexicon.Numeral|lexicon.Month|lexicon.Ordinal) != 0
}

// isPredicate reports whether word i may be a verb or an adjective.
func (x *Sentence) isPredicate(i int) bool {
	w := x.Words[i].Lower
	if english.IsDeterminer(x.lower(i - 1)) {
		return false
	}
	return !x.isName(i) && !x.isNumber(i) && (english.IsVerb(w, english.BaseForm|english.ThirdPerson|english.PastForm|english.ParticipleForm) ||
		strings.HasSuffix(w, "ed") || strings.HasSuffix(w, "able") || strings.HasSuffix(w, "ible"))
}

// target returns the content word that a cue negates: the first one after it, or for
// "nothing" and "nobody" the one before it. It returns -1 if there is none within a few
// words, as in "staff do not".
func (x *Sentence) target(q cue) int {
	const maxDistance = 4
	switch x.Words[q.at].Lower {
	case "keep", "keeps", "kept", "keeping":
		return x.keptFrom(q.at)
	case "nothing", "nobody", "none", "no":
		if x.Words[q.at].Lower == "no" && !x.answers(q.at) {
			break
		}
		for i := q.at - 1; i >= 0 && i >= q.at-maxDistance; i-- {
			if x.Words[i].Content {
				return i
			}
		}
	}
	first := q.at + 1
	switch x.lower(first) {
	case "circumstances", "account", "means", "way", "time", "case", "event":
		if x.Words[q.at].Lower == "no" { // under no circumstances
			first++
		}
	}
	for i := first; i < q.end && i <= q.at+maxDistance; i++ {
		if x.affirmsClause(i) {
			first = i + 2
		}
	}
	for i := first; i < q.end && i < first+maxDistance; i++ {
		if x.Words[i].Content && x.Words[i].Lower != "longer" {
			return i
		}
	}
	return -1
}

// affirmsClause reports whether word i affirms the clause after it: "it is true that".
func (x *Sentence) affirmsClause(i int) bool {
	switch x.Words[i].Lower {
	case "true", "correct", "right", "accurate", "case":
		return x.lower(i+1) == "that"
	}
	return false
}

// negated reports whether a cue other than word i, in its clause or with a scope that
// contains it, may negate it.
func (x *Sentence) negated(i int) bool {
	for _, q := range x.cues() {
		if q.at != i && (i > q.at && i < q.end || x.Words[q.at].Clause == x.Words[i].Clause && x.Words[q.at].Lower != "without") {
			return true
		}
	}
	n := x.Words[i].Clause
	return n+1 < len(x.Clauses) && x.Clauses[n+1].Kind == Exception || x.Clauses[n].Kind == Exception
}

// elliptic reports whether a clause of x ends with a negated auxiliary that stands for a
// verb phrase elsewhere: "Staff take a test; guests do not."
func (x *Sentence) elliptic() bool {
	for _, q := range x.cues() {
		if q.target < 0 && x.Words[q.at].traits&negative == 0 && q.at > 0 && isAuxiliary(x.lower(q.at-1)) || strings.HasSuffix(x.Words[q.at].Lower, "n't") && q.at+1 == x.Clauses[x.Words[q.at].Clause].End {
			return true
		}
	}
	return false
}
