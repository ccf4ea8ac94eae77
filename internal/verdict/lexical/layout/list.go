package layout

import (
	"slices"
	"strings"
)

const (
	// maxInline limits the bytes of a line that are searched for an inline list.
	maxInline = 2000
	// maxLead limits the bytes of a list's lead.
	maxLead = 200
	// MaxItemWords limits the words in an item of an inline list.
	MaxItemWords = 10
)

// A List is a list in a text.
type List struct {
	Lead  Span // the clause that introduces the list
	Items []Span
}

// Lists returns the first lists in text, at most limit. It recognizes consecutive lines
// with bullets or numbers after a lead, and inline lists such as "(a) one, (b) two" and
// "Bring: one, two".
func Lists(text string, limit int) []List {
	if limit <= 0 {
		return nil
	}
	p := listParser{text: text, limit: limit}
	for start := 0; start < len(text); {
		end := len(text)
		if n := strings.IndexByte(text[start:], '\n'); n >= 0 {
			end = start + n
		}
		p.line(Span{start, end})
		start = end + 1
	}
	p.close(0)
	return p.lists
}

// A listParser parses the lists in a text, line by line.
type listParser struct {
	text    string
	lists   []List
	limit   int
	open    []List // the current list, followed by lists nested in its last item
	indents []int  // indentation of each open list
	lead    Span   // the previous line
}

// line parses one line.
func (p *listParser) line(s Span) {
	line := p.text[s.Start:s.End]
	indent := len(line) - len(strings.TrimLeft(line, " \t"))
	switch {
	case isItem(line):
		for len(p.open) > 0 && p.indents[len(p.indents)-1] > indent {
			p.close(len(p.open) - 1)
		}
		if len(p.open) == 0 || p.indents[len(p.indents)-1] < indent {
			p.open, p.indents = append(p.open, List{Lead: lastClause(p.text, p.lead)}), append(p.indents, indent)
		}
		l := &p.open[len(p.open)-1]
		l.Items = append(l.Items, s)
		p.lead = s
		p.inline(s)
	case strings.TrimSpace(line) == "":
	case len(p.open) > 0 && indent > 1: // continuation of the last item
		l := &p.open[len(p.open)-1]
		l.Items[len(l.Items)-1].End = s.End
	default:
		p.close(0)
		p.lead = s
		p.inline(s)
	}
}

// close closes the open lists from index n on.
func (p *listParser) close(n int) {
	for len(p.open) > n {
		l := p.open[len(p.open)-1]
		if len(l.Items) > 1 && l.Lead.End > l.Lead.Start && len(p.lists) < p.limit {
			p.lists = append(p.lists, l)
		}
		p.open, p.indents = p.open[:len(p.open)-1], p.indents[:len(p.indents)-1]
	}
}

// inline parses the inline lists in a line: the text from a colon to the end of the
// sentence, split at commas or item markers.
func (p *listParser) inline(line Span) {
	text, end := p.text, line.End
	// No list starts after the last separator of items and the third last parenthesis.
	last := line.Start + strings.LastIndexAny(text[line.Start:end], ",;")
	third := end
	for range 3 {
		third = line.Start + strings.LastIndexByte(text[line.Start:max(third, line.Start)], '(')
	}
	for pos := line.Start; pos < end && len(p.lists) < p.limit; {
		n := strings.IndexAny(text[pos:end], ":(")
		if n < 0 || pos+n > max(last, third) {
			break
		}
		pos += n + 1
		if text[pos-1] == '(' && !isItem(text[pos:end]) {
			continue
		}
		stop := min(end, pos+maxInline)
		if i := strings.Index(text[pos:stop], ". "); i >= 0 && text[pos-1] == ':' && !isItem(strings.TrimLeft(text[pos:end], " (")) {
			stop = pos + i
		}
		items := inlineItems(text, pos, stop)
		long := slices.ContainsFunc(items, func(item Span) bool {
			return strings.Count(strings.TrimSpace(text[item.Start:item.End]), " ") >= MaxItemWords
		})
		if len(items) < 3 || long {
			continue
		}
		if lead := lastClause(text, Span{line.Start, pos - 1}); lead.End > lead.Start {
			p.lists = append(p.lists, List{Lead: lead, Items: items})
			pos = stop
		}
	}
}

// inlineItems splits text[start:end] at commas, semicolons and item markers, and splits
// the last item at its conjunction.
func inlineItems(text string, start, end int) []Span {
	var items []Span
	from := start
	for i := start; i <= end; i++ {
		if i == end || text[i] == ',' || text[i] == ';' || text[i] == '(' && isItem(text[i+1:end]) {
			if strings.TrimSpace(text[from:i]) != "" {
				items = append(items, Span{from, i})
			}
			from = i + 1
		}
	}
	if len(items) < 2 {
		return items
	}
	last := &items[len(items)-1]
	for _, and := range [...]string{" and ", " und ", " et ", " y "} {
		if i := strings.Index(text[last.Start:last.End], and); i > 0 {
			second := Span{last.Start + i + len(and), last.End}
			last.End = last.Start + i
			return append(items, second)
		}
	}
	return items
}

// lastClause returns the last clause of a line, or an empty span if the clause is longer
// than maxLead.
func lastClause(text string, line Span) Span {
	s := strings.TrimRight(text[line.Start:line.End], " \r\t")
	from := 0
	tail := max(0, len(s)-maxLead-len(". ")) // a line may have many leads
	for _, stop := range [...]string{". ", "! ", "? ", "; "} {
		if i := strings.LastIndex(s[tail:], stop); i >= 0 {
			from = max(from, tail+i+len(stop))
		}
	}
	if len(s)-from > maxLead {
		return Span{}
	}
	return Span{line.Start + from, line.Start + len(s)}
}

// isItem reports whether a line starts with a list marker: a bullet, a number or a
// letter.
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
