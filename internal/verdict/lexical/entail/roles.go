package entail

import (
	"slices"
	"strings"

	"github.com/ragfaith/ragfaith/internal/verdict/lexical/lexicon"
)

// An entity is a name: a range of capitalized words.
type entity struct{ first, end int }

// entities appends the names in x to dst.
func (x *Sentence) entities(dst []entity) []entity {
	for i := 0; i < len(x.Words); i++ {
		if !x.startsName(i) {
			continue
		}
		e := entity{first: i, end: i + 1}
		for e.end < len(x.Words) && x.Words[e.end].Is(lexicon.Capital) && !x.isNumber(e.end) && x.Words[e.end-1].traits&possessive == 0 {
			if g := x.Gap(e.end); g != " " && g != "-" && g != ". " {
				break
			}
			e.end++
		}
		dst = append(dst, e)
		i = e.end - 1
	}
	return dst
}

// startsName reports whether a name starts at word i. The first word of a sentence
// counts if a capitalized word follows it or the lexicon does not know it.
func (x *Sentence) startsName(i int) bool {
	w := &x.Words[i]
	if !w.Is(lexicon.Capital) || !w.Content || x.isNumber(i) {
		return false
	}
	return !w.Is(lexicon.Initial) || i+1 < len(x.Words) && x.Gap(i+1) == " " && x.Words[i+1].Is(lexicon.Capital) && x.Words[i+1].Content
}

// A subject is what a predicate is said of.
type subject struct {
	entity
	found   bool
	unknown bool // a pronoun, or a noun phrase without a name
}

// subjectOf returns the name before predicate p in its clause, or the agent in a
// passive.
func (x *Sentence) subjectOf(p int, es []entity) subject {
	cl := x.Clauses[x.Words[p].Clause]
	for _, e := range es {
		if e.first > p && e.first < cl.End && e.first <= p+6 && (x.lower(e.first-1) == "by" || x.lower(e.first-2) == "by") && x.isPassive(p, cl.First) {
			return subject{entity: e, found: true}
		}
	}
	if x.isPassive(p, cl.First) || x.lower(p+1) == "by" || strings.HasSuffix(x.Words[p].Lower, "ing") {
		return subject{unknown: true}
	}
	for k := len(es) - 1; k >= 0; k-- {
		e := es[k]
		if e.end > p || e.first < cl.First {
			continue
		}
		// A pronoun or a verb between the name and the predicate takes its place.
		for i := e.end; i < p; i++ {
			switch x.Words[i].Lower {
			case "he", "she", "it", "they", "who", "which", "this", "that", "we", "i", "you", "his", "her", "their", "its":
				return subject{unknown: true}
			}
		}
		if x.inPrepositionalPhrase(e.first) || x.Words[e.end-1].traits&possessive != 0 {
			return subject{unknown: true}
		}
		return subject{entity: e, found: true}
	}
	return subject{unknown: true}
}

// isPassive reports whether a form of "be" precedes word p, which ends like a participle.
func (x *Sentence) isPassive(p, first int) bool {
	w := x.Words[p].Lower
	if !strings.HasSuffix(w, "ed") && !strings.HasSuffix(w, "en") && !strings.HasSuffix(w, "de") && !strings.HasSuffix(w, "wn") && !strings.HasSuffix(w, "lt") && !strings.HasSuffix(w, "nt") {
		return false
	}
	for i := p - 1; i >= first && i >= p-3; i-- {
		switch x.Words[i].Lower {
		case "is", "are", "was", "were", "be", "been", "being":
			return true
		}
		if x.Words[i].Content {
			return false
		}
	}
	return false
}

// inPrepositionalPhrase reports whether a preposition governs word i.
func (x *Sentence) inPrepositionalPhrase(i int) bool {
	for k := i - 1; k >= 0 && k >= i-4; k-- {
		switch x.Words[k].Lower {
		case "of", "for", "from", "with", "by", "against", "to", "in", "at", "on", "about", "between", "under", "over", "into", "than", "as":
			return true
		case "the", "a", "an", "its", "their", "his", "her":
			continue
		}
		if !x.Words[k].Content || strings.ContainsAny(x.Gap(k+1), ",;:") || x.Words[k].traits&possessive != 0 {
			return false
		}
	}
	return false
}

// matches reports whether two names share a word.
func (a *Alignment) matches(e, g entity) bool {
	for i := e.first; i < e.end; i++ {
		for j := g.first; j < g.end; j++ {
			if a.Claim.Words[i].Key == a.Stated.Words[j].Key {
				return true
			}
		}
	}
	return false
}

// roles finds a predicate whose subject in the claim is another name than in the
// statement.
func (a *Alignment) roles() (Finding, bool) {
	c, s := a.Claim, a.Stated
	ce := c.entities(nil)
	if len(ce) == 0 {
		return Finding{}, false
	}
	se := s.entities(nil)
	if len(se) == 0 || s.elliptic() {
		return Finding{}, false
	}
	for i, j := range a.To {
		if j < 0 || a.How[i] == Opposite || c.Words[i].Is(lexicon.Capital) || !c.isPredicate(i) || !s.isPredicate(j) || a.isMutual(i) {
			continue
		}
		x, y := c.subjectOf(i, ce), s.subjectOf(j, se)
		if !x.found || !y.found || slices.ContainsFunc(se, func(e entity) bool {
			return a.matches(x.entity, e) && (e == y.entity || y.first > j && e.first > j) // "by A, B and C"
		}) {
			continue
		}
		if a.mentioned(x.entity) && !a.inverted(x.words(), i, j) {
			continue
		}
		kind := Name
		if a.mentioned(x.entity) {
			kind = Roles
		}
		return Finding{Kind: kind, Stated: s.Span(y.first, max(j, y.end-1)), Claimed: c.Span(x.first, max(i, x.end-1))}, true
	}
	return Finding{}, false
}

// mentioned reports whether the statement contains a word of the name e of the claim.
func (a *Alignment) mentioned(e entity) bool {
	return slices.ContainsFunc(e.words(), func(i int) bool { return a.Stated.has(a.Claim.Words[i].Key) })
}

// words returns the indices of the words of e.
func (e entity) words() []int {
	var ws []int
	for i := e.first; i < e.end; i++ {
		ws = append(ws, i)
	}
	return ws
}
