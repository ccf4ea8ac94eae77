package shape

import (
	"fmt"
	"maps"
	"slices"
	"strconv"
)

// Records returns the records of a JSON document that is not an array of objects: the elements of a
// list of objects inside it, the rows of a table that is stored by columns, or the document itself.
// Fields in preset are read from these paths. Two lists of rows are an error.
func (f *Finder) Records(doc *Value, preset Plan) ([]*Value, error) {
	if table := f.table(doc); table != nil {
		return table, nil
	}
	if doc.Kind == List {
		return doc.Items, nil
	}
	normal := f.Expand.normalize(doc)
	plan := f.rowPlan(normal, preset)
	if plan != nil && !plan[Answer].multiple() || len(f.spansOf(normal)) > 0 {
		return []*Value{doc}, nil
	}
	lists := f.lists(normal, preset, false)
	if len(lists) == 0 {
		lists = f.lists(normal, preset, true)
	}
	if len(lists) == 0 {
		return []*Value{doc}, nil
	}
	if len(lists) > 1 && !f.sameRows(lists) {
		return nil, TwoLists(lists[0].at, lists[1].at)
	}
	return lists[0].items, nil
}

// sameRows reports whether all lists hold the same rows of a known tool, as its results of
// several metrics do.
func (f *Finder) sameRows(lists []list) bool {
	return !slices.ContainsFunc(lists[1:], func(other list) bool {
		return !slices.EqualFunc(lists[0].items, other.items, func(a, b *Value) bool {
			x, y := f.rowKey(a), f.rowKey(b)
			return x != "" && x == y
		})
	})
}

// rowKey returns a text that is the same for records of a known tool with the same fields, or "".
func (f *Finder) rowKey(record *Value) string {
	normal := f.Expand.normalize(record)
	plan := f.rowPlan(normal, nil)
	if plan == nil || f.guess(normal) == nil {
		return ""
	}
	row, _ := f.Row(plan, normal) // valid, see rowPlan
	key := fmt.Sprintf("%q %s", *row.Answer, row.Contexts.key())
	if row.Question != nil {
		key += " " + strconv.Quote(*row.Question)
	}
	return key
}

// A list is a list of rows in a document, with its path.
type list struct {
	at    string
	items []*Value
}

// lists returns the lists of rows inside a document, the highest first. Unless all is set,
// it omits those in objects that describe the rows, such as a configuration.
func (f *Finder) lists(doc *Value, preset Plan, all bool) []list {
	const maxDepth = 4
	type object struct {
		value *Value
		at    string
		depth int
	}
	var lists []list
	for queue := []object{{value: doc}}; len(queue) > 0; queue = queue[1:] {
		o := queue[0]
		for _, m := range o.value.Items {
			here := join(o.at, m.Name)
			items := f.table(m)
			if items == nil && m.isObjects() && !isChat(m) {
				items = m.Items
			}
			switch {
			case items != nil && f.HoldRows(items, preset):
				lists = append(lists, list{here, items})
			case items == nil && m.Kind == Object && o.depth < maxDepth && (all || !f.Names.isAside(m.Name) && !f.Names.isOther(m.Name)):
				queue = append(queue, object{m, here, o.depth + 1})
			}
		}
	}
	return lists
}

// RowsIn returns the path of a list of rows in a member of a document, or "".
func (f *Finder) RowsIn(member *Value, preset Plan) string {
	if lists := f.lists(&Value{Kind: Object, Items: []*Value{f.Expand.normalize(member)}}, preset, false); len(lists) > 0 {
		return lists[0].at
	}
	return ""
}

// TwoLists returns the error for a document with rows at two paths.
func TwoLists(a, b string) error {
	return fmt.Errorf("rows in both %s and %s: extract one of them with jq", a, b)
}

// maxChecked is the number of records that are compared with the layout of the first one.
const maxChecked = 10

// HoldRows reports whether one of the first records is a row or a span.
func (f *Finder) HoldRows(records []*Value, preset Plan) bool {
	return slices.ContainsFunc(records[:min(len(records), maxChecked)], func(v *Value) bool {
		normal := f.Expand.normalize(v)
		return f.rowPlan(normal, preset) != nil || len(f.spansOf(normal)) > 0
	})
}

// rowPlan returns the plan of a normalized record that has an answer and contexts, or nil.
func (f *Finder) rowPlan(v *Value, preset Plan) Plan {
	plan, err := f.planFor(f.guess(v), v, preset)
	if err != nil {
		return nil
	}
	row, err := f.Row(plan, v)
	if err != nil || row.Answer == nil || row.Contexts == nil {
		return nil
	}
	return plan
}

// planFor finds the fields where the exports of a tool, if it is not nil, have a value, or
// by name. Fields in preset are taken as they are.
func (f *Finder) planFor(tool *Tool, v *Value, preset Plan) (Plan, error) {
	paths := Plan{}
	maps.Copy(paths, preset)
	if tool == nil {
		return f.Plan(v, paths)
	}
	for field, list := range tool.Paths {
		for _, text := range list {
			path, err := ParsePath(text)
			if err != nil || paths[field] != nil {
				continue
			}
			row, err := f.Row(Plan{field: path}, v)
			if err == nil && (row.Question != nil || row.Answer != nil || row.Contexts != nil && f.IsContexts(row.Contexts)) {
				paths[field] = path
			}
		}
	}
	return f.Plan(v, paths)
}

// table returns the records of a table in the layouts that pandas writes: split
// (columns and data), columns, index and lists. It returns nil for other values.
func (f *Finder) table(v *Value) []*Value {
	if columns, data := v.Member("columns"), v.first("data", "rows"); columns != nil && data != nil && columns.Kind == List && data.Kind == List {
		return rowsOf(columns.Items, data.Items)
	}
	if v.Kind == List {
		// Rows as lists, with the names in the first one.
		if len(v.Items) > 1 && v.Items[0].Kind == List && f.namesFields(v.Items[0]) {
			return rowsOf(v.Items[0].Items, v.Items[1:])
		}
		return nil
	}
	if v.Kind != Object || len(v.Items) == 0 {
		return nil
	}
	kind, size := v.Items[0].Kind, len(v.Items[0].Items)
	for _, m := range v.Items {
		if m.Kind != kind || !m.isNested() || kind == List && len(m.Items) != size || size == 0 {
			return nil
		}
	}
	if f.namesFields(v) {
		return transpose(v.Items)
	}
	if kind == Object && f.namesFields(v.Items[0]) {
		if slices.ContainsFunc(v.Items, func(m *Value) bool { return !f.namesFields(m) }) {
			return nil
		}
		return v.Items
	}
	if kind == Object {
		for _, rows := range [][]*Value{v.Items, transpose(v.Items)} {
			normal := f.Expand.normalize(rows[0])
			if asSpan(normal) != nil || isNumbered(rows, v) && f.rowPlan(normal, nil) != nil {
				return rows
			}
		}
	}
	return nil
}

// isNumbered reports whether the rows of a table are named by their index, as pandas does.
func isNumbered(rows []*Value, table *Value) bool {
	names := table.Items[0].Items // of a table by columns
	if rows[0] == table.Items[0] {
		names = table.Items
	}
	for i, m := range names {
		if m.Name != strconv.Itoa(i) {
			return false
		}
	}
	return len(names) == len(rows)
}

// namesFields reports whether the texts in a list, or the members of an object, are named like an
// answer and contexts.
func (f *Finder) namesFields(v *Value) bool {
	found := map[Field]bool{}
	for _, m := range v.Items {
		name := m.Name
		if v.Kind == List {
			name = m.Text
		}
		if v.Kind == List && m.Kind != Text {
			return false
		}
		for _, field := range fields() {
			if _, ok := f.Names.Rank(field, name); ok {
				found[field] = true
			}
		}
	}
	return found[Answer] && found[Contexts]
}

// rowsOf returns a record for each row, which is a list of values. One with more or fewer
// values than columns stays a list, which is no valid record.
func rowsOf(columns, rows []*Value) []*Value {
	out := make([]*Value, 0, len(rows))
	for _, row := range rows {
		if row.Kind == Object || len(row.Items) != len(columns) { // columns describes the table, or the row is no part of it
			out = append(out, row)
			continue
		}
		record := &Value{Kind: Object}
		for i, cell := range row.Items {
			name := columns[i].Text
			if columns[i].Kind == Object {
				name = columns[i].text("name")
			}
			record.Items = append(record.Items, cell.renamed(name))
		}
		out = append(out, record)
	}
	return out
}

// transpose returns the rows of columns, which are lists or objects by index.
func transpose(columns []*Value) []*Value {
	var keys []string
	rows := map[string]*Value{}
	for _, column := range columns {
		for i, cell := range column.Items {
			key := cell.Name
			if column.Kind == List {
				key = strconv.Itoa(i)
			}
			if rows[key] == nil {
				rows[key] = &Value{Kind: Object, Name: key}
				keys = append(keys, key)
			}
			rows[key].Items = append(rows[key].Items, cell.renamed(column.Name))
		}
	}
	out := make([]*Value, len(keys))
	for i, key := range keys {
		out[i] = rows[key]
	}
	return out
}
