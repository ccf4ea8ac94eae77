package dataset

import (
	"errors"
	"fmt"
	"slices"
	"strconv"
	"strings"
)

// aliases returns the names by which a field's column is known where no
// Options.Map says another.
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

// A binding knows which names are columns of which field, and what is kept.
type binding struct {
	of       map[string]candidate
	mapped   map[Field]string
	keep     []string
	keepAll  bool
	reserved map[string]bool
	whole    bool // records are wanted as they are: see OpenRecords
}

// A candidate is a name that a field's column may have.
type candidate struct {
	field Field
	name  string
}

func newBinding(opts Options) (*binding, error) {
	b := &binding{
		of: map[string]candidate{}, mapped: opts.Map,
		keepAll: opts.KeepAll, reserved: map[string]bool{},
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
		if c, taken := b.of[name]; taken {
			return nil, usagef("--map gives column %s to both %s and %s", quote(name), c.field, f)
		}
		b.of[name] = candidate{f, name}
	}
	for _, f := range fields() {
		if _, ok := opts.Map[f]; ok {
			continue
		}
		for _, name := range aliases(f) {
			if _, taken := b.of[name]; !taken {
				b.of[name] = candidate{f, name}
			}
		}
	}
	for _, name := range opts.Reserved {
		b.reserved[name] = true
	}
	for _, name := range opts.Keep {
		if b.reserved[name] {
			return nil, usagef("cannot keep column %s: the results have a field of that name", quote(name))
		}
		if !slices.Contains(b.keep, name) {
			b.keep = append(b.keep, name)
		}
	}
	return b, nil
}

// keeps reports whether a column that is there is carried along. The second
// result says that it would be, were its name not taken by the results.
func (b *binding) keeps(name string) (kept, clash bool) {
	if slices.Contains(b.keep, name) {
		return true, false
	}
	if _, used := b.of[name]; used || !b.keepAll {
		return false, false
	}
	return !b.reserved[name], b.reserved[name]
}

func (b *binding) wanted(f Field) string {
	if name, ok := b.mapped[f]; ok {
		return quote(name)
	}
	return strings.Join(aliases(f), ", ")
}

func twoColumns(f Field, a, b string) error {
	return usagef("%s: both %s and %s could be it: --map %s=%s or --map %s=%s decides",
		f, quote(a), quote(b), f, a, f, b)
}

func notThere(f Field, name string, names []string) error {
	return usagef("--map %s=%s: no such column; the columns are %s", f, name, list(names))
}

// missing is the error of a required field without a column.
func (b *binding) missing(f Field, names []string) error {
	return fmt.Errorf("no %s: looked for %s; the columns are %s: --map %s=COLUMN names one",
		f, b.wanted(f), list(names), f)
}

// A header is what a binding makes of the columns of a table.
type header struct {
	names []string
	field map[Field]int // place of a field's column; absent if there is none
	keep  []int         // places of the kept columns
	left  []error       // why columns were left out
}

// bindHeader finds the columns of a table whose columns are known from the
// start.
func (b *binding) bindHeader(names []string) (*header, error) {
	h := &header{names: names, field: map[Field]int{}}
	seen := map[string]bool{}
	for i, name := range names {
		c, used := b.of[name]
		kept, clash := b.keeps(name)
		again := seen[name]
		seen[name] = true
		switch {
		case again && (used || slices.Contains(b.keep, name)):
			return nil, usagef("two columns are named %s", quote(name))
		case again && kept:
			h.left = append(h.left, fmt.Errorf("column %d is not kept: another is named %s too", i+1, quote(name)))
			continue
		case clash:
			h.left = append(h.left, clashError(name))
		case kept && name == "":
			h.left = append(h.left, fmt.Errorf("column %d is not kept: it has no name", i+1))
			continue
		}
		if kept {
			h.keep = append(h.keep, i)
		}
		if !used {
			continue
		}
		if other, two := h.field[c.field]; two {
			return nil, twoColumns(c.field, names[other], name)
		}
		h.field[c.field] = i
	}
	for _, f := range fields() {
		_, ok := h.field[f]
		if name, mapped := b.mapped[f]; mapped && !ok {
			return nil, notThere(f, name, names)
		}
		if !ok && !b.whole && (f == FieldAnswer || f == FieldContexts) {
			return nil, b.missing(f, names)
		}
	}
	for _, name := range b.keep {
		if !seen[name] {
			return nil, usagef("cannot keep column %s: there is none; the columns are %s", quote(name), list(names))
		}
	}
	return h, nil
}

func clashError(name string) error {
	return fmt.Errorf("column %s is not kept: the results have a field of that name", quote(name))
}

// rowOnly takes the character of a usage error from err: within a row it is
// that row's fault.
func rowOnly(err error) error {
	if u := (*UsageError)(nil); errors.As(err, &u) {
		return errors.New(err.Error())
	}
	return err
}

const (
	shortRunes = 60 // of a text in a message
	listNames  = 30 // of names in a message
)

// short quotes s for a message, cut where it is long.
func short(s string) string {
	n := 0
	for i := range s {
		if n++; n > shortRunes {
			return strconv.Quote(s[:i]) + "..."
		}
	}
	return strconv.Quote(s)
}

// quote returns a column's name as messages show it.
func quote(name string) string {
	return short(name)
}

func list(names []string) string {
	if len(names) == 0 {
		return "none"
	}
	var b strings.Builder
	for i, name := range names {
		if i == listNames {
			fmt.Fprintf(&b, " and %d more", len(names)-i)
			break
		}
		if i > 0 {
			b.WriteString(", ")
		}
		if name == "" || strings.ContainsFunc(name, func(c rune) bool { return c <= ' ' || c == ',' || c > '~' && !strconv.IsPrint(c) }) || len(name) > shortRunes {
			name = short(name)
		}
		b.WriteString(name)
	}
	return b.String()
}
