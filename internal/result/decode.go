package result

import (
	"bytes"
	"errors"
	"io"
	"math"
	"reflect"
	"slices"
	"strconv"
	"strings"

	"github.com/go-json-experiment/json/jsontext"

	"github.com/ragfaith/ragfaith/internal/dataset"
)

const (
	// maxUnique is the number of kept columns up to which duplicates are detected.
	maxUnique = 16
	// maxReusedBuffer limits the buffer that is reused for the next row.
	maxReusedBuffer = 1 << 20
)

// A Decoder decodes JSON objects into rows.
type Decoder struct {
	check *Checker
	dec   jsontext.Decoder
	src   bytes.Buffer
	buf   []byte // buffer of the cursor, reused
}

// NewDecoder returns a Decoder that checks rows; check may be nil.
func NewDecoder(check *Checker) *Decoder { return &Decoder{check: check} }

// Decode reads an object as [Row.AppendJSON] writes it. Unknown members are kept
// columns; within claims and usage they are errors. A member that AppendJSON
// omits may also be null, as it is in Parquet.
func (d *Decoder) Decode(line []byte) (*Row, error) {
	r, err := d.decode(line)
	if err == nil {
		err = d.check.Check(r)
	}
	if err != nil {
		return nil, err
	}
	return r, nil
}

func (d *Decoder) decode(line []byte) (*Row, error) {
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
		return nil, c.err
	}
	missing := slices.DeleteFunc([]string{"index", "id", "status"}, func(name string) bool {
		return present&rowFields().byName[name].field.bit != 0
	})
	if len(missing) > 0 {
		return nil, foreignError(missing)
	}
	if err := r.validate(); err != nil {
		return nil, err
	}
	return r, nil
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
	return nil
}

// decode reads an object into the struct v and returns the fields it contains.
// It calls unknown to read the value of an unknown member; nil makes that an
// error.
func (s *fieldSet) decode(c *cursor, v reflect.Value, unknown func(name string)) (present uint64) {
	for _, i := range s.absent {
		v.Field(i).SetInt(-1)
	}
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
		if nullable && c.null() {
			return
		}
		c.array(func() {
			n := x.Len()
			x.Grow(1)
			x.SetLen(n + 1)
			f.elem.decode(c, x.Index(n))
		})
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

// A foreignError reports that an object without these members is not a result.
type foreignError []string

func (e foreignError) Error() string { return "not a result: it has no " + strings.Join(e, ", no ") }

// IsForeign reports whether err means that an object is not a result.
func IsForeign(err error) bool {
	_, ok := errors.AsType[foreignError](err)
	return ok
}
