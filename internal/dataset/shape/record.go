package shape

import (
	"slices"
	"strconv"
	"strings"
)

// Normalize returns a record with the encodings of serializers undone, and with
// numbered columns such as context_1 and context_2 collected in a list.
func (f *Finder) Normalize(record *Value) *Value {
	v := f.Expand.normalize(record)
	for i, m := range v.Items { // in tables
		if v.Kind == Object && m.Kind == Text && slices.Contains([]string{"context", "info", "data", "trace", "conversation", "attributes"}, m.Name) {
			if inner := f.Expand.expand(m); inner.Kind == Object {
				v.Items[i] = inner
			}
		}
	}
	if v.Kind == Object && !slices.ContainsFunc(v.Items, func(m *Value) bool { return m.Name != strings.ToUpper(m.Name) }) {
		for i, m := range v.Items { // columns of databases that ignore case
			v.Items[i] = m.renamed(strings.ToLower(m.Name))
		}
	}
	if attributes := v.Member("record_attributes"); attributes != nil {
		f.openEvent(v, attributes)
	}
	openSample(v)
	f.openAttributes(v)
	f.collectNumbered(v)
	return v
}

// openEvent adds the attributes and ids of a span to a row of the event table of
// TruLens, whose columns contain them.
func (f *Finder) openEvent(v, attributes *Value) {
	v.Items = append(v.Items, f.Expand.expand(attributes).renamed("attributes"))
	if trace := v.Member("trace"); trace != nil {
		for _, m := range f.Expand.expand(trace).Items {
			if !v.has(m.Name) {
				v.Items = append(v.Items, m)
			}
		}
	}
}

// openSample undoes how Inspect logs a sample: long texts are attachments, and the events
// repeat what happened. A sample that failed has no output.
func openSample(v *Value) {
	attachments := v.Member("attachments")
	if attachments == nil || !v.has("messages") || !v.has("output") {
		return
	}
	failed := v.first("error") != nil
	v.Items = slices.DeleteFunc(slices.Clone(v.Items), func(m *Value) bool {
		return m == attachments || m.Name == "events" || m.Name == "events_data" || failed && m.Name == "output"
	})
	for i, m := range v.Items {
		v.Items[i] = m.attached(attachments, 0)
	}
}

// attached returns v with references to attachments replaced by their texts. A missing one is null.
func (v *Value) attached(attachments *Value, depth int) *Value {
	if name, ok := strings.CutPrefix(v.Text, "attachment://"); ok && v.Kind == Text {
		if text := attachments.Member(name); text != nil {
			return text.renamed(v.Name)
		}
		return &Value{Kind: Null, Name: v.Name}
	}
	if !v.isNested() || depth > maxDepth {
		return v
	}
	out := &Value{Kind: v.Kind, Name: v.Name, Line: v.Line}
	for _, item := range v.Items {
		out.Items = append(out.Items, item.attached(attachments, depth+1))
	}
	return out
}

// openAttributes replaces the groups of attributes of a span that a table contains as texts.
func (f *Finder) openAttributes(v *Value) {
	attributes := v.Member("attributes")
	if attributes == nil || attributes.Kind != Object || asSpan(v) == nil {
		return
	}
	for i, m := range attributes.Items {
		attributes.Items[i] = f.Expand.expand(m)
	}
}

// collectNumbered adds lists of the numbered columns of contexts. A column with the name
// without a number is the first one.
func (f *Finder) collectNumbered(v *Value) {
	if v.Kind != Object {
		return
	}
	numbered := map[string][]*Value{}
	var bases []string
	for _, m := range v.Items {
		base := strings.TrimRight(m.Name, "0123456789")
		if base == m.Name {
			continue
		}
		_, err := strconv.Atoi(m.Name[len(base):])
		if _, ok := f.Names.Rank(Contexts, base); err != nil || !ok {
			continue
		}
		if numbered[base] == nil {
			bases = append(bases, base)
		}
		numbered[base] = append(numbered[base], m)
	}
	for _, base := range bases {
		columns := numbered[base]
		sortByNumber(columns, len(base))
		if first := v.Member(strings.TrimRight(base, " ._-")); first != nil {
			columns = slices.Insert(columns, 0, first)
		}
		if list := f.series(columns); list != nil {
			v.Items = append(v.Items, list.renamed(base+"*"))
		}
	}
}

// series returns the list of the contexts in numbered columns. It keeps the positions of
// those without a value, except at the end. It returns nil if no column has a value or one
// has a list: that is one of several contexts.
func (f *Finder) series(columns []*Value) *Value {
	var contexts []*Value
	size := 0
	for i, c := range columns {
		if c.Kind == Null || c.Kind == Text && IsMissing(c.Text) {
			c = &Value{Kind: Text}
		} else if size = i + 1; c.Kind == List || c.Kind == Text && !f.IsContexts(c) && !IsSourceNames(c.Text) || f.Expand.expand(c).Kind == List {
			return nil
		}
		if inner := f.Expand.expand(c); inner != c && f.IsContexts(inner) {
			c = inner
		}
		contexts = append(contexts, c)
	}
	if size == 0 {
		return nil
	}
	for _, c := range columns {
		c.inSeries = true
	}
	return newList(contexts[:size])
}
