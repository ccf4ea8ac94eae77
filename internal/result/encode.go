package result

import (
	"bytes"
	"math"
	"reflect"
	"strconv"

	"github.com/go-json-experiment/json/jsontext"

	"github.com/ragfaith/ragfaith/internal/dataset"
)

// AppendJSON appends r as a JSON object on one line, without a line feed. Equal
// rows give equal bytes.
func (r *Row) AppendJSON(b []byte) []byte {
	b = append(b, '{')
	b = rowFields().appendMembers(b, reflect.ValueOf(r).Elem())
	for i := range r.Kept {
		b = dataset.AppendText(append(b, ','), r.Kept[i].Name)
		b = AppendValue(append(b, ':'), r.Kept[i].Value)
	}
	return append(b, '}')
}

// appendField appends the value of one field of v, or nothing if it is missing.
func (s *fieldSet) appendField(b []byte, v reflect.Value, name string) []byte {
	for i := range s.fields {
		f := &s.fields[i]
		x := v.Field(f.index)
		switch {
		case f.kind == embedded && !x.IsNil():
			b = f.of.appendField(b, x.Elem(), name)
		case f.name == name && !f.missing(v, x):
			b = f.appendValue(b, x)
		}
	}
	return b
}

// appendMembers appends the members of the object v, without the braces.
func (s *fieldSet) appendMembers(b []byte, v reflect.Value) []byte {
	for i := range s.fields {
		f := &s.fields[i]
		x := v.Field(f.index)
		if f.kind == embedded {
			if !x.IsNil() {
				b = f.of.appendMembers(b, x.Elem())
			}
			continue
		}
		missing := f.missing(v, x)
		if missing && f.omitEmpty {
			continue
		}
		if b[len(b)-1] != '{' {
			b = append(b, ',')
		}
		b = append(b, '"')
		b = append(append(b, f.name...), `":`...)
		if missing {
			b = append(b, "null"...)
		} else {
			b = f.appendValue(b, x)
		}
	}
	return b
}

// missing reports whether x, a field of v, has no value.
func (f *field) missing(v, x reflect.Value) bool {
	if f.verdict >= 0 && v.Field(f.verdict).Len() == 0 {
		return true
	}
	switch f.kind {
	case text, list:
		return (f.null || f.omitEmpty) && x.Len() == 0
	case integer:
		return (f.null || f.offset) && x.Int() < 0
	case number:
		return math.IsNaN(x.Float()) || math.IsInf(x.Float(), 0) || f.null && Round(x.Float()) == 0
	case flag:
		return f.omitEmpty && !x.Bool()
	case object, embedded:
		return x.Kind() == reflect.Pointer && x.IsNil()
	case failure:
		return x.IsNil()
	}
	return false
}

// appendValue appends a value that is not missing.
func (f *field) appendValue(b []byte, x reflect.Value) []byte {
	switch f.kind {
	case text:
		return dataset.AppendText(b, x.String())
	case integer:
		return strconv.AppendInt(b, x.Int(), 10)
	case number:
		if f.round {
			return AppendScore(b, x.Float())
		}
		return AppendNumber(b, x.Float())
	case flag:
		return strconv.AppendBool(b, x.Bool())
	case failure:
		return dataset.AppendText(b, x.Interface().(error).Error()) //nolint:forcetypeassert // its type is error
	case list:
		b = append(b, '[')
		for i := range x.Len() {
			if i > 0 {
				b = append(b, ',')
			}
			b = f.elem.appendValue(b, x.Index(i))
		}
		return append(b, ']')
	case object, embedded:
		x = reflect.Indirect(x)
		return append(f.of.appendMembers(append(b, '{'), x), '}')
	}
	return b
}

// AppendTexts appends a JSON array of strings.
func AppendTexts(b []byte, texts []string) []byte {
	b = append(b, '[')
	for i, s := range texts {
		if i > 0 {
			b = append(b, ',')
		}
		b = dataset.AppendText(b, s)
	}
	return append(b, ']')
}

// AppendValue appends a JSON value, such as that of a kept column, on one line.
func AppendValue(b, value []byte) []byte {
	if len(value) == 0 {
		return append(b, "null"...)
	}
	if bytes.ContainsAny(value, "\n\r") { // only possible between tokens
		v := jsontext.Value(value).Clone()
		if v.Compact(jsontext.AllowDuplicateNames(true)) == nil {
			return append(b, v...)
		}
	}
	return append(b, value...)
}

// AppendNumber appends the shortest decimal that reads back as x, or null for NaN. It has a decimal
// point even if x is an integer, so that readers that infer the type of a column see a float.
func AppendNumber(b []byte, x float64) []byte {
	if math.IsNaN(x) || math.IsInf(x, 0) {
		return append(b, "null"...)
	}
	start := len(b)
	b = strconv.AppendFloat(b, x, 'f', -1, 64)
	if bytes.IndexByte(b[start:], '.') < 0 {
		b = append(b, ".0"...)
	}
	return b
}

// AppendScore appends x rounded by [Round].
func AppendScore(b []byte, x float64) []byte { return AppendNumber(b, Round(x)) }

// Round rounds x to six decimals. Scores are not more precise than that, and the
// last bits of a sum may differ between processors.
func Round(x float64) float64 { return math.Round(x*1e6) / 1e6 }

// KeptText returns the value of a kept column as text. It returns false if the
// row does not have the column or its value is null.
func (r *Row) KeptText(name string) (string, bool) {
	value := r.KeptValue(name)
	if isNull(value) {
		return "", false
	}
	text, _ := PlainText(value)
	return text, true
}

// PlainText returns a JSON value as text: a string without quotes, "" for null,
// and any other value as it is. It reports whether the value is a string.
func PlainText(value []byte) (s string, isString bool) {
	if isNull(value) {
		return "", false
	}
	if value[0] == '"' {
		if b, err := jsontext.AppendUnquote(nil, value); err == nil {
			return string(b), true
		}
	}
	return string(AppendValue(nil, value)), false
}

// isNull reports whether a JSON value is missing or null.
func isNull(value []byte) bool { return len(value) == 0 || string(value) == "null" }
