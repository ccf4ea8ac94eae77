package result

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"math"
	"strconv"

	"github.com/go-json-experiment/json/jsontext"
)

// A cursor reads JSON of a known structure. It keeps the first error; after one,
// all methods return zero values.
type cursor struct {
	dec  *jsontext.Decoder
	name string // name of the current member
	buf  []byte // buffer of unquote
	err  error
}

// fail records an error of the current member.
func (c *cursor) fail(message string) {
	if c.err == nil {
		c.err = errors.New(c.name + ": " + message)
	}
}

// syntax records an error of the decoder.
func (c *cursor) syntax(err error) {
	var s *jsontext.SyntacticError
	switch {
	case c.err != nil:
	case errors.Is(err, io.ErrUnexpectedEOF), errors.Is(err, io.EOF):
		c.err = errors.New("invalid JSON: unexpected end of input")
	case errors.As(err, &s):
		c.err = fmt.Errorf("invalid JSON at column %d", s.ByteOffset+1)
	default:
		c.err = err
	}
}

// raw returns the text of the next value. It is valid until the next read.
func (c *cursor) raw() []byte {
	if c.err != nil {
		return nil
	}
	v, err := c.dec.ReadValue()
	if err != nil {
		c.syntax(err)
		return nil
	}
	return v
}

// open reads the start of an object or array.
func (c *cursor) open(kind jsontext.Kind, want string) bool {
	if c.err != nil {
		return false
	}
	tok, err := c.dec.ReadToken()
	switch {
	case err != nil:
		c.syntax(err)
	case tok.Kind() != kind:
		c.err = errors.New("want " + want)
		if c.name != "" {
			c.err = errors.New(c.name + ": want " + want)
		}
	}
	return c.err == nil
}

// object reads an object. For each of its members it calls member, which sets name
// and reads the value.
func (c *cursor) object(member func(name []byte)) {
	outer := c.name
	if !c.open('{', "an object") {
		return
	}
	for c.err == nil && c.dec.PeekKind() != '}' {
		if raw := c.raw(); raw != nil {
			member(c.unquote(raw))
		}
	}
	c.end()
	c.name = outer
}

// array reads an array and calls element to read each of its elements.
func (c *cursor) array(element func()) {
	outer := c.name
	if !c.open('[', "an array") {
		return
	}
	for c.err == nil && c.dec.PeekKind() != ']' {
		element()
		c.name = outer
	}
	c.end()
}

func (c *cursor) end() {
	if c.err == nil {
		if _, err := c.dec.ReadToken(); err != nil {
			c.syntax(err)
		}
	}
}

// null reports whether the next value is null, and skips it if so.
func (c *cursor) null() bool {
	if c.err != nil || c.dec.PeekKind() != 'n' {
		return false
	}
	return c.raw() != nil
}

func (c *cursor) text() string {
	if c.err != nil {
		return ""
	}
	if k := c.dec.PeekKind(); k != '"' {
		if k == 0 {
			c.raw() // records the error
		}
		c.fail("want a string")
		return ""
	}
	return string(c.unquote(c.raw()))
}

// unquote returns the text of a JSON string, which the decoder has checked. It is valid
// until the next read.
func (c *cursor) unquote(raw []byte) []byte {
	if len(raw) >= 2 && bytes.IndexByte(raw, '\\') < 0 {
		return raw[1 : len(raw)-1]
	}
	c.buf, _ = jsontext.AppendUnquote(c.buf[:0], raw)
	return c.buf
}

func (c *cursor) integer() int {
	v := c.raw()
	if c.err != nil {
		return 0
	}
	n, err := strconv.Atoi(string(v))
	if err != nil {
		c.fail("want a whole number")
	}
	return n
}

// offset returns an offset in a text, or -1 for null.
func (c *cursor) offset() int {
	if c.null() {
		return -1
	}
	n := c.integer()
	if n < 0 {
		c.fail("got " + strconv.Itoa(n) + ", want 0 or more")
	}
	return n
}

// number returns a number, or NaN for null.
func (c *cursor) number() float64 {
	if c.null() {
		return math.NaN()
	}
	v := c.raw()
	if c.err != nil {
		return math.NaN()
	}
	x, err := strconv.ParseFloat(string(v), 64)
	if err != nil {
		c.fail("want a number")
	}
	return x
}

// fraction returns a number from 0 to 1, or NaN for null.
func (c *cursor) fraction() float64 {
	x := c.number()
	if c.err == nil && (x < 0 || x > 1) {
		c.fail("got " + strconv.FormatFloat(x, 'g', -1, 64) + ", want a number from 0 to 1")
	}
	return x
}
