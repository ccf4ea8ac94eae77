package dataset

import (
	"cmp"
	"errors"
	"fmt"
	"maps"
	"slices"
	"strconv"
	"strings"

	"github.com/ragfaith/ragfaith/internal/dataset/shape"
	"github.com/ragfaith/ragfaith/internal/flagvalue"
)

// aliases returns the usual column names of a field. Other names are recognized by
// package shape. Names in the first list are preferred to those in the second.
func aliases(f Field) (names [2][]string) {
	switch f {
	case FieldID:
		names[0] = []string{"id", "sample_id", "_id"}
	case FieldQuestion:
		names[0] = []string{"question", "user_input", "query"}
		names[1] = []string{"input"}
	case FieldAnswer:
		names[0] = []string{"answer", "response", "output", "actual_output"}
	case FieldContexts:
		names[0] = []string{"contexts", "retrieved_contexts", "retrieval_context"}
		names[1] = []string{"context", "documents"}
	}
	return names
}

// A columnMap assigns columns to fields and to Row.Kept by name.
type columnMap struct {
	byName   map[string]candidate  // columns that can supply a field
	mapped   map[Field]string      // Options.Map
	paths    map[Field]*shape.Path // Options.Map as paths, for names that are not columns
	names    map[Field]string      // detected columns, see detected
	keep     []string              // Options.Keep and Options.Required
	keepAll  bool
	required map[string]string // elements of keep, with the flags that name them
	raw      bool              // return records unparsed, see OpenRecords
	exact    bool              // return the cells of tables exactly, see OpenRecords
	words    *shape.Names
	rivals   map[string]bool // see mayRival
}

// A candidate associates a column name with the field that it can supply.
type candidate struct {
	field Field
	name  string
	rank  int // index in aliases
}

func newColumnMap(opts Options) (*columnMap, error) {
	m := &columnMap{
		byName: map[string]candidate{}, mapped: opts.Map, paths: map[Field]*shape.Path{},
		keepAll: opts.KeepAll, required: map[string]string{}, words: shape.NewNames(), rivals: map[string]bool{},
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
		m.byName[name] = candidate{field: f, name: name}
		path, err := shape.ParsePath(name)
		if err != nil {
			path = shape.ColumnPath(name)
		}
		m.paths[f] = path
	}
	for _, f := range fields() {
		if _, ok := opts.Map[f]; ok {
			continue
		}
		for rank, names := range aliases(f) {
			for _, name := range names {
				if _, taken := m.byName[name]; !taken {
					m.byName[name] = candidate{f, name, rank}
				}
			}
		}
	}
	keep := slices.Clone(opts.Keep)
	for _, r := range opts.Required {
		keep, m.required[r.Column] = append(keep, r.Column), r.Flag
	}
	for _, name := range keep {
		if !slices.Contains(m.keep, name) {
			m.keep = append(m.keep, name)
		}
	}
	return m, nil
}

// keeps reports whether a column is copied to Row.Kept.
func (m *columnMap) keeps(name string) bool {
	_, used := m.byName[name]
	return slices.Contains(m.keep, name) || m.keepAll && !used
}

// candidates lists the possible column names of a field for error messages.
func (m *columnMap) candidates(f Field) string {
	if name := cmp.Or(m.mapped[f], m.names[f]); name != "" {
		return quote(name)
	}
	names := aliases(f)
	return strings.Join(slices.Concat(names[0], names[1]), ", ")
}

func ambiguousColumns(f Field, a, b string) error {
	return usagef("%s: ambiguous: both %s and %s match; choose one with --map %s=%s or --map %s=%s",
		f, quote(a), quote(b), f, a, f, b)
}

// noSuchColumn returns the error for a mapped column that does not exist.
func noSuchColumn(f Field, name string, names []string) error {
	return &layoutError{usagef("--map %s=%s: %s", f, name, noColumn(name, names)), true, f}
}

// noColumn says that a column does not exist, and which do.
func noColumn(name string, names []string) string {
	near := didYouMean(name, names)
	if near != "" {
		near = " (" + strings.TrimPrefix(near, "; ") + ")"
	}
	return "no such column" + near + "; the columns are " + list(names)
}

// didYouMean suggests the most similar name, or returns "" if none is similar.
func didYouMean(name string, names []string) string {
	short := slices.DeleteFunc(slices.Clone(names), func(s string) bool { return len(s) > maxQuoted })
	if near := flagvalue.Nearest(name[:min(len(name), maxQuoted)], short); near != "" {
		return "; did you mean " + quote(near) + "?"
	}
	return ""
}

// cannotKeep returns the error for a first row without a column of Options.Keep.
func (m *columnMap) cannotKeep(name string, names []string) error {
	return pathError(name, usagef("cannot keep column %s: %s", quote(name), noColumn(name, names)))
}

// pathError makes an error about a missing column a [*layoutError] if its name can be
// a path into another one.
func pathError(name string, err error) error {
	if isPath(name) {
		return &layoutError{err: err, missing: true}
	}
	return err
}

// A layoutError reports a record whose columns have other names or types than usual.
// It is final only if package shape does not recognize the record either.
type layoutError struct {
	err     error
	missing bool  // a column is missing
	field   Field // the missing field, or ""
}

func (e *layoutError) Error() string { return e.err.Error() }
func (e *layoutError) Unwrap() error { return e.err }

// missingField returns the field that a record lacks, or "".
func missingField(err error) Field {
	if layout, ok := errors.AsType[*layoutError](err); ok {
		return layout.field
	}
	return ""
}

func isMissing(err error) bool {
	layout, ok := errors.AsType[*layoutError](err)
	return ok && layout.missing
}

func isLayoutError(err error) bool {
	_, ok := errors.AsType[*layoutError](err)
	return ok
}

// noRequired returns the error for a first row without a column of
// Options.Required.
func (m *columnMap) noRequired(name string, names []string) error {
	return pathError(name, usagef("%s %s: %s", m.required[name], quote(name), noColumn(name, names)))
}

// missing returns the error for a required field without a column.
func (m *columnMap) missing(f Field, names []string) error {
	return &layoutError{fmt.Errorf("no %s: looked for %s; found %s; choose one with --map %s=COLUMN",
		f, m.candidates(f), list(names), f), true, f}
}

// hasPaths reports whether a field is mapped to a path instead of a column.
func (m *columnMap) hasPaths() bool {
	for _, name := range m.mapped {
		if isPath(name) {
			return true
		}
	}
	return false
}

// isPath reports whether a name that no column has can be a path.
func isPath(name string) bool { return strings.ContainsAny(name, ".[") }

// detected returns a copy of m that reads fields from the columns of a layout, or nil
// if the layout is not made of columns.
func (m *columnMap) detected(plan *shape.Plan) *columnMap {
	if plan == nil || m.hasPaths() {
		return nil
	}
	c, read := m, map[Field]string{}
	for _, f := range fields() {
		field, ok := shapeField(f)
		if !ok || plan.Path(field) == nil {
			continue
		}
		name := plan.Column(field)
		if name == "" {
			return nil
		}
		c = c.reading(f, name)
		read[f] = name
	}
	if c != m {
		c.names = read
	}
	return c
}

// withAnswer returns a copy of m that reads the answer from a column, unless it is mapped.
func (m *columnMap) withAnswer(name string) *columnMap {
	if m.raw || m.mapped[FieldAnswer] != "" {
		return m
	}
	c := m.reading(FieldAnswer, name)
	c.mapped = map[Field]string{FieldAnswer: name}
	maps.Copy(c.mapped, m.mapped)
	return c
}

// question returns the column that is best named for the question, or "".
func (m *columnMap) question(names []string) string {
	found, best := "", 0
	for _, name := range names {
		rank, ok := m.words.Rank(shape.Question, name)
		switch _, used := m.byName[name]; {
		case used || !ok:
		case found == "" || rank < best:
			found, best = name, rank
		case rank == best:
			return ""
		}
	}
	return found
}

// reading returns a copy of m that reads a field from one column.
func (m *columnMap) reading(f Field, name string) *columnMap {
	c := *m
	c.byName = maps.Clone(m.byName)
	maps.DeleteFunc(c.byName, func(_ string, other candidate) bool { return other.field == f })
	c.byName[name] = candidate{field: f, name: name}
	return &c
}

// A header describes the columns of a table.
type header struct {
	names    []string
	field    map[Field][]int // columns that can supply each field, best first
	keep     []int           // indexes of kept columns
	warnings []error         // reasons why columns were dropped
	chosen   map[Field]int   // columns of the answer and the contexts, once a record had a value
}

// maxRivals limits the number of names that a columnMap remembers.
const maxRivals = 1 << 12

// mayRival reports whether a column that is not read is named like an answer or contexts.
func (m *columnMap) mayRival(name []byte) bool {
	rival, known := m.rivals[string(name)]
	if !known && !m.raw {
		rival = m.words.MayRival(string(name))
		if len(m.rivals) < maxRivals {
			m.rivals[string(name)] = rival
		}
	}
	return rival
}

// rival returns an error if a field is read from one of several columns that can hold it.
func (m *columnMap) rival(f Field, chosen string, names []string) error {
	field, ok := shapeField(f)
	if !ok || m.raw || m.mapped[f] != "" {
		return nil
	}
	for _, name := range names {
		if _, used := m.byName[name]; !used && m.words.Rival(field, chosen, name) {
			return &layoutError{err: ambiguousColumns(f, chosen, name)}
		}
	}
	return nil
}

// header assigns the columns of a table.
func (m *columnMap) header(names []string) (*header, error) {
	h := &header{names: names, field: map[Field][]int{}, chosen: map[Field]int{}}
	seen := map[string]bool{}
	for i, name := range names {
		c, used := m.byName[name]
		kept := m.keeps(name)
		duplicate := seen[name]
		seen[name] = true
		switch {
		case duplicate && (used || slices.Contains(m.keep, name)):
			return nil, usagef("two columns are named %s", quote(name))
		case duplicate && kept:
			h.warnings = append(h.warnings, fmt.Errorf("column %d is not kept: another is named %s too", i+1, quote(name)))
			continue
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
		h.field[c.field] = append(h.field[c.field], i)
	}
	for f, columns := range h.field {
		slices.SortStableFunc(columns, func(a, b int) int { return m.byName[names[a]].rank - m.byName[names[b]].rank })
		h.field[f] = slices.DeleteFunc(columns, func(i int) bool { return shape.IsIdeal(names[i], names[columns[0]]) })
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
	for _, f := range fields() {
		if columns := h.field[f]; len(columns) > 0 {
			if err := m.rival(f, names[columns[0]], names); err != nil {
				return nil, err
			}
		}
	}
	for _, name := range m.keep {
		if !seen[name] && m.required[name] != "" {
			return nil, m.noRequired(name, names)
		}
		if !seen[name] {
			return nil, m.cannotKeep(name, names)
		}
	}
	return h, nil
}

// choose returns the column of a field in a record: the first one with a value.
// hasValue reports whether a column has one. Two equally good columns with values are
// an error.
func (m *columnMap) choose(h *header, f Field, hasValue func(column int) bool) (column int, err error) {
	column = -1
	for _, i := range h.field[f] {
		switch {
		case column < 0:
			column = i
		case !hasValue(i):
		case !hasValue(column):
			column = i
		case m.byName[h.names[i]].rank == m.byName[h.names[column]].rank:
			return -1, ambiguousColumns(f, h.names[column], h.names[i])
		case f == FieldContexts && m.mapped[f] == "" && m.words.Rival(shape.Contexts, h.names[column], h.names[i]):
			return -1, &layoutError{err: ambiguousColumns(f, h.names[column], h.names[i])}
		}
	}
	if f != FieldAnswer && f != FieldContexts || column < 0 || !hasValue(column) {
		return column, nil
	}
	if chosen, ok := h.chosen[f]; ok && chosen != column {
		return -1, notInPlace(f, h.names[chosen], h.names[column])
	}
	h.chosen[f] = column
	return column, nil
}

// notInPlace returns the error for a record that has no value in the column from which the
// field was read before, but one in another column: that may be the expected answer, or
// the contexts of another retriever.
func notInPlace(f Field, chosen, other string) error {
	return fmt.Errorf("%s: want a value in column %s as in earlier rows; %s is not read in its place", f, quote(chosen), quote(other))
}

func notInFirstRow(name string, names []string) error {
	return fmt.Errorf("column %s is to be kept, but the first row has none: where it is missing it is null%s", quote(name), didYouMean(name, names))
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
