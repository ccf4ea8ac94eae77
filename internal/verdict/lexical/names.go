package lexical

import (
	"strings"

	"github.com/ragfaith/ragfaith/internal/extract/english"
	"github.com/ragfaith/ragfaith/internal/verdict/lexical/entail"
	"github.com/ragfaith/ragfaith/internal/verdict/lexical/lexicon"
)

// checkNames returns an objection if a sentence of the contexts says all that the claim says of another
// name, and the sentences with the claim's name say less of it.
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

// otherName returns the candidate that has all words of the claim but the name at word x, and its name,
// if it is negated as the claim is.
func (j *Judge) otherName(s *scratch, c *claim, contexts []string, x int) (at quote, other string) {
	most, named := 0, -1 // number of claim words in at, and the highest in the candidates with the name
	start, end := int(s.claimed.Words[x].Start), int(s.claimed.Words[x].End)
	for _, q := range c.candidates {
		if isTabular(q.text(contexts)) {
			continue
		}
		a := s.align(j, contexts, q)
		n, all := a.wordsBesides(start, end)
		switch y := a.instead(x); {
		case a.stated.HasPronoun(a.Claim):
			return quote{}, ""
		case a.To[x] >= 0 && (a.stated.IsElliptic() || nextContent(a.stated.Words, a.To[x], 1) < 0 && nextContent(a.stated.Words, a.To[x], -1) < 0):
			return quote{}, "" // "Dogs are not.", "Smoking: no."
		case a.To[x] >= 0:
			named = max(named, n)
		case all && y >= 0 && at.end == 0 && a.SameNegations():
			at, other, most = q, a.stated.Span(y, y).Text(), n
		}
	}
	if named < 0 || named >= most {
		return quote{}, ""
	}
	return at, other
}

// instead returns the name in the statement that stands where word x does in the claim, next to the
// same word, or -1. Names with the same first letters may be one.
func (a *aligned) instead(x int) int {
	const prefix = 3
	words, name := a.stated.Words, a.Claim.Words[x].Lower
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

// nextContent returns the next content word after word i, or with step -1 before it, or -1.
func nextContent(words []entail.Word, i, step int) int {
	for i += step; i >= 0 && i < len(words); i += step {
		if words[i].Content {
			return i
		}
	}
	return -1
}

// isNameLike reports whether w is capitalized and no number or month, nor the start of a request.
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
	return english.StartsUpper(word) && !strings.HasSuffix(word, ",") && !s.search.absent(contexts, word) && s.search.containsAny(contexts, word)
}
