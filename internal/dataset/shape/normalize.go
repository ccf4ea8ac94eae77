package shape

import (
	"slices"
	"strconv"
	"strings"
)

// An Expander returns the value of a text that contains a JSON or Python list or
// object, and nil for other texts.
type Expander func(text string) *Value

// expand returns the value in a text, or v itself if it is not such a text.
func (x Expander) expand(v *Value) *Value {
	if v.Kind != Text || x == nil {
		return v
	}
	if !v.expanded {
		v.expanded = true
		if inner := x(v.Text); inner.isNested() {
			v.inner = x.normalize(inner)
			v.inner.Name = v.Name
		}
	}
	if v.inner != nil {
		return v.inner
	}
	return v
}

// maxDepth limits the nesting of values that are searched.
const maxDepth = 24

// normalize returns v with the encodings of common serializers undone: OTLP
// attribute lists, dotted member names, and constructor objects of LangChain.
func (x Expander) normalize(v *Value) *Value { return x.normalizeAt(v, 0) }

func (x Expander) normalizeAt(v *Value, depth int) *Value {
	if !v.isNested() || depth > maxDepth {
		return v
	}
	out := &Value{Kind: v.Kind, Name: v.Name}
	if attrs := attributes(v); attrs != nil {
		out = attrs
	} else if inner := otlpValue(v); inner != nil {
		return x.normalizeAt(inner.renamed(v.Name), depth)
	} else if args := constructor(v); args != nil {
		out.Items = args
	} else {
		out.Items = v.Items
	}
	items := make([]*Value, len(out.Items))
	for i, item := range out.Items {
		items[i] = x.normalizeAt(item, depth+1)
	}
	out.Items = items
	out = message(out)
	if out.Kind == Object && slices.ContainsFunc(items, func(m *Value) bool { return strings.Contains(m.Name, ".") }) {
		out.Items = nested(out.Items)
	}
	return out
}

// message returns a message that messages_to_dict of LangChain wrote with its role beside
// its other members, or another value as it is.
func message(v *Value) *Value {
	data := v.Member("data")
	if len(v.Items) != 2 || data == nil || role(v) == "" || !data.has("content") {
		return v
	}
	out := *data
	out.Name = v.Name
	if role(data) == "" {
		out.Items = append(slices.Clone(data.Items), v.Member("type"))
	}
	return &out
}

// attributes returns the object for an OTLP list of {"key": K, "value": V}, or nil.
func attributes(v *Value) *Value {
	if !v.isObjects() {
		return nil
	}
	out := &Value{Kind: Object, Name: v.Name}
	for _, item := range v.Items {
		key, value := item.Member("key"), item.Member("value")
		if len(item.Items) != 2 || key == nil || key.Kind != Text || value == nil {
			return nil
		}
		out.Items = append(out.Items, value.renamed(key.Text))
	}
	return out
}

// otlpValue returns the value in an OTLP AnyValue, or nil.
func otlpValue(v *Value) *Value {
	if v.Kind != Object || len(v.Items) != 1 {
		return nil
	}
	m := v.Items[0]
	switch m.Name {
	case "stringValue", "intValue", "doubleValue", "boolValue", "string_value", "int_value", "double_value", "bool_value":
		if !m.isNested() {
			return m
		}
	case "arrayValue", "array_value":
		if list := m.Member("values"); list != nil && list.Kind == List {
			return list
		}
	case "kvlistValue", "kvlist_value":
		return attributes(m.Member("values"))
	}
	return nil
}

// constructor returns the arguments of a serialized LangChain object, with the role
// of a message added, or nil.
func constructor(v *Value) []*Value {
	args, id := v.Member("kwargs"), v.Member("id")
	if args == nil || args.Kind != Object || id == nil || id.Kind != List || len(id.Items) == 0 || !v.has("lc") && !v.has("type") {
		return nil
	}
	class, isMessage := strings.CutSuffix(strings.TrimSuffix(id.Items[len(id.Items)-1].Text, "Chunk"), "Message")
	if isMessage && !args.has("type") && !args.has("role") {
		return append(slices.Clone(args.Items), &Value{Kind: Text, Name: "role", Text: strings.ToLower(class)})
	}
	return args.Items
}

// nested returns the members of an object with those nested whose names are dotted paths.
// Objects with the keys 0, 1, 2, ... that arise become lists.
func nested(members []*Value) []*Value {
	var out []*Value
	byName := map[string]*Value{}  // the first member of each name
	inner := map[*Value][]*Value{} // members that objects get
	for _, m := range members {
		keys := splitName(m.Name)
		if len(keys) > maxDepth || slices.Contains(keys, "") || strings.Contains(m.Name, " ") {
			keys = []string{m.Name}
		}
		outer := byName[keys[0]]
		isPath := len(keys) > 1 && (outer == nil || outer.Kind == Object)
		switch {
		case isPath:
			if outer == nil {
				outer = &Value{Kind: Object, Name: keys[0]}
				byName[outer.Name] = outer
				out = append(out, outer)
			}
			inner[outer] = append(inner[outer], m.renamed(strings.Join(keys[1:], ".")))
		case outer != nil && outer.Kind == Object && m.Kind == Object:
			inner[outer] = append(inner[outer], m.Items...)
		default:
			out = append(out, m)
			if outer == nil {
				byName[m.Name] = m
			}
		}
	}
	for o, items := range inner {
		o.Items = nested(slices.Concat(o.Items, items))
		o.toList()
	}
	return out
}

// toList turns an object with the keys 0, 1, 2, ... into a list.
func (v *Value) toList() {
	for _, m := range v.Items {
		if _, err := strconv.ParseUint(m.Name, 10, 32); err != nil {
			return
		}
	}
	v.Kind = List
	sortByNumber(v.Items, 0)
	// A table has columns for the longest list.
	for len(v.Items) > 0 && isBlank(v.Items[len(v.Items)-1]) {
		v.Items = v.Items[:len(v.Items)-1]
	}
	if len(v.Items) == 0 {
		v.Kind = Null
	}
}

// sortByNumber sorts members by the number at an offset in their names.
func sortByNumber(members []*Value, offset int) {
	slices.SortStableFunc(members, func(a, b *Value) int {
		i, _ := strconv.Atoi(a.Name[offset:])
		j, _ := strconv.Atoi(b.Name[offset:])
		return i - j
	})
}

// splitName splits a name at its dots, except at those of a version such as llama-3.1-8b.
func splitName(name string) []string {
	keys := strings.Split(name, ".")
	for i := len(keys) - 1; i > 0; i-- {
		left, right := strings.TrimRight(keys[i-1], "0123456789"), strings.TrimLeft(keys[i], "0123456789")
		if left != "" && left != keys[i-1] && right != "" && right != keys[i] {
			keys[i-1] += "." + keys[i]
			keys = slices.Delete(keys, i, i+1)
		}
	}
	return keys
}
