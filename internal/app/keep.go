package app

import (
	"iter"
	"slices"
	"strings"

	"github.com/ragfaith/ragfaith/internal/dataset"
	"github.com/ragfaith/ragfaith/internal/exit"
	"github.com/ragfaith/ragfaith/internal/result"
)

// KeptNames determines the names of kept columns in results. Columns that share a name with a
// field of the results are renamed.
type KeptNames struct {
	chosen   map[string]string // values of --keep-as: names by column
	reserved map[string]bool   // names of the fields of results
}

// NewKeptNames parses the values of --keep-as. columns are those kept by name.
func NewKeptNames(keepAs, columns []string) (*KeptNames, error) {
	k := &KeptNames{chosen: make(map[string]string), reserved: make(map[string]bool)}
	for _, name := range result.Names() {
		k.reserved[name] = true
	}
	for _, pair := range keepAs {
		column, name, ok := strings.Cut(pair, "=")
		switch {
		case !ok || column == "" || name == "":
			return nil, exit.Usagef("--keep-as %s: want COLUMN=NAME", pair)
		case k.reserved[name]:
			return nil, exit.Usagef("--keep-as %s: the results have a field %s", pair, name)
		case k.chosen[column] != "":
			return nil, exit.Usagef("--keep-as: two names for %s: %s and %s", column, k.chosen[column], name)
		}
		k.chosen[column] = name
	}
	used := make(map[string]string) // columns by name
	for _, column := range columns {
		name := k.Name(column)
		if other, taken := used[name]; taken && other != column {
			return nil, exit.Usagef("columns %s and %s would both be kept as %s: choose another name with --keep-as COLUMN=NAME", other, column, name)
		}
		used[name] = column
	}
	return k, nil
}

// Name returns the name of a kept column in results.
func (k *KeptNames) Name(column string) string {
	switch {
	case k.chosen[column] != "":
		return k.chosen[column]
	case column == "faithfulness": // an old score, most likely by Ragas
		return "ragas_faithfulness"
	case k.reserved[column]:
		return "input_" + column
	}
	return column
}

func (k *KeptNames) names(columns []string) []string {
	names := make([]string, len(columns))
	for i, column := range columns {
		names[i] = k.Name(column)
	}
	return names
}

// rename yields rows whose kept columns have their names in results. It calls note once for
// each of the first columns that get another name; note may be nil.
func (k *KeptNames) rename(rows iter.Seq2[dataset.Row, error], note func(column, name string)) iter.Seq2[dataset.Row, error] {
	noted := make(map[string]bool)
	return func(yield func(dataset.Row, error) bool) {
		for row, err := range rows {
			k.renameColumns(row.Kept, noted, note)
			if !yield(row, err) {
				return
			}
		}
	}
}

func (k *KeptNames) renameColumns(columns []dataset.Column, noted map[string]bool, note func(column, name string)) {
	for i := range columns {
		column := columns[i].Name
		name := k.Name(column)
		if name == column {
			continue
		}
		// With --keep all, another column can have this name.
		for slices.ContainsFunc(columns, func(c dataset.Column) bool { return c.Name == name }) {
			name = "input_" + name
		}
		columns[i].Name = name
		const maxNotes = 20
		if note != nil && name != k.chosen[column] && !noted[column] && len(noted) < maxNotes {
			noted[column] = true
			note(column, name)
		}
	}
}

// KeptName returns the column of results that a name refers to: that of the kept column
// if the name is a field of the results.
func KeptName(name string) string {
	k, _ := NewKeptNames(nil, nil) // fails only for invalid arguments
	return k.Name(name)
}
