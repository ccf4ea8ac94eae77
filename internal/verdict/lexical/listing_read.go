package lexical

import (
	"slices"
	"strings"
)

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

// appendListings finds the lists of a text: lines with bullets or numbers, under
// the line before them, and lists in a line: "(a) one, (b) two", "Bring: one, two".
func appendListings(dst []listing, chunk int, text string) []listing {
	var open []listing // a list, and those within its last item
	var indents []int
	lead := [2]int{} // the line before
	closeTo := func(n int) {
		for len(open) > n {
			l := open[len(open)-1]
			if len(l.items) > 1 && l.lead[1] > l.lead[0] && len(dst) < maxListings {
				dst = append(dst, l)
			}
			open, indents = open[:len(open)-1], indents[:len(indents)-1]
		}
	}
	for start := 0; start < len(text); {
		n := strings.IndexByte(text[start:], '\n')
		if n < 0 {
			n = len(text) - start
		}
		line := text[start : start+n]
		indent := len(line) - len(strings.TrimLeft(line, " \t"))
		switch {
		case isItem(line):
			for len(open) > 0 && indents[len(indents)-1] > indent {
				closeTo(len(open) - 1)
			}
			if len(open) == 0 || indents[len(indents)-1] < indent {
				open, indents = append(open, listing{chunk: chunk, lead: lastClause(text, lead[0], lead[1])}), append(indents, indent)
			}
			l := &open[len(open)-1]
			l.items = append(l.items, [2]int{start, start + n})
			lead = [2]int{start, start + n}
			dst = appendRunIn(dst, chunk, text, start, start+n)
		case strings.TrimSpace(line) == "":
		case len(open) > 0 && indent > 1: // an item goes on
			l := &open[len(open)-1]
			l.items[len(l.items)-1][1] = start + n
		default:
			closeTo(0)
			lead = [2]int{start, start + n}
			dst = appendRunIn(dst, chunk, text, start, start+n)
		}
		start += n + 1
	}
	closeTo(0)
	return dst
}

// appendRunIn finds the lists in a line: what follows a colon up to the end of the
// sentence, between commas or the marks of items.
func appendRunIn(dst []listing, chunk int, text string, start, end int) []listing {
	for at := start; at < end && len(dst) < maxListings; {
		n := strings.IndexByte(text[at:end], ':')
		if k := strings.IndexByte(text[at:end], '('); n < 0 || k >= 0 && k < n {
			n = k
		}
		if n < 0 || strings.IndexByte(text[at+n:end], ',') < 0 && strings.IndexByte(text[at+n:end], ';') < 0 && strings.Count(text[at+n:end], "(") < 3 {
			break
		}
		at += n + 1
		from := at
		stop := min(end, at+maxRunIn)
		if text[at-1] == '(' && !isItem(text[at:end]) {
			continue
		}
		if i := strings.Index(text[at:stop], ". "); i >= 0 && text[at-1] == ':' && !isItem(strings.TrimLeft(text[at:end], " (")) {
			stop = at + i
		}
		l := listing{chunk: chunk}
		lead := at - 1
		for i := at; i <= stop; i++ {
			if i == stop || text[i] == ',' || text[i] == ';' || text[i] == '(' && isItem(text[i+1:stop]) {
				if strings.TrimSpace(text[from:i]) != "" {
					l.items = append(l.items, [2]int{from, i})
				}
				from = i + 1
			}
		}
		if len(l.items) > 0 { // the last may be two
			last := &l.items[len(l.items)-1]
			for _, and := range [...]string{" and ", " und ", " et ", " y "} {
				if i := strings.Index(text[last[0]:last[1]], and); i > 0 && len(l.items) > 1 {
					l.items = append(l.items, [2]int{last[0] + i + len(and), last[1]})
					l.items[len(l.items)-2][1] = last[0] + i
					break
				}
			}
		}
		long := slices.ContainsFunc(l.items, func(item [2]int) bool {
			return strings.Count(strings.TrimSpace(text[item[0]:item[1]]), " ") >= maxItemWords
		})
		if len(l.items) < 3 || long {
			continue
		}
		if l.lead = lastClause(text, start, lead); l.lead[1] > l.lead[0] {
			dst = append(dst, l)
			at = stop
		}
	}
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
