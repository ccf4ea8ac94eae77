package dataset

import (
	"bytes"
	"fmt"

	"github.com/go-json-experiment/json/jsontext"

	"github.com/ragfaith/ragfaith/internal/dataset/shape"
)

// A kind is the type of a value.
type kind = shape.Kind

const (
	kindNull   = shape.Null
	kindBool   = shape.Bool
	kindNumber = shape.Number
	kindText   = shape.Text
	kindList   = shape.List
	kindObject = shape.Object
	kindBytes  = shape.Bytes
)

// A node is a single value. The nodes of the elements of a list or object
// follow it in depth-first order and end before index end.
type node struct {
	kind kind
	name string // name of an object member
	text string // content of a string; JSON of a number or a boolean
	end  int
}

// A tree holds values read from JSON, a Python literal or a Parquet column. The
// slice of nodes is reused for the next row.
type tree struct {
	nodes    []node
	limit    int   // maximum size of all texts in bytes, or 0 for no limit
	used     int   // size of all texts in bytes
	overflow error // set if the row exceeds a limit; additional nodes are dropped

	sources []Source // sources of the last contexts, or nil if unknown
	buf     []byte   // reused by unquote
}

// maxNodes limits the number of values of a row. A node uses about 60 bytes of
// memory but can be as short as 2 bytes in a file.
const maxNodes = 4 << 20

// errTooMany reports a row that exceeds maxNodes.
var errTooMany = fmt.Errorf("%w: more than %d values", ErrTooLong, maxNodes)

// maxReusedNodes limits the size of a slice of nodes that is reused.
const maxReusedNodes = 1 << 16

func (t *tree) reset() {
	t.used, t.overflow, t.sources = 0, nil, nil
	if cap(t.nodes) > maxReusedNodes {
		t.nodes = nil
	}
	if cap(t.buf) > maxReused {
		t.buf = nil
	}
	clear(t.nodes)
	t.nodes = t.nodes[:0]
}

func (t *tree) add(k kind, name, text string) {
	t.used += len(text)
	switch {
	case t.overflow != nil:
		return
	case t.limit > 0 && t.used > t.limit:
		t.overflow = tooLong(t.limit)
		return
	case len(t.nodes) >= maxNodes:
		t.overflow = errTooMany
		return
	}
	t.nodes = append(t.nodes, node{kind: k, name: name, text: text, end: len(t.nodes) + 1})
}

// full reports whether the row exceeds a limit.
func (t *tree) full() bool { return t.overflow != nil }

// open starts a list or object and returns its index, which must be passed to
// close.
func (t *tree) open(k kind, name string) int {
	t.add(k, name, "")
	return len(t.nodes) - 1
}

func (t *tree) close(i int) {
	if t.overflow == nil {
		t.nodes[i].end = len(t.nodes)
	}
}

// member returns the index of a member of the object at i, or -1.
func (t *tree) member(i int, name string) int {
	for j := i + 1; j < t.nodes[i].end; j = t.nodes[j].end {
		if t.nodes[j].name == name {
			return j
		}
	}
	return -1
}

// readJSON appends the next value of dec to t.
func (t *tree) readJSON(dec *jsontext.Decoder, name string) error {
	if len(t.nodes) >= maxNodes {
		return errTooMany
	}
	if dec.PeekKind() == '"' {
		raw, err := dec.ReadValue()
		if err != nil {
			return err
		}
		t.add(kindText, name, string(t.unquote(raw)))
		return nil
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
	case '[', '{':
		k, end := kindList, jsontext.Kind(']')
		if tok.Kind() == '{' {
			k, end = kindObject, '}'
		}
		i := t.open(k, name)
		for dec.PeekKind() != end {
			name := ""
			if k == kindObject {
				tok, err := dec.ReadToken()
				if err != nil {
					return err
				}
				name = tok.String()
			}
			if err := t.readJSON(dec, name); err != nil {
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

// unquote returns the content of a valid JSON string, which is valid until the next call.
func (t *tree) unquote(raw jsontext.Value) []byte {
	if bytes.IndexByte(raw, '\\') < 0 {
		return raw[1 : len(raw)-1]
	}
	t.buf, _ = jsontext.AppendUnquote(t.buf[:0], raw) // the decoder has checked raw
	return t.buf
}

// appendJSON appends the JSON form of the value at i to dst.
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
	open, end := byte('['), byte(']')
	if n.kind == kindObject {
		open, end = '{', '}'
	}
	dst = append(dst, open)
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

// appendString appends s as a JSON string. It replaces invalid UTF-8 with
// U+FFFD, so that the results are always valid.
func appendString(dst []byte, s string) []byte {
	dst, _ = jsontext.AppendQuote(dst, s) // the error reports invalid UTF-8
	return dst
}
