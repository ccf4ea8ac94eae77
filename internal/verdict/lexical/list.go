package lexical

import (
	"slices"
	"strings"

	"github.com/ragfaith/ragfaith/internal/extract"
	"github.com/ragfaith/ragfaith/internal/verdict/lexical/layout"
)

// A list is a parsed list in a context, compared with the items that a claim lists.
type list struct {
	layout.List

	chunk   int
	words   [][]uint64      // keys of each item's content words, set on first use
	matched map[string]bool // cached results of isItemOf
}

// Thresholds and limits for the comparison of lists. The coverage is weighted by IDF.
// The constants were tuned on the suites in docs/accuracy.md.
const (
	// minLeadCoverage is the minimum share of the words in a claim's lead that the lead
	// of a matching list contains.
	minLeadCoverage = 0.5
	// minItemCoverage is the minimum share of the words in a claim's item that a
	// matching list item contains.
	minItemCoverage = 0.6
	// minListItemCoverage is the minimum share of the words in a list item that a
	// longer claim item must contain to match it.
	minListItemCoverage = 0.8
	// maxItemWords limits the words of each item in a sentence that lists items.
	maxItemWords = 6
	// maxSiblings limits the items of an answer's list.
	maxSiblings = 64
	// maxLists limits the lists parsed per task.
	maxLists = 256
	// maxListWork limits the item comparisons per task.
	maxListWork = 1 << 14
)

// readLists returns the lists in the contexts. It parses them once per task.
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

// checkLists returns an objection if the claim's lead or question matches the lead of a
// list in the contexts, but an item of the claim is missing from that list. It also
// returns an objection if most words of an item after a lead are missing from the
// contexts.
func (j *Judge) checkLists(s *scratch, c *claim, contexts []string) (objection, quote) {
	if s.isItemMissing(c) {
		return objection{reason: "most of the listed items are not in the contexts", maxScore: maxContradictedScore, basis: basisMissing}, quote{}
	}
	lead, items := c.items()
	claimItems := len(items) // the number of items from the claim, without siblings
	if claimItems == 0 && len(c.siblings) < 2 {
		return objection{}, quote{}
	}
	if claimItems <= 1 && len(c.siblings) > 1 { // the claim is one item of the answer's list
		if claimItems == 0 {
			items, claimItems = []string{c.text}, 1
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
		if claimItems > 1 && c.answer == "" && !sameLength {
			continue
		}
		text := contexts[l.chunk]
		missing, found := "", 0
		for n, item := range items {
			switch {
			case strings.TrimSpace(item) == "":
			case j.isItemOf(s, l, text, item):
				found++
			case missing == "" && n < claimItems:
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
		s.quoteStmt.parse(j.lex, text[l.Lead.Start:l.Lead.End])
		s.quoteKeys = s.quoteStmt.appendKeys(s.quoteKeys[:0])
		s.claimStmt.parse(j.lex, lead)
		sameLead := j.coverage(&s.claimStmt, s.quoteKeys) >= minLeadCoverage
		if !sameLead && (found < 2 || c.lead > 0) || j.statedOutside(s, c, contexts, l, lead, missing) {
			continue
		}
		q := quote{chunk: l.chunk, start: l.Lead.Start, end: l.Items[len(l.Items)-1].End}
		return objection{reason: "the list in the contexts does not have " + quoted(missing), maxScore: maxContradictedScore, basis: basisMissing}, q
	}
	return objection{}, quote{}
}

// setSiblings sets the siblings of each claim that is a list item: all claims that are
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

// isFragment reports whether a claim may be a list item rather than a sentence.
func isFragment(text string) bool {
	return strings.Count(text, " ") < layout.MaxItemWords && !strings.HasSuffix(text, ".")
}

// isItemMissing reports whether c has a lead and most of the words after it are missing
// from the contexts.
func (s *scratch) isItemMissing(c *claim) bool {
	if c.lead == 0 {
		return false
	}
	found, all := int64(0), int64(0)
	for i := c.terms[0]; i < c.terms[1]; i++ {
		t := &s.terms[i]
		if int(t.start) < c.lead {
			continue
		}
		all += t.weight * exactCredit
		if t.best < levels {
			found += t.weight * credit(t.best)
		}
	}
	return float64(found) < minLeadCoverage*float64(all)
}

// items returns the items that the claim lists and the text that introduces them: its
// lead or its question. A sentence counts as a list if it has at least three items.
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
	for _, item := range items[1:] { // the first item includes the start of the sentence
		if strings.Count(strings.TrimSpace(item), " ") >= maxItemWords {
			return "", nil // a clause
		}
	}
	return c.text, items
}

// conjunctions returns the words that may precede the last item of a list in a
// sentence.
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

// isItemOf reports whether item matches an item of the list l in text: either covers
// most words of the other.
func (j *Judge) isItemOf(s *scratch, l *list, text, item string) bool {
	if matched, ok := l.matched[item]; ok {
		return matched
	}
	a, b := &s.claimStmt, &s.quoteStmt
	if l.words == nil {
		l.matched = make(map[string]bool)
		for _, span := range l.Items {
			b.parse(j.lex, text[span.Start:span.End])
			l.words = append(l.words, b.appendKeys(nil))
		}
	}
	a.parse(j.lex, item)
	matched := slices.ContainsFunc(l.words, func(words []uint64) bool {
		return j.coverage(a, words) >= minItemCoverage || len(words) > 1 && j.containsMost(a, words)
	})
	l.matched[item] = matched
	return matched
}

// containsMost reports whether x contains most of the words, weighted by IDF.
func (j *Judge) containsMost(x *statement, words []uint64) bool {
	found, all := 0.0, 0.0
	for _, k := range words {
		w := j.lex.IDF(k)
		all += w
		if x.indexOf(k) >= 0 {
			found += w
		}
	}
	return found >= minListItemCoverage*all
}

// statedOutside reports whether a sentence near the closest window, but outside the
// list l, states both the item and its lead.
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
			b.parse(j.lex, contexts[chunk][part[0]:part[1]])
			s.quoteKeys = b.appendKeys(s.quoteKeys[:0])
			if a.parse(j.lex, lead); b.negations > a.negations || j.coverage(a, s.quoteKeys) < minLeadCoverage {
				continue
			}
			if a.parse(j.lex, item); j.coverage(a, s.quoteKeys) >= minItemCoverage {
				return true
			}
		}
	}
	return false
}
