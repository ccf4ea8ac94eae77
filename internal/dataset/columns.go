package dataset

import (
	"cmp"
	"errors"
	"fmt"
	"maps"
	"slices"
	"strings"

	"github.com/ragfaith/ragfaith/internal/dataset/shape"
)

// aliases returns the usual column names of a field. Other names are recognized by
// package shape. Names in the first list are preferred to those in the second.
func aliases(f Field) [2][]string {
	return map[Field][2][]string{
		FieldID:       {{"id", "sample_id", "_id"}, {"ID", "Id", "SAMPLE_ID", "Sample_ID", "Sample_Id", "_ID", "_Id"}},
		FieldQuestion: {{"question", "user_input", "query"}, {"input"}},
		FieldAnswer:   {{"answer", "response", "output", "actual_output"}},
		FieldContexts: {{"contexts", "retrieved_contexts", "retrieval_context"}, {"context", "documents"}},
	}[f]
}

// A columnMap assigns columns to fields and to Row.Kept by name.
type columnMap struct {
	byName   map[string]candidate // columns that can supply a field
	mapped   map[Field]string     // Options.Map
	paths    shape.Plan           // Options.Map as paths, for names that are not columns
	names    map[Field]string     // detected columns, see detected
	keep     []string             // Options.Keep and Options.Required
	keepAll  bool
	required map[string]string // elements of keep, with the flags that name them
	raw      bool              // return records unparsed, see OpenRecords
	exact    bool              // return the cells of tables exactly, see OpenRecords
	finder   *shape.Finder
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
		byName: map[string]candidate{}, mapped: opts.Map, paths: shape.Plan{},
		keepAll: opts.KeepAll, required: map[string]string{}, finder: newFinder(), rivals: map[string]bool{},
	}
	for f := range opts.Map {
		if !slices.Contains(fields(), f) {
			return nil, usagef("unknown field %q: want id, question, answer or contexts", f)
		}
	}
	for _, f := range fields() {
		name, ok := opts.Map[f]
		if !ok {
			continue
		}
		if c, taken := m.byName[name]; taken {
			return nil, usagef("--map gives column %s to both %s and %s", shape.Quote(name), c.field, f)
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

// noSuchColumn returns the error for a mapped column that does not exist.
func noSuchColumn(f Field, name string, names []string) error {
	return &layoutError{usagef("--map %s=%s: %s", f, name, noColumn(names)), true, f}
}

// mappedColumns are the mapped columns that records have.
type mappedColumns struct {
	names   []string // columns of the first record, or nil
	found   map[Field]bool
	checked bool // the first records had all of them
}

// record marks the mapped columns of a record as found, until checked is set. has reports whether
// the record has the column of a field. The receiver can be nil.
func (c *mappedColumns) record(has func(Field) bool, names func() []string) {
	if c == nil || c.checked {
		return
	}
	if c.names == nil {
		c.names = append([]string{}, names()...)
	}
	for _, f := range fields() {
		c.found[f] = c.found[f] || has(f)
	}
}

// check returns an error if there are records and none has a column that m maps.
func (c *mappedColumns) check(m *columnMap) error {
	for _, f := range fields() {
		if name, ok := m.mapped[f]; ok && c.names != nil && !c.found[f] {
			return noSuchColumn(f, name, c.names)
		}
	}
	return nil
}

// noColumn returns the message for a missing column, with the existing names.
func noColumn(names []string) string { return "no such column; the columns are " + list(names) }

// cannotKeep returns the error for a first row without a column of Options.Keep or
// Options.Required.
func (m *columnMap) cannotKeep(name string, names []string) error {
	what := "cannot keep column"
	if flag := m.required[name]; flag != "" {
		what = flag
	}
	return usagef("%s %s: %s", what, shape.Quote(name), noColumn(names))
}

// keepPaths copies the values at paths in a record. The first record must have them.
func (m *columnMap) keepPaths(row *Row, paths []string, record *value, first bool) error {
	for _, path := range paths {
		v := m.finder.Kept(path, record)
		if v == nil {
			v = m.finder.Kept(path, m.finder.Normalize(record))
		}
		if v == nil && first {
			return m.cannotKeep(path, record.Paths(maxListed+1))
		}
		row.Kept = append(row.Kept, Column{Name: path, Value: appendJSON(nil, cmp.Or(v, &value{}))})
	}
	return nil
}

// withoutKept returns the error for the first object without a column of Options.Keep or
// Options.Required, or nil and a warning if other objects can have it. It is a [*layoutError] if
// the name can be a path that the record has in another layout.
func (m *columnMap) withoutKept(name string, names []string, w *warnings) error {
	if isPath(name) {
		return &layoutError{err: m.cannotKeep(name, names), missing: true}
	}
	if m.required[name] != "" {
		return m.cannotKeep(name, names)
	}
	w.once(fmt.Errorf("column %s is missing in the first row; rows without it get null; the columns are %s", shape.Quote(name), list(names)))
	return nil
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

// layoutOf returns the [*layoutError] in an error, or an empty one.
func layoutOf(err error) *layoutError {
	layout, _ := errors.AsType[*layoutError](err)
	return cmp.Or(layout, &layoutError{})
}

// missing returns the error for a required field without a column.
func (m *columnMap) missing(f Field, names []string) error {
	usual := aliases(f)
	looked := strings.Join(slices.Concat(usual[0], usual[1]), ", ")
	if name := cmp.Or(m.mapped[f], m.names[f]); name != "" {
		looked = shape.Quote(name)
	}
	return &layoutError{fmt.Errorf("no %s: looked for %s; found %s; choose one with --map %s=COLUMN",
		f, looked, list(names), f), true, f}
}

// hasPaths reports whether a field is mapped to a path instead of a column.
func (m *columnMap) hasPaths() bool {
	return slices.ContainsFunc(slices.Collect(maps.Values(m.mapped)), isPath)
}

// preset returns the mapped paths that package shape reads.
func (m *columnMap) preset() shape.Plan {
	preset := maps.Clone(m.paths)
	delete(preset, FieldID)
	return preset
}

// isPath reports whether a name that no column has can be a path.
func isPath(name string) bool { return strings.ContainsAny(name, ".[") }

// detected returns a copy of m that reads fields from the columns of a layout, or nil
// if the layout is not made of columns.
func (m *columnMap) detected(plan shape.Plan) *columnMap {
	if plan == nil || m.hasPaths() {
		return nil
	}
	c, read := m, map[Field]string{}
	for _, f := range fields() {
		if plan[f] == nil {
			continue
		}
		name := plan.Column(f)
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
		rank, ok := m.finder.Names.Rank(shape.Question, name)
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

// withoutUsage converts a usage error to an ordinary one. After the first
// object, such an error concerns only a single row.
func withoutUsage(err error) error {
	if is[*UsageError](err) {
		return errors.New(err.Error())
	}
	return err
}
