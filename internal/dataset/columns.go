package dataset

import (
	"errors"
	"fmt"
	"slices"
	"strconv"
	"strings"
)

// aliases returns the column names that are detected for a field.
func aliases(f Field) []string {
	switch f {
	case FieldID:
		return []string{"id", "sample_id", "_id"}
	case FieldQuestion:
		return []string{"question", "user_input", "query", "input"}
	case FieldAnswer:
		return []string{"answer", "response", "output", "actual_output"}
	case FieldContexts:
		return []string{"contexts", "retrieved_contexts", "retrieval_context", "context", "documents"}
	}
	return nil
}

// A columnMap assigns columns to fields and to Row.Kept by name.
type columnMap struct {
	byName   map[string]candidate // columns that can supply a field
	mapped   map[Field]string     // Options.Map
	keep     []string             // Options.Keep and Options.Required
	keepAll  bool
	required map[string]string // elements of keep, with the flags that name them
	reserved map[string]bool
	raw      bool // return records unparsed, see OpenRecords
}

// A candidate associates a column name with the field that it can supply.
type candidate struct {
	field Field
	name  string
}

func newColumnMap(opts Options) (*columnMap, error) {
	m := &columnMap{
		byName: map[string]candidate{}, mapped: opts.Map,
		keepAll: opts.KeepAll, required: map[string]string{}, reserved: map[string]bool{},
	}
	for f := range opts.Map {
		if _, err := ParseField(string(f)); err != nil {
			return nil, err
		}
	}
	for _, f := range fields() {
		name, ok := opts.Map[f]
		if !ok {
			continue
		}
		if c, taken := m.byName[name]; taken {
			return nil, usagef("--map gives column %s to both %s and %s", quote(name), c.field, f)
		}
		m.byName[name] = candidate{f, name}
	}
	for _, f := range fields() {
		if _, ok := opts.Map[f]; ok {
			continue
		}
		for _, name := range aliases(f) {
			if _, taken := m.byName[name]; !taken {
				m.byName[name] = candidate{f, name}
			}
		}
	}
	for _, name := range opts.Reserved {
		m.reserved[name] = true
	}
	keep := slices.Clone(opts.Keep)
	for _, r := range opts.Required {
		keep, m.required[r.Column] = append(keep, r.Column), r.Flag
	}
	for _, name := range keep {
		if m.reserved[name] {
			return nil, usagef("cannot keep column %s: the results have a field of that name", quote(name))
		}
		if !slices.Contains(m.keep, name) {
			m.keep = append(m.keep, name)
		}
	}
	return m, nil
}

// keeps reports whether a column is copied to Row.Kept. clash reports whether
// it is dropped because its name is reserved.
func (m *columnMap) keeps(name string) (kept, clash bool) {
	if slices.Contains(m.keep, name) {
		return true, false
	}
	if _, used := m.byName[name]; used || !m.keepAll {
		return false, false
	}
	return !m.reserved[name], m.reserved[name]
}

// candidates lists the possible column names of a field for error messages.
func (m *columnMap) candidates(f Field) string {
	if name, ok := m.mapped[f]; ok {
		return quote(name)
	}
	return strings.Join(aliases(f), ", ")
}

func ambiguousColumns(f Field, a, b string) error {
	return usagef("%s: ambiguous: both %s and %s match; choose one with --map %s=%s or --map %s=%s",
		f, quote(a), quote(b), f, a, f, b)
}

func noSuchColumn(f Field, name string, names []string) error {
	return usagef("--map %s=%s: no such column; the columns are %s", f, name, list(names))
}

// noRequired returns the error for a first row without a column of
// Options.Required.
func (m *columnMap) noRequired(name string, names []string) error {
	return usagef("%s %s: no such column; the columns are %s", m.required[name], quote(name), list(names))
}

// missing returns the error for a required field without a column.
func (m *columnMap) missing(f Field, names []string) error {
	return fmt.Errorf("no %s: looked for %s; found %s; choose one with --map %s=COLUMN",
		f, m.candidates(f), list(names), f)
}

// A header describes the columns of a table.
type header struct {
	names    []string
	field    map[Field]int // column index of each field
	keep     []int         // indexes of kept columns
	warnings []error       // reasons why columns were dropped
}

// header assigns the columns of a table.
func (m *columnMap) header(names []string) (*header, error) {
	h := &header{names: names, field: map[Field]int{}}
	seen := map[string]bool{}
	for i, name := range names {
		c, used := m.byName[name]
		kept, clash := m.keeps(name)
		duplicate := seen[name]
		seen[name] = true
		switch {
		case duplicate && (used || slices.Contains(m.keep, name)):
			return nil, usagef("two columns are named %s", quote(name))
		case duplicate && kept:
			h.warnings = append(h.warnings, fmt.Errorf("column %d is not kept: another is named %s too", i+1, quote(name)))
			continue
		case clash:
			h.warnings = append(h.warnings, clashError(name))
		case kept && name == "":
			h.warnings = append(h.warnings, fmt.Errorf("column %d is not kept: it has no name", i+1))
			continue
		}
		if kept {
			h.keep = append(h.keep, i)
		}
		if !used {
			continue
		}
		if other, found := h.field[c.field]; found {
			return nil, ambiguousColumns(c.field, names[other], name)
		}
		h.field[c.field] = i
	}
	for _, f := range fields() {
		_, ok := h.field[f]
		if name, mapped := m.mapped[f]; mapped && !ok {
			return nil, noSuchColumn(f, name, names)
		}
		if !ok && !m.raw && (f == FieldAnswer || f == FieldContexts) {
			return nil, m.missing(f, names)
		}
	}
	for _, name := range m.keep {
		if !seen[name] && m.required[name] != "" {
			return nil, m.noRequired(name, names)
		}
		if !seen[name] {
			return nil, usagef("cannot keep column %s: no such column; the columns are %s", quote(name), list(names))
		}
	}
	return h, nil
}

func clashError(name string) error {
	return fmt.Errorf("column %s is not kept: the results have a field of that name", quote(name))
}

// withoutUsage converts a usage error to an ordinary one. After the first
// object, such an error concerns only a single row.
func withoutUsage(err error) error {
	if _, ok := errors.AsType[*UsageError](err); ok {
		return errors.New(err.Error())
	}
	return err
}

const (
	maxQuoted = 60 // characters of a quoted text
	maxListed = 30 // names in a list
)

// quote quotes s for a message and truncates it to maxQuoted characters.
func quote(s string) string {
	n := 0
	for i := range s {
		if n++; n > maxQuoted {
			return strconv.Quote(s[:i]) + "..."
		}
	}
	return strconv.Quote(s)
}

// list joins column names for a message, quoting those with special characters.
func list(names []string) string {
	if len(names) == 0 {
		return "none"
	}
	needsQuotes := func(c rune) bool { return c <= ' ' || c == ',' || c > '~' && !strconv.IsPrint(c) }
	var b strings.Builder
	for i, name := range names {
		if i == maxListed {
			fmt.Fprintf(&b, " and %d more", len(names)-i)
			break
		}
		if i > 0 {
			b.WriteString(", ")
		}
		if name == "" || len(name) > maxQuoted || strings.ContainsFunc(name, needsQuotes) {
			name = quote(name)
		}
		b.WriteString(name)
	}
	return b.String()
}
