package entail

import (
	"strings"

	"github.com/ragfaith/ragfaith/internal/verdict/lexical/lexicon"
)

// modalAt returns the modality that word i expresses: required, recommended, optional,
// possible or certain, or 0.
func (x *Sentence) modalAt(i int) trait {
	w := &x.Words[i]
	m := w.traits & (required | recommended | optional | possible | certain)
	if m == 0 && w.traits&modal == 0 {
		return 0
	}
	switch w.Lower {
	case "have", "has", "had":
		if x.lower(i+1) != "to" {
			return 0
		}
		m = required
	case "need", "needs", "needed":
		if x.lower(i+1) == "not" {
			return optional
		}
		m = required
	case "ought":
		m = recommended
	}
	if m == 0 || strings.HasSuffix(w.Lower, "tion") || strings.HasSuffix(w.Lower, "tions") {
		return 0 // not what a recommendation is about
	}
	switch x.lower(i - 1) {
	case "if", "as", "when", "where":
		return 0 // "if necessary"
	}
	for k := i - 1; k >= 0 && k >= i-3; k-- {
		if x.stopsAt(k + 1) {
			break
		}
		if x.Words[k].Is(lexicon.Negation) || x.Words[k].Is(lexicon.Stop) && x.lower(k) == "without" {
			if m&required != 0 {
				return optional // "not required", "without having to"
			}
			return 0
		}
	}
	if m&required != 0 && x.Words[min(i+1, len(x.Words)-1)].Lower == "not" {
		return 0 // "must not"
	}
	return m
}

// modality finds a claim that makes more of an event than the statement: required
// instead of recommended or allowed, a fact instead of a possibility or a plan.
func (a *Alignment) modality() (Finding, bool) {
	const modes = required | recommended | optional | possible | modal
	if a.Stated.seen&modes == 0 {
		return Finding{}, false
	}
	if f, ok := a.obligation(); ok {
		return f, true
	}
	return a.supposition()
}

// obligation finds something that only one of the sentences requires, or recommends.
func (a *Alignment) obligation() (Finding, bool) {
	c, s := a.Claim, a.Stated
	for i := range c.Words {
		m := c.modalAt(i)
		if m&(required|recommended|optional) == 0 || a.To[i] >= 0 && a.How[i] == Same || m == optional && c.isAllowing(i) || m == required && c.maybe(i) {
			continue
		}
		for j := range s.Words {
			n := s.modalAt(j)
			if n == possible && s.Words[j].Content {
				continue // a plan or an attempt
			}
			if !modalConflict(m, n) || m&optional != 0 && a.excepted() || !a.sameEvent(i, j) || s.hasModal(m, j) || c.hasModal(n, i) {
				continue
			}
			return a.differs(Modality, i, j)
		}
	}
	return Finding{}, false
}

// supposition finds an event that the claim states and the statement only supposes.
func (a *Alignment) supposition() (Finding, bool) {
	c, s := a.Claim, a.Stated
	for j := range s.Words {
		if !s.supposes(j) || s.Words[j].Content && a.From[j] >= 0 || j+1 < len(s.Words) && s.stopsAt(j+1) {
			continue
		}
		k := s.contentAfter(j+1, 4)
		if s.lower(k) == "whether" {
			k = s.contentAfter(k+1, 3)
		}
		if k < 0 || a.From[k] < 0 || a.How[a.From[k]] != Same {
			continue
		}
		i := a.From[k]
		adverb := s.Words[j].Lower == "perhaps" || s.Words[j].Lower == "maybe" // of the whole clause
		if c.isNominal(i) && !adverb || s.lower(k-1) == "be" && !c.afterAuxiliary(i) || c.isHedged(i) || !a.sameContext(i, k) {
			continue
		}
		return Finding{Kind: Modality, Stated: s.Span(j, k), Claimed: c.Span(i, i)}, true
	}
	return Finding{}, false
}

// excepted reports whether the claim is about an exception that the statement makes.
func (a *Alignment) excepted() bool {
	var buf [maxRestrictions]restriction
	for _, y := range a.Stated.restrictions(buf[:0]) {
		if y.negative && a.touched(y) {
			return true
		}
	}
	return false
}

// modalConflict reports whether a claim with modality m contradicts a statement with
// modality n.
func modalConflict(m, n trait) bool {
	switch {
	case m&required != 0:
		return n&(recommended|optional|possible) != 0 && n&required == 0
	case m&recommended != 0:
		return n&required != 0
	case m&optional != 0:
		return n&required != 0
	}
	return false
}

// afterAuxiliary reports whether an auxiliary precedes word i within a few words.
func (x *Sentence) afterAuxiliary(i int) bool {
	for k := i - 1; k >= 0 && k >= i-3 && !x.stopsAt(k+1); k-- {
		if isAuxiliary(x.Words[k].Lower) {
			return true
		}
	}
	return false
}

// supposes reports whether word i says that what follows is only possible or planned.
func (x *Sentence) supposes(i int) bool {
	w := &x.Words[i]
	if w.traits&(possible|modal) == 0 {
		return false
	}
	switch w.Lower {
	case "may", "might", "could", "possibly", "perhaps", "maybe", "potentially", "probably":
		return !x.isName(i) || w.Lower != "may"
	case "yet", "about":
		return x.lower(i+1) == "to" && !x.stopsAt(i+1)
	case "nearly", "almost":
		return strings.HasSuffix(x.lower(i+1), "ed")
	}
	if w.traits&possible == 0 || !w.Content {
		return false
	}
	n := x.lower(i + 1)
	return n == "to" && !x.stopsAt(i+1) || n == "whether" || len(n) > 5 && strings.HasSuffix(n, "ing")
}

// maybe reports whether word i follows a word such as "may" within its phrase.
func (x *Sentence) maybe(i int) bool {
	for k := i - 1; k >= 0 && k >= i-4; k-- {
		if x.supposes(k) {
			return true
		}
	}
	return false
}

// isAllowing reports whether word i gives permission, which does not exclude an
// obligation: "may", "can", "allowed".
func (x *Sentence) isAllowing(i int) bool {
	switch x.Words[i].Lower {
	case "optional", "optionally", "voluntary", "voluntarily":
		return false
	}
	return x.Words[i].traits&optional != 0
}

// hasModal reports whether a word near word i has the modality m.
func (x *Sentence) hasModal(m trait, i int) bool {
	const near = 8
	for k := max(0, i-near); k < min(len(x.Words), i+near+1); k++ {
		if x.modalAt(k)&m&(required|recommended|optional) != 0 {
			return true
		}
	}
	return false
}

// sameEvent reports whether the modal word i of the claim and the modal word j of the
// statement are about the same event: the content words after them are aligned, or the
// ones before and after them are aligned with any near the other.
func (a *Alignment) sameEvent(i, j int) bool {
	c, s := a.Claim, a.Stated
	const near = 6
	after, before := s.contentAfter(j+1, 4), s.contentBefore(j-1, 4)
	k := c.contentAfter(i+1, 4)
	if k >= 0 && after >= 0 && a.To[k] == after {
		return true
	}
	if k >= 0 && a.To[k] < 0 && c.lower(i+1) != "to" && c.Words[i].Is(lexicon.Stop) {
		return false // an auxiliary of a verb that the statement does not have
	}
	n := 0
	for _, q := range [...]int{k, c.contentBefore(i-1, 4)} {
		if q < 0 || a.To[q] < 0 {
			continue
		}
		if a.To[q] == after {
			return true
		}
		if t := a.To[q]; t == after || t == before || t > j-near && t < j+near && s.Words[t].Clause == s.Words[j].Clause {
			n++
		}
	}
	return n > 0 && (n == 2 || !c.Words[i].Is(lexicon.Stop) && !s.Words[j].Is(lexicon.Stop))
}

// isHedged reports whether the claim says of word i that it is possible, allowed,
// planned or thought.
func (x *Sentence) isHedged(i int) bool {
	const near = 6
	for k := max(0, i-near); k < min(len(x.Words), i+near); k++ {
		if x.Words[k].traits&(possible|optional|thinking|saying) != 0 {
			return true
		}
		switch x.Words[k].Lower {
		case "if", "would", "can", "should", "risk", "chance", "whether", "when":
			return true
		}
	}
	return false
}

// isNominal reports whether word i is used as a noun or an attribute.
func (x *Sentence) isNominal(i int) bool {
	if x.lower(i-1) == "to" {
		switch x.lower(i - 2) {
		case "set", "due", "scheduled", "going", "sure", "bound", "certain":
			return false
		}
	}
	switch x.lower(i - 1) {
	case "the", "a", "an", "of", "for", "in", "with", "to", "on", "at", "by", "from", "their", "its", "his", "her", "this", "that", "these", "any", "and", "or", "":
		return true
	}
	return x.lower(i+1) == "of"
}

// lapsed finds what the claim says of the present and the statement only of the past: "is a
// member" for "was formerly a member".
func (a *Alignment) lapsed() (Finding, bool) {
	c, s := a.Claim, a.Stated
	for i, j := range a.To {
		if j < 0 || a.How[i] == Opposite {
			continue
		}
		p, q := c.tenseBefore(i, isPresent), s.tenseBefore(j, isPast)
		if p >= 0 && q >= 0 && c.tenseBefore(i, isPast) < 0 {
			return Finding{Kind: Modality, Stated: s.Span(q, j), Claimed: c.Span(p, i)}, true
		}
	}
	return Finding{}, false
}

// tenseBefore returns the last of the three words before word i in its clause that is, or
// -1.
func (x *Sentence) tenseBefore(i int, is func(string) bool) int {
	for k := i - 1; k >= max(0, i-3) && x.Words[k].Clause == x.Words[i].Clause; k-- {
		if is(x.Words[k].Lower) {
			return k
		}
	}
	return -1
}

func isPresent(w string) bool { return w == "is" || w == "are" || w == "currently" }

func isPast(w string) bool { return w == "formerly" || w == "previously" || w == "former" }
