package dataset

import (
	"fmt"

	"github.com/go-json-experiment/json/jsontext"
)

// A kind says what a node of a tree is.
type kind uint8

const (
	kindNull kind = iota
	kindBool
	kindNumber
	kindText
	kindBytes // text that is not UTF-8, from Parquet
	kindList
	kindObject
)

// String returns the kind with its article, as messages name it.
func (k kind) String() string {
	switch k {
	case kindNull:
		return "null"
	case kindBool:
		return "a boolean"
	case kindNumber:
		return "a number"
	case kindText:
		return "a string"
	case kindBytes:
		return notUTF8
	case kindList:
		return "a list"
	case kindObject:
		return "an object"
	}
	return "an unknown value"
}

// A node is one value. A list or object is followed by its members, depth
// first, up to the node at end.
type node struct {
	kind kind
	name string // within an object
	text string // of a text; of a number and a boolean as it is written in JSON
	end  int
}

// A tree is a value of any shape: what JSON, a Python literal and a Parquet
// column have in common. Its nodes lie in one slice, which is used again for
// the next row, so that a row costs its texts and nothing else.
type tree struct {
	nodes []node
	scan  scanner // reads into it
	limit int     // bytes that the texts of a row may take; 0 for no limit
	used  int     // bytes that they take
	over  error   // why the rest of the row is left out

	sources []Source // of the contexts that were read last; nil if none names one
}

// maxNodes is how many values the fields of a row may be made of: one takes some
// 60 bytes of memory, and in a file two or less.
const maxNodes = 4 << 20

// errTooMany says that a row has more values than that.
var errTooMany = fmt.Errorf("%w: more than %d values", errTooLong, maxNodes)

// treeKeep is how many nodes are kept from one row to the next.
const treeKeep = 1 << 16

func (t *tree) reset() {
	t.used, t.over, t.sources = 0, nil, nil
	if cap(t.nodes) > treeKeep {
		t.nodes = nil
	}
	clear(t.nodes)
	t.nodes = t.nodes[:0]
}

func (t *tree) add(k kind, name, text string) {
	t.used += len(text)
	switch {
	case t.over != nil:
		return
	case t.limit > 0 && t.used > t.limit:
		t.over = tooLong(t.limit)
		return
	case len(t.nodes) >= maxNodes:
		t.over = errTooMany
		return
	}
	t.nodes = append(t.nodes, node{kind: k, name: name, text: text, end: len(t.nodes) + 1})
}

// full reports whether the rest of the row is left out.
func (t *tree) full() bool { return t.over != nil }

// open begins a list or object, which lasts until close is called with the
// number that open returned.
func (t *tree) open(k kind, name string) int {
	t.add(k, name, "")
	return len(t.nodes) - 1
}

func (t *tree) close(i int) {
	if t.over == nil {
		t.nodes[i].end = len(t.nodes)
	}
}

// member returns the place of the named member of the object at i, or -1.
func (t *tree) member(i int, name string) int {
	for j := i + 1; j < t.nodes[i].end; j = t.nodes[j].end {
		if t.nodes[j].name == name {
			return j
		}
	}
	return -1
}

// readJSON appends the next value of dec.
func (t *tree) readJSON(dec *jsontext.Decoder, name string) error {
	if len(t.nodes) >= maxNodes {
		return errTooMany
	}
	tok, err := dec.ReadToken()
	if err != nil {
		return err
	}
	switch byte(tok.Kind()) {
	case 'n':
		t.add(kindNull, name, "")
	case 't', 'f':
		t.add(kindBool, name, tok.String())
	case '0':
		t.add(kindNumber, name, tok.String())
	case '"':
		t.add(kindText, name, tok.String())
	case '[':
		i := t.open(kindList, name)
		for dec.PeekKind() != ']' {
			if err := t.readJSON(dec, ""); err != nil {
				return err
			}
		}
		if _, err := dec.ReadToken(); err != nil {
			return err
		}
		t.close(i)
	case '{':
		i := t.open(kindObject, name)
		for dec.PeekKind() != '}' {
			tok, err := dec.ReadToken()
			if err != nil {
				return err
			}
			if err := t.readJSON(dec, tok.String()); err != nil {
				return err
			}
		}
		if _, err := dec.ReadToken(); err != nil {
			return err
		}
		t.close(i)
	}
	return nil
}

// appendJSON appends the value at i as JSON to dst.
func (t *tree) appendJSON(dst []byte, i int) []byte {
	n := t.nodes[i]
	switch n.kind {
	case kindNull:
		return append(dst, "null"...)
	case kindBool, kindNumber:
		return append(dst, n.text...)
	case kindText:
		return appendString(dst, n.text)
	case kindBytes:
		return appendBase64(dst, n.text)
	case kindList, kindObject:
	}
	begin, end := byte('['), byte(']')
	if n.kind == kindObject {
		begin, end = '{', '}'
	}
	dst = append(dst, begin)
	for j := i + 1; j < n.end; j = t.nodes[j].end {
		if j > i+1 {
			dst = append(dst, ',')
		}
		if n.kind == kindObject {
			dst = append(appendString(dst, t.nodes[j].name), ':')
		}
		dst = t.appendJSON(dst, j)
	}
	return append(dst, end)
}

// appendString appends s as a JSON string. Bytes that are not UTF-8 become
// U+FFFD, so that a file name or a header cannot break the results.
func appendString(dst []byte, s string) []byte {
	dst, _ = jsontext.AppendQuote(dst, s) // its error tells of such bytes
	return dst
}
