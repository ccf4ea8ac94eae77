package entail

import (
	"github.com/ragfaith/ragfaith/internal/extract/english"
	"github.com/ragfaith/ragfaith/internal/verdict/lexical/lexicon"
)

// minWithoutName is the share of a claim, without a name, that a statement must cover for a
// pronoun of the statement to stand for the name.
const minWithoutName = 0.8

// A Reference is a name in a claim where the statement has a pronoun.
type Reference struct{ Name, Pronoun Phrase }

// References returns the names of the claim for which the statement has a pronoun and no
// name, if the statement covers the rest of the claim.
func (a *Alignment) References() []Reference {
	c := a.Claim
	var refs []Reference
	var words []int
	for i := 0; i < len(c.Words); i++ {
		if !c.isOfName(i) && !c.mayStartName(i) {
			continue
		}
		first, known := i, a.To[i] >= 0
		for i+1 < len(c.Words) && c.isOfName(i+1) && c.Gap(i+1) == " " {
			i++
			known = known || a.To[i] >= 0
		}
		if w := c.lower(first - 1); known || w == "the" || w == "a" || w == "an" { // the Frenchman
			continue
		}
		if p := a.pronounFor(first, i); p >= 0 {
			refs = append(refs, Reference{c.Span(first, i), a.Stated.Span(p, p)})
			for ; first <= i; first++ {
				words = append(words, first)
			}
		}
	}
	if a.coverageWithout(words) < minWithoutName {
		return nil
	}
	return refs
}

// pronounFor returns the index of the pronoun that the statement uses where the claim has
// words first to last, or -1.
func (a *Alignment) pronounFor(first, last int) int {
	for p := range a.Stated.Words {
		if a.Stated.isPronoun(p) && a.replaces(first, last, p) {
			return p
		}
	}
	return -1
}

// replaces reports whether words first to last of the claim and word p of the statement
// have the same position: before the same word, or after the same preposition.
func (a *Alignment) replaces(first, last, p int) bool {
	c, s := a.Claim, a.Stated
	if w := c.lower(first - 1); w != "" && w == s.lower(p-1) && english.IsPreposition(w) {
		return true
	}
	i, j := c.neighbour(last, 1), s.neighbour(p, 1)
	return i >= 0 && j >= 0 && a.To[i] == j && (c.Words[last].traits&possessive != 0) == s.isPossessive(p)
}

// isOfName reports whether word i is part of a name of a person, an organization or a place.
func (x *Sentence) isOfName(i int) bool {
	return x.isName(i) && x.Words[i].Content && x.Words[i].Class&(lexicon.Number|lexicon.Numeral|lexicon.Month) == 0
}

// mayStartName reports whether the sentence starts with a capitalized content word at i.
func (x *Sentence) mayStartName(i int) bool {
	w := &x.Words[i]
	return w.Is(lexicon.Capital|lexicon.Initial) && w.Content && !x.isNumber(i)
}

// startsWithName reports whether x starts with a name, of which word i is the first.
func (c *Comparer) startsWithName(x *Sentence, i int) bool {
	w := &x.Words[i]
	return x.mayStartName(i) && (!c.lex.Known(w.Key) || i+1 < len(x.Words) && x.Gap(i+1) == " " && x.isOfName(i+1))
}

// isPronoun reports whether word i is a pronoun that stands for a person.
func (x *Sentence) isPronoun(i int) bool {
	switch x.Words[i].Lower {
	case "he", "she", "him", "her", "his":
		return true
	}
	return false
}

// isPossessive reports whether the pronoun at word i is possessive.
func (x *Sentence) isPossessive(i int) bool {
	return x.Words[i].Lower == "his" || x.Words[i].Lower == "her"
}

// Keys returns the keys of the words of p.
func (p Phrase) Keys() []uint64 {
	var ks []uint64
	for i := p.first; i < p.end; i++ {
		ks = append(ks, p.of.Words[i].Key)
	}
	return ks
}

// Names reports whether x contains one of the words, and whether it contains a name.
func (c *Comparer) Names(x *Sentence, keys []uint64) (found, other bool) {
	for i := range x.Words {
		w := &x.Words[i]
		other = other || x.isOfName(i) || c.startsWithName(x, i)
		for _, k := range keys {
			found = found || w.Key == k
		}
	}
	return found, other
}
