package lexical

import (
	"slices"
	"strings"

	"github.com/ragfaith/ragfaith/internal/extract/english"
)

// checkAbsentName returns an objection to the first name in c that no context contains. It ignores
// acronyms, which may be spelled out, a name after an opening bracket, and a name next to one that a
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
