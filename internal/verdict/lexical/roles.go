package lexical

import (
	"strings"

	"github.com/ragfaith/ragfaith/internal/verdict/lexical/lexicon"
)

// A role is an asymmetric relation between two phrases. Both "Spain beat Portugal" and
// "Portugal was beaten by Spain" have Spain as the first phrase and Portugal as the
// second.
type role struct {
	key           uint64 // key of the verb or comparative
	modifier      uint64 // key of its modifier: "to" after "lose", "people" after "more"
	comparative   bool
	first, second [2]int // half-open token ranges
}

const (
	maxPhrase         = 8  // words in the noun phrase before or after a verb
	maxBeforeThan     = 4  // words between a comparative and "than"
	maxCompared       = 48 // words before a comparative
	maxBeforeRelation = 5  // words between verb and "of": "is a small left tributary of"
	// maxRoles limits the roles, quantifiers and values that are parsed per text. Few
	// sentences contain more. The comparison of roles is quadratic.
	maxRoles = 16
)

// roles appends the roles in x to dst, up to a total of maxRoles.
func (x *statement) roles(dst []role, l *lexicon.Lexicon) []role {
	for i := range x.tokens {
		if len(dst) == maxRoles {
			break
		}
		var r role
		var ok bool
		if x.lower(i) == "than" {
			r, ok = x.comparison(i)
		} else if x.lower(i) == "of" {
			r, ok = x.relation(l, i)
		} else if x.isDirected(l, i) {
			r, ok = x.action(l, i)
		}
		if ok {
			dst = append(dst, r)
		}
	}
	return dst
}

// isDirected reports whether token i is a verb whose subject and object cannot be
// swapped: a verb that the lexicon lists as directed, or an unlisted one in -ed.
func (x *statement) isDirected(l *lexicon.Lexicon, i int) bool {
	t := &x.tokens[i]
	if t.Class&(lexicon.Stop|lexicon.Capital|lexicon.Number|lexicon.Unit) != 0 {
		return false
	}
	if directed, known := l.Directed(t.Key); known {
		return directed
	}
	const minLength = 6
	w := t.Text(x.text)
	return len(w) >= minLength && strings.HasSuffix(w, "ed") && !strings.HasSuffix(w, "eed")
}

// action parses the phrases before and after the verb at token i.
func (x *statement) action(l *lexicon.Lexicon, i int) (role, bool) {
	r := role{key: x.tokens[i].Key}
	k := i - 1
	hasBe := false
	for ; k >= 0 && x.gap(k+1) == " "; k-- {
		w := x.lower(k)
		switch w {
		case "was", "were", "is", "are", "been", "being", "be":
			hasBe = true
			continue
		case "has", "had", "have", "will", "would", "then", "also", "once", "again", "later":
			continue
		}
		if !strings.HasSuffix(w, "ly") || x.tokens[k].Is(lexicon.Capital) {
			break
		}
	}
	end := k + 1
	if end > 0 && x.gap(end) != " " {
		return r, false
	}
	from, ok := x.phraseStart(l, end)
	if !ok {
		return r, false
	}
	r.first = [2]int{from, end}
	m := i + 1
	if m >= len(x.tokens) || x.gap(m) != " " {
		return r, false
	}
	passive := false
	switch x.lower(m) {
	case "by":
		passive = true
		m++
	case "to", "over", "before", "after", "against", "into":
		r.modifier = x.tokens[m].Key
		m++
	}
	if hasBe && !passive {
		return r, false
	}
	n := x.phraseEnd(m)
	r.second = [2]int{m, n}
	if x.contentWords(r.first) == 0 || x.contentWords(r.second) == 0 || x.tokens[m].Class&(lexicon.Number|lexicon.Numeral) != 0 {
		return r, false
	}
	if passive {
		r.first, r.second = r.second, r.first
	}
	return r, true
}

// phraseStart returns the first token of the noun phrase that ends before token end. It
// returns false if the phrase contains a verb, because its subject would be ambiguous:
// "who beat Spain lost".
func (x *statement) phraseStart(l *lexicon.Lexicon, end int) (int, bool) {
	k := end - 1
	for k >= 0 && end-k <= maxPhrase && x.inPhrase(k) && (k+1 == end || joinsPhrase(x.gap(k+1))) {
		if x.isDirected(l, k) {
			return 0, false
		}
		k--
	}
	return k + 1, true
}

// phraseEnd returns the token after the noun phrase that starts at token m.
func (x *statement) phraseEnd(m int) int {
	n := m
	for n < len(x.tokens) && n-m <= maxPhrase && x.inPhrase(n) && joinsPhrase(x.gap(n)) {
		n++
	}
	return n
}

// relation parses a relation such as "the Inn is a tributary of the Danube". Token i is
// its "of".
func (x *statement) relation(l *lexicon.Lexicon, i int) (role, bool) {
	var r role
	if i < 2 || x.tokens[i-1].Class&(lexicon.Stop|lexicon.Number|lexicon.Numeral|lexicon.Partial) != 0 {
		return r, false
	}
	if directed, known := l.Directed(x.tokens[i-1].Key); known && !directed {
		return r, false // "a friend of" is mutual
	}
	r.key, r.modifier = x.tokens[i-1].Key, x.tokens[i].Key
	for k := i - 2; k > 0 && k >= i-1-maxBeforeRelation && joinsPhrase(x.gap(k+1)); k-- {
		switch x.lower(k) {
		case "is", "was", "are", "were", "became":
			from, ok := x.phraseStart(l, k)
			r.first, r.second = [2]int{from, k}, [2]int{i + 1, x.phraseEnd(i + 1)}
			return r, ok && joinsPhrase(x.gap(k)) && x.contentWords(r.first) > 0 && x.contentWords(r.second) > 0
		}
		if !x.inPhrase(k) || x.lower(k) == "of" {
			break
		}
	}
	return r, false
}

// inPhrase reports whether token i may be inside a noun phrase.
func (x *statement) inPhrase(i int) bool {
	if !x.tokens[i].Is(lexicon.Stop) {
		return true
	}
	switch x.lower(i) {
	case "the", "a", "an", "of", "its", "their", "his", "her":
		return true
	}
	return false
}

// contentWords counts the content words of a range of tokens.
func (x *statement) contentWords(r [2]int) int {
	n := 0
	for i := r[0]; i < r[1]; i++ {
		if !x.tokens[i].Is(lexicon.Stop) {
			n++
		}
	}
	return n
}

// comparison parses the phrases before and after the "than" at token i.
func (x *statement) comparison(i int) (role, bool) {
	r := role{comparative: true}
	at := -1
	for k := i - 1; k >= 0 && k >= i-maxBeforeThan && at < 0 && !endsPhrase(x.gap(k+1)); k-- {
		switch w := x.lower(k); {
		case w == "more" || w == "less" || w == "fewer":
			at = k
			for n := k + 1; n < i && r.modifier == 0; n++ {
				if !x.tokens[n].Is(lexicon.Stop) {
					r.modifier = x.tokens[n].Key
				}
			}
		case len(w) >= 5 && strings.HasSuffix(w, "er") && !x.tokens[k].Is(lexicon.Stop) && !x.tokens[k].Is(lexicon.Capital),
			w == "worse":
			at = k
		}
	}
	if at < 0 {
		return r, false
	}
	r.key = x.tokens[at].Key
	start := at
	for start > 0 && at-start < maxCompared && !endsPhrase(x.gap(start)) {
		start--
	}
	m := i + 1
	for m < len(x.tokens) && x.tokens[m].Is(lexicon.Stop) && joinsPhrase(x.gap(m)) {
		m++
	}
	n := x.phraseEnd(m)
	r.first, r.second = [2]int{start, i}, [2]int{m, n}
	if n == m || x.contentWords(r.first) < 2 || x.tokens[m].Class&(lexicon.Number|lexicon.Numeral) != 0 && m == i+1 {
		return r, false
	}
	return r, true
}

// endsPhrase reports whether the gap between two tokens ends a phrase.
func endsPhrase(gap string) bool { return strings.ContainsAny(gap, ",;:()—–\"“”") }

// span returns the text from the start of the first phrase of r to the end of the last.
func (x *statement) span(r role) string {
	from, to := min(r.first[0], r.second[0]), max(r.first[1], r.second[1])
	return x.text[x.tokens[from].Start:x.tokens[to-1].End]
}

// contains reports whether the token range r contains a content word with this key.
func (x *statement) contains(r [2]int, key uint64) bool {
	for i := r[0]; i < r[1]; i++ {
		if x.tokens[i].Key == key && !x.tokens[i].Is(lexicon.Stop) {
			return true
		}
	}
	return false
}

// shares reports whether a content word is in range a of x but not in b, and in range c
// of y but not in d.
func (x *statement) shares(a, b [2]int, y *statement, c, d [2]int) bool {
	for i := a[0]; i < a[1]; i++ {
		t := &x.tokens[i]
		if !t.Is(lexicon.Stop) && !x.contains(b, t.Key) && y.contains(c, t.Key) && !y.contains(d, t.Key) {
			return true
		}
	}
	return false
}

// sameRoles reports whether role r of x and role q of y have the same phrases in the
// same order.
func (x *statement) sameRoles(r *role, y *statement, q *role) bool {
	if x.swappedRoles(r, y, q) {
		return false
	}
	first := x.shares(r.first, r.second, y, q.first, q.second)
	second := x.shares(r.second, r.first, y, q.second, q.first)
	if r.comparative { // the first phrase includes the verb
		return second
	}
	return first || second
}

// swappedRoles reports whether role r of x and role q of y have the same phrases in
// opposite order.
func (x *statement) swappedRoles(r *role, y *statement, q *role) bool {
	return x.shares(r.first, r.second, y, q.second, q.first) && x.shares(r.second, r.first, y, q.first, q.second)
}

// findSwappedRoles finds a role in the claim whose phrases are swapped in the quote. It
// returns the text of both roles, or empty strings.
func (s *scratch) findSwappedRoles(l *lexicon.Lexicon) (claim, quote string) {
	a, b := &s.claimStmt, &s.quoteStmt
	s.claimRoles = a.roles(s.claimRoles[:0], l)
	if len(s.claimRoles) == 0 {
		return "", ""
	}
	s.quoteRoles = b.roles(s.quoteRoles[:0], l)
	for i := range s.claimRoles {
		r := &s.claimRoles[i]
		for k := range s.quoteRoles {
			q := &s.quoteRoles[k]
			if r.sameRelation(q) && a.swappedRoles(r, b, q) && !s.quoteHasRole(r) {
				return a.span(*r), b.span(*q)
			}
		}
	}
	return "", ""
}

// sameRelation reports whether r and q have the same verb or comparative and the same
// modifier.
func (r *role) sameRelation(q *role) bool {
	return r.key == q.key && r.modifier == q.modifier && r.comparative == q.comparative
}

// quoteHasRole reports whether the quote states role r of the claim.
func (s *scratch) quoteHasRole(r *role) bool {
	for k := range s.quoteRoles {
		if q := &s.quoteRoles[k]; r.sameRelation(q) && s.claimStmt.sameRoles(r, &s.quoteStmt, q) {
			return true
		}
	}
	return false
}
