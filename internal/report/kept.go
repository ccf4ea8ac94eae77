package report

import (
	"fmt"
	"slices"

	"github.com/go-json-experiment/json/jsontext"

	"github.com/ragfaith/ragfaith/internal/dataset"
)

// keptColumns are the kept columns of a format that has the same columns for
// every row. They are those that were asked for by name or, where all were,
// those of the first row that has any. A column that only a later row has is
// left out, and that is said once: the JSON formats hold it.
type keptColumns struct {
	names []string
	fixed bool // names are final
	lost  map[string]bool
	warn  func(error)
}

// lostMax is how many left-out columns are named.
const lostMax = 20

func newKeptColumns(o Options) keptColumns {
	k := keptColumns{warn: o.Warn, lost: make(map[string]bool)}
	if !o.KeepAll {
		k.names, k.fixed = o.Keep, true
	}
	return k
}

// see looks at the kept columns of the next row.
func (k *keptColumns) see(columns []dataset.Column) {
	if !k.fixed && len(columns) > 0 {
		for i := range columns {
			k.names = append(k.names, columns[i].Name)
		}
		k.fixed = true
	}
	for i := range columns {
		name := columns[i].Name
		if k.warn == nil || slices.Contains(k.names, name) || k.lost[name] || len(k.lost) == lostMax {
			continue
		}
		k.lost[name] = true
		k.warn(fmt.Errorf("column %q is not in the first row and is left out of the columns of the results; name it with --keep", name))
	}
}

// values returns the values of a row for all names, nil where it has none.
func (k *keptColumns) values(columns []dataset.Column) [][]byte {
	values := make([][]byte, len(k.names))
	for i, name := range k.names {
		for c := range columns {
			if columns[c].Name == name {
				values[i] = columns[c].Value
				break
			}
		}
	}
	return values
}

// plain returns a JSON value as text: a string without its quotes, nothing for
// null, and anything else as it is written. isText says that it was a string.
func plain(value []byte) (text string, isText bool) {
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
