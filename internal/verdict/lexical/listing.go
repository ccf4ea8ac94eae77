package lexical

import (
	"slices"
	"strings"

	"github.com/ragfaith/ragfaith/internal/verdict/lexical/lexicon"
)

// A listing is a list of a context, and the stem that it stands under.
type listing struct {
	chunk int
	lead  [2]int // bytes in the chunk
	items [][2]int
}

const (
	// sameLead is the share of the words of a claim's stem that the stem of a list
	// has if it is a list of the same things, and sameItem that of an item.
	sameLead = 0.5
	sameItem = 0.6
	// maxListings is how many lists of a row's contexts are read.
	maxListings = 256
)

// otherItem looks for an item that a list of the contexts lacks: the claim
// leans on a stem that a list stands under, but is none of its items. It also
// objects to an item most of whose own words are missing, whatever its stem says.
func (j *Judge) otherItem(s *scratch, c *claim, contexts []string) (objection, quote) {
	if c.lead == 0 {
		return objection{}, quote{}
	}
	var missing []string
	found, all := int64(0), int64(0)
	for i := c.terms[0]; i < c.terms[1]; i++ {
		t := &s.terms[i]
		if int(t.start) < c.lead {
			continue
		}
		all += t.weight * exact
		if t.best < levels {
			found += t.weight * credit(t.best)
		} else {
			missing = append(missing, c.text[t.start:t.end])
		}
	}
	if all == 0 {
		return objection{}, quote{}
	}
	if float64(found) < sameLead*float64(all) {
		return objection{reason: "not in the contexts: " + list(missing), limit: contradicted, less: true}, quote{}
	}
	a, b := &s.claimSide, &s.quoteSide
	a.read(j.lex, c.text)
	for i := range j.listings(s, contexts) {
		l := &s.listings[i]
		text := contexts[l.chunk]
		b.read(j.lex, text[l.lead[0]:l.lead[1]])
		if j.share(a, b, 0, c.lead) < sameLead {
			continue
		}
		if j.inProse(s, c, contexts, l) {
			return objection{}, quote{}
		}
		for _, item := range l.items {
			b.read(j.lex, text[item[0]:item[1]])
			if j.share(a, b, c.lead, len(c.text)) >= sameItem {
				return objection{}, quote{}
			}
		}
		q := quote{chunk: l.chunk, start: l.lead[0], end: l.items[len(l.items)-1][1]}
		return objection{reason: "the list " + quoted(text[l.lead[0]:l.lead[1]]) + " does not have " + quoted(c.text[c.lead:]), limit: contradicted, less: true}, q
	}
	return objection{}, quote{}
}

// share is the share, by IDF, of the words of x between two bytes that y has.
func (j *Judge) share(x, y *side, start, end int) float64 {
	found, all := 0.0, 0.0
	for _, i := range x.content {
		t := &x.tokens[i]
		if int(t.Start) < start || int(t.End) > end {
			continue
		}
		w := j.lex.IDF(t.Key)
		all += w
		if y.place(t.Key) >= 0 {
			found += w
			continue
		}
		best := 0.0
		j.lex.Related(t.Key, func(k uint64, r lexicon.Relation) {
			if r != lexicon.Antonym && y.place(k) >= 0 {
				best = w
			}
		})
		found += best
	}
	if all == 0 {
		return 0
	}
	return found / all
}

// inProse reports whether a sentence around the closest window, outside of the
// list l, says the claim with its stem.
func (j *Judge) inProse(s *scratch, c *claim, contexts []string, l *listing) bool {
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
			if j.share(a, b, 0, c.lead) >= sameLead && j.share(a, b, c.lead, len(c.text)) >= sameItem {
				return true
			}
		}
	}
	return false
}

// listings returns the lists of the contexts, which are read once a row.
func (j *Judge) listings(s *scratch, contexts []string) []listing {
	if s.listingsRead {
		return s.listings
	}
	s.listingsRead = true
	for chunk, text := range contexts {
		s.listings = appendListings(s.listings, chunk, text)
	}
	return s.listings
}

// appendListings finds the lists of a text: lines with bullets or numbers, and
// those of HTML.
func appendListings(dst []listing, chunk int, text string) []listing {
	l := listing{chunk: chunk}
	lead := [2]int{}
	end := func() {
		if len(l.items) > 1 && l.lead[1] > l.lead[0] && len(dst) < maxListings {
			dst = append(dst, l)
		}
		l = listing{chunk: chunk}
	}
	for start := 0; start < len(text); {
		n := strings.IndexByte(text[start:], '\n')
		if n < 0 {
			n = len(text) - start
		}
		line := text[start : start+n]
		switch {
		case strings.Contains(line, "<li"):
			end()
			l.lead, l.items = lead, htmlItems(text, start, start+n)
			if at := strings.IndexByte(line, '<'); strings.TrimSpace(line[:at]) != "" {
				l.lead = lastClause(text, start, start+at)
			}
			end()
		case isItem(line):
			if len(l.items) == 0 {
				l.lead = lead
			}
			l.items = append(l.items, [2]int{start, start + n})
		case strings.TrimSpace(line) == "":
		case len(l.items) > 0 && line[0] == ' ': // an item goes on
			l.items[len(l.items)-1][1] = start + n
		default:
			end()
			lead = lastClause(text, start, start+n)
		}
		start += n + 1
	}
	end()
	return dst
}

// lastClause is where the last sentence of a line is.
func lastClause(text string, start, end int) [2]int {
	line := strings.TrimRight(text[start:end], " \r\t")
	from := 0
	for _, stop := range [...]string{". ", "! ", "? ", "; "} {
		if i := strings.LastIndex(line, stop); i >= 0 {
			from = max(from, i+len(stop))
		}
	}
	const longestStem = 200
	if len(line)-from > longestStem {
		return [2]int{}
	}
	return [2]int{start + from, start + len(line)}
}

// isItem reports whether a line begins as an item of a list does.
func isItem(line string) bool {
	line = strings.TrimLeft(line, " \t")
	for _, bullet := range [...]string{"- ", "* ", "+ ", "• ", "– ", "· ", "▪ ", "◦ "} {
		if strings.HasPrefix(line, bullet) {
			return true
		}
	}
	n := 0
	for n < len(line) && line[n]-'0' <= 9 {
		n++
	}
	if n == 0 && len(line) > 0 && line[0]|0x20 >= 'a' && line[0]|0x20 <= 'z' {
		n = 1
	}
	return n > 0 && n <= 3 && n+1 < len(line) && (line[n] == '.' || line[n] == ')') && line[n+1] == ' '
}

// htmlItems returns where the items of lists of HTML are.
func htmlItems(text string, start, end int) [][2]int {
	var items [][2]int
	for at := start; at < end; {
		i := strings.Index(text[at:end], "<li")
		if i < 0 {
			break
		}
		from := at + i
		if n := strings.IndexByte(text[from:end], '>'); n >= 0 {
			from += n + 1
		} else {
			break
		}
		to := end
		for _, stop := range [...]string{"</li", "<li", "</ul", "</ol"} {
			if n := strings.Index(text[from:to], stop); n >= 0 {
				to = from + n
			}
		}
		items = append(items, [2]int{from, to})
		at = to
	}
	return slices.Clip(items)
}
