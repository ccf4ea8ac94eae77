package dataset

import (
	"bytes"
	"cmp"
	"errors"
	"fmt"
	"io"
	"slices"

	"github.com/go-json-experiment/json/jsontext"

	"github.com/ragfaith/ragfaith/internal/dataset/shape"
)

// An objectReader converts JSON objects to rows. It decodes only the members
// required for a row and checks the syntax of the others.
type objectReader struct {
	fileColumns
	dec     jsontext.Decoder
	buf     bytes.Buffer
	raw     []byte           // the current object
	started bool             // an object has been read
	found   []foundField     // members of the current object that can supply fields
	chosen  map[Field]string // members of the answer and the contexts, once an object had a value
	others  []string         // other members of the current object that can be fields
	nested  bool             // the current object has other members that are objects
	checked int              // number of objects that were searched, see search
}

// read sets row from the object in raw. After an error, row contains all valid
// fields. Only the first object can result in a [*UsageError].
func (o *objectReader) read(raw []byte, row *Row) error {
	o.raw = raw
	switch {
	case o.columns.exact:
		row.Kept = []Column{{Value: bytes.Clone(raw)}}
		return nil
	case o.columns.raw:
		return nil
	}
	first, retry := !o.started, Row{Line: row.Line, Offset: row.Offset}
	err := o.readOnce(raw, row, first)
	if is[badJSON](err) {
		if retryErr := o.readOnce(replacePythonFloats(raw), &retry, first); !is[badJSON](retryErr) {
			*row = retry
			return retryErr
		}
	}
	return err
}

// record returns the value of the current object.
func (o *objectReader) record() (*value, error) { return parseJSON(o.raw) }

func (o *objectReader) readOnce(raw []byte, row *Row, first bool) error {
	o.raw = raw
	o.found, o.others, o.nested = o.found[:0], o.others[:0], false
	o.buf = *bytes.NewBuffer(raw)
	o.dec.Reset(&o.buf)
	tok, err := o.dec.ReadToken()
	if err != nil {
		return syntaxError(err)
	}
	if tok.Kind() != '{' {
		return fmt.Errorf("want an object, got %s", kindOf(tok.Kind()))
	}
	o.started = true
	if err = o.readMembers(row, first); !first {
		err = withoutUsage(err)
	}
	return err
}

// readMembers reads the members of the object up to the end of the input, and sets the
// fields that it has. It returns a syntax error if there is one, or else the first error.
func (o *objectReader) readMembers(row *Row, first bool) error {
	syntax := o.readTokens(row, first)
	var invalid error
	best := map[Field]*foundField{}
	for _, f := range fields() {
		s, ambiguous := choose(f, o.found, o.hasValue)
		if s == nil {
			continue
		}
		best[f] = s
		invalid = cmp.Or(invalid, row.set(s.field, s.value, o.columnNames, o.noteSplit), ambiguous, o.columns.rival(f, s.name, o.others))
	}
	if syntax != nil {
		return syntax
	}
	kept := o.keepMissing(row, first)
	err := cmp.Or(o.check(best), unreadableObject(row, o.raw), invalid)
	if layout, ok := errors.AsType[*layoutError](kept); ok && err == nil {
		return layout.err // the columns are where they usually are
	}
	return cmp.Or(kept, err)
}

// hasValue reports whether a member is not null.
func (o *objectReader) hasValue(s *foundField) bool { return s.value.Kind != shape.Null }

// readTokens reads the members into o.
func (o *objectReader) readTokens(row *Row, first bool) error {
	for o.dec.PeekKind() != '}' {
		raw, err := o.dec.ReadValue()
		if err != nil {
			return syntaxError(err)
		}
		key := unquote(raw) // valid until the next value is read
		c, used := o.columns.byName[string(key)]
		keep, rival := o.columns.keeps(string(key)), !used && o.columns.mayRival(key)
		name := ""
		if keep || rival {
			name = string(key)
		}
		var v *value
		if used && !keep {
			v, err = readJSON(&o.dec)
		} else {
			raw, err = o.dec.ReadValue()
		}
		if keep && err == nil {
			kept := raw.Clone()
			_ = kept.Compact() // it is valid
			row.Kept = append(row.Kept, Column{Name: name, Value: kept})
			if used {
				v, err = readJSONText(kept)
			}
		}
		if used {
			if err != nil { // an incomplete value is invalid
				v = &value{Kind: shape.Bytes}
			}
			o.found = append(o.found, foundField{candidate: c, value: v})
		}
		if err != nil {
			return syntaxError(err)
		}
		if !used {
			o.nested = o.nested || raw.Kind() == '{'
			if rival && o.isText(raw, first) {
				o.others = append(o.others, name)
			}
		}
	}
	if _, err := o.dec.ReadToken(); err != nil {
		return syntaxError(err)
	}
	if _, err := o.dec.ReadToken(); !errors.Is(err, io.EOF) {
		return badJSON(fmt.Sprintf("text after the object, at column %d", o.dec.InputOffset()+1))
	}
	return nil
}

// check returns an error if the fields of the object are not where they must be. best
// holds the chosen members.
func (o *objectReader) check(best map[Field]*foundField) error {
	o.mapped.record(func(f Field) bool { return best[f] != nil }, o.columnNames)
	required := []Field{FieldAnswer, FieldContexts}
	for _, f := range required {
		if best[f] == nil {
			return o.columns.missing(f, o.columnNames())
		}
	}
	if err := o.search(best[FieldContexts].name); err != nil {
		return err
	}
	for _, f := range required {
		if name := o.chosen[f]; name != "" && name != best[f].name {
			return notInPlace(f, name, best[f].name)
		}
	}
	if o.chosen == nil {
		o.chosen = map[Field]string{}
	}
	for _, f := range required {
		if o.hasValue(best[f]) {
			o.chosen[f] = best[f].name
		}
	}
	return nil
}

// search returns an error if a nested object has another answer, or another usual column
// than the given one has other contexts.
func (o *objectReader) search(chosen string) error {
	rival := slices.ContainsFunc(o.found, func(s foundField) bool {
		return s.field == FieldContexts && s.name != chosen && o.hasValue(&s) && o.columns.finder.Names.Rival(FieldContexts, chosen, s.name)
	})
	if !o.nested && !rival || o.columns.raw || o.checked == maxPeeked {
		return nil
	}
	o.checked++
	record, err := readJSONText(o.raw)
	if err != nil {
		return nil //nolint:nilerr // reported by the caller
	}
	finder := newFinder()
	for _, f := range []Field{FieldAnswer, FieldContexts} {
		if trigger := f == FieldAnswer && o.nested || f == FieldContexts && rival; !trigger || o.columns.mapped[f] != "" {
			continue
		}
		if err := finder.Rival(record, f); is[*UsageError](err) {
			return err
		}
	}
	return nil
}

// isText reports whether a value can be an answer or contexts. In the first object
// it can also be a verdict, since package shape then compares it with the answer.
func (o *objectReader) isText(raw jsontext.Value, first bool) bool {
	if raw.Kind() == '"' {
		text, _, _ := bytes.Cut(raw[1:], []byte(`"`))
		return first || !o.columns.finder.Names.IsVerdict(string(text)) || !o.columns.finder.Names.IsRating(string(text))
	}
	return raw.Kind() == '[' || raw.Kind() == '{'
}

// keepMissing adds null for the requested columns that the object lacks. The
// first object must contain the columns of Options.Required. Otherwise a
// misspelled name would go unnoticed until the last row.
func (o *objectReader) keepMissing(row *Row, first bool) error {
	var paths []string
	for _, name := range o.columns.keep {
		if slices.ContainsFunc(row.Kept, func(c Column) bool { return c.Name == name }) {
			continue
		}
		if isPath(name) {
			paths = append(paths, name)
			continue
		}
		if first {
			if err := o.columns.withoutKept(name, o.columnNames(), o.warnings); err != nil {
				return err
			}
		}
		row.Kept = append(row.Kept, Column{Name: name, Value: []byte("null")})
	}
	if len(paths) == 0 {
		return nil
	}
	record, err := o.record()
	if err == nil {
		err = o.columns.keepPaths(row, paths, record, first)
	}
	if err != nil {
		return &layoutError{err: err, missing: true}
	}
	return nil
}

// columnNames returns the member names of the current object.
func (o *objectReader) columnNames() []string {
	record, err := o.record()
	if err != nil {
		return nil
	}
	return memberNames(record)
}

// A jsonlReader reads one object per line.
type jsonlReader struct {
	objectReader
	lines    LineReader
	consumed func(int64) int64
}

func (j *jsonlReader) next(row *Row) error {
	for {
		line, err := j.lines.Next()
		if err != nil && !errors.Is(err, ErrTooLong) {
			return err
		}
		row.Line, row.Offset = j.lines.Number, j.consumed(j.lines.Offset)
		if err != nil {
			return &RowError{Line: row.Line, Err: err}
		}
		line = trimSpace(bytes.TrimPrefix(line, []byte(bomUTF8))) // a mark within concatenated files
		if len(line) == 0 {
			continue
		}
		if bytes.HasSuffix(line, []byte("},")) { // elements copied from an array
			line = line[:len(line)-1]
		}
		return rowError(row.Line, j.read(line, row))
	}
}
