package report

import (
	"errors"
	"fmt"
	"io"
	"math"
	"slices"
	"strconv"

	"github.com/go-json-experiment/json/jsontext"
)

// A cursor reads JSON whose shape is known. The first error stays, and what is
// read after it is nothing.
type cursor struct {
	dec  *jsontext.Decoder
	name string // of the member that is being read
	err  error
}

// fail notes what is wrong with the member that is being read.
func (c *cursor) fail(what string) {
	if c.err == nil {
		c.err = errors.New(c.name + ": " + what)
	}
}

// syntax notes an error of the decoder.
func (c *cursor) syntax(err error) {
	var s *jsontext.SyntacticError
	switch {
	case c.err != nil:
	case errors.Is(err, io.ErrUnexpectedEOF), errors.Is(err, io.EOF):
		c.err = errors.New("invalid JSON: it ends too early")
	case errors.As(err, &s):
		c.err = fmt.Errorf("invalid JSON at column %d", s.ByteOffset+1)
	default:
		c.err = err
	}
}

// raw returns the next value as it is, valid until the next is read.
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

// open begins an object or an array.
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

// object calls member for each member of the next value, to read its value. None
// of its first members may come twice.
func (c *cursor) object(member func(name string)) {
	var first [16]string // more than any object within a result has
	n := 0
	outer := c.name
	if !c.open('{', "an object") {
		return
	}
	for c.err == nil && c.dec.PeekKind() != '}' {
		tok, err := c.dec.ReadToken()
		if err != nil {
			c.syntax(err)
			return
		}
		name := tok.String()
		c.name = name
		if slices.Contains(first[:n], name) {
			c.fail("comes twice")
			return
		}
		if n < len(first) {
			first[n] = name
			n++
		}
		member(name)
	}
	c.end()
	c.name = outer
}

// array calls element for each element of the next value, to read it.
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

// null reports whether the next value is null, and then reads it.
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
			c.raw() // has the error
		}
		c.fail("want a string")
		return ""
	}
	tok, err := c.dec.ReadToken()
	if err != nil {
		c.syntax(err)
		return ""
	}
	return tok.String()
}

func (c *cursor) textOrNull() string {
	if c.null() {
		return ""
	}
	return c.text()
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

// place returns a place in a text, -1 for null.
func (c *cursor) place() int {
	if c.null() {
		return -1
	}
	n := c.integer()
	if n < 0 {
		c.fail("got " + strconv.Itoa(n) + ", want 0 or more")
	}
	return n
}

// number returns a number, NaN for null.
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

// fraction returns a number from 0 to 1, which all scores are, and NaN for null.
func (c *cursor) fraction() float64 {
	x := c.number()
	if c.err == nil && (x < 0 || x > 1) {
		c.fail("got " + strconv.FormatFloat(x, 'g', -1, 64) + ", want a number from 0 to 1")
	}
	return x
}
