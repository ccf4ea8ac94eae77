package result

import (
	"reflect"
	"slices"
	"strings"
	"sync"
)

// A kind is the JSON type of a field.
type kind uint8

const (
	text kind = iota
	integer
	number
	flag
	list     // list of texts, integers or objects
	object   // a struct or a pointer to one
	embedded // a pointer to a struct, whose fields are those of the enclosing object
	failure
)

// A field is a field of a struct as its tags describe it.
type field struct {
	name  string
	index int // in the struct
	kind  kind
	elem  *field    // element of a list, without a name
	of    *fieldSet // fields of an object or an embedded struct

	omitEmpty bool
	null      bool // "", a negative integer or a fraction of 0 is null
	offset    bool // a negative number is null in JSON
	round     bool
	dict      bool
	jsonOnly  bool
	verdict   int  // index of the verdict without which the field is null, or -1
	optional  bool // in Parquet
	leaves    int  // columns in Parquet
}

// A fieldSet describes the fields of a struct.
type fieldSet struct {
	fields []field
	leaves int
}

//nolint:gochecknoglobals // derived once from the types, never changed
var rowFields = sync.OnceValue(func() *fieldSet { return fieldsOf(reflect.TypeFor[Row](), false) })

// fieldsOf reads the tags of a struct. With optional, every field is optional in Parquet.
func fieldsOf(t reflect.Type, optional bool) *fieldSet {
	s := &fieldSet{}
	for i := range t.NumField() {
		sf := t.Field(i)
		name, opts, _ := strings.Cut(sf.Tag.Get("json"), ",")
		if name == "-" {
			continue
		}
		f := newField(sf.Type)
		f.name, f.index, f.omitEmpty, f.jsonOnly = name, i, opts == "omitempty", sf.Tag.Get("parquet") == "-"
		options := strings.Split(sf.Tag.Get("result"), ",")
		has := func(option string) bool { return slices.Contains(options, option) }
		f.null, f.offset, f.round, f.dict = has("null"), has("offset"), has("round"), has("dict")
		if has("null=verdict") {
			v, _ := t.FieldByName("Verdict")
			f.verdict = v.Index[0]
		}
		if opts == "embed" {
			f.kind, f.of = embedded, fieldsOf(sf.Type.Elem(), true) // has as many columns
		}
		f.optional = optional || f.omitEmpty || f.null || f.verdict >= 0 || f.kind == number || f.kind == failure
		if f.jsonOnly {
			f.leaves = 0
		}
		s.leaves += f.leaves
		s.fields = append(s.fields, *f)
	}
	return s
}

// newField returns a field of a Go type.
func newField(t reflect.Type) *field {
	f := &field{verdict: -1, leaves: 1}
	switch t.Kind() { //nolint:exhaustive // a test covers the types of a Row
	case reflect.String:
		f.kind = text
	case reflect.Int:
		f.kind = integer
	case reflect.Float64:
		f.kind = number
	case reflect.Bool:
		f.kind = flag
	case reflect.Interface:
		f.kind = failure
	case reflect.Pointer:
		f.kind, f.of = object, fieldsOf(t.Elem(), false)
	case reflect.Struct:
		f.kind, f.of = object, fieldsOf(t, false)
	case reflect.Slice:
		f.kind, f.elem = list, newField(t.Elem())
		f.leaves = f.elem.leaves
	}
	if f.of != nil {
		f.leaves = f.of.leaves
	}
	return f
}

// Names returns the names of the fields and columns of results, which kept columns must not have.
func Names() []string {
	var names []string
	for i := range rowFields().fields {
		f := &rowFields().fields[i]
		switch {
		case f.kind == embedded:
			for k := range f.of.fields {
				names = append(names, f.of.fields[k].name)
			}
		case f.name == "skipped": // CSV has counts of claims instead
			names = append(names, "n_claims", "n_supported", f.name)
		default:
			names = append(names, f.name)
		}
	}
	return names
}
