package lexical

import (
	"slices"
	"strings"

	"github.com/ragfaith/ragfaith/internal/extract/english"
	"github.com/ragfaith/ragfaith/internal/verdict/lexical/entail"
	"github.com/ragfaith/ragfaith/internal/verdict/lexical/lexicon"
)

// checkNames returns an objection if a sentence of the contexts says everything in the claim about
// another name, and the sentences with the claim's name say less of it.
func (j *Judge) checkNames(s *scratch, c *claim, contexts []string) objection {
	if len(c.candidates) < 2 {
		return objection{}
	}
	s.parseClaim(j, c)
	for i := range s.claimed.Words {
		if !isNameLike(&s.claimed.Words[i]) || i > 0 && s.claimed.Words[i-1].Lower == "the" {
			continue
		}
		name := s.claimed.Span(i, i)
		if at, other := j.otherName(s, c, contexts, i); at.end > 0 {
			return objection{reason: otherWords(other, name.Text()), stated: other, basis: basisWords, at: at}
		}
	}
	return objection{}
}

// otherName returns the candidate that has all words of the claim except the name at word x, and
// the name that it has instead. Both must have the same number of negations.
func (j *Judge) otherName(s *scratch, c *claim, contexts []string, x int) (at quote, other string) {
	atWords, namedWords := 0, -1 // claim words in at, and the most in a candidate with the name
	start, end := int(s.claimed.Words[x].Start), int(s.claimed.Words[x].End)
	for _, q := range c.candidates {
		if isTabular(q.text(contexts)) {
			continue
		}
		a := s.align(j, contexts, q)
		n, all := a.wordsBesides(start, end)
		switch y := a.nameInstead(x); {
		case a.Stated.HasPronoun(a.Claim):
			return quote{}, ""
		case a.To[x] >= 0 && (a.Stated.IsElliptic() || nextContent(a.Stated.Words, a.To[x], 1) < 0 && nextContent(a.Stated.Words, a.To[x], -1) < 0):
			return quote{}, "" // "Dogs are not.", "Smoking: no."
		case a.To[x] >= 0:
			namedWords = max(namedWords, n)
		case all && y >= 0 && at.end == 0 && a.SameNegations():
			at, other, atWords = q, a.Stated.Span(y, y).Text(), n
		}
	}
	if namedWords < 0 || namedWords >= atWords {
		return quote{}, ""
	}
	return at, other
}

// nameInstead returns the index of another name that the statement has next to the same word as
// the claim has word x, or -1. Names with the same first letters may be the same.
func (a *aligned) nameInstead(x int) int {
	const prefix = 3
	words, name := a.Stated.Words, a.Claim.Words[x].Lower
	for y := range words {
		w := &words[y]
		if !isNameLike(w) || a.From[y] >= 0 || strings.HasSuffix(w.Lower, "'s") || w.Lower[:min(prefix, len(w.Lower))] == name[:min(prefix, len(name))] {
			continue
		}
		for _, step := range [...]int{1, -1} {
			if i, k := nextContent(a.Claim.Words, x, step), nextContent(words, y, step); i >= 0 && k >= 0 && a.To[i] == k {
				return y
			}
		}
	}
	return -1
}

// nextContent returns the index of the content word after word i, or before it if step is -1. It
// returns -1 if there is none.
func nextContent(words []entail.Word, i, step int) int {
	for i += step; i >= 0 && i < len(words); i += step {
		if words[i].Content {
			return i
		}
	}
	return -1
}

// isNameLike reports whether w is a capitalized content word other than a number, a month and "please".
func isNameLike(w *entail.Word) bool {
	return w.Content && w.Lower != "please" && w.Is(lexicon.Capital) && w.Class&(lexicon.Number|lexicon.Numeral|lexicon.Month) == 0
}

// checkAbsentName returns an objection to the first name in c that no context contains. It ignores
// acronyms, which may be spelled out, words in brackets, and a name next to one that a
// context contains, which may be a first name.
func (s *scratch) checkAbsentName(c *claim, contexts []string) objection {
	for i := c.terms[0]; i < c.terms[1]; i++ {
		t := &s.terms[i]
		name := c.text[t.start:t.end]
		if t.best < levels || t.found || !t.name || t.start == 0 || name == strings.ToUpper(name) || !s.search.absent(contexts, name) {
			continue
		}
		before, after := c.text[:t.start], c.text[t.end:]
		if strings.HasSuffix(before, "(") {
			continue
		}
		previous, ok := strings.CutSuffix(before, " ")
		if ok && s.isKnownName(contexts, previous[strings.LastIndexAny(previous, " (")+1:]) {
			continue
		}
		if next, ok := strings.CutPrefix(after, " "); ok {
			next, _, _ = strings.Cut(next, " ")
			if s.isKnownName(contexts, strings.TrimRight(next, ".,;:)'")) {
				continue
			}
		}
		return objection{reason: notInContexts(name, ""), basis: basisMissing}
	}
	return objection{}
}

// isKnownName reports whether a word is capitalized and occurs in the contexts.
func (s *scratch) isKnownName(contexts []string, word string) bool {
	return english.StartsUpper(word) && !strings.HasSuffix(word, ",") && !s.search.absent(contexts, word) &&
		slices.ContainsFunc(contexts, func(text string) bool { return strings.Contains(text, word) })
}
