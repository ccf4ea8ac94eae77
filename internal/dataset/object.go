package dataset

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"strings"

	"github.com/go-json-experiment/json/jsontext"
)

// An objectReader makes rows of JSON objects. Only what a row needs is decoded;
// the rest is checked and passed over.
type objectReader struct {
	b    *binding
	note *notes

	dec  jsontext.Decoder
	buf  bytes.Buffer
	tree tree
	raw  []byte // the object being read
	name []byte
	any  bool // an object was read
	kept []keptSpan

	floats []bareFloat // of Python, that are null in the object being read
}

// read fills row from the object in raw. After an error row holds whatever else
// could be read. A [*UsageError] can only come from the first object.
func (o *objectReader) read(raw []byte, row *Row) error {
	if o.b.whole {
		row.Kept = []Column{{Value: bytes.Clone(raw)}}
		return nil
	}
	if o.any && o.readPlain(raw, row) {
		o.raw = raw
		return nil
	}
	o.floats = nil
	first, place := !o.any, Row{Line: row.Line, Offset: row.Offset}
	err := o.readOnce(raw, row, first)
	var bad badJSON
	if !errors.As(err, &bad) {
		return err
	}
	fixed, floats := withoutBareFloats(raw)
	if floats == nil {
		return err
	}
	o.floats = floats
	again := place
	if err2 := o.readOnce(fixed, &again, first); !errors.As(err2, &bad) {
		*row = again
		return err2
	}
	return err
}

func (o *objectReader) readOnce(raw []byte, row *Row, first bool) error {
	o.raw = raw
	o.buf = *bytes.NewBuffer(raw)
	o.dec.Reset(&o.buf)
	o.tree.reset()
	tok, err := o.dec.ReadToken()
	if err != nil {
		return syntaxError(err)
	}
	if tok.Kind() != '{' {
		return fmt.Errorf("want an object, got %s", kindOf(tok.Kind()))
	}
	o.any = true
	err = o.members(row, first)
	if err != nil && !first {
		err = rowOnly(err)
	}
	return err
}

// members reads the object's members and what follows it. The first fault of a
// value is the row's; a fault of the syntax ends the reading and goes before.
func (o *objectReader) members(row *Row, first bool) error {
	var fault error
	column := map[Field]string{}
	for o.dec.PeekKind() != '}' {
		name, err := o.readName()
		if err != nil {
			return syntaxError(err)
		}
		c, used := o.b.of[string(name)]
		kept, clash := o.b.keeps(string(name))
		if clash {
			o.note.once(clashError(string(name)))
		}
		if used {
			if other, two := column[c.field]; two {
				used = false
				if fault == nil {
					fault = twoColumns(c.field, other, c.name)
				}
			} else {
				column[c.field] = c.name
			}
		}
		switch {
		case kept:
			err = o.keep(string(name), c, used, row, &fault)
		case used:
			err = o.value(c.field, row, &fault)
		default:
			_, err = o.dec.ReadValue()
		}
		if err != nil {
			return syntaxError(err)
		}
	}
	if _, err := o.dec.ReadToken(); err != nil {
		return syntaxError(err)
	}
	if _, err := o.dec.ReadToken(); !errors.Is(err, io.EOF) {
		return badJSON(fmt.Sprintf("text after the object, at column %d", o.dec.InputOffset()+1))
	}
	if err := o.keepMissing(row, first); err != nil {
		return err
	}
	if first {
		for _, f := range fields() {
			if name, mapped := o.b.mapped[f]; mapped && column[f] == "" {
				return notThere(f, name, o.names())
			}
		}
	}
	for _, f := range []Field{FieldAnswer, FieldContexts} {
		if _, ok := column[f]; !ok && fault == nil {
			fault = o.b.missing(f, o.names())
		}
	}
	return fault
}

// readName returns the next member's name, valid until the next call.
func (o *objectReader) readName() ([]byte, error) {
	raw, err := o.dec.ReadValue()
	if err != nil {
		return nil, err
	}
	if bytes.IndexByte(raw, '\\') < 0 {
		return raw[1 : len(raw)-1], nil
	}
	o.name, err = jsontext.AppendUnquote(o.name[:0], raw)
	return o.name, err
}

// value reads the next value into the field of row. It returns faults of the
// syntax, and keeps the first of other faults.
func (o *objectReader) value(f Field, row *Row, fault *error) error {
	at, begin := len(o.tree.nodes), o.dec.InputOffset()
	if err := o.tree.readJSON(&o.dec, ""); err != nil {
		return err
	}
	o.set(f, at, begin, row, fault)
	return nil
}

// set puts the value at i, which began after an offset, into the field of row,
// and keeps the first fault. A float of Python reads as null, and is named
// where a null is at fault or is the value itself.
func (o *objectReader) set(f Field, i int, begin int64, row *Row, fault *error) {
	err := row.set(f, &o.tree, i)
	for _, float := range o.floats {
		null := o.tree.nodes[i].kind == kindNull || err != nil && strings.HasSuffix(err.Error(), "got null")
		if null && float.at >= begin && float.at < o.dec.InputOffset() {
			err = fmt.Errorf("%s: %s is a float of Python and no JSON: want a string", f, float.word)
			break
		}
	}
	if err != nil && *fault == nil {
		*fault = err
	}
}

// keep reads the next value into row.Kept and, where it is used too, into its
// field.
func (o *objectReader) keep(name string, c candidate, used bool, row *Row, fault *error) error {
	begin := o.dec.InputOffset()
	raw, err := o.dec.ReadValue()
	if err != nil {
		return err
	}
	value := raw.Clone()
	if err := value.Compact(); err != nil {
		return err
	}
	row.Kept = append(row.Kept, Column{Name: name, Value: value})
	if !used {
		return nil
	}
	at := len(o.tree.nodes)
	if err := o.tree.readJSON(jsontext.NewDecoder(bytes.NewBuffer(value)), ""); err != nil {
		return err
	}
	o.set(c.field, at, begin, row, fault)
	return nil
}

// keepMissing gives null to the columns that were asked for by name and that
// this object does not have. In the first one the column of Options.Cluster can't
// be missing: a name that is not meant would only show after the last row.
func (o *objectReader) keepMissing(row *Row, first bool) error {
	for _, name := range o.b.keep {
		found := false
		for _, c := range row.Kept {
			found = found || c.Name == name
		}
		if !found && first && name == o.b.cluster {
			return o.b.noCluster(o.names())
		}
		if !found && first {
			o.note.once(fmt.Errorf("column %s is to be kept, but the first row has none: where it is missing it is null", quote(name)))
		}
		if !found {
			row.Kept = append(row.Kept, Column{Name: name, Value: []byte("null")})
		}
	}
	return nil
}

// names returns the names of the members of the object that was read last, for
// a message.
func (o *objectReader) names() []string {
	dec := jsontext.NewDecoder(bytes.NewBuffer(o.raw))
	if _, err := dec.ReadToken(); err != nil {
		return nil
	}
	var names []string
	for dec.PeekKind() == '"' {
		tok, err := dec.ReadToken()
		if err != nil {
			break
		}
		names = append(names, tok.String())
		if _, err := dec.ReadValue(); err != nil {
			break
		}
	}
	return names
}

// set puts the value at i of t into the field.
func (r *Row) set(f Field, t *tree, i int) error {
	n := t.nodes[i]
	var err error
	switch f {
	case FieldID:
		switch {
		case n.kind == kindText || n.kind == kindNumber:
			r.ID = n.text
		case n.kind != kindNull:
			return fmt.Errorf("id: want a string or a number, got %s", n.kind)
		}
	case FieldQuestion:
		switch {
		case n.kind == kindText:
			r.Question = n.text
		case n.kind != kindNull:
			return fmt.Errorf("question: want a string, got %s", n.kind)
		}
	case FieldAnswer:
		if n.kind != kindText {
			return fmt.Errorf("answer: want a string, got %s", n.kind)
		}
		r.Answer = n.text
	case FieldContexts:
		r.Contexts, err = contexts(t, i)
		r.Sources = t.sources
	}
	return err
}

func kindOf(k jsontext.Kind) string {
	switch byte(k) {
	case 'n':
		return kindNull.String()
	case 't', 'f':
		return kindBool.String()
	case '"':
		return kindText.String()
	case '0':
		return kindNumber.String()
	case '[':
		return "an array"
	case '{':
		return kindObject.String()
	}
	return "something else"
}

// badJSON is what is wrong with the syntax.
type badJSON string

func (e badJSON) Error() string { return "invalid JSON: " + string(e) }

// syntaxError says in short what is wrong with JSON and at which byte, from 1.
func syntaxError(err error) error {
	var s *jsontext.SyntacticError
	if !errors.As(err, &s) {
		if errors.Is(err, io.EOF) || errors.Is(err, io.ErrUnexpectedEOF) {
			return badJSON("it ends too early")
		}
		return err
	}
	what := strings.TrimPrefix(s.Err.Error(), "jsontext: ")
	switch {
	case errors.Is(s.Err, io.ErrUnexpectedEOF):
		return badJSON(fmt.Sprintf("it ends too early, at column %d", s.ByteOffset+1))
	case errors.Is(s.Err, jsontext.ErrDuplicateName):
		what = "the name " + short(s.JSONPointer.LastToken()) + " comes twice in one object"
	case strings.HasPrefix(what, "invalid surrogate pair"):
		what = "half of a surrogate pair"
	}
	return badJSON(fmt.Sprintf("%s, at column %d", what, s.ByteOffset+1))
}
