package lexical

import (
	"strings"

	"github.com/ragfaith/ragfaith/internal/verdict/lexical/lexicon"
)

// A role says who does what to whom, or what is more than what: in "Spain beat
// Portugal" Spain is the first and Portugal the second, and so they are in
// "Portugal was beaten by Spain".
type role struct {
	key, how      uint64 // of the verb or comparative; of what goes with it: "to" after lose, "people" after more
	comparative   bool
	first, second [2]int // tokens, the end exclusive
}

const (
	phraseReach     = 8  // words beside a verb that are read as what it joins
	comparatorReach = 4  // words before "than" among which its comparative is looked for
	comparedReach   = 48 // words before a comparative that are read as what it compares
	// maxRoles is how many roles of a text are read, and words for all: more than
	// a sentence has. All those of a claim are held against all of a quote.
	maxRoles = 16
)

// roles appends the first roles that are said in x to dst, which is empty.
func (x *side) roles(dst []role, l *lexicon.Lexicon) []role {
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
		} else if x.directed(l, i) {
			r, ok = x.action(l, i)
		}
		if ok {
			dst = append(dst, r)
		}
	}
	return dst
}

// directed reports whether token i is a verb whose sides can't change places:
// one of the list, or one in -ed that is not known for the contrary.
func (x *side) directed(l *lexicon.Lexicon, i int) bool {
	t := &x.tokens[i]
	if t.Class&(lexicon.Stop|lexicon.Capital|lexicon.Number|lexicon.Unit) != 0 {
		return false
	}
	if directed, known := l.Directed(t.Key); known {
		return directed
	}
	w := x.text[t.Start:t.End]
	return len(w) >= 6 && strings.HasSuffix(w, "ed") && !strings.HasSuffix(w, "eed")
}

// action reads what stands on both sides of the verb at token i.
func (x *side) action(l *lexicon.Lexicon, i int) (role, bool) {
	r := role{key: x.tokens[i].Key}
	k := i - 1
	be := false
	for ; k >= 0 && x.gap(k+1) == " "; k-- {
		w := x.lower(k)
		switch w {
		case "was", "were", "is", "are", "been", "being", "be":
			be = true
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
		r.how = x.tokens[m].Key
		m++
	}
	if be != passive && be {
		return r, false
	}
	n := x.phraseEnd(m)
	r.second = [2]int{m, n}
	if x.says(r.first) == 0 || x.says(r.second) == 0 || x.tokens[m].Class&(lexicon.Number|lexicon.Numeral) != 0 {
		return r, false
	}
	if passive {
		r.first, r.second = r.second, r.first
	}
	return r, true
}

// phraseStart returns the token that the noun phrase before token end begins
// with, and false where a verb is in it: whose "lost" is in "who beat Spain
// lost" takes a parser to tell.
func (x *side) phraseStart(l *lexicon.Lexicon, end int) (int, bool) {
	k := end - 1
	for k >= 0 && end-k <= phraseReach && x.inPhrase(k) && (k+1 == end || joins(x.gap(k+1))) {
		if x.directed(l, k) {
			return 0, false
		}
		k--
	}
	return k + 1, true
}

// phraseEnd returns the token after the noun phrase that begins with token m.
func (x *side) phraseEnd(m int) int {
	n := m
	for n < len(x.tokens) && n-m <= phraseReach && x.inPhrase(n) && joins(x.gap(n)) {
		n++
	}
	return n
}

// relationReach is how many words before "of" the verb stands at the most: "is
// a small left tributary of".
const relationReach = 5

// relation reads "the Inn is a tributary of the Danube" at its "of", token i.
func (x *side) relation(l *lexicon.Lexicon, i int) (role, bool) {
	var r role
	if i < 2 || x.tokens[i-1].Class&(lexicon.Stop|lexicon.Number|lexicon.Numeral|lexicon.Partial) != 0 {
		return r, false
	}
	if directed, known := l.Directed(x.tokens[i-1].Key); known && !directed {
		return r, false // a friend of
	}
	r.key, r.how = x.tokens[i-1].Key, x.tokens[i].Key
	for k := i - 2; k > 0 && k >= i-1-relationReach && joins(x.gap(k+1)); k-- {
		switch x.lower(k) {
		case "is", "was", "are", "were", "became":
			from, ok := x.phraseStart(l, k)
			r.first, r.second = [2]int{from, k}, [2]int{i + 1, x.phraseEnd(i + 1)}
			return r, ok && joins(x.gap(k)) && x.says(r.first) > 0 && x.says(r.second) > 0
		}
		if !x.inPhrase(k) || x.lower(k) == "of" {
			break
		}
	}
	return r, false
}

func joins(g string) bool { return g == " " || g == "-" }

// inPhrase reports whether token i may stand inside a noun phrase.
func (x *side) inPhrase(i int) bool {
	if !x.tokens[i].Is(lexicon.Stop) {
		return true
	}
	switch x.lower(i) {
	case "the", "a", "an", "of", "its", "their", "his", "her":
		return true
	}
	return false
}

// says counts the words of tokens r that are no stop words.
func (x *side) says(r [2]int) int {
	n := 0
	for i := r[0]; i < r[1]; i++ {
		if !x.tokens[i].Is(lexicon.Stop) {
			n++
		}
	}
	return n
}

// comparison reads what stands before and after the "than" at token i.
func (x *side) comparison(i int) (role, bool) {
	r := role{comparative: true}
	at := -1
	for k := i - 1; k >= 0 && k >= i-comparatorReach && at < 0 && !breaks(x.gap(k+1)); k-- {
		switch w := x.lower(k); {
		case w == "more" || w == "less" || w == "fewer":
			at = k
			for n := k + 1; n < i && r.how == 0; n++ {
				if !x.tokens[n].Is(lexicon.Stop) {
					r.how = x.tokens[n].Key
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
	from := at
	for from > 0 && at-from < comparedReach && !breaks(x.gap(from)) {
		from--
	}
	m := i + 1
	for m < len(x.tokens) && x.tokens[m].Is(lexicon.Stop) && joins(x.gap(m)) {
		m++
	}
	n := x.phraseEnd(m)
	r.first, r.second = [2]int{from, i}, [2]int{m, n}
	if n == m || x.says(r.first) < 2 || x.tokens[m].Class&(lexicon.Number|lexicon.Numeral) != 0 && m == i+1 {
		return r, false
	}
	return r, true
}

func breaks(g string) bool { return strings.ContainsAny(g, ",;:()—–\"“”") }

// span returns the words of r, from the first to the last.
func (x *side) span(r role) string {
	from, to := min(r.first[0], r.second[0]), max(r.first[1], r.second[1])
	return x.text[x.tokens[from].Start:x.tokens[to-1].End]
}

// has reports whether a word that counts stands among tokens r.
func (x *side) has(r [2]int, key uint64) bool {
	for i := r[0]; i < r[1]; i++ {
		if x.tokens[i].Key == key && !x.tokens[i].Is(lexicon.Stop) {
			return true
		}
	}
	return false
}

// shared reports whether a word of a that is not in b stands among c of y and
// not among d.
func (x *side) shared(a, b [2]int, y *side, c, d [2]int) bool {
	for i := a[0]; i < a[1]; i++ {
		t := &x.tokens[i]
		if !t.Is(lexicon.Stop) && !x.has(b, t.Key) && y.has(c, t.Key) && !y.has(d, t.Key) {
			return true
		}
	}
	return false
}

// sameRoles and swappedRoles report whether role r of x and role q of y have the
// same two sides, in the same order or the other.
func (x *side) sameRoles(r *role, y *side, q *role) bool {
	if x.swappedRoles(r, y, q) {
		return false
	}
	first := x.shared(r.first, r.second, y, q.first, q.second)
	second := x.shared(r.second, r.first, y, q.second, q.first)
	if r.comparative { // the verb of both is in the first
		return second
	}
	return first || second
}

func (x *side) swappedRoles(r *role, y *side, q *role) bool {
	return x.shared(r.first, r.second, y, q.second, q.first) && x.shared(r.second, r.first, y, q.first, q.second)
}

// swapped looks for what the claim and the quote both say of the same two, the
// other way round. It returns what each says.
func (s *scratch) swapped(l *lexicon.Lexicon) (claim, quote string) {
	a, b := &s.claimSide, &s.quoteSide
	s.claimRoles = a.roles(s.claimRoles[:0], l)
	if len(s.claimRoles) == 0 {
		return "", ""
	}
	s.quoteRoles = b.roles(s.quoteRoles[:0], l)
	for i := range s.claimRoles {
		r := &s.claimRoles[i]
		for k := range s.quoteRoles {
			q := &s.quoteRoles[k]
			if r.alike(q) && a.swappedRoles(r, b, q) && !s.quoteSays(r) {
				return a.span(*r), b.span(*q)
			}
		}
	}
	return "", ""
}

func (r *role) alike(q *role) bool {
	return r.key == q.key && r.how == q.how && r.comparative == q.comparative
}

// quoteSays reports whether some role of the quote is that of the claim.
func (s *scratch) quoteSays(r *role) bool {
	for k := range s.quoteRoles {
		if q := &s.quoteRoles[k]; r.alike(q) && s.claimSide.sameRoles(r, &s.quoteSide, q) {
			return true
		}
	}
	return false
}
