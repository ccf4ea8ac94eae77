package lexical

import (
	"slices"
	"strings"

	"github.com/ragfaith/ragfaith/internal/extract"
	"github.com/ragfaith/ragfaith/internal/verdict/lexical/layout"
)

// A list is a list of a context.
type list struct {
	layout.List

	chunk int
	words [][]uint64      // keys of each item's content words, once they are read
	known map[string]bool // whether a text is an item of the list
}

// Thresholds and limits of the comparison of lists. The shares are weighted by IDF;
// they were chosen on the suites of docs/accuracy.md.
const (
	// sameLead is the share of the words of a claim's lead that the lead of a list
	// about the same things has, and sameItem that of an item.
	sameLead = 0.5
	sameItem = 0.6
	// wholeItem is the share of the words of a list's item that a longer text has.
	wholeItem = 0.8
	// maxShortItem is how many words an item has in a claim that lists items.
	maxShortItem = 6
	// maxSiblings is how many items the list of an answer may have.
	maxSiblings = 64
	// maxLists is how many lists are read per task.
	maxLists = 256
	// maxListWork is how many items the claims of a task are compared with in total.
	maxListWork = 1 << 14
)

// readLists returns the lists of the contexts, which are parsed once per task.
func (s *scratch) readLists(contexts []string) []list {
	if s.listsRead {
		return s.lists
	}
	s.listsRead = true
	for chunk, text := range contexts {
		for _, l := range layout.Lists(text, maxLists-len(s.lists)) {
			s.lists = append(s.lists, list{List: l, chunk: chunk})
		}
	}
	return s.lists
}

// checkLists looks for an item that a list of the contexts lacks: the lead or the
// question of the claim matches what introduces the list, but an item of the claim
// is not in it. It also objects to an item with a lead if most of the item's own
// words are missing.
func (j *Judge) checkLists(s *scratch, c *claim, contexts []string) (objection, quote) {
	if s.lacksItem(c) {
		return objection{reason: "most of the listed items are not in the contexts", limit: contradicted, incomplete: true}, quote{}
	}
	lead, items := c.items()
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
	lists := s.readLists(contexts)
	for i := range lists {
		l := &lists[i]
		if s.listWork += len(items) * len(l.Items); s.listWork > maxListWork {
			break
		}
		sameLength := len(l.Items) == len(items)
		if own > 1 && c.answer == "" && !sameLength {
			continue
		}
		text := contexts[l.chunk]
		missing, found := "", 0
		for n, item := range items {
			switch {
			case strings.TrimSpace(item) == "":
			case j.isItemOf(s, l, text, item):
				found++
			case missing == "" && n < own:
				missing = item
			}
		}
		if missing == "" {
			if found > 0 {
				return objection{}, quote{}
			}
			continue
		}
		if found == 0 && len(items) > 1 || c.lead == 0 && c.answer == "" && (found < len(items)-1 || !sameLength) {
			continue
		}
		s.quoteStmt.read(j.lex, text[l.Lead.Start:l.Lead.End])
		s.quoteKeys = s.quoteStmt.appendKeys(s.quoteKeys[:0])
		s.claimStmt.read(j.lex, lead)
		same := j.coverage(&s.claimStmt, s.quoteKeys) >= sameLead
		if !same && (found < 2 || c.lead > 0) || j.statedOutside(s, c, contexts, l, lead, missing) {
			continue
		}
		q := quote{chunk: l.chunk, start: l.Lead.Start, end: l.Items[len(l.Items)-1].End}
		return objection{reason: "the list in the contexts does not have " + quoted(missing), limit: contradicted, incomplete: true}, q
	}
	return objection{}, quote{}
}

// setSiblings sets the items that the answer lists with each claim: claims that are
// sentence fragments with the same lead.
func (s *scratch) setSiblings(claims []extract.Claim) {
	if len(claims) < 3 {
		return
	}
	fragments := map[string][]string{}
	for i := range claims {
		if c := &claims[i]; isFragment(c.Text) {
			fragments[c.Lead] = append(fragments[c.Lead], c.Text)
		}
	}
	for i := range claims {
		if all := fragments[claims[i].Lead]; len(all) > 2 && len(all) <= maxSiblings && isFragment(claims[i].Text) {
			s.claims[i].siblings = all
		}
	}
}

// isFragment reports whether a claim may be an item of a list, not a sentence.
func isFragment(text string) bool {
	return strings.Count(text, " ") < layout.MaxItemWords && !strings.HasSuffix(text, ".")
}

// lacksItem reports whether most words of a claim with a lead are missing after the
// lead.
func (s *scratch) lacksItem(c *claim) bool {
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

// items returns the items that the claim lists and what introduces them: its lead or
// its question. A sentence is a list if it has three items or more.
func (c *claim) items() (lead string, items []string) {
	switch {
	case c.lead > 0:
		return c.text[:c.lead], []string{c.text[c.lead:]}
	case c.answer != "":
		return strings.Replace(c.text, strings.Trim(c.answer, " .!"), "", 1), splitItems(c.answer)
	}
	last := strings.LastIndexByte(c.text, ',')
	if last < 0 || !slices.ContainsFunc(conjunctions(), func(and string) bool { return strings.Contains(c.text[last:], and) }) {
		return "", nil
	}
	items = splitItems(c.text)
	before, ok := strings.CutSuffix(c.text, items[len(items)-1])
	if len(items) < 3 || !ok || !slices.ContainsFunc(conjunctions(), func(and string) bool { return strings.HasSuffix(before, and) }) {
		return "", nil
	}
	for _, item := range items[1:] { // the first includes the start of the sentence
		if strings.Count(strings.TrimSpace(item), " ") >= maxShortItem {
			return "", nil // a clause
		}
	}
	return c.text, items
}

// conjunctions returns what may precede the last item of a list in a sentence.
func conjunctions() []string { return []string{" and ", " or ", " und ", " et ", " y ", " & "} }

// splitItems splits a text at its commas and at the conjunction before the last item.
func splitItems(text string) []string {
	var items []string
	for part := range strings.FieldsFuncSeq(text, func(r rune) bool { return r == ',' || r == ';' || r == '、' || r == '，' }) {
		last := part
		for _, and := range conjunctions() {
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

// isItemOf reports whether one item of a list has most words of item, or all of its
// own words are in item.
func (j *Judge) isItemOf(s *scratch, l *list, text, item string) bool {
	if is, ok := l.known[item]; ok {
		return is
	}
	a, b := &s.claimStmt, &s.quoteStmt
	if l.words == nil {
		l.known = make(map[string]bool)
		for _, at := range l.Items {
			b.read(j.lex, text[at.Start:at.End])
			l.words = append(l.words, b.appendKeys(nil))
		}
	}
	a.read(j.lex, item)
	is := slices.ContainsFunc(l.words, func(words []uint64) bool {
		return j.coverage(a, words) >= sameItem || len(words) > 1 && j.containsMost(a, words)
	})
	l.known[item] = is
	return is
}

// containsMost reports whether x has nearly all of the words.
func (j *Judge) containsMost(x *statement, words []uint64) bool {
	found, all := 0.0, 0.0
	for _, k := range words {
		w := j.lex.IDF(k)
		all += w
		if x.indexOf(k) >= 0 {
			found += w
		}
	}
	return found >= wholeItem*all
}

// statedOutside reports whether a sentence near the closest window, outside the list
// l, has both the item and its lead.
func (j *Judge) statedOutside(s *scratch, c *claim, contexts []string, l *list, lead, item string) bool {
	a, b := &s.claimStmt, &s.quoteStmt
	chunk := c.best.chunk
	for _, span := range j.sentences(s, contexts, chunk, int(c.best.from.start)) {
		parts := [2][2]int{{span[0], span[1]}}
		if chunk == l.chunk {
			from, to := l.Lead.Start, l.Items[len(l.Items)-1].End
			parts = [2][2]int{{span[0], min(span[1], from)}, {max(span[0], to), span[1]}}
		}
		for _, part := range parts {
			if part[0] >= part[1] {
				continue
			}
			b.read(j.lex, contexts[chunk][part[0]:part[1]])
			s.quoteKeys = b.appendKeys(s.quoteKeys[:0])
			if a.read(j.lex, lead); b.negations > a.negations || j.coverage(a, s.quoteKeys) < sameLead {
				continue
			}
			if a.read(j.lex, item); j.coverage(a, s.quoteKeys) >= sameItem {
				return true
			}
		}
	}
	return false
}
