package entail

import (
	"strings"

	"github.com/ragfaith/ragfaith/internal/extract/english"
	"github.com/ragfaith/ragfaith/internal/verdict/lexical/lexicon"
)

// polarity finds a negation or an opposite that only one of the sentences has.
func (a *Alignment) polarity() (Finding, bool) {
	c, s := a.Claim, a.Stated
	if s.elliptic() || a.restated() || a.limited() {
		return Finding{}, false
	}
	for _, q := range s.cues() {
		if a.From[q.at] >= 0 {
			continue // the claim has it too, or an opposite
		}
		j := q.target
		if j < 0 || a.From[j] < 0 || 2*a.alignedIn(s, q, a.From) < a.alignedIn(s, cue{end: -1}, a.From) {
			continue
		}
		i := a.From[j]
		if a.How[i] == Opposite || c.negated(i) || !a.sameContext(i, j) && !s.answers(q.at) || s.affirms(j) || s.isSupposed(q.at) && !c.isSupposed(i) {
			continue
		}
		return Finding{Kind: Polarity, Stated: s.between(q.at, j), Claimed: c.Span(i, i), Denies: s.isExplicit(q)}, true
	}
	for _, q := range c.cues() {
		if a.To[q.at] >= 0 {
			continue
		}
		i := q.target
		if i < 0 || a.To[i] < 0 {
			continue
		}
		j := a.To[i]
		if a.How[i] == Opposite || s.negated(j) || a.Covered < a.Total && !a.sameContext(i, j) || c.affirms(i) {
			continue
		}
		return Finding{Kind: Polarity, Stated: s.Span(j, j), Claimed: c.between(q.at, i), Denies: c.isExplicit(q)}, true
	}
	for i, how := range a.How {
		if how != Opposite {
			continue
		}
		j := a.To[i]
		if c.negated(i) != s.negated(j) || !a.sameContext(i, j) || a.From[j] != i || c.compares(i) && s.compares(j) || c.has(s.Words[j].Key) || c.isName(i) || s.isName(j) {
			continue
		}
		return Finding{Kind: Antonym, Stated: s.Span(j, j), Claimed: c.Span(i, i), Denies: true}, true
	}
	return Finding{}, false
}

// isExplicit reports whether q is a negation or a predicate, unlike the "failure" in "a
// failure of the pump".
func (x *Sentence) isExplicit(q cue) bool {
	return x.Words[q.at].Is(lexicon.Negation) || x.isPredicate(q.at)
}

// isSupposed reports whether word i is in a clause that supposes something without stating
// it: "if the food does not arrive".
func (x *Sentence) isSupposed(i int) bool {
	cl := x.Clauses[x.Words[i].Clause]
	return cl.Kind == Condition && (x.lower(cl.First) == "if" || x.lower(cl.First) == "whether")
}

// alignedIn returns the number of aligned words in the clause of q and in its scope, or in
// all of x if q ends at -1.
func (a *Alignment) alignedIn(x *Sentence, q cue, aligned []int) int {
	n := 0
	for i := range x.Words {
		if x.Words[i].Content && aligned[i] >= 0 && (q.end < 0 || x.Words[i].Clause == x.Words[q.at].Clause || i > q.at && i < q.end) {
			n++
		}
	}
	return n
}

// compares reports whether word i is a comparative before "than".
func (x *Sentence) compares(i int) bool {
	return x.lower(i+1) == "than" || x.lower(i+2) == "than" || x.lower(i+3) == "than"
}

// affirms reports whether x contains the word at i elsewhere without a negation.
func (x *Sentence) affirms(i int) bool {
	for k := range x.Words {
		if k != i && x.Words[k].Key == x.Words[i].Key && !x.negated(k) {
			return true
		}
	}
	return false
}

// restated reports whether a negation of the claim and one of the statement concern the
// same words.
func (a *Alignment) restated() bool {
	c, s := a.Claim, a.Stated
	for _, p := range c.cues() {
		for _, q := range s.cues() {
			for i := p.at + 1; i < p.end; i++ {
				if j := a.To[i]; j > q.at && j < q.end || j >= 0 && q.target == j {
					return true
				}
			}
		}
	}
	return false
}

// limited reports whether an exception in one sentence is a restriction in the other: "not
// admitted unless", "admitted only with".
func (a *Alignment) limited() bool {
	c, s := a.Claim, a.Stated
	return c.seen&restrictive != 0 && s.excepts() || s.seen&restrictive != 0 && c.excepts()
}

// excepts reports whether x contains an exception or a condition after a negation.
func (x *Sentence) excepts() bool {
	for i := range x.Words {
		switch x.Words[i].Lower {
		case "unless", "except", "until", "without":
			return true
		}
	}
	return false
}

// between returns the words from word i to word j, in the order of the sentence.
func (x *Sentence) between(i, j int) Phrase { return x.Span(min(i, j), max(i, j)) }

// isName reports whether word i is capitalized and does not start a sentence.
func (x *Sentence) isName(i int) bool {
	return x.Words[i].Is(lexicon.Capital) && !x.Words[i].Is(lexicon.Initial)
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

// has reports whether x contains the word with key k.
func (x *Sentence) has(k uint64) bool {
	for i := range x.Words {
		if x.Words[i].Key == k {
			return true
		}
	}
	return false
}

// sameContext reports whether a word near word i of the claim is aligned with one near
// word j of the statement, so that both are said of the same thing.
func (a *Alignment) sameContext(i, j int) bool {
	const near = 5
	for k := max(0, i-near); k <= min(len(a.To)-1, i+near); k++ {
		if k == i || a.To[k] < 0 || a.How[k] == Opposite || a.To[k] == j {
			continue
		}
		if d := a.To[k] - j; d >= -near && d <= near {
			return true
		}
	}
	return false
}
