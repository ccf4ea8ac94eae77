package dataset

import (
	"bytes"
	"encoding/binary"
	"math/bits"
	"unicode/utf8"

	"github.com/go-json-experiment/json/jsontext"
)

// A scanner reads a JSON value into a tree in one pass, several times as fast
// as a decoder. It is strict: it knows that a value is sound, or else gives up
// without a reason, and the decoder is asked, which finds the same value or the
// fault and its place. What it finds is what the decoder would have found.
//
// It gives up on faults, and on what is rare: escapes in names, objects of more
// than scanMembers members, values more than scanDepth deep, more than maxNodes of them.
type scanner struct {
	s      []byte
	at     int
	spaced bool // there was white space between tokens
	tree   *tree

	text  []byte // the texts of all nodes, one behind the other
	spans []textSpan
	names [][]byte // of the objects that are open, to tell two of the same name
}

// A textSpan says which piece of scanner.text belongs to which node.
type textSpan struct {
	node, begin, end int
	name             bool // it is the node's name
}

const (
	scanMembers = 64
	scanDepth   = 24
)

// start begins with s, whose nodes go to t.
func (c *scanner) start(s []byte, t *tree) {
	if cap(c.text) > lineKeep {
		c.text = nil
	}
	if cap(c.spans) > treeKeep {
		c.spans = nil
	}
	c.s, c.at, c.tree = s, 0, t
	c.text, c.spans, c.names = c.text[:0], c.spans[:0], c.names[:0]
}

// finish gives the nodes their texts, which share one string.
func (c *scanner) finish() {
	all := string(c.text)
	for _, p := range c.spans {
		n, text := &c.tree.nodes[p.node], all[p.begin:p.end]
		if p.name {
			n.name = text
		} else {
			n.text = text
		}
	}
}

// add appends a node. With keep false nothing is wanted of the value.
func (c *scanner) add(keep bool, k kind, text []byte) {
	if !keep {
		return
	}
	if len(text) > 0 {
		begin := len(c.text)
		c.text = append(c.text, text...)
		c.spans = append(c.spans, textSpan{len(c.tree.nodes), begin, len(c.text), false})
	}
	c.tree.add(k, "", "")
}

// space passes over white space.
func (c *scanner) space() {
	for c.at < len(c.s) {
		switch c.s[c.at] {
		case ' ', '\t', '\r', '\n':
			c.at++
			c.spaced = true
		default:
			return
		}
	}
}

// token passes over white space and the byte behind it, which it returns; 0 at
// the end.
func (c *scanner) token() byte {
	c.space()
	if c.at == len(c.s) {
		return 0
	}
	c.at++
	return c.s[c.at-1]
}

// value reads the value that begins here.
func (c *scanner) value(keep bool, depth int) bool {
	if c.at == len(c.s) || depth > scanDepth || len(c.tree.nodes) >= maxNodes {
		return false
	}
	switch c.s[c.at] {
	case '"':
		return c.string(keep)
	case '[':
		return c.list(keep, depth)
	case '{':
		return c.object(keep, depth)
	case 't':
		return c.word(keep, kindBool, "true")
	case 'f':
		return c.word(keep, kindBool, "false")
	case 'n':
		return c.word(keep, kindNull, "null")
	}
	return c.number(keep)
}

func (c *scanner) list(keep bool, depth int) bool {
	c.at++
	open := 0
	if keep {
		open = c.tree.open(kindList, "")
	}
	if c.space(); c.at < len(c.s) && c.s[c.at] == ']' {
		c.at++
	} else if !c.elements(keep, depth+1) {
		return false
	}
	if keep {
		c.tree.close(open)
	}
	return true
}

// elements reads the elements of a list up to its end.
func (c *scanner) elements(keep bool, depth int) bool {
	for {
		c.space()
		if !c.value(keep, depth) {
			return false
		}
		switch c.token() {
		case ',':
		case ']':
			return true
		default:
			return false
		}
	}
}

func (c *scanner) object(keep bool, depth int) bool {
	open := 0
	if keep {
		open = c.tree.open(kindObject, "")
	}
	ok := c.members(func(name []byte) bool {
		if keep && len(name) > 0 {
			begin := len(c.text)
			c.text = append(c.text, name...)
			c.spans = append(c.spans, textSpan{len(c.tree.nodes), begin, len(c.text), true})
		}
		return c.value(keep, depth+1)
	})
	if keep {
		c.tree.close(open)
	}
	return ok
}

// members reads the object that begins here, and calls value where a member's
// value begins.
func (c *scanner) members(value func(name []byte) bool) bool {
	c.at++
	c.space()
	if c.at < len(c.s) && c.s[c.at] == '}' {
		c.at++
		return true
	}
	base := len(c.names)
	for {
		name, ok := c.name(base)
		if !ok || !value(name) {
			return false
		}
		switch c.token() {
		case ',':
			c.space()
		case '}':
			c.names = c.names[:base]
			return true
		default:
			return false
		}
	}
}

// name reads a member's name and the colon behind it. Those of the same object
// are in names from base on.
func (c *scanner) name(base int) ([]byte, bool) {
	if c.at == len(c.s) || c.s[c.at] != '"' || len(c.names)-base == scanMembers {
		return nil, false
	}
	name, escaped, ok := c.quoted()
	if !ok || escaped || c.token() != ':' {
		return nil, false
	}
	for _, other := range c.names[base:] {
		if bytes.Equal(other, name) {
			return nil, false
		}
	}
	c.names = append(c.names, name)
	c.space()
	return name, true
}

func (c *scanner) word(keep bool, k kind, word string) bool {
	if len(c.s)-c.at < len(word) || string(c.s[c.at:c.at+len(word)]) != word {
		return false
	}
	if c.at += len(word); k == kindNull {
		word = ""
	}
	c.add(keep, k, []byte(word))
	return true
}

func (c *scanner) number(keep bool) bool {
	begin := c.at
	for c.at < len(c.s) {
		b := c.s[c.at]
		if (b < '0' || b > '9') && b != '-' && b != '+' && b != '.' && b != 'e' && b != 'E' {
			break
		}
		c.at++
	}
	raw := c.s[begin:c.at]
	if !isNumber(string(raw)) {
		return false
	}
	c.add(keep, kindNumber, raw)
	return true
}

func (c *scanner) string(keep bool) bool {
	begin := c.at
	raw, escaped, ok := c.quoted()
	if !ok || !escaped {
		c.add(ok && keep, kindText, raw)
		return ok
	}
	from := len(c.text)
	text, err := jsontext.AppendUnquote(c.text, c.s[begin:c.at])
	if err != nil {
		return false
	}
	if !keep {
		c.text = text[:from]
		return true
	}
	c.text = text
	c.spans = append(c.spans, textSpan{len(c.tree.nodes), from, len(text), false})
	c.tree.add(kindText, "", "")
	return true
}

// Eight bytes at a time: one in every byte, and the top bit of every byte.
const (
	swarOnes   = 0x0101010101010101
	swarTops   = 0x8080808080808080
	swarQuotes = '"' * swarOnes
	swarSlants = '\\' * swarOnes
	swarSpaces = ' ' * swarOnes
)

// quoted passes over the string that begins here and returns what is between
// its quotes. Whether its escapes are sound is not looked at.
//
// In eight bytes w, the top bits of (w^c*ones - ones) &^ (w^c*ones) are set
// where a byte is c, and those of (w - spaces) &^ w where one is below a space;
// a borrow may set more of them, but only above the first (Warren, "Hacker's
// Delight", 2nd ed., 2012, section 6-1).
func (c *scanner) quoted() (raw []byte, escaped, ok bool) {
	s, i := c.s, c.at+1
	begin, high := i, uint64(0)
	for i < len(s) {
		if len(s)-i >= 8 {
			w := binary.LittleEndian.Uint64(s[i:])
			q, b := w^swarQuotes, w^swarSlants
			stop := ((q-swarOnes)&^q | (b-swarOnes)&^b | (w-swarSpaces)&^w) & swarTops
			high |= w
			if stop == 0 {
				i += 8
				continue
			}
			i += bits.TrailingZeros64(stop) / 8
		}
		switch b := s[i]; {
		case b == '"':
			raw, c.at = s[begin:i], i+1
			return raw, escaped, high&swarTops == 0 || utf8.Valid(raw)
		case b == '\\':
			escaped = true
			i += 2
		case b < ' ':
			return nil, false, false
		default:
			high |= uint64(b)
			i++
		}
	}
	return nil, false, false
}
