package result

import (
	"reflect"
	"unicode/utf8"

	"github.com/parquet-go/parquet-go"
)

// parquetFields returns the columns of a struct in the order of its fields.
func (s *fieldSet) parquetFields() []parquet.Field {
	var fields []parquet.Field
	for i := range s.fields {
		switch f := &s.fields[i]; {
		case f.jsonOnly:
		case f.kind == embedded:
			fields = append(fields, f.of.parquetFields()...)
		default:
			fields = append(fields, parquetField(f.name, f.node()))
		}
	}
	return fields
}

// node returns the type of a field.
func (f *field) node() parquet.Node {
	node := f.requiredNode()
	if f.dict {
		node = parquet.Encoded(node, &parquet.RLEDictionary)
	}
	if f.optional {
		node = parquet.Optional(node)
	}
	return node
}

func (f *field) requiredNode() parquet.Node {
	switch f.kind {
	case integer:
		return parquet.Int(64)
	case number:
		return parquet.Leaf(parquet.DoubleType)
	case flag:
		return parquet.Leaf(parquet.BooleanType)
	case object, embedded:
		return orderedGroup{parquet.Group{}, f.of.parquetFields()}
	case list:
		return parquet.List(f.elem.requiredNode())
	case text, failure:
	}
	return parquet.String()
}

// An orderedGroup is a group whose fields have a fixed order. A parquet.Group sorts them by name.
type orderedGroup struct {
	parquet.Group
	fields []parquet.Field
}

// Fields returns the fields in their order.
func (g orderedGroup) Fields() []parquet.Field { return g.fields }

func parquetField(name string, node parquet.Node) parquet.Field {
	return parquet.Group{name: node}.Fields()[0]
}

// A shredder splits rows into the values of their columns. Definition and repetition levels are
// those of Dremel (Melnik et al., "Dremel: Interactive Analysis of Web-Scale Datasets", VLDB 2010).
type shredder struct {
	columns [][]parquet.Value
	column  int
}

// A level is the position of a value: its repetition and definition level, and
// the number of lists around it.
type level struct{ rep, def, lists int }

// shred appends the values of r to row in the order of the columns.
func (s *shredder) shred(row parquet.Row, r *Row) parquet.Row {
	fields := rowFields()
	if s.columns == nil {
		s.columns = make([][]parquet.Value, fields.leaves)
	}
	for i := range s.columns {
		s.columns[i] = s.columns[i][:0]
	}
	s.column = 0
	s.object(fields, reflect.ValueOf(r).Elem(), level{})
	for _, values := range s.columns {
		row = append(row, values...)
	}
	return row
}

func (s *shredder) object(fields *fieldSet, v reflect.Value, at level) {
	for i := range fields.fields {
		f := &fields.fields[i]
		if f.jsonOnly {
			continue
		}
		x := v.Field(f.index)
		if (f.optional || f.kind == embedded) && f.missing(v, x) {
			s.nulls(f.leaves, at)
			continue
		}
		at := at
		if f.optional {
			at.def++
		}
		s.value(f, x, at)
	}
}

// value appends a value that is not missing.
func (s *shredder) value(f *field, x reflect.Value, at level) {
	switch f.kind {
	case object, embedded:
		s.object(f.of, reflect.Indirect(x), at)
	case list:
		s.list(f, x, at)
	case failure:
		s.add(parquet.ValueOf(validText(x.Interface().(error).Error())), at) //nolint:forcetypeassert // its type is error
	case text:
		s.add(parquet.ValueOf(validText(x.String())), at)
	case integer:
		s.add(parquet.Int64Value(x.Int()), at)
	case number:
		n := x.Float()
		if f.round {
			n = Round(n)
		}
		s.add(parquet.DoubleValue(n), at)
	case flag:
		s.add(parquet.BooleanValue(x.Bool()), at)
	}
}

func (s *shredder) list(f *field, x reflect.Value, at level) {
	n := x.Len()
	if n == 0 {
		s.nulls(f.leaves, at)
		return
	}
	first := s.column
	at.lists++
	at.def++
	for i := range n {
		s.column = first
		s.value(f.elem, x.Index(i), at)
		at.rep = at.lists
	}
}

// add appends a value to the current column and moves on to the next one.
func (s *shredder) add(v parquet.Value, at level) {
	s.columns[s.column] = append(s.columns[s.column], v.Level(at.rep, at.def, s.column))
	s.column++
}

// nulls appends a null to each of the next n columns.
func (s *shredder) nulls(n int, at level) {
	for range n {
		s.add(parquet.NullValue(), at)
	}
}

// validText replaces invalid UTF-8 by U+FFFD, as in JSON.
func validText(s string) string {
	if utf8.ValidString(s) {
		return s
	}
	return string([]rune(s))
}
