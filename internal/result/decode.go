package result

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"math"
	"reflect"
	"slices"
	"strconv"
	"strings"

	"github.com/go-json-experiment/json/jsontext"

	"github.com/ragfaith/ragfaith/internal/dataset"
)

// maxUnique is the number of kept columns up to which duplicates are detected.
const maxUnique = 16

// A CheckFunc checks that the fields of a row agree with each other. It may
// complete a row that was read from a format with fewer fields. Only the fields
// in present were read.
type CheckFunc func(r *Row, present Fields) error

// A Decoder decodes JSON objects into rows.
type Decoder struct {
	check CheckFunc
	dec   jsontext.Decoder
	src   bytes.Buffer
	buf   []byte // buffer of the cursor, reused
}

// NewDecoder returns a Decoder that checks rows; check may be nil.
func NewDecoder(check CheckFunc) *Decoder { return &Decoder{check: check} }

// Decode reads an object as [Row.AppendJSON] writes it. Unknown members are kept
// columns; within claims and usage they are errors. A member that AppendJSON
// omits may also be null, as it is in Parquet.
func (d *Decoder) Decode(line []byte) (*Row, error) {
	r, present, err := d.decode(line)
	if err == nil && d.check != nil {
		err = d.check(r, present)
	}
	if err != nil {
		return nil, err
	}
	return r, nil
}

func (d *Decoder) decode(line []byte) (*Row, Fields, error) {
	d.src = *bytes.NewBuffer(line)
	d.dec.Reset(&d.src, jsontext.AllowDuplicateNames(true))
	c := &cursor{dec: &d.dec, buf: d.buf}
	r := &Row{Faithfulness: math.NaN(), Support: math.NaN(), Unjudged: math.NaN()}
	present := rowFields().decode(c, reflect.ValueOf(r).Elem(), func(name string) {
		sameName := func(k dataset.Column) bool { return k.Name == name }
		if len(r.Kept) < maxUnique && slices.ContainsFunc(r.Kept, sameName) {
			c.fail("duplicate field")
			return
		}
		r.Kept = append(r.Kept, dataset.Column{Name: name, Value: bytes.Clone(c.raw())})
	})
	if d.buf = c.buf; cap(d.buf) > maxReusedBuffer {
		d.buf = nil
	}
	if c.err == nil {
		if _, err := d.dec.ReadToken(); !errors.Is(err, io.EOF) {
			c.err = errors.New("text after the object")
		}
	}
	if c.err != nil {
		return nil, 0, c.err
	}
	missing := slices.DeleteFunc([]string{"index", "id", "status"}, present.Has)
	if len(missing) > 0 {
		return nil, 0, foreignError(missing)
	}
	if err := r.validate(); err != nil {
		return nil, 0, err
	}
	return r, present, nil
}

// validate checks what the encoding relies on.
func (r *Row) validate() error {
	withVerdict := 0
	for i := range r.Claims {
		c := &r.Claims[i]
		if c.Verdict != "" {
			withVerdict++
		}
		if u := c.Reused; u != nil && u.By == "" {
			name := "cached_from"
			if u.Statement == "" {
				name = "cosine"
			}
			return errors.New(name + `: without "cached"`)
		}
	}
	switch {
	case !slices.IsSorted(r.Marks) || len(slices.Compact(slices.Clone(r.Marks))) < len(r.Marks):
		return errors.New("marks: not sorted, or with duplicates")
	case withVerdict > 0 && withVerdict < len(r.Claims):
		return errors.New("claims: some have a verdict and some have none")
	case r.Status == Scored && (r.JudgedClaims() == 0 || math.IsNaN(r.Faithfulness)):
		return errors.New("status: scored, without a verdict on every claim or without a score")
	case r.Status == Failed && r.Err == nil:
		return errors.New("status: failed, without an error")
	}
	return r.validateCitations()
}

// validateCitations compares the number of unresolved citations with the claims.
func (r *Row) validateCitations() error {
	cites, unresolved := false, 0
	for i := range r.Claims {
		for k := range r.Claims[i].Citations {
			cites = true
			if r.Claims[i].Citations[k].Chunk < 0 {
				unresolved++
			}
		}
	}
	got, want := "null", "null, since no claim cites anything"
	if cites {
		want = strconv.Itoa(unresolved)
	}
	s := r.Citations
	switch {
	case s == nil && !cites:
		return nil
	case s != nil && !cites && (!math.IsNaN(s.Recall) || !math.IsNaN(s.Precision)):
		return &MismatchError{Field: "citation_recall and citation_precision", Got: "a number", Want: want}
	case s != nil && s.Unresolved >= 0:
		got = strconv.Itoa(s.Unresolved)
	}
	if got != want {
		return &MismatchError{Field: "unresolved_citations", Got: got, Want: want}
	}
	return nil
}

// decode reads an object into the struct v and returns the fields it contains.
// It calls unknown to read the value of an unknown member; nil makes that an
// error.
func (s *fieldSet) decode(c *cursor, v reflect.Value, unknown func(name string)) Fields {
	for _, i := range s.absent {
		v.Field(i).SetInt(-1)
	}
	var present Fields
	c.object(func(name []byte) {
		m, ok := s.byName[string(name)]
		if ok {
			c.name = m.field.name // does not allocate
		} else {
			c.name = string(name)
		}
		switch {
		case !ok && unknown != nil:
			unknown(c.name)
			return
		case !ok:
			c.fail("unknown")
			return
		case present&m.field.bit != 0:
			c.fail("duplicate field")
			return
		}
		present |= m.field.bit
		from := v
		if m.group != nil {
			p := v.Field(m.group.index)
			if p.IsNil() {
				if c.null() {
					return
				}
				p.Set(reflect.New(p.Type().Elem()))
				m.group.of.setMissing(p.Elem())
			}
			from = p.Elem()
		}
		m.field.decode(c, from.Field(m.field.index))
	})
	return present
}

// setMissing sets the numbers of an inline struct to values that mean null.
func (s *fieldSet) setMissing(v reflect.Value) {
	for i := range s.fields {
		switch x := v.Field(s.fields[i].index); s.fields[i].kind { //nolint:exhaustive // the others are missing if zero
		case number:
			x.SetFloat(math.NaN())
		case integer:
			x.SetInt(-1)
		}
	}
}

// decode reads a value into x.
func (f *field) decode(c *cursor, x reflect.Value) {
	nullable := f.omitEmpty || f.null || f.verdict >= 0
	switch f.kind {
	case text:
		if nullable && c.null() {
			return
		}
		if s := c.text(); s != "" || !nullable {
			x.SetString(f.knownText(c, s))
		}
	case integer:
		n := 0
		if f.null || f.offset {
			n = c.offset()
		} else {
			n = c.integer()
		}
		x.SetInt(int64(n))
	case number:
		switch {
		case f.null && c.null():
		case f.signed:
			x.SetFloat(c.number())
		default:
			x.SetFloat(c.fraction())
		}
	case flag:
		x.SetBool(string(c.raw()) == "true")
	case failure:
		if !c.null() {
			if s := c.text(); s != "" {
				x.Set(reflect.ValueOf(errors.New(s)))
			}
		}
	case object, inline:
		if x.Kind() == reflect.Pointer {
			if c.null() {
				return
			}
			x.Set(reflect.New(x.Type().Elem()))
			x = x.Elem()
		}
		f.of.decode(c, x, nil)
	case list:
		if !nullable || !c.null() {
			f.decodeList(c, x)
		}
	}
}

// knownText returns s, which must be one of the allowed values if there are any.
func (f *field) knownText(c *cursor, s string) string {
	if f.values == nil {
		return s
	}
	i := slices.Index(f.values, s)
	if i < 0 {
		c.fail("unknown " + strconv.Quote(s))
		return ""
	}
	return f.values[i] // so that rows share the string
}

func (f *field) decodeList(c *cursor, x reflect.Value) {
	c.array(func() {
		n := x.Len()
		x.Grow(1)
		x.SetLen(n + 1)
		switch e := x.Index(n); f.elem { //nolint:exhaustive // a test covers the types of a Row
		case text:
			e.SetString(f.knownText(c, c.text()))
		case integer:
			e.SetInt(int64(c.integer()))
		default:
			f.of.decode(c, e, nil)
		}
	})
}

// A foreignError reports that an object without these members is not a result.
type foreignError []string

func (e foreignError) Error() string { return "not a result: it has no " + strings.Join(e, ", no ") }

// IsForeign reports whether err means that an object is not a result.
func IsForeign(err error) bool {
	_, ok := errors.AsType[foreignError](err)
	return ok
}

// A MismatchError reports a field that contradicts the other fields of a row.
type MismatchError struct{ Field, Got, Want string }

// Error names the field and the two values.
func (e *MismatchError) Error() string {
	return fmt.Sprintf("%s: got %s, want %s", e.Field, e.Got, e.Want)
}
