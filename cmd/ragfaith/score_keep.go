package main

import (
	"iter"
	"slices"
	"strings"

	"github.com/ragfaith/ragfaith/internal/dataset"
	"github.com/ragfaith/ragfaith/internal/report"
	"github.com/ragfaith/ragfaith/internal/result"
)

// keptNames determines the names of kept columns in results. A column whose name is that
// of a field of the results gets another one.
type keptNames struct {
	chosen   map[string]string // values of --keep-as: names by column
	reserved map[string]bool   // names of the fields of results
	note     func(column, name string)
	noted    map[string]bool // columns for which note was called
}

// newKeptNames parses the values of --keep-as. columns are the columns that are kept by
// name.
func newKeptNames(keepAs, columns []string) (*keptNames, error) {
	k := &keptNames{chosen: make(map[string]string), reserved: make(map[string]bool), noted: make(map[string]bool)}
	for _, name := range result.Names() {
		k.reserved[name] = true
	}
	for _, pair := range keepAs {
		column, name, ok := strings.Cut(pair, "=")
		switch {
		case !ok || column == "" || name == "":
			return nil, usagef("--keep-as %s: want COLUMN=NAME", pair)
		case k.reserved[name]:
			return nil, usagef("--keep-as %s: the results have a field %s", pair, name)
		case k.chosen[column] != "":
			return nil, usagef("--keep-as: two names for %s: %s and %s", column, k.chosen[column], name)
		}
		k.chosen[column] = name
	}
	used := make(map[string]string) // columns by name
	for _, column := range columns {
		name := k.name(column)
		if other, taken := used[name]; taken && other != column {
			return nil, usagef("columns %s and %s would both be kept as %s: choose another name with --keep-as COLUMN=NAME", other, column, name)
		}
		used[name] = column
	}
	return k, nil
}

// name returns the name of a kept column in results.
func (k *keptNames) name(column string) string {
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

// names returns the names of several columns.
func (k *keptNames) names(columns []string) []string {
	names := make([]string, len(columns))
	for i, column := range columns {
		names[i] = k.name(column)
	}
	return names
}

// rename yields rows whose kept columns have their names in results.
func (k *keptNames) rename(rows iter.Seq2[dataset.Row, error]) iter.Seq2[dataset.Row, error] {
	return func(yield func(dataset.Row, error) bool) {
		for row, err := range rows {
			k.renameColumns(row.Kept)
			if !yield(row, err) {
				return
			}
		}
	}
}

func (k *keptNames) renameColumns(columns []dataset.Column) {
	for i := range columns {
		column := columns[i].Name
		name := k.name(column)
		if name == column {
			continue
		}
		// With --keep all, another column can have this name.
		for slices.ContainsFunc(columns, func(c dataset.Column) bool { return c.Name == name }) {
			name = "input_" + name
		}
		columns[i].Name = name
		const maxNotes = 20
		if k.note != nil && k.chosen[column] == "" && !k.noted[column] && len(k.noted) < maxNotes {
			k.noted[column] = true
			k.note(column, name)
		}
	}
}

// labelColumn returns the column of results that a name refers to: that of the kept column
// if the name is a field of the results.
func labelColumn(name string) string {
	k, err := newKeptNames(nil, nil)
	if err != nil {
		return name
	}
	return k.name(name)
}

// keepNote reports the name of a column that is kept under another one.
func (r *scoreRun) keepNote(column, name string) {
	r.console.Printf("column %s is kept as %s: the results have a field of that name", report.Printable(column), report.Printable(name))
}
