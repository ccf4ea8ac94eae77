package dataset

import (
	"bufio"
	"bytes"
	"errors"
	"fmt"
	"slices"
	"unicode/utf8"
)

// A dialect describes how a text separates and quotes fields.
type dialect struct {
	comma      byte // delimiter
	lazyQuotes bool // a quote that does not enclose a whole field belongs to it
	escapes    bool // \" is a quote within a field, as Spark and pandas can write it
	doubled    bool // and \\ a backslash
	padded     bool // the space after each delimiter does not belong to the field
}

// A csvReader parses RFC 4180 like encoding/csv, with three differences: it keeps carriage returns
// within quotes, limits the size of a record with an unclosed quote, and tracks the offset of the
// end of each record. It also reads other dialects.
type csvReader struct {
	dialect
	lines LineReader
	width int // number of fields of the header; 0 before it is read

	stray  int         // number of the first field with an unexpected quote, or 0
	record []byte      // concatenated fields
	ends   []int       // end of each field in record
	line   int         // line at which the record starts
	number int         // number of the last line that was read
	ahead  []aheadLine // lines after it that isLiteral has read
}

// An aheadLine is a result of LineReader.Next.
type aheadLine struct {
	line   []byte
	err    error
	number int
}

// readLine returns the next line.
func (c *csvReader) readLine() ([]byte, error) {
	if len(c.ahead) > 0 {
		next := c.ahead[0]
		c.ahead, c.number = c.ahead[1:], next.number
		return next.line, next.err
	}
	line, err := c.lines.Next()
	c.number = c.lines.Number
	return line, err
}

// isLiteral reports whether a quote at the start of a field, which line does not close, belongs to its text: in
// tab-separated texts, most programs write quotes as they are. If line completes the record, it does if the field would
// contain another record or a quote that is not doubled, and otherwise only if it would contain both.
func (c *csvReader) isLiteral(line []byte) bool {
	tabs := []byte{c.comma}
	whole := len(c.ends)+1+bytes.Count(line, tabs) == c.width
	for i, size := 0, 0; c.width > 0 && i < maxQuotedLines && size <= c.lines.max; i++ {
		if i == len(c.ahead) {
			next, err := c.lines.Next()
			if isEnd(err) {
				return whole && i == 0
			}
			c.ahead = append(c.ahead, aheadLine{bytes.Clone(next), err, c.lines.Number})
		}
		next := c.ahead[i]
		if next.err != nil {
			return false
		}
		text, closed, undoubled := c.untilQuote(next.line, " ")
		record := bytes.Count(next.line, tabs) == c.width-1 && bytes.Contains(text, tabs)
		if whole && (record || undoubled) || record && undoubled {
			return true
		}
		if closed {
			return false
		}
		size += len(next.line)
	}
	return false
}

// next reads the next record. Its fields are valid until the next call. An invalid record results
// in a csvError and ends with its line. The fields before the error are available.
func (c *csvReader) next() error {
	c.record, c.ends, c.stray = c.record[:0], c.ends[:0], 0
	if cap(c.record) > maxReused {
		c.record = nil
	}
	var line []byte
	for len(bytes.Trim(line, " \r\n")) == 0 {
		var err error
		line, err = c.readLine()
		c.line = c.number
		if errors.Is(err, ErrTooLong) {
			return &csvError{err: err}
		}
		if err != nil {
			return err
		}
	}
	size := len(line)
	for {
		if c.padded {
			line = bytes.TrimLeft(line, " ")
		}
		quoted := len(line) > 0 && line[0] == '"'
		if quoted && c.lazyQuotes {
			line, quoted = c.opensQuotes(line)
		}
		if !quoted {
			n := bytes.IndexByte(line, c.comma)
			field := trimEnd(line)
			if n >= 0 {
				field = line[:n]
			}
			unescaped, ok := field, false
			if c.escapes {
				unescaped, ok = c.unescape(field)
			}
			if c.stray == 0 && !c.lazyQuotes && !ok && bytes.IndexByte(field, '"') >= 0 {
				c.stray = len(c.ends) + 1
			}
			c.record = append(c.record, unescaped...)
			c.ends = append(c.ends, len(c.record))
			if n < 0 {
				return nil
			}
			line = line[n+1:]
			continue
		}
		rest, err := c.quotedField(line[1:], &size)
		if err != nil {
			return err
		}
		c.ends = append(c.ends, len(c.record))
		if rest == nil {
			return nil
		}
		line = rest
	}
}

// unescape returns a field without quotes in which each quote has a backslash, as csv in
// Python writes it without quotes: backslashes then have one too. It returns false and the
// field itself if it has another form, such as JSON.
func (c *csvReader) unescape(field []byte) ([]byte, bool) {
	var out []byte
	escaped := false
	for i := 0; i < len(field); i++ {
		switch {
		case field[i] == '"':
			return field, false
		case field[i] == '\\' && i+1 < len(field) && (field[i+1] == '"' || field[i+1] == '\\'):
			i++
			escaped = escaped || c.doubled || field[i] == '"'
		}
		out = append(out, field[i])
	}
	if !escaped {
		return field, false
	}
	return out, true
}

// opensQuotes reports whether the quote that starts a field encloses it: it is closed before a comma or the end of the
// line, or in a later line. It returns line, which it may have copied.
func (c *csvReader) opensQuotes(line []byte) ([]byte, bool) {
	if _, closed, undoubled := c.untilQuote(line[1:], ""); closed || undoubled {
		return line, closed
	}
	line = bytes.Clone(line)
	return line, !c.isLiteral(line)
}

// untilQuote returns text up to its first quote that is not doubled or escaped, and whether that one closes the field or
// must be doubled. Blanks can follow a quote that closes a field.
func (c *csvReader) untilQuote(text []byte, blanks string) (before []byte, closed, undoubled bool) {
	for i := 0; i < len(text); i++ {
		after := text[i+1:]
		switch {
		case text[i] != '"' || c.escapes && (i-len(bytes.TrimRight(text[:i], `\`)))%2 == 1:
		case len(after) > 0 && after[0] == '"':
			i++
		default:
			after = trimEnd(bytes.TrimLeft(after, blanks))
			closed = len(after) == 0 || after[0] == c.comma
			return text[:i], closed, !closed
		}
	}
	return text, false, false
}

// quotedField reads the remainder of a field after its opening quote. The field can span several
// lines. quotedField returns the text after the following comma, or nil at the end of the record.
// size accumulates the size of the record.
func (c *csvReader) quotedField(line []byte, size *int) ([]byte, error) {
	opened := c.number
	for {
		n := bytes.IndexByte(line, '"')
		if n < 0 {
			c.record = append(c.record, c.undouble(line)...)
			next, err := c.nextLine(opened, size)
			if err != nil {
				return nil, err
			}
			line = next
			continue
		}
		text := line[:n]
		line = line[n+1:]
		if c.escapes {
			before := bytes.TrimRight(text, `\`)
			backslashes := len(text) - len(before)
			c.record, text = append(c.record, c.undouble(before)...), text[len(before):len(before)+backslashes/2]
			if backslashes%2 == 1 {
				c.record = append(append(c.record, text...), '"')
				continue
			}
		}
		c.record = append(c.record, text...)
		blank := len(line) - len(bytes.TrimLeft(line, " "))
		switch {
		case len(line) > 0 && line[0] == c.comma: // which can be a space
			return line[1:], nil
		case len(line) > 0 && line[0] == '"':
			c.record = append(c.record, '"')
			line = line[1:]
		case len(line) > blank && line[blank] == c.comma:
			return line[blank+1:], nil
		case len(trimEnd(line[blank:])) == 0:
			return nil, nil
		case c.lazyQuotes:
			c.record = append(c.record, '"')
		default:
			err := fmt.Errorf("a quote within field %d that is not doubled", len(c.ends)+1)
			if c.number > opened {
				err = fmt.Errorf("%w, on line %d (the field starts on line %d)", err, c.number, opened)
			}
			return nil, &csvError{err, c.number-opened > maxQuotedLines}
		}
	}
}

// undouble returns a text within quotes with one backslash for two, if they are doubled.
func (c *csvReader) undouble(text []byte) []byte {
	if !c.doubled {
		return text
	}
	return bytes.ReplaceAll(text, []byte(`\\`), []byte(`\`))
}

// nextLine reads the next line of a record with a quote opened on line opened.
func (c *csvReader) nextLine(opened int, size *int) ([]byte, error) {
	line, err := c.readLine()
	*size += len(line)
	switch {
	case errors.Is(err, ErrTooLong) || err == nil && *size > c.lines.max:
		return nil, fmt.Errorf("line %d: %w: is a quote left open?", opened, tooLong(c.lines.max))
	case isEnd(err):
		return nil, &csvError{fmt.Errorf("a quote is opened on line %d and never closed", opened), true}
	}
	return line, err
}

// maxQuotedLines is the maximum number of line breaks in a field with an invalid quote. In a longer
// field, the opening quote is probably stray, and the field contains other records.
const maxQuotedLines = 100

// A csvError reports an invalid record.
type csvError struct {
	err  error
	open bool // the field can contain other records, up to the end of the file
}

func (e *csvError) Error() string { return e.err.Error() }
func (e *csvError) Unwrap() error { return e.err }

// field returns the field at index i.
func (c *csvReader) field(i int) []byte {
	start := 0
	if i > 0 {
		start = c.ends[i-1]
	}
	return c.record[start:c.ends[i]]
}

// valid reports whether each field is valid UTF-8. It also checks the boundaries, since two invalid
// fields can form a valid character when concatenated.
func (c *csvReader) valid() bool {
	return utf8.Valid(c.record) && !slices.ContainsFunc(c.ends, func(end int) bool {
		return end < len(c.record) && !utf8.RuneStart(c.record[end])
	})
}

// trimEnd removes the line ending, which is \r\r\n after writing \r\n to a file
// that Windows opened as text.
func trimEnd(line []byte) []byte {
	return bytes.TrimRight(bytes.TrimSuffix(line, []byte("\n")), "\r")
}

// delimiters are the detected delimiters, the most common one first.
const delimiters = ",\t;|"

// sampleRecords limits the number of records that detection compares.
const sampleRecords = 50

// detectDialect returns the dialect in which the first records of a text that starts with
// head most consistently have as many fields as the header, preferring more fields. given is
// the delimiter, or 0 if unknown; preferred wins ties.
func detectDialect(head []byte, given, preferred byte) dialect {
	if given != 0 {
		return newDialect(head, given)
	}
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
	c.width = width
	same, total := 0, 0
	for range sampleRecords {
		err := c.next()
		if err != nil && !is[*csvError](err) || len(c.ahead) == 0 && c.lines.Offset == int64(len(head)) && head[len(head)-1] != '\n' {
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

// escapesQuotes reports whether quotes within quotes are escaped by backslashes and never doubled.
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
