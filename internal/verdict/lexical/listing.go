package lexical

import (
	"slices"
	"strings"

	"github.com/ragfaith/ragfaith/internal/extract"
	"github.com/ragfaith/ragfaith/internal/verdict/lexical/lexicon"
)

// A listing is a list of a context, and the stem that it stands under.
type listing struct {
	chunk int
	lead  [2]int // bytes in the chunk
	items [][2]int
	words [][]uint64      // of the items, once they are read
	known map[string]bool // what is an item of it
}

const (
	// sameLead is the share of the words of a claim's stem that the stem of a list
	// has if it is a list of the same things, and sameItem that of an item.
	sameLead = 0.5
	sameItem = 0.6
	// wholeItem is the share of the words of a list's item that a longer one has.
	wholeItem = 0.8
	// maxItemWords is how many words an item of a list in a sentence has.
	maxItemWords = 10
	// shortItem is how many words one has in a sentence of a claim, after the first.
	shortItem = 6
	// maxSiblings is how many items an answer's list has to be compared as one.
	maxSiblings = 64
	// maxRunIn is how many bytes of a line are read as a list.
	maxRunIn = 2000
	// maxListings is how many lists of a row's contexts are read.
	maxListings = 256
	// maxListWork is how many items all claims of a row are compared with.
	maxListWork = 1 << 14
)

// otherItem looks for an item that a list of the contexts lacks: what the claim
// leans on, its stem or its question, is what a list stands under, but an item of
// it is none of the list's. It also objects to an item most of whose own words are
// missing, whatever its stem says.
func (j *Judge) otherItem(s *scratch, c *claim, contexts []string) (objection, quote) {
	if s.missesItem(c) {
		return objection{reason: "most of what it lists is not there", limit: contradicted, less: true}, quote{}
	}
	stem, items := c.items()
	own := len(items)
	if own == 0 && len(c.siblings) < 2 {
		return objection{}, quote{}
	}
	if own <= 1 && len(c.siblings) > 1 { // the claim is an item of the answer's list
		if own == 0 {
			items, own = []string{c.text}, 1
		}
		items = append(items, c.siblings...)
	}
	a := &s.claimSide
	for i := range j.listings(s, contexts) {
		l := &s.listings[i]
		if s.listWork += len(items) * len(l.items); s.listWork > maxListWork {
			break
		}
		if own > 1 && c.answer == "" && len(l.items) != len(items) {
			continue
		}
		text := contexts[l.chunk]
		other, found := "", 0
		for n, item := range items {
			switch {
			case strings.TrimSpace(item) == "":
			case j.isItemOf(s, l, text, item):
				found++
			case other == "" && n < own:
				other = item
			}
		}
		s.quoteSide.read(j.lex, text[l.lead[0]:l.lead[1]])
		s.keyed = s.quoteSide.keys(s.keyed[:0])
		a.read(j.lex, stem)
		same := j.share(a, s.keyed) >= sameLead
		if other == "" && found > 0 {
			return objection{}, quote{}
		}
		if other == "" || !same && (found < 2 || c.lead > 0) || found == 0 && len(items) > 1 ||
			c.lead == 0 && c.answer == "" && (found < len(items)-1 || len(l.items) != len(items)) || j.inProse(s, c, contexts, l, stem, other) {
			continue
		}
		q := quote{chunk: l.chunk, start: l.lead[0], end: l.items[len(l.items)-1][1]}
		return objection{reason: "the list there does not have " + quoted(other), limit: contradicted, less: true}, q
	}
	return objection{}, quote{}
}

// setSiblings sets the items that the answer lists beside each claim: claims that
// are no sentences, under the same stem.
func (s *scratch) setSiblings(claims []extract.Claim) {
	if len(claims) < 3 {
		return
	}
	fragments := map[string][]string{}
	for i := range claims {
		if c := &claims[i]; isListed(c.Text) {
			fragments[c.Lead] = append(fragments[c.Lead], c.Text)
		}
	}
	for i := range claims {
		if all := fragments[claims[i].Lead]; len(all) > 2 && len(all) <= maxSiblings && isListed(claims[i].Text) {
			s.claims[i].siblings = all
		}
	}
}

// isListed reports whether a claim may be an item of a list and no sentence.
func isListed(text string) bool {
	return strings.Count(text, " ") < maxItemWords && !strings.HasSuffix(text, ".")
}

// missesItem reports whether most words of an item that stands under a stem are
// missing.
func (s *scratch) missesItem(c *claim) bool {
	if c.lead == 0 {
		return false
	}
	found, all := int64(0), int64(0)
	for i := c.terms[0]; i < c.terms[1]; i++ {
		t := &s.terms[i]
		if int(t.start) < c.lead {
			continue
		}
		all += t.weight * exact
		if t.best < levels {
			found += t.weight * credit(t.best)
		}
	}
	return float64(found) < sameLead*float64(all)
}

// items returns the items that the claim lists, and what it lists them under: its
// stem, or its question. A sentence has items if it lists three or more.
func (c *claim) items() (stem string, items []string) {
	switch {
	case c.lead > 0:
		return c.text[:c.lead], []string{c.text[c.lead:]}
	case c.answer != "":
		return strings.Replace(c.text, strings.Trim(c.answer, " .!"), "", 1), splitItems(c.answer)
	}
	last := strings.LastIndexByte(c.text, ',')
	if last < 0 || !slices.ContainsFunc(ands(), func(and string) bool { return strings.Contains(c.text[last:], and) }) { // as most
		return "", nil
	}
	items = splitItems(c.text)
	if len(items) < 3 || !strings.HasSuffix(c.text, items[len(items)-1]) || !isAnd(c.text[:len(c.text)-len(items[len(items)-1])]) {
		return "", nil
	}
	for _, item := range items[1:] { // clauses are longer
		if strings.Count(strings.TrimSpace(item), " ") >= shortItem {
			return "", nil
		}
	}
	return c.text, items
}

// isAnd reports whether text ends with the "and" before the last item of a list.
func isAnd(text string) bool {
	return slices.ContainsFunc(ands(), func(and string) bool { return strings.HasSuffix(text, and) })
}

// ands are what may stand before the last item of a list in a sentence.
func ands() []string { return []string{" and ", " or ", " und ", " et ", " y ", " & "} }

// splitItems cuts a text at its commas and before its last "and".
func splitItems(text string) []string {
	var items []string
	for part := range strings.FieldsFuncSeq(text, func(r rune) bool { return r == ',' || r == ';' || r == '、' || r == '，' }) {
		last := part
		for _, and := range ands() {
			if before, after, ok := strings.Cut(part, and); ok {
				items = append(items, before)
				last = after
				break
			}
		}
		for _, and := range [...]string{"and ", "or ", "und ", "et ", "y "} {
			last = strings.TrimPrefix(strings.TrimSpace(last), and)
		}
		items = append(items, last)
	}
	return items
}

// isItemOf reports whether item is one of a list: the list has most words of it in
// one item, or it has all words of one.
func (j *Judge) isItemOf(s *scratch, l *listing, text, item string) bool {
	if is, ok := l.known[item]; ok {
		return is
	}
	a, b := &s.claimSide, &s.quoteSide
	if l.words == nil {
		l.known = make(map[string]bool)
		for _, at := range l.items {
			b.read(j.lex, text[at[0]:at[1]])
			l.words = append(l.words, b.keys(nil))
		}
	}
	a.read(j.lex, item)
	is := slices.ContainsFunc(l.words, func(words []uint64) bool {
		return j.share(a, words) >= sameItem || len(words) > 1 && j.covers(a, words)
	})
	l.known[item] = is
	return is
}

// covers reports whether x has nearly all of the words, by IDF.
func (j *Judge) covers(x *side, words []uint64) bool {
	found, all := 0.0, 0.0
	for _, k := range words {
		w := j.lex.IDF(k)
		all += w
		if x.place(k) >= 0 {
			found += w
		}
	}
	return found >= wholeItem*all
}

// share is the share, by IDF, of the words of x that are among others.
func (j *Judge) share(x *side, words []uint64) float64 {
	found, all := 0.0, 0.0
	for _, i := range x.content {
		t := &x.tokens[i]
		w := j.lex.IDF(t.Key)
		all += w
		has := slices.Contains(words, t.Key)
		if !has {
			j.lex.Related(t.Key, func(k uint64, r lexicon.Relation) {
				has = has || r != lexicon.Antonym && slices.Contains(words, k)
			})
		}
		if has {
			found += w
		}
	}
	if all == 0 {
		return 0
	}
	return found / all
}

// keys appends the words of x that count.
func (x *side) keys(dst []uint64) []uint64 {
	for _, i := range x.content {
		dst = append(dst, x.tokens[i].Key)
	}
	return dst
}

// inProse reports whether a sentence around the closest window, outside of the
// list l, says the item with its stem.
func (j *Judge) inProse(s *scratch, c *claim, contexts []string, l *listing, stem, item string) bool {
	a, b := &s.claimSide, &s.quoteSide
	chunk := c.best.chunk
	for _, span := range j.sentences(s, contexts, chunk, int(c.best.from.start)) {
		parts := [2][2]int{{span[0], span[1]}}
		if chunk == l.chunk {
			from, to := l.lead[0], l.items[len(l.items)-1][1]
			parts = [2][2]int{{span[0], min(span[1], from)}, {max(span[0], to), span[1]}}
		}
		for _, part := range parts {
			if part[0] >= part[1] {
				continue
			}
			b.read(j.lex, contexts[chunk][part[0]:part[1]])
			s.keyed = b.keys(s.keyed[:0])
			if a.read(j.lex, stem); b.negations > a.negations || j.share(a, s.keyed) < sameLead {
				continue
			}
			if a.read(j.lex, item); j.share(a, s.keyed) >= sameItem {
				return true
			}
		}
	}
	return false
}
