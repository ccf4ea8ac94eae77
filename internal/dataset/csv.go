package dataset

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"unicode/utf8"
)

// A csvReader cuts lines into fields as RFC 4180 says, and as encoding/csv
// does, with three differences that it is there for: a carriage return within
// quotes stays, a record may not go on for ever after a quote that is never
// closed, and how much of the input a record ends at is known.
type csvReader struct {
	lines lineReader
	comma byte
	lazy  bool // a quote may stand within a field

	record []byte // the fields, one after the other
	ends   []int  // where each ends in record
	line   int    // on which the record starts
}

// next reads the next record. Fields are valid until the next call. A record
// that breaks a rule gives a csvError and is over with its line; the fields
// before the fault are there.
func (c *csvReader) next() error {
	c.record, c.ends = c.record[:0], c.ends[:0]
	if cap(c.record) > lineKeep {
		c.record = nil
	}
	var line []byte
	for len(trimEnd(line)) == 0 {
		var err error
		line, err = c.lines.next()
		if errors.Is(err, errTooLong) {
			c.line = c.lines.line
			return &csvError{err}
		}
		if err != nil {
			return err
		}
	}
	c.line = c.lines.line
	used := len(line)
	for {
		if len(line) == 0 || line[0] != '"' {
			n := bytes.IndexByte(line, c.comma)
			field := trimEnd(line)
			if n >= 0 {
				field = line[:n]
			}
			if !c.lazy && bytes.IndexByte(field, '"') >= 0 {
				return &csvError{fmt.Errorf("a quote within field %d, which is not quoted", len(c.ends)+1)}
			}
			c.record = append(c.record, field...)
			c.ends = append(c.ends, len(c.record))
			if n < 0 {
				return nil
			}
			line = line[n+1:]
			continue
		}
		rest, err := c.quoted(line[1:], &used)
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

// quoted reads the rest of a field after its opening quote, over as many lines
// as it goes. It returns what follows the field's comma, or nil at the end of
// the record.
func (c *csvReader) quoted(line []byte, used *int) ([]byte, error) {
	opened := c.lines.line
	for {
		n := bytes.IndexByte(line, '"')
		if n < 0 {
			c.record = append(c.record, line...)
			next, err := c.more(opened, used)
			if err != nil {
				return nil, err
			}
			line = next
			continue
		}
		c.record = append(c.record, line[:n]...)
		line = line[n+1:]
		switch {
		case len(line) > 0 && line[0] == '"':
			c.record = append(c.record, '"')
			line = line[1:]
		case len(line) > 0 && line[0] == c.comma:
			return line[1:], nil
		case len(trimEnd(line)) == 0:
			return nil, nil
		case c.lazy:
			c.record = append(c.record, '"')
		default:
			return nil, &csvError{fmt.Errorf("a quote within field %d that is not doubled", len(c.ends)+1)}
		}
	}
}

// more reads the next line of a record.
func (c *csvReader) more(opened int, used *int) ([]byte, error) {
	line, err := c.lines.next()
	*used += len(line)
	switch {
	case errors.Is(err, errTooLong) || err == nil && *used > c.lines.max:
		return nil, fmt.Errorf("line %d: %w: is a quote left open?", opened, tooLong(c.lines.max))
	case errors.Is(err, io.EOF) && !errors.Is(err, io.ErrUnexpectedEOF):
		return nil, &csvError{fmt.Errorf("a quote is opened on line %d and never closed", opened)}
	}
	return line, err
}

// A csvError is a record that breaks a rule.
type csvError struct{ err error }

func (e *csvError) Error() string { return e.err.Error() }
func (e *csvError) Unwrap() error { return e.err }

// field returns a field of the record.
func (c *csvReader) field(i int) []byte {
	begin := 0
	if i > 0 {
		begin = c.ends[i-1]
	}
	return c.record[begin:c.ends[i]]
}

// valid reports whether the fields are UTF-8, each by itself: the end of one and
// the beginning of the next may make a character that neither of them has.
func (c *csvReader) valid() bool {
	for _, end := range c.ends {
		if end < len(c.record) && !utf8.RuneStart(c.record[end]) {
			return false
		}
	}
	return utf8.Valid(c.record)
}

// trimEnd takes a line's end off.
func trimEnd(line []byte) []byte {
	line = bytes.TrimSuffix(line, []byte("\n"))
	return bytes.TrimSuffix(line, []byte("\r"))
}
