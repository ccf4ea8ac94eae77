package entail

import "github.com/ragfaith/ragfaith/internal/lexicon"

// A Kind is a kind of difference between a claim and a statement.
type Kind uint8

// The kinds of differences.
const (
	Polarity  Kind = iota // one of them is negated
	Antonym               // one of them has the opposite word
	Assertion             // denied, asked or supposed
)

// A Finding is a reason why a statement does not entail a claim.
type Finding struct {
	Kind            Kind
	Stated, Claimed Phrase // words of the statement and of the claim
	Denies          bool   // one of them denies what the other states
}

// An Alignment maps the words of a claim to those of a statement.
type Alignment struct {
	Claim, Stated *Sentence
	// To holds for each word of the claim the index of its counterpart in the statement,
	// or -1. How is the relation.
	To  []int
	How []Relation
	// From holds for each word of the statement the index of a claim word aligned with it, or -1.
	From []int
	// Weight of the content words of the claim by inverse document frequency, and of
	// those with a counterpart that is not an opposite.
	Total, Covered float64
}

// Coverage returns the share of the claim's weight that has a counterpart.
func (a *Alignment) Coverage() float64 {
	if a.Total == 0 {
		return 0
	}
	return a.Covered / a.Total
}

// SameNegations reports whether the claim and the statement have the same number of negations.
func (a *Alignment) SameNegations() bool { return len(a.Claim.cues()) == len(a.Stated.cues()) }

// Align aligns claim with stated, reusing the memory of a.
func (a *Alignment) Align(claim, stated *Sentence) {
	a.Claim, a.Stated, a.Total, a.Covered = claim, stated, 0, 0
	claim.relate()
	a.To, a.How, a.From = resize(a.To, len(claim.Words), -1), resize(a.How, len(claim.Words), Unrelated), resize(a.From, len(stated.Words), -1)
	last := -1
	for i := range claim.Words {
		w := &claim.Words[i]
		if !w.Content {
			continue
		}
		a.Total += w.weight
		relatives := claim.relatives[w.relatives[0]:w.relatives[1]]
		best, how, rank := -1, Unrelated, 0
		for j := range stated.Words {
			v := &stated.Words[j]
			if !v.Content {
				continue
			}
			r := Same
			if v.Key != w.Key {
				if r = relation(w, v, relatives); r == Unrelated {
					continue
				}
			}
			n := int(Opposite+1-r) * rankStep
			if a.From[j] >= 0 {
				n -= rankStep / 2
			}
			if last >= 0 { // the nearest to the previous counterpart
				n -= min(rankStep/2-1, abs(j-last-1))
			}
			if n > rank {
				best, how, rank = j, r, n
			}
			if n == maxRank {
				break
			}
		}
		if best < 0 {
			if w.traits&negative != 0 || claim.affirmsClause(i) {
				a.Total -= w.weight // compared by polarity
			}
			continue
		}
		a.To[i], a.How[i] = best, how
		if a.From[best] < 0 {
			a.From[best] = i
		}
		last = best
		if how == Opposite {
			a.Total -= w.weight
		} else {
			a.Covered += w.weight
		}
	}
}

// rankStep is the difference in rank between two relations, and maxRank the rank of the same word
// in the best place.
const (
	rankStep = 1000
	maxRank  = int(Opposite+1-Same) * rankStep
)

func resize[T any](s []T, n int, v T) []T {
	s = s[:0]
	for range n {
		s = append(s, v)
	}
	return s
}

// relate finds the weights and the relatives of the words of x. If several relatives of a word
// have the same key, the first one counts.
func (x *Sentence) relate() {
	if x.related {
		return
	}
	x.related, x.relatives = true, x.relatives[:0]
	for i := range x.Words {
		w := &x.Words[i]
		if !w.Content {
			continue
		}
		w.weight, w.relatives[0] = x.comparer.lex.IDF(w.Key), len(x.relatives)
		x.relatives = append(x.relatives, x.comparer.relatives[w.Key]...)
		x.comparer.lex.Related(w.Key, func(k uint64, r lexicon.Relation) {
			how := Synonym
			if r == lexicon.Antonym {
				how = Opposite
			}
			x.relatives = append(x.relatives, relative{k, how})
		})
		w.relatives[1] = len(x.relatives)
	}
}

// relation returns the relation between two content words with different keys. relatives are those
// of a.
func relation(a, b *Word, relatives []relative) Relation {
	const numeric = lexicon.Number | lexicon.Numeral | lexicon.Month
	if (a.Class|b.Class)&numeric != 0 {
		return Unrelated
	}
	for _, r := range relatives {
		if r.key == b.Key {
			return r.relation
		}
	}
	if a.Lower[0] == b.Lower[0] && sameRoot(a.Lower, b.Lower) {
		return Derived
	}
	return Unrelated
}

// sameRoot reports whether two words share a root of at least five letters, and differ
// only in their endings.
func sameRoot(a, b string) bool {
	n := 0
	for n < len(a) && n < len(b) && a[n] == b[n] {
		n++
	}
	const minRoot, maxEnding = 5, 5
	return n >= minRoot && len(a)-n <= maxEnding && len(b)-n <= maxEnding && (n >= len(a)-3 || n >= len(b)-3)
}

func abs(n int) int { return max(n, -n) }
