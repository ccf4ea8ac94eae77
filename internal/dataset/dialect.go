package dataset

import (
	"bufio"
	"bytes"
)

// delimiters are the detected delimiters, the most common one first.
const delimiters = ",\t;|"

// sampleRecords limits the number of records that detection compares.
const sampleRecords = 50

// detectDialect returns the dialect of a text that starts with head. The
// delimiter is given if it is known, and preferred if several are equally good.
func detectDialect(head []byte, given, preferred byte) dialect {
	if given != 0 {
		return newDialect(head, given)
	}
	return bestDialect(head, preferred)
}

// delimiterLine returns the delimiter in a first line such as "sep=;", which Excel reads, and the
// text after it, or 0 and the whole text.
func delimiterLine(head []byte) (delimiter byte, rest []byte) {
	line, rest, _ := bytes.Cut(head, []byte("\n"))
	mark, found := bytes.CutPrefix(bytes.Trim(line, "\r\""), []byte("sep="))
	if !found || len(mark) != 1 {
		return 0, head
	}
	return mark[0], rest
}

// bestDialect returns the dialect in which the first records most consistently
// have as many fields as the header, and then the one with most fields.
func bestDialect(head []byte, preferred byte) dialect {
	best := newDialect(head, preferred)
	bestWidth, bestShare := best.consistency(head)
	for _, comma := range []byte(delimiters) {
		d := newDialect(head, comma)
		width, share := d.consistency(head)
		if width < 2 {
			continue
		}
		if bestWidth < 2 || share > bestShare || share == bestShare && width > bestWidth {
			best, bestWidth, bestShare = d, width, share
		}
	}
	return best
}

func newDialect(head []byte, comma byte) dialect {
	d := dialect{comma: comma, lazyQuotes: comma == '\t', escapes: escapesQuotes(head, comma)}
	single := bytes.ReplaceAll(head, []byte(`\\`), nil)
	d.doubled = d.escapes && len(single) < len(head) && !bytes.Contains(bytes.ReplaceAll(single, []byte(`\"`), nil), []byte(`\`))
	if comma == '\t' {
		return d
	}
	header := firstLine(head)
	n := bytes.Count(header, []byte{comma})
	d.padded = n > 0 && comma != ' ' && bytes.Count(header, []byte{comma, ' '}) == n
	return d
}

// consistency returns the number of fields of the header, or 0 if it is invalid,
// and the share of the other records that have as many.
func (d dialect) consistency(head []byte) (width int, share float64) {
	c := csvReader{dialect: d, lines: NewLineReader(bufio.NewReader(bytes.NewReader(head)), len(head))}
	if c.next() != nil || c.stray > 0 {
		return 0, 0
	}
	width = len(c.ends)
	same, total := 0, 0
	for range sampleRecords {
		err := c.next()
		if err != nil && !is[*csvError](err) || c.lines.Offset == int64(len(head)) && head[len(head)-1] != '\n' {
			break // the last record of the sample may be incomplete
		}
		total++
		if err == nil && c.stray == 0 && len(c.ends) == width {
			same++
		}
	}
	if total == 0 {
		return width, 1
	}
	return width, float64(same) / float64(total)
}

// escapesQuotes reports whether quotes within quotes are escaped by backslashes
// and never doubled.
func escapesQuotes(head []byte, comma byte) bool {
	escaped := false
	ends := func(i int) bool { // a field starts or ends at index i
		return i < 0 || i >= len(head) || head[i] == comma || head[i] == '\r' || head[i] == '\n'
	}
	for i := 0; i < len(head); i++ {
		if head[i] != '"' {
			continue
		}
		start := i
		for i < len(head) && head[i] == '"' {
			i++
		}
		backslash := start > 0 && head[start-1] == '\\'
		switch n := i - start; {
		case n == 1:
			escaped = escaped || backslash && !ends(i)
		case n == 2 && ends(i) && (backslash || ends(start-1)): // an escaped quote at the end, or an empty field
		default:
			return false
		}
	}
	return escaped
}

// firstLine returns the first line of a text that is not blank.
func firstLine(text []byte) []byte {
	line, _, _ := bytes.Cut(bytes.TrimLeft(text, "\r\n"), []byte("\n"))
	return line
}
