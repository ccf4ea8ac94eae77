package result

import (
	"fmt"

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
