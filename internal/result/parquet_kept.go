package result

import (
	"fmt"
	"strconv"
	"strings"

	"github.com/parquet-go/parquet-go"

	"github.com/ragfaith/ragfaith/internal/dataset"
)

// maxKept is the maximum number of kept columns in Parquet, which counts columns
// in 16 bits. Results have columns of their own.
const maxKept = 30_000

// parquetKept determines the kept columns of a Parquet file: those asked for, or
// all columns of any row, in the order in which they first appear. The type of a
// column is the common type of its values.
type parquetKept struct {
	KeptColumns
	types []keptType
}

func newParquetKept(o Options) parquetKept {
	k := parquetKept{KeptColumns: NewKeptColumns(o)}
	k.types = make([]keptType, len(k.Names))
	return k
}

// observe records the columns of a row and the types of their values. It returns an error
// for too many columns.
func (k *parquetKept) observe(columns []dataset.Column) error {
	if !k.fixed {
		for i := range columns {
			k.add(columns[i].Name)
		}
		k.types = append(k.types, make([]keptType, len(k.Names)-len(k.types))...)
	}
	if len(k.Names) > maxKept {
		return fmt.Errorf("more than %d kept columns: choose some with --keep", maxKept)
	}
	for i, value := range k.Values(columns) {
		k.types[i].observe(value)
	}
	return nil
}

func (k *parquetKept) fields() []parquet.Field {
	fields := make([]parquet.Field, len(k.Names))
	for i, name := range k.Names {
		fields[i] = parquetField(name, parquet.Optional(k.types[i].node()))
	}
	return fields
}

// jsonNames returns the columns that hold JSON as text.
func (k *parquetKept) jsonNames() []string {
	var names []string
	for i, name := range k.Names {
		if k.types[i].kind() == keptJSON {
			names = append(names, name)
		}
	}
	return names
}

// append appends the values of a row, starting at the column first, and returns
// their size in bytes.
func (k *parquetKept) append(row parquet.Row, columns []dataset.Column, first int) (parquet.Row, int) {
	size := 0
	for i, value := range k.Values(columns) {
		v, definition := parquet.NullValue(), 0
		if !isNull(value) {
			v, definition = k.types[i].value(value), 1
			size += len(value)
		}
		row = append(row, v.Level(0, definition, first+i))
	}
	return row, size
}

// A keptKind is the common type of the values of a kept column.
type keptKind int

const (
	keptJSON    keptKind = iota // mixed types: JSON as text
	keptText                    // all are strings, or there are none
	keptBoolean                 // true or false
	keptInteger                 // all are 64-bit integers
	keptNumber                  // all are exact as float64
)

// A keptType records the types of the values in a column.
type keptType struct {
	text, boolean, integer, fraction, large, other bool
}

// maxExact is the largest integer up to which a float64 represents all integers.
const maxExact = 1 << 53

func (t *keptType) observe(value []byte) {
	if isNull(value) {
		return
	}
	switch first := value[0]; {
	case first == '"':
		t.text = true
	case first == 't', first == 'f':
		t.boolean = true
	case first == '-', first >= '0' && first <= '9':
		t.observeNumber(string(value))
	default:
		t.other = true
	}
}

func (t *keptType) observeNumber(s string) {
	if n, err := strconv.ParseInt(s, 10, 64); err == nil {
		t.integer = true
		t.large = t.large || n > maxExact || n < -maxExact
		return
	}
	if _, err := strconv.ParseFloat(s, 64); err != nil || !strings.ContainsAny(s, ".eE") {
		t.other = true // out of range
		return
	}
	t.fraction = true
}

func (t *keptType) kind() keptKind {
	numbers := t.integer || t.fraction
	switch {
	case t.other, t.fraction && t.large:
		return keptJSON
	case !t.boolean && !numbers:
		return keptText
	case t.boolean && !t.text && !numbers:
		return keptBoolean
	case t.text, t.boolean:
		return keptJSON
	case t.fraction:
		return keptNumber
	}
	return keptInteger
}

func (t *keptType) node() parquet.Node {
	switch t.kind() {
	case keptBoolean:
		return parquet.Leaf(parquet.BooleanType)
	case keptInteger:
		return parquet.Int(64)
	case keptNumber:
		return parquet.Leaf(parquet.DoubleType)
	case keptJSON, keptText:
	}
	return parquet.String()
}

// value converts a JSON value that t has observed.
func (t *keptType) value(value []byte) parquet.Value {
	s := string(value)
	switch t.kind() {
	case keptBoolean:
		return parquet.BooleanValue(s == "true")
	case keptInteger:
		n, _ := strconv.ParseInt(s, 10, 64) // observeNumber parsed it
		return parquet.Int64Value(n)
	case keptNumber:
		x, _ := strconv.ParseFloat(s, 64) // observeNumber parsed it
		return parquet.DoubleValue(x)
	case keptText:
		s, _ = PlainText(value)
		return parquet.ByteArrayValue([]byte(s))
	case keptJSON:
	}
	return parquet.ByteArrayValue(AppendValue(nil, value))
}
