package result

import (
	"fmt"
	"strconv"
	"strings"

	"github.com/parquet-go/parquet-go"

	"github.com/ragfaith/ragfaith/internal/dataset"
)

// Options are the options of a Writer.
type Options struct {
	Keep    []string    // kept columns of CSV, TSV and Parquet
	KeepAll bool        // keep all columns
	Warn    func(error) // called for data that the format cannot hold; may be nil
	TempDir string      // directory of temporary files; "" for the system's
}

// maxDropped is the number of dropped columns that are reported by name.
const maxDropped = 20

// KeptColumns determines the kept columns of a format with the same columns for every
// row: those asked for, or those of the first row that has any. It reports columns of
// later rows, which are dropped.
type KeptColumns struct {
	Names   []string
	index   map[string]int // index of each name in Names
	fixed   bool           // Names is complete
	dropped map[string]bool
	warn    func(error)
	values  [][]byte // of the current row
}

// NewKeptColumns returns the KeptColumns for o.Keep and o.KeepAll, which calls o.Warn.
func NewKeptColumns(o Options) KeptColumns {
	k := KeptColumns{warn: o.Warn, dropped: make(map[string]bool), index: make(map[string]int)}
	if !o.KeepAll {
		for _, name := range o.Keep {
			k.add(name)
		}
		k.fixed = true
	}
	return k
}

// add appends a column unless it exists.
func (k *KeptColumns) add(name string) {
	if _, ok := k.index[name]; !ok {
		k.index[name] = len(k.Names)
		k.Names = append(k.Names, name)
	}
}

// Observe records the columns of the next row.
func (k *KeptColumns) Observe(columns []dataset.Column) {
	if !k.fixed && len(columns) > 0 {
		for i := range columns {
			k.add(columns[i].Name)
		}
		k.fixed = true
	}
	if k.warn == nil {
		return
	}
	for i := range columns {
		if len(k.dropped) == maxDropped {
			return
		}
		name := columns[i].Name
		if _, ok := k.index[name]; ok || k.dropped[name] {
			continue
		}
		k.dropped[name] = true
		k.warn(fmt.Errorf("column %q is not in the first row and is left out of the columns of the results; name it with --keep", name))
	}
}

// Values returns the values of a row for all names, nil for missing ones. They are valid
// until the next call.
func (k *KeptColumns) Values(columns []dataset.Column) [][]byte {
	k.values = append(k.values[:0], make([][]byte, len(k.Names))...)
	for c := range columns {
		if i, ok := k.index[columns[c].Name]; ok && k.values[i] == nil { // the first of duplicates
			k.values[i] = columns[c].Value
		}
	}
	return k.values
}

// maxKept is the maximum number of kept columns in Parquet, which counts columns
// in 16 bits. Results have columns of their own.
const maxKept = 30_000

// parquetKept determines the kept columns of a Parquet file: those asked for, or
// all columns of any row, in the order in which they first appear. The type of a
// column is the common type of its values.
type parquetKept struct {
	KeptColumns
	types []keptKind
}

func newParquetKept(o Options) parquetKept {
	k := parquetKept{KeptColumns: NewKeptColumns(o)}
	k.types = make([]keptKind, len(k.Names))
	return k
}

// observe records the columns of a row and the types of their values. It returns an error
// for too many columns.
func (k *parquetKept) observe(columns []dataset.Column) error {
	if !k.fixed {
		for i := range columns {
			k.add(columns[i].Name)
		}
		k.types = append(k.types, make([]keptKind, len(k.Names)-len(k.types))...)
	}
	if len(k.Names) > maxKept {
		return fmt.Errorf("more than %d kept columns: choose some with --keep", maxKept)
	}
	for i, value := range k.Values(columns) {
		k.types[i] = k.types[i].with(kindOf(value))
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

// append appends the values of a row, starting at the column first.
func (k *parquetKept) append(row parquet.Row, columns []dataset.Column, first int) parquet.Row {
	for i, value := range k.Values(columns) {
		v, definition := parquet.NullValue(), 0
		if !isNull(value) {
			v, definition = k.types[i].value(value), 1
		}
		row = append(row, v.Level(0, definition, first+i))
	}
	return row
}

// A keptKind is the type of a value of a kept column, or the common type of all.
type keptKind int

const (
	keptNone    keptKind = iota // only nulls, written as text
	keptText                    // strings
	keptBoolean                 // true or false
	keptInteger                 // 64-bit integers
	keptLarge                   // 64-bit integers, of which some are not exact as float64
	keptNumber                  // numbers that are exact as float64
	keptJSON                    // other or mixed types: JSON as text
)

// maxExact is the largest integer up to which a float64 represents all integers.
const maxExact = 1 << 53

// kindOf returns the type of a JSON value.
func kindOf(value []byte) keptKind {
	if isNull(value) {
		return keptNone
	}
	switch first := value[0]; {
	case first == '"':
		return keptText
	case first == 't', first == 'f':
		return keptBoolean
	case first != '-' && (first < '0' || first > '9'):
		return keptJSON
	}
	s := string(value)
	if n, err := strconv.ParseInt(s, 10, 64); err == nil {
		if n > maxExact || n < -maxExact {
			return keptLarge
		}
		return keptInteger
	}
	if _, err := strconv.ParseFloat(s, 64); err != nil || !strings.ContainsAny(s, ".eE") {
		return keptJSON // out of range
	}
	return keptNumber
}

// with returns the common type of k and of another value.
func (k keptKind) with(other keptKind) keptKind {
	switch low, high := min(k, other), max(k, other); {
	case low == high, low == keptNone, low == keptInteger && high <= keptNumber:
		return high
	}
	return keptJSON
}

func (k keptKind) node() parquet.Node {
	switch k {
	case keptBoolean:
		return parquet.Leaf(parquet.BooleanType)
	case keptInteger, keptLarge:
		return parquet.Int(64)
	case keptNumber:
		return parquet.Leaf(parquet.DoubleType)
	case keptNone, keptText, keptJSON:
	}
	return parquet.String()
}

// value converts a JSON value of a column of type k.
func (k keptKind) value(value []byte) parquet.Value {
	s := string(value)
	switch k {
	case keptBoolean:
		return parquet.BooleanValue(s == "true")
	case keptInteger, keptLarge:
		n, _ := strconv.ParseInt(s, 10, 64) // kindOf parsed it
		return parquet.Int64Value(n)
	case keptNumber:
		x, _ := strconv.ParseFloat(s, 64) // kindOf parsed it
		return parquet.DoubleValue(x)
	case keptText:
		s, _ = PlainText(value)
		return parquet.ByteArrayValue([]byte(s))
	case keptNone, keptJSON:
	}
	return parquet.ByteArrayValue(AppendValue(nil, value))
}
