package report

import (
	"fmt"

	"github.com/go-json-experiment/json/jsontext"

	"github.com/ragfaith/ragfaith/internal/dataset"
)

// keptColumns are the kept columns of a format that has the same columns for
// every row. They are those that were asked for by name or, where all were,
// those of the first row that has any. A column that only a later row has is
// left out, and that is said once: the JSON formats hold it.
type keptColumns struct {
	names []string
	place map[string]int // of a name in names
	fixed bool           // names are final
	lost  map[string]bool
	warn  func(error)
}

// lostMax is how many left-out columns are named.
const lostMax = 20

func newKeptColumns(o Options) keptColumns {
	k := keptColumns{warn: o.Warn, lost: make(map[string]bool), place: make(map[string]int)}
	if !o.KeepAll {
		for _, name := range o.Keep {
			k.add(name)
		}
		k.fixed = true
	}
	return k
}

// add makes name the last column, unless it is one already.
func (k *keptColumns) add(name string) {
	if _, ok := k.place[name]; !ok {
		k.place[name] = len(k.names)
		k.names = append(k.names, name)
	}
}

// see looks at the kept columns of the next row.
func (k *keptColumns) see(columns []dataset.Column) {
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
		if len(k.lost) == lostMax {
			return
		}
		name := columns[i].Name
		if _, ok := k.place[name]; ok || k.lost[name] {
			continue
		}
		k.lost[name] = true
		k.warn(fmt.Errorf("column %q is not in the first row and is left out of the columns of the results; name it with --keep", name))
	}
}

// values returns the values of a row for all names, nil where it has none.
func (k *keptColumns) values(columns []dataset.Column) [][]byte {
	values := make([][]byte, len(k.names))
	for c := range columns {
		if i, ok := k.place[columns[c].Name]; ok && values[i] == nil { // of two, the first
			values[i] = columns[c].Value
		}
	}
	return values
}

// Plain returns a JSON value as text: a string without its quotes, nothing for
// null, and anything else as it is written. isText says that it was a string.
func Plain(value []byte) (text string, isText bool) {
	if len(value) == 0 || string(value) == "null" {
		return "", false
	}
	if value[0] == '"' {
		if b, err := jsontext.AppendUnquote(nil, value); err == nil {
			return string(b), true
		}
	}
	return string(appendRaw(nil, value)), false
}
