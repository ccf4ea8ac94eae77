package entail

import (
	"slices"
	"strings"

	"github.com/ragfaith/ragfaith/internal/verdict/lexical/lexicon"
)

// minWithoutSubject is the share of a claim, without its subject, that a statement about
// another subject must cover to contradict it.
const minWithoutSubject = 0.8

// subjects finds a predicate whose subject is another name in the claim than in the
// statement: "Moss thinks that the fair helped" for "Ada Lund thinks that the fair helped".
func (a *Alignment) subjects() (Finding, bool) {
	if a.Stated.elliptic() {
		return Finding{}, false
	}
	c, s := a.Claim.parse(), a.Stated.parse()
	for i := range c.frames {
		f := &c.frames[i]
		if f.word < 0 || !c.isNamed(f) || !a.Claim.Words[f.word].Content || a.isMutual(f.word) || a.coverageWithout(f.subject) < minWithoutSubject {
			continue
		}
		for k := range s.frames {
			g := &s.frames[k]
			if g.word < 0 || !s.isNamed(g) || !a.samePredicate(f.word, g.word) {
				continue
			}
			if a.repeats(f.subject, s.apposed(g)) || a.namedBefore(f.subject, g.word) {
				return Finding{}, false
			}
			kind := Name
			if slices.ContainsFunc(f.subject, func(w int) bool { return a.Stated.has(a.Claim.Words[w].Key) && a.Claim.Words[w].Content }) {
				kind = Roles
			}
			return Finding{Kind: kind, Stated: a.Stated.phrase(g), Claimed: a.Claim.phrase(f)}, true
		}
	}
	return Finding{}, false
}

// renames reports whether both the claim and the statement have a capitalized word without
// a counterpart.
func (a *Alignment) renames() bool {
	return hasOwnName(a.Claim, a.To) && hasOwnName(a.Stated, a.From)
}

func hasOwnName(x *Sentence, aligned []int) bool {
	for i := range x.Words {
		if w := &x.Words[i]; aligned[i] < 0 && w.Content && w.Is(lexicon.Capital) {
			return true
		}
	}
	return false
}

// isNamed reports whether the subject of f is a name, as in "Lund" or "the baker Ada Lund".
func (g *structure) isNamed(f *frame) bool {
	if f.subj < 0 {
		return false
	}
	k := f.subj
	return g.tokens[k].Tag == "PROPN" || k+1 < len(g.tokens) && g.tokens[k+1].Tag == "PROPN" && g.tokens[k+1].Head == k
}

// samePredicate reports whether word i of the claim means the same as word j of the
// statement, or both introduce what somebody says or thinks.
func (a *Alignment) samePredicate(i, j int) bool {
	const reporting = saying | thinking
	return a.To[i] == j && a.How[i] != Opposite || a.Claim.Words[i].traits&reporting != 0 && a.Stated.Words[j].traits&reporting != 0
}

// apposed returns the words of the subject of f with its appositions and coordinated
// names.
func (g *structure) apposed(f *frame) []int {
	words := slices.Clone(f.subject)
	for _, k := range g.children[f.subj] {
		if r := g.tokens[k].Relation; r == "appos" || r == "flat" || r == "conj" || r == "parataxis" || strings.HasPrefix(r, "acl") {
			words = g.subtree(words, k, maxDepth)
		}
	}
	return words
}

// repeats reports whether a content word of the claim is one of the words of the
// statement.
func (a *Alignment) repeats(claimed, stated []int) bool {
	return slices.ContainsFunc(claimed, func(i int) bool {
		w := &a.Claim.Words[i]
		return w.Content && slices.ContainsFunc(stated, func(j int) bool { return a.Stated.Words[j].Key == w.Key })
	})
}

// namedBefore reports whether a word of the claim precedes word p of the statement.
func (a *Alignment) namedBefore(name []int, p int) bool {
	return slices.ContainsFunc(a.Stated.Words[:p], func(v Word) bool {
		return slices.ContainsFunc(name, func(i int) bool { return a.Claim.Words[i].Content && a.Claim.Words[i].Key == v.Key })
	})
}

// coverageWithout returns the coverage of the claim without some of its words.
func (a *Alignment) coverageWithout(words []int) float64 {
	total, covered := a.Total, a.Covered
	for _, i := range words {
		if w := &a.Claim.Words[i]; w.Content {
			weight := a.c.lex.IDF(w.Key)
			total -= weight
			if a.To[i] >= 0 {
				covered -= weight
			}
		}
	}
	if total <= 0 {
		return 0
	}
	return covered / total
}
