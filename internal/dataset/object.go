package dataset

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"slices"
	"strings"

	"github.com/go-json-experiment/json/jsontext"

	"github.com/ragfaith/ragfaith/internal/dataset/shape"
)

// An objectReader converts JSON objects to rows. It decodes only the members
// required for a row and checks the syntax of the others.
type objectReader struct {
	columns  *columnMap
	warnings *warnings

	dec     jsontext.Decoder
	buf     bytes.Buffer
	tree    tree
	raw     []byte // the current object
	name    []byte
	started bool             // an object has been read
	null    map[Field]bool   // fields whose column is null in the current object
	chosen  map[Field]string // columns of the answer and the contexts, once an object had a value
	others  []string         // other members of the current object that can be fields
	nested  bool             // the current object has other members that are objects
	lists   []string         // members of the current object with the usual names of contexts
	checked int              // number of objects that were searched, see search

	floats []bareFloat // Python floats replaced by null in the current object
}

// read sets row from the object in raw. After an error, row contains all valid
// fields. Only the first object can result in a [*UsageError].
func (o *objectReader) read(raw []byte, row *Row) error {
	if o.columns.raw {
		row.Kept = []Column{{Value: bytes.Clone(raw)}}
		return nil
	}
	o.floats = nil
	first, retry := !o.started, Row{Line: row.Line, Offset: row.Offset}
	err := o.readOnce(raw, row, first)
	if !isSyntaxError(err) {
		return err
	}
	fixed, floats := replaceBareFloats(raw)
	if floats == nil {
		return err
	}
	o.floats = floats
	if retryErr := o.readOnce(fixed, &retry, first); !isSyntaxError(retryErr) {
		*row = retry
		return retryErr
	}
	return err
}

func (o *objectReader) readOnce(raw []byte, row *Row, first bool) error {
	o.raw = raw
	clear(o.null)
	o.others, o.nested, o.lists = o.others[:0], false, o.lists[:0]
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
	o.started = true
	err = o.readMembers(row, first)
	if err != nil && !first {
		err = withoutUsage(err)
	}
	return err
}

// readMembers reads the members of the object up to the end of the input. It
// returns a syntax error if there is one, or else the first invalid value.
func (o *objectReader) readMembers(row *Row, first bool) error {
	var invalid fieldErrors
	column := map[Field]candidate{}
	for o.dec.PeekKind() != '}' {
		name, err := o.readName()
		if err != nil {
			return syntaxError(err)
		}
		c, used := o.columns.byName[string(name)]
		kept := o.columns.keeps(string(name))
		if used {
			if c.field == FieldContexts && o.dec.PeekKind() != 'n' {
				o.lists = append(o.lists, c.name)
			}
			used = o.prefer(c, column, row, &invalid)
		} else if o.dec.PeekKind() == '{' {
			o.nested = true
		}
		if !used && o.columns.byName[string(name)].name == "" && o.columns.mayRival(name) && o.isText(first) {
			o.others = append(o.others, string(name))
		}
		switch {
		case kept:
			err = o.keep(string(name), c, used, row, &invalid)
		case used:
			err = o.readValue(c.field, row, &invalid)
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
			if name, mapped := o.columns.mapped[f]; mapped && column[f].name == "" {
				return noSuchColumn(f, name, o.names())
			}
		}
	}
	for _, f := range []Field{FieldAnswer, FieldContexts} {
		if _, ok := column[f]; !ok {
			return o.columns.missing(f, o.names())
		}
	}
	if err := o.search(column[FieldContexts].name); err != nil {
		return err
	}
	for f, c := range column {
		invalid.add(f, o.columns.rival(f, c.name, o.others))
		if name := o.chosen[f]; name != "" && name != c.name {
			return notInPlace(f, name, c.name)
		}
	}
	for _, f := range []Field{FieldAnswer, FieldContexts} {
		if o.null[f] || o.chosen[f] != "" {
			continue
		}
		if o.chosen == nil {
			o.chosen = map[Field]string{}
		}
		o.chosen[f] = column[f].name
	}
	return invalid.first()
}

// search returns an error if a nested object has another answer, or another usual column
// than the given one has other contexts.
func (o *objectReader) search(chosen string) error {
	rival := slices.ContainsFunc(o.lists, func(name string) bool { return o.columns.words.Rival(shape.Contexts, chosen, name) })
	if !o.nested && !rival || o.columns.raw || o.checked == maxPeeked {
		return nil
	}
	o.checked++
	var t tree
	if readJSONText(&t, string(o.raw)) != nil {
		return nil //nolint:nilerr // reported by the caller
	}
	finder, record := shape.NewFinder(expandCell, isContexts), t.value(0)
	for f, trigger := range map[Field]bool{FieldAnswer: o.nested, FieldContexts: rival} {
		field, _ := shapeField(f)
		if !trigger || o.columns.mapped[f] != "" {
			continue
		}
		if a, ok := errors.AsType[*shape.Ambiguous](finder.Rival(record, field)); ok {
			return ambiguousColumns(f, a.Paths[0], a.Paths[1])
		}
	}
	return nil
}

// isText reports whether the next value can be an answer or contexts. In the first object
// it can also be a verdict, since package shape then compares it with the answer.
func (o *objectReader) isText(first bool) bool {
	kind := o.dec.PeekKind()
	if kind == '"' {
		text, _, _ := bytes.Cut(bytes.TrimLeft(o.raw[o.dec.InputOffset():], ": \t\r\n")[1:], []byte(`"`))
		return first || !o.columns.words.IsVerdict(string(text)) || !o.columns.words.IsRating(string(text))
	}
	return kind == '[' || kind == '{'
}

// prefer reports whether a column supplies its field: no other column does, or that
// one is null or has a less usual name. Two equally good columns are an error.
func (o *objectReader) prefer(c candidate, column map[Field]candidate, row *Row, invalid *fieldErrors) bool {
	other, found := column[c.field]
	null := o.dec.PeekKind() == 'n'
	switch {
	case !found:
	case shape.IsIdeal(c.name, other.name):
		return false
	case shape.IsIdeal(other.name, c.name):
		row.clear(c.field)
		delete(*invalid, c.field)
	case null:
		return false
	case !o.null[c.field] && other.rank < c.rank:
		return false
	case !o.null[c.field] && other.rank == c.rank:
		invalid.add(c.field, ambiguousColumns(c.field, other.name, c.name))
		return false
	default:
		row.clear(c.field)
		delete(*invalid, c.field)
	}
	if null || found {
		if o.null == nil {
			o.null = map[Field]bool{}
		}
		o.null[c.field] = null
	}
	column[c.field] = c
	return true
}

// fieldErrors holds the first error of each field.
type fieldErrors map[Field]error

func (e *fieldErrors) add(f Field, err error) {
	if err == nil || (*e)[f] != nil {
		return
	}
	if *e == nil {
		*e = fieldErrors{}
	}
	(*e)[f] = err
}

// first returns the error of the first field that has one.
func (e fieldErrors) first() error {
	for _, f := range fields() {
		if err := e[f]; err != nil {
			return err
		}
	}
	return nil
}

// readName returns the name of the next member. The result is valid until the
// next call.
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

// readValue reads the next value into a field of row. It returns syntax errors.
// Other errors are stored in invalid.
func (o *objectReader) readValue(f Field, row *Row, invalid *fieldErrors) error {
	i, start := len(o.tree.nodes), o.dec.InputOffset()
	if err := o.tree.readJSON(&o.dec, ""); err != nil {
		return err
	}
	o.set(f, i, start, row, invalid)
	return nil
}

// set stores node i in a field of row. The JSON of the node starts at or after
// offset start. If the value is invalid because of a null that replaces a
// Python float, the error mentions the float.
func (o *objectReader) set(f Field, i int, start int64, row *Row, invalid *fieldErrors) {
	err := row.set(f, &o.tree, i)
	row.split(f, &o.tree, i, o.names)
	for _, float := range o.floats {
		null := o.tree.nodes[i].kind == kindNull || err != nil && strings.HasSuffix(err.Error(), "got null")
		if null && float.offset >= start && float.offset < o.dec.InputOffset() {
			err = fmt.Errorf("%s: %s is a Python float, not valid JSON: want a string", f, float.word)
			break
		}
	}
	invalid.add(f, err)
}

// keep reads the next value into row.Kept, and also into its field if used is
// set.
func (o *objectReader) keep(name string, c candidate, used bool, row *Row, invalid *fieldErrors) error {
	start := o.dec.InputOffset()
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
	i := len(o.tree.nodes)
	if err := o.tree.readJSON(jsontext.NewDecoder(bytes.NewBuffer(value)), ""); err != nil {
		return err
	}
	o.set(c.field, i, start, row, invalid)
	return nil
}

// keepMissing adds null for the requested columns that the object lacks. The
// first object must contain the columns of Options.Required. Otherwise a
// misspelled name would go unnoticed until the last row.
func (o *objectReader) keepMissing(row *Row, first bool) error {
	for _, name := range o.columns.keep {
		if slices.ContainsFunc(row.Kept, func(c Column) bool { return c.Name == name }) {
			continue
		}
		if first && o.columns.required[name] != "" {
			return o.columns.noRequired(name, o.names())
		}
		if first && isPath(name) {
			return o.columns.cannotKeep(name, o.names())
		}
		if first {
			o.warnings.once(notInFirstRow(name, o.names()))
		}
		row.Kept = append(row.Kept, Column{Name: name, Value: []byte("null")})
	}
	return nil
}

// names returns the member names of the current object for error messages.
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

// set stores node i of t in a field.
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
			return &layoutError{err: fmt.Errorf("question: want a string, got %s", n.kind)}
		}
	case FieldAnswer:
		if n.kind != kindText {
			return &layoutError{err: fmt.Errorf("answer: want a string, got %s", n.kind)}
		}
		r.Answer = n.text
	case FieldContexts:
		r.Contexts, err = contexts(t, i)
		r.Sources = t.sources
		if err != nil {
			err = &layoutError{err: err}
		}
	}
	return err
}

// split separates the contexts that a tool joined in the text of node i.
func (r *Row) split(f Field, t *tree, i int, names func() []string) {
	if n := t.nodes[i]; f == FieldContexts && n.kind == kindText && strings.Contains(n.text, "|") && len(r.Contexts) == 1 {
		if parts, err := separatedContexts(&tree{}, n.text, shape.ContextSeparator(names(), false)); err == nil {
			r.Contexts = parts
		}
	}
}

// clear removes the value of a field.
func (r *Row) clear(f Field) {
	switch f {
	case FieldID:
		r.ID = ""
	case FieldQuestion:
		r.Question = ""
	case FieldAnswer:
		r.Answer = ""
	case FieldContexts:
		r.Contexts, r.Sources = nil, nil
	}
}

// kindOf returns the kind of a JSON value with its article, for error messages.
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

// A badJSON is a syntax error with its position.
type badJSON string

func (e badJSON) Error() string { return "invalid JSON: " + string(e) }

func isSyntaxError(err error) bool {
	_, ok := errors.AsType[badJSON](err)
	return ok
}

// syntaxError shortens an error of the JSON decoder and adds its one-based
// column.
func syntaxError(err error) error {
	syntactic, ok := errors.AsType[*jsontext.SyntacticError](err)
	if !ok {
		if errors.Is(err, io.EOF) || errors.Is(err, io.ErrUnexpectedEOF) {
			return badJSON("unexpected end of input")
		}
		return err
	}
	what := strings.TrimPrefix(syntactic.Err.Error(), "jsontext: ")
	switch {
	case errors.Is(syntactic.Err, io.ErrUnexpectedEOF):
		what = "unexpected end of input"
	case errors.Is(syntactic.Err, jsontext.ErrDuplicateName):
		what = "duplicate name " + quote(syntactic.JSONPointer.LastToken())
	case strings.HasPrefix(what, "invalid surrogate pair"):
		what = "unpaired surrogate"
	}
	return badJSON(fmt.Sprintf("%s, at column %d%s", what, syntactic.ByteOffset+1, syntaxHint(what)))
}
