package entail

// A restriction is a condition or an exception: the words first to end after its marker.
type restriction struct {
	at, first, end int
	negative       bool // unless, except, until, without: it holds if the words do not
	exception      bool // except, other than
}

// maxRestrictions is the number of restrictions of a sentence that are compared without
// an allocation.
const maxRestrictions = 4

// restrictionAt returns the restriction whose marker is word i.
func (x *Sentence) restrictionAt(i int) (restriction, bool) {
	r := restriction{at: i, first: i + 1}
	only := x.lower(i-1) == "only"
	switch x.Words[i].Lower {
	case "if":
		if p := x.lower(i - 1); p == "even" || p == "as" || p == "whether" {
			return r, false
		}
	case "provided", "providing":
		switch x.lower(i + 1) {
		case "that", "you", "they", "we", "he", "she":
		default:
			if p := x.lower(i - 1); isAuxiliary(p) || x.lower(i+1) == "by" || i > 0 && !x.stopsAt(i) {
				return r, false
			}
		}
	case "when", "after", "with", "once":
		if !only {
			return r, false
		}
	case "subject":
		if x.lower(i+1) != "to" {
			return r, false
		}
		r.first++
	case "long":
		if x.lower(i+1) != "as" || x.lower(i-1) != "as" && x.lower(i-1) != "so" {
			return r, false
		}
		r.first++
	case "unless", "until", "without":
		r.negative = true
	case "except", "excluding":
		r.negative, r.exception = true, true
	case "exception":
		if x.lower(i+1) != "of" || x.lower(i-1) != "the" {
			return r, false
		}
		r.first++
		r.negative, r.exception = true, true
	case "other":
		if x.lower(i+1) != "than" {
			return r, false
		}
		r.first++
		r.negative, r.exception = true, true
	case "apart", "aside":
		if x.lower(i+1) != "from" {
			return r, false
		}
		r.first++
		r.negative, r.exception = true, true
	default:
		if !x.foreign {
			return r, false
		}
	}
	if r.first >= len(x.Words) {
		return r, false
	}
	r.end = x.phraseEnd(r.first)
	if w := x.Words[i].Lower; r.exception || w == "with" || w == "without" {
		r.end = x.nounPhraseEnd(r.first, r.end)
	}
	return r, x.contentAfter(r.first, r.end-r.first) >= 0
}

// nounPhraseEnd returns the end of the noun phrase that starts at word i: the next
// auxiliary or pronoun after a content word, at most end.
func (x *Sentence) nounPhraseEnd(i, end int) int {
	for k := i + 1; k < end; k++ {
		switch x.Words[k].Lower {
		case "you", "they", "we", "he", "she", "it", "there":
			return k
		}
		if isAuxiliary(x.Words[k].Lower) && x.contentAfter(i, k-i) >= 0 {
			return k
		}
	}
	return end
}

// restrictions appends the restrictions of x to dst.
func (x *Sentence) restrictions(dst []restriction) []restriction {
	if x.seen&marking == 0 {
		return dst
	}
	for i := range x.Words {
		if x.Words[i].traits&marking == 0 {
			continue
		}
		if r, ok := x.restrictionAt(i); ok {
			dst = append(dst, r)
		}
	}
	return dst
}

// restriction finds a condition or an exception of the statement that the claim denies,
// reverses or ignores.
func (a *Alignment) restriction() (Finding, bool) {
	c, s := a.Claim, a.Stated
	var claimedBuf, statedBuf [maxRestrictions]restriction
	stated := s.restrictions(statedBuf[:0])
	if f, ok := a.denied(stated); ok {
		return f, true
	}
	if f, ok := a.included(stated); ok {
		return f, true
	}
	claimed := c.restrictions(claimedBuf[:0])
	for _, y := range stated {
		for _, x := range claimed {
			if x.negative != y.negative && a.shared(x, y) > 0.5 && !a.flipped(x, y) {
				return a.differs(Restriction, x.at, y.at)
			}
		}
	}
	for _, y := range stated {
		if y.exception && a.applied(y, claimed) {
			return Finding{Kind: Restriction, Stated: s.Span(y.at, y.end-1), Claimed: c.Span(0, len(c.Words)-1)}, true
		}
	}
	return Finding{}, false
}

// minDropped is the minimum coverage of a claim that leaves out a restriction. Otherwise
// the restriction may belong to something else.
const minDropped = 0.8

// dropped finds a condition or an exception of the statement that the claim leaves out.
func (a *Alignment) dropped() (Finding, bool) {
	c, s := a.Claim, a.Stated
	var buf [maxRestrictions]restriction
	if a.Coverage() < minDropped || len(c.restrictions(buf[:0])) > 0 || c.seen&restrictive != 0 {
		return Finding{}, false
	}
	for _, y := range s.restrictions(buf[:0]) {
		if s.Words[y.at].Lower == "without" || s.Words[y.at].Lower == "until" || s.addresses(y) || !a.governs(y) {
			continue
		}
		aligned := 0
		for j := y.first; j < y.end; j++ {
			if a.From[j] >= 0 {
				aligned++
			}
		}
		if aligned == 0 {
			return Finding{Kind: Dropped, Stated: s.Span(y.at, y.end-1), Claimed: c.Span(0, len(c.Words)-1)}, true
		}
	}
	return Finding{}, false
}

// addresses reports whether restriction r only says for which readers an advice is: "if you
// want to".
func (x *Sentence) addresses(r restriction) bool {
	if x.lower(r.first) != "you" {
		return false
	}
	switch x.lower(r.first + 1) {
	case "want", "wish", "need", "like", "prefer", "would", "plan", "are":
		return true
	}
	return false
}

// minGoverned is the minimum number of aligned words next to a restriction.
const minGoverned = 2

// governs reports whether the words next to restriction y of the statement, outside it,
// are aligned with the claim, so that the claim is about what y restricts.
func (a *Alignment) governs(y restriction) bool {
	s := a.Stated
	n, total := 0, 0
	for j := y.at - 1; j >= 0 && j >= y.at-8 && s.Words[j].Clause >= s.Words[y.at].Clause-1; j-- {
		if s.Words[j].Content {
			total++
			if a.From[j] >= 0 && a.How[a.From[j]] != Opposite {
				n++
			}
		}
	}
	for j := y.end; j < len(s.Words) && j < y.end+8 && s.Words[j].Clause <= s.Words[y.at].Clause+1 && (y.at == 0 || s.Words[j].Clause == s.Words[y.at].Clause); j++ {
		if s.Words[j].Content {
			total++
			if a.From[j] >= 0 && a.How[a.From[j]] != Opposite {
				n++
			}
		}
	}
	return n >= minGoverned && 3*n >= 2*total
}

// shared returns the share of the content words of restriction x of the claim that are
// aligned with words of restriction y of the statement.
func (a *Alignment) shared(x, y restriction) float64 {
	n, total := 0, 0
	for i := x.first; i < x.end; i++ {
		if !a.Claim.Words[i].Content {
			continue
		}
		total++
		if j := a.To[i]; j >= y.first && j < y.end && a.How[i] != Opposite {
			n++
		}
	}
	return float64(n) / float64(max(1, total))
}

// flipped reports whether what the claim restricts by x is the opposite of what the
// statement restricts by y.
func (a *Alignment) flipped(x, y restriction) bool {
	c, s := a.Claim, a.Stated
	n := c.negations(0, x.at) + c.negations(x.end, len(c.Words)) + s.negations(0, y.at) + s.negations(y.end, len(s.Words))
	for i, how := range a.How {
		if how == Opposite && (i < x.at || i >= x.end) {
			n++
			break
		}
	}
	return n%2 == 1
}

// applied reports whether the claim says of the things in exception y of the statement
// what the statement says of the others.
func (a *Alignment) applied(y restriction, claimed []restriction) bool {
	c, s := a.Claim, a.Stated
	for j := y.first; j < y.end; j++ {
		if !s.Words[j].Content {
			continue
		}
		i := a.From[j]
		if i < 0 {
			return false
		}
		for _, x := range claimed {
			if i >= x.at && i < x.end {
				return false
			}
		}
	}
	return a.governs(y) && !a.flipped(restriction{at: len(c.Words), end: len(c.Words)}, y)
}

// touched reports whether a word of restriction y of the statement is aligned.
func (a *Alignment) touched(y restriction) bool {
	for j := y.first; j < y.end; j++ {
		if a.From[j] >= 0 {
			return true
		}
	}
	return false
}
