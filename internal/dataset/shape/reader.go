package shape

import (
	"cmp"
	"errors"
	"fmt"
	"slices"
	"strings"
)

// A Reader converts records to rows. The first record that has an answer and contexts
// decides where those of the others are read from.
type Reader struct {
	*Finder
	Tool   *Tool // from --from, or recognized; nil if it is not known
	Layout Plan  // of the fields, or nil if it is not known or differs from record to record
	All    bool  // compare all records with Layout, not only the first ones
	Turns  bool  // return a row for each turn of a conversation, not only the last one
	Limit  int   // maximum number of bytes of the questions of all turns, which repeat what was said before

	preset  Plan // from --map
	forced  bool // Tool is from --from
	checked int  // number of records that were compared with Layout
	traces  bool // records are spans of traces, which can be in any order

	groups map[string]*group
	order  []*group
}

// A group collects the spans of a trace.
type group struct {
	spans []*span
	line  int    // of the first span
	order int    // index in Reader.order
	into  *group // group that contains its spans, or nil
}

// whole returns the group that contains the spans of g.
func (g *group) whole() *group {
	for g.into != nil {
		g = g.into
	}
	return g
}

// NewReader returns a Reader. Fields in preset are read from these paths. If from is
// not empty, it is the name of the tool that wrote the records.
func NewReader(f *Finder, preset Plan, from string) *Reader {
	r := &Reader{Finder: f, preset: preset, groups: map[string]*group{}}
	for i := range f.tools {
		if f.tools[i].Name == from {
			r.Tool, r.forced = &f.tools[i], true
		}
	}
	return r
}

// Read converts a record. It returns no row for a span, whose trace is returned by Close.
func (r *Reader) Read(v *Value) ([]Record, error) {
	normal, raw := r.Normalize(v), *v
	openSample(&raw)
	if r.Layout != nil {
		if r.checked++; r.All || r.checked < maxChecked {
			if err := r.check(normal); err != nil {
				return nil, err
			}
		}
		return r.rows(r.Layout, normal, &raw), nil
	}
	spans := r.spansOf(normal)
	if r.traces || len(spans) > 0 && len(r.preset) == 0 {
		if single := len(spans) > 1 && !r.traces; single && !slices.ContainsFunc(spans, func(s *span) bool { return s.trace != spans[0].trace }) {
			r.recognize(normal)
			row, root, err := r.traceRow(spans)
			return []Record{{Row: row, Value: root, Err: err}}, nil
		}
		if len(spans) > 0 {
			r.traces = true
			r.collect(spans, v.Line)
			r.recognize(normal)
			return nil, nil
		}
		if r.rowPlan(normal, r.preset) != nil {
			return []Record{{Value: normal, Err: errors.New("want a span of a trace like the first records, got a row")}}, nil
		}
		return nil, nil // such as a resource
	}
	if r.forced && !r.Tool.matches(normal) && len(spans) == 0 {
		return nil, r.notExported(normal)
	}
	r.recognize(normal)
	plan, err := r.planOf(normal)
	if err != nil {
		return nil, err
	}
	rows := r.rows(plan, normal, &raw)
	if slices.ContainsFunc(rows, func(r Record) bool { return r.Err == nil && r.Answer != nil && r.Contexts != nil }) {
		r.Layout = plan
	}
	return rows, nil
}

// rows returns the row of a record, or one for each turn.
func (r *Reader) rows(plan Plan, normal, raw *Value) []Record {
	if r.Turns {
		if rows := r.turnRows(plan, normal); len(rows) > 0 {
			return rows
		}
	}
	row, err := r.Row(plan, normal)
	if err == nil && row.Contexts == nil && row.Answer != nil {
		if rows := r.turnRows(plan, normal); len(rows) > 0 && len(items(rows[len(rows)-1].Contexts)) > 0 {
			err = errors.New("no contexts: nothing was retrieved in the last turn; --turns all scores it with what was retrieved before")
		}
	}
	return []Record{{Row: row, Value: normal, Raw: raw, Err: err}}
}

// turnRows returns a row for each answered turn of the conversation in a record, or nil if
// its answer is not in a conversation. Each is read like the last turn of a conversation that ends there.
// The question contains the earlier turns. The contexts are those of the turn, then those of
// earlier turns: a model has seen both.
func (r *Reader) turnRows(plan Plan, record *Value) []Record {
	if plan[Answer] == nil {
		return nil
	}
	c := r.conversation(plan[Answer], record)
	if c == nil {
		return nil
	}
	var ends []*Value // the record up to each answer
	for i, m := range c.list.Items {
		if !isChat(c.list) || role(m) == "assistant" && !callsTool(m) && messageText(m) != "" {
			ends = append(ends, r.Expand.upTo(c, record, i+1))
		}
	}
	// A turn without retrieval does not say where the contexts are.
	for _, end := range slices.Backward(ends) {
		if plan[Contexts] != nil {
			break
		}
		if other, err := r.planOf(end); err == nil {
			plan[Contexts] = other[Contexts]
		}
	}
	var rows []Record
	var retrieved []*Value
	var earlier strings.Builder
	size := 0
	for i, end := range ends {
		if size > r.Limit {
			err := fmt.Errorf("the questions of %d turns, each with all that was said before, have more than %d bytes", i, r.Limit)
			return append(rows, Record{Value: end, Turn: i + 1, Err: err})
		}
		row, err := r.Row(plan, end)
		if row.Contexts == nil && plan[Contexts] != nil {
			row.Contexts = newList(nil)
		}
		if row.Contexts != nil {
			row.Contexts = merge(row.Contexts, retrieved)
			retrieved = row.Contexts.Items
		}
		if row.Question != nil {
			question := *row.Question
			if earlier.Len() > 0 {
				*row.Question = earlier.String() + "\n" + question
			}
			earlier.WriteString("user: " + question + "\n")
			size += len(*row.Question)
		}
		if row.Answer != nil {
			earlier.WriteString("assistant: " + *row.Answer + "\n")
		}
		rows = append(rows, Record{Row: row, Value: end, Turn: i + 1, Err: err})
	}
	return rows
}

// planOf finds the fields of a record.
func (r *Reader) planOf(normal *Value) (Plan, error) {
	return r.planFor(r.Tool, normal, r.preset)
}

// check returns an error if a field of a record is found elsewhere than that of the first
// one, and both places have a value.
func (r *Reader) check(normal *Value) error {
	plan, err := r.planOf(normal)
	if err != nil {
		return err
	}
	for _, field := range []Field{Answer, Contexts} {
		here, first := plan[field], r.Layout[field]
		if here == nil || here.text == first.text {
			continue
		}
		a, b := r.Value(first, normal), r.Value(here, normal)
		if a != nil && b != nil && a.Kind != Null && !isBlank(a) && !equal(a, b) {
			return Ambiguous(field, first.text, here.text)
		}
	}
	return nil
}

// notExported returns the error for a record that the named tool did not write.
func (r *Reader) notExported(normal *Value) error {
	text := fmt.Sprintf("--from %s: the records are not an export of %s", r.Tool.Name, r.Tool.Title)
	if other := r.guess(normal); other != nil {
		text += fmt.Sprintf("; they look like one of %s (--from %s)", other.Title, other.Name)
	}
	return &UsageError{Err: errors.New(text)}
}

// recognize sets the tool that wrote the records, unless it is known.
func (r *Reader) recognize(v *Value) {
	if r.Tool == nil {
		r.Tool = r.guess(v)
	}
}

func (r *Reader) collect(spans []*span, line int) {
	for _, s := range spans {
		key := cmp.Or(s.trace, s.parent, s.id)
		g := r.groups[key]
		if g == nil {
			g = &group{line: line, order: len(r.order)}
			r.groups[key] = g
			r.order = append(r.order, g)
		}
		g = g.whole()
		g.spans = append(g.spans, s)
		if s.trace != "" {
			continue
		}
		if children := r.groups[s.id]; children != nil && children.whole() != g { // they came first
			a, b := children.whole(), g
			if a.order > b.order {
				a, b = b, a
			}
			a.spans, b.spans, b.into = append(a.spans, b.spans...), nil, a
		}
		r.groups[s.id] = g
	}
}

// Close returns the rows of the traces, in the order of their first spans.
func (r *Reader) Close() []Record {
	var rows []Record
	for _, g := range r.order {
		if g.into == nil {
			row, root, err := r.traceRow(g.spans)
			rows = append(rows, Record{Row: row, Value: root, Line: g.line, Err: err})
		}
	}
	r.order, r.groups = nil, nil
	return rows
}

// Rest returns a member of a record without the values that are fields, or nil if nothing is left.
func (r *Reader) Rest(m *Value) *Value {
	if r.Layout == nil {
		if slices.Contains(strings.Fields("inputs outputs input output attributes events child_runs observations spans data resource"), m.Name) {
			return nil
		}
		return m
	}
	for _, field := range fields() {
		if p := r.Layout[field]; p != nil && m != nil {
			m = m.without(p.steps)
		}
	}
	return m
}

// without returns v without the value at a path that starts with its name, or nil if
// nothing is left.
func (v *Value) without(path []step) *Value {
	switch {
	case path[0].kind != byKey || path[0].key != v.Name:
		return v
	case len(path) == 1 || v.Kind != Object:
		return nil
	}
	out := &Value{Kind: Object, Name: v.Name}
	for _, m := range v.Items {
		if m = m.without(path[1:]); m != nil {
			out.Items = append(out.Items, m)
		}
	}
	if len(out.Items) == 0 {
		return nil
	}
	return out
}

// Describe returns how the records are read, for a message to the user.
func (r *Reader) Describe() string {
	var parts []string
	if r.Tool != nil && !r.forced {
		parts = append(parts, fmt.Sprintf("read as an export of %s (--from %s)", r.Tool.Title, r.Tool.Name))
	}
	for _, field := range fields() {
		if path := r.Layout[field]; path != nil {
			parts = append(parts, fmt.Sprintf("%s from %s", field, path))
		}
	}
	return strings.Join(parts, ", ")
}
