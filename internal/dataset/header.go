package dataset

import (
	"fmt"
	"slices"

	"github.com/ragfaith/ragfaith/internal/dataset/shape"
)

// A foundField is a column of a table, or a member of an object, that can supply a field.
type foundField struct {
	candidate
	at    int    // index of the column
	value *value // of the member
}

// A header describes the columns of a table.
type header struct {
	names    []string
	found    []foundField     // best first
	named    []int            // indexes of columns that have a name of their own
	keep     []int            // indexes of kept columns
	paths    []string         // names in Options.Keep and Options.Required that no column has, but can be paths
	warnings []error          // reasons why columns were dropped
	chosen   map[Field]string // columns of the answer and the contexts, once a record had a value
}

// first returns the best column of a field, or nil.
func (h *header) first(f Field) *foundField {
	if i := slices.IndexFunc(h.found, func(s foundField) bool { return s.field == f }); i >= 0 {
		return &h.found[i]
	}
	return nil
}

// header assigns the columns of a table.
func (m *columnMap) header(names []string) (*header, error) {
	h := &header{names: names, chosen: map[Field]string{}}
	seen := map[string]bool{}
	for i, name := range names {
		c, used := m.byName[name]
		kept := m.keeps(name)
		duplicate := seen[name]
		seen[name] = true
		if !duplicate && name != "" {
			h.named = append(h.named, i)
		}
		switch {
		case duplicate && (used || slices.Contains(m.keep, name)):
			return nil, usagef("two columns are named %s", shape.Quote(name))
		case duplicate && kept:
			h.warnings = append(h.warnings, fmt.Errorf("column %d is not kept: another column is also named %s", i+1, shape.Quote(name)))
			continue
		case kept && name == "":
			h.warnings = append(h.warnings, fmt.Errorf("column %d is not kept: it has no name", i+1))
			continue
		}
		if kept {
			h.keep = append(h.keep, i)
		}
		if used {
			h.found = append(h.found, foundField{candidate: c, at: i})
		}
	}
	slices.SortStableFunc(h.found, func(a, b foundField) int { return a.rank - b.rank })
	h.found = slices.DeleteFunc(h.found, func(s foundField) bool { return shape.IsIdeal(s.name, h.first(s.field).name) })
	for _, f := range fields() {
		found := h.first(f) != nil
		if name, mapped := m.mapped[f]; mapped && !found {
			return nil, noSuchColumn(f, name, names)
		}
		if !found && !m.raw && (f == FieldAnswer || f == FieldContexts) {
			return nil, m.missing(f, names)
		}
	}
	for _, f := range fields() {
		if s := h.first(f); s != nil {
			if err := m.rival(f, s.name, names); err != nil {
				return nil, err
			}
		}
	}
	for _, name := range m.keep {
		switch {
		case seen[name]:
		case isPath(name):
			h.paths = append(h.paths, name)
		default:
			return nil, m.cannotKeep(name, names)
		}
	}
	return h, nil
}

// maxRivals limits the number of names that a columnMap remembers.
const maxRivals = 1 << 12

// mayRival reports whether a column that is not read is named like an answer or contexts.
func (m *columnMap) mayRival(name []byte) bool {
	rival, known := m.rivals[string(name)]
	if !known && !m.raw {
		rival = m.finder.Names.MayRival(string(name))
		if len(m.rivals) < maxRivals {
			m.rivals[string(name)] = rival
		}
	}
	return rival
}

// rival returns an error if a field is read from one of several columns that can hold it.
func (m *columnMap) rival(f Field, chosen string, names []string) error {
	if f == FieldID || m.raw || m.mapped[f] != "" {
		return nil
	}
	for _, name := range names {
		if _, used := m.byName[name]; !used && m.finder.Names.Rival(f, chosen, name) {
			return &layoutError{err: shape.Ambiguous(f, chosen, name)}
		}
	}
	return nil
}

// choose returns the column or member of a field in a record, or nil: the first one, unless
// another one has a value and the first has none or a less usual name. Two equally good ones
// with values are an error, with the first of them as the result.
func choose(f Field, found []foundField, hasValue func(*foundField) bool) (best *foundField, err error) {
	for i := range found {
		s := &found[i]
		switch {
		case s.field != f:
		case best == nil:
			best = s
		case shape.IsIdeal(s.name, best.name):
		case shape.IsIdeal(best.name, s.name):
			best, err = s, nil
		case !hasValue(s) || hasValue(best) && best.rank < s.rank:
		case !hasValue(best) || best.rank > s.rank:
			best, err = s, nil
		case err == nil:
			err = shape.Ambiguous(f, best.name, s.name)
		}
	}
	return best, err
}

// column returns the column of a field in a record of a table, or nil. See choose. The
// answer and the contexts must be in the column where they were in earlier records.
func (m *columnMap) column(h *header, f Field, hasValue func(*foundField) bool) (*foundField, error) {
	best, err := choose(f, h.found, hasValue)
	if err != nil || f != FieldAnswer && f != FieldContexts || best == nil || !hasValue(best) {
		return best, err
	}
	for i := range h.found {
		s := &h.found[i]
		if s != best && s.field == f && f == FieldContexts && m.mapped[f] == "" && hasValue(s) && m.finder.Names.Rival(f, best.name, s.name) {
			return nil, &layoutError{err: shape.Ambiguous(f, best.name, s.name)}
		}
	}
	if chosen := h.chosen[f]; chosen != "" && chosen != best.name {
		return nil, notInPlace(f, chosen, best.name)
	}
	h.chosen[f] = best.name
	return best, nil
}

// notInPlace returns the error for a record that has no value in the column from which the
// field was read before, but one in another column: that may be the expected answer, or
// the contexts of another retriever.
func notInPlace(f Field, chosen, other string) error {
	return fmt.Errorf("%s: want a value in column %s as in earlier rows; %s is not read in its place", f, shape.Quote(chosen), shape.Quote(other))
}
