package report

import (
	"fmt"
	"strconv"
	"strings"

	"github.com/parquet-go/parquet-go"

	"github.com/ragfaith/ragfaith/internal/dataset"
)

// parquetKept are the kept columns of a Parquet file: those that were asked for,
// or all that any row has, in the order in which they come. A column has the type
// that all of its values have.
type parquetKept struct {
	names  []string
	place  map[string]int // of a name in names
	shapes []keptShape
	named  bool // they are those that were asked for
	warn   func(error)
	values [][]byte // of the row at hand
}

func newParquetKept(o Options) parquetKept {
	k := parquetKept{named: !o.KeepAll, warn: o.Warn, place: make(map[string]int)}
	if k.named {
		for _, name := range o.Keep {
			k.add(name)
		}
	}
	return k
}

// add makes name the last column, unless it is one already or there is no room.
func (k *parquetKept) add(name string) {
	if _, ok := k.place[name]; ok {
		return
	}
	if len(k.names) == keptMost {
		if k.warn != nil {
			k.warn(fmt.Errorf("column %q and others are left out of the Parquet file, which holds %d kept columns at most", name, keptMost))
			k.warn = nil
		}
		return
	}
	k.place[name] = len(k.names)
	k.names = append(k.names, name)
	k.shapes = append(k.shapes, keptShape{})
}

// see learns from the kept columns of a row what types there are.
func (k *parquetKept) see(columns []dataset.Column) {
	for c := range columns {
		if !k.named {
			k.add(columns[c].Name)
		}
	}
	for i, value := range k.of(columns) {
		k.shapes[i].see(value)
	}
}

// of returns the values of a row for all names, nil where it has none. They are
// valid until it is called again.
func (k *parquetKept) of(columns []dataset.Column) [][]byte {
	k.values = append(k.values[:0], make([][]byte, len(k.names))...)
	for c := range columns {
		if i, ok := k.place[columns[c].Name]; ok && k.values[i] == nil { // of two, the first
			k.values[i] = columns[c].Value
		}
	}
	return k.values
}

// fields are the columns.
func (k *parquetKept) fields() []parquet.Field {
	fields := make([]parquet.Field, len(k.names))
	for i, name := range k.names {
		fields[i] = parquet.Group{name: parquet.Optional(k.shapes[i].node())}.Fields()[0]
	}
	return fields
}

// jsonNames are the columns whose texts are JSON.
func (k *parquetKept) jsonNames() []string {
	var names []string
	for i, name := range k.names {
		if k.shapes[i].kind() == keptJSON {
			names = append(names, name)
		}
	}
	return names
}

// append appends the values of a row, the first of them of the column first, and
// returns how many bytes of text that were.
func (k *parquetKept) append(row parquet.Row, columns []dataset.Column, first int) (parquet.Row, int) {
	size := 0
	for i, value := range k.of(columns) {
		v, definition := parquet.NullValue(), 0
		if !isNull(value) {
			v, definition = k.shapes[i].value(value), 1
			size += len(value)
		}
		row = append(row, v.Level(0, definition, first+i))
	}
	return row, size
}

// A keptKind is what the values of a kept column have in common.
type keptKind int

const (
	keptJSON    keptKind = iota // nothing: they are JSON texts
	keptText                    // all are strings, or there is none
	keptBoolean                 // true or false
	keptWhole                   // all are whole numbers of 64 bits
	keptNumber                  // all are numbers that a float64 holds
)

// A keptShape knows which kinds of value a column has.
type keptShape struct {
	text, boolean, whole, fraction, large, other bool
}

// exactWhole bounds the whole numbers that a float64 holds all of.
const exactWhole = 1 << 53

// see looks at a value.
func (s *keptShape) see(value []byte) {
	if isNull(value) {
		return
	}
	switch first := value[0]; {
	case first == '"':
		s.text = true
	case first == 't', first == 'f':
		s.boolean = true
	case first == '-', first >= '0' && first <= '9':
		s.number(string(value))
	default:
		s.other = true
	}
}

func (s *keptShape) number(text string) {
	if n, err := strconv.ParseInt(text, 10, 64); err == nil {
		s.whole = true
		s.large = s.large || n > exactWhole || n < -exactWhole
		return
	}
	if _, err := strconv.ParseFloat(text, 64); err != nil || !strings.ContainsAny(text, ".eE") {
		s.other = true // too large for either
		return
	}
	s.fraction = true
}

// kind returns what all values have in common.
func (s *keptShape) kind() keptKind {
	numbers := s.whole || s.fraction
	switch {
	case s.other, s.fraction && s.large:
		return keptJSON
	case !s.boolean && !numbers:
		return keptText
	case s.boolean && !s.text && !numbers:
		return keptBoolean
	case s.text, s.boolean:
		return keptJSON
	case s.fraction:
		return keptNumber
	}
	return keptWhole
}

func (s *keptShape) node() parquet.Node {
	switch s.kind() {
	case keptBoolean:
		return parquet.Leaf(parquet.BooleanType)
	case keptWhole:
		return parquet.Int(64)
	case keptNumber:
		return parquet.Leaf(parquet.DoubleType)
	case keptJSON, keptText:
	}
	return parquet.String()
}

// value returns a value, which s has seen, as the column holds it.
func (s *keptShape) value(value []byte) parquet.Value {
	text := string(value)
	switch s.kind() {
	case keptBoolean:
		return parquet.BooleanValue(text == "true")
	case keptWhole:
		n, _ := strconv.ParseInt(text, 10, 64) // as it was when it was seen
		return parquet.Int64Value(n)
	case keptNumber:
		x, _ := strconv.ParseFloat(text, 64) // as it was when it was seen
		return parquet.DoubleValue(x)
	case keptText:
		text, _ = Plain(value)
		return parquet.ByteArrayValue([]byte(text))
	case keptJSON:
	}
	return parquet.ByteArrayValue(appendRaw(nil, value))
}

// isNull reports whether there is no value.
func isNull(value []byte) bool { return len(value) == 0 || string(value) == "null" }
