package shape

import (
	"fmt"
	"regexp"
	"slices"
	"strconv"
	"strings"
)

// A Path selects values in a record, such as outputs.documents[*].page_content.
type Path struct {
	text  string
	steps []step
}

// A step selects a member by name, an element by index, or all elements.
type step struct {
	key   string
	index int // element of a list; negative numbers count from the end
	kind  stepKind
}

type stepKind uint8

const (
	byKey stepKind = iota
	byIndex
	allElements
)

// pathStep matches a step at the start of a path: .NAME, [N], [*] or ["NAME"].
var pathStep = regexp.MustCompile(`^(?s)(?:\.([^.\[]+)|\[(-?\d+)\]|\[\*?\]|\[("(?:[^"\\]|\\.)*"|".*?"|'.*?')\])`)

// ParsePath parses a path: names separated by dots, each followed by any number of
// [N], [*] or ["NAME"], where a backslash escapes a quote or a backslash in NAME. A leading $ is ignored.
func ParsePath(text string) (*Path, error) {
	p := &Path{text: text}
	rest := strings.TrimPrefix(strings.TrimPrefix(text, "$"), ".")
	if !strings.HasPrefix(rest, "[") {
		rest = "." + rest
	}
	for rest != "" {
		m := pathStep.FindStringSubmatch(rest)
		if m == nil {
			return nil, fmt.Errorf("path %q: want names separated by dots, [N], [*] or [\"NAME\"]", text)
		}
		rest = rest[len(m[0]):]
		switch name, index, quoted := m[1], m[2], m[3]; {
		case quoted != "":
			key, err := strconv.Unquote(quoted)
			if err != nil || quoted[0] != '"' {
				key = quoted[1 : len(quoted)-1]
			}
			p.steps = append(p.steps, step{key: key})
		case index != "":
			n, err := strconv.Atoi(index)
			if err != nil {
				return nil, fmt.Errorf("path %q: %w", text, err)
			}
			p.steps = append(p.steps, step{index: n, kind: byIndex})
		case name == "" || name == "*":
			p.steps = append(p.steps, step{kind: allElements})
		default:
			p.steps = append(p.steps, step{key: name})
		}
	}
	return p, nil
}

// String returns the text of the path.
func (p *Path) String() string { return p.text }

// multiple reports whether the path can select several values.
func (p *Path) multiple() bool {
	return slices.ContainsFunc(p.steps, func(s step) bool { return s.kind == allElements })
}

// covers reports whether the value at a path contains that at another one.
func (p *Path) covers(other *Path) bool {
	n := len(p.steps)
	return n <= len(other.steps) && slices.EqualFunc(p.steps, other.steps[:n], func(a, b step) bool { return a.kind == allElements || a == b })
}

// find returns the values that the path selects in a normalized record. A name
// selects members of all elements of a list, and of the JSON in a text.
func (x Expander) find(p *Path, record *Value) []*Value {
	return x.follow(nil, p.steps, record)
}

func (x Expander) follow(out []*Value, steps []step, v *Value) []*Value {
	if len(steps) == 0 {
		return append(out, v)
	}
	v = x.expand(v)
	s := steps[0]
	switch {
	case !v.isNested():
	case s.kind == allElements:
		for _, item := range v.Items {
			out = x.follow(out, steps[1:], item)
		}
	case s.kind == byIndex && v.Kind == List:
		i := s.index
		if i < 0 {
			i += len(v.Items)
		}
		if i >= 0 && i < len(v.Items) {
			out = x.follow(out, steps[1:], v.Items[i])
		}
	case s.kind == byIndex:
	case v.Kind == List:
		if i, err := strconv.Atoi(s.key); err == nil {
			return x.follow(out, append([]step{{index: i, kind: byIndex}}, steps[1:]...), v)
		}
		for _, item := range v.Items {
			out = x.follow(out, steps, item)
		}
	default:
		// A name can itself contain dots.
		key := s.key
		for n := 1; ; n++ {
			if m := v.fold(key); m != nil {
				return x.follow(out, steps[n:], m)
			}
			if n == len(steps) || steps[n].kind != byKey {
				break
			}
			key += "." + steps[n].key
		}
		// normalize makes nested objects of names with dots.
		if outer, inner, ok := strings.Cut(s.key, "."); ok {
			return x.follow(out, append([]step{{key: outer}, {key: inner}}, steps[1:]...), v)
		}
	}
	return out
}

// Kept returns the value of a member or at a path of a record, or nil if there is none or the record is nil. It returns
// values in the JSON of a text as they are written.
func (f *Finder) Kept(name string, record *Value) *Value {
	path, err := ParsePath(name)
	if m := record.Member(name); m != nil || err != nil || record == nil {
		return m
	}
	if m := record.fold(path.steps[0].key); m != nil && m.Kind == Text {
		if inner := f.Expand(m.Text); inner.isNested() {
			record = &Value{Kind: Object, Items: []*Value{inner.renamed(m.Name)}}
		}
	}
	return f.Value(path, record)
}

// Value returns the value at a path of a record, or nil.
func (f *Finder) Value(p *Path, record *Value) *Value {
	values := f.Expand.find(p, record)
	switch len(values) {
	case 0:
		return nil
	case 1:
		return values[0]
	}
	return newList(values)
}

// Sibling returns the path of another member of the object that holds the value at p, or nil if
// that is the record or one of several.
func (p *Path) Sibling(name string) *Path {
	last := len(p.steps) - 1
	if last == 0 || p.multiple() {
		return nil
	}
	return &Path{steps: append(slices.Clone(p.steps[:last]), step{key: name})}
}

// complete returns an error if the last list on the path has elements without a value.
// Leaving them out would move the others, and with them what citations refer to.
func (x Expander) complete(p *Path, record *Value) error {
	for i := len(p.steps) - 1; i >= 0; i-- {
		found, rest := false, p.steps[i:]
		if rest[0].kind == allElements {
			rest = rest[1:]
		} else if _, err := strconv.Atoi(rest[0].key); err == nil || rest[0].kind == byIndex {
			continue
		}
		for _, list := range x.follow(nil, p.steps[:i], record) {
			if list = x.expand(list); list.Kind != List {
				continue
			}
			found = true
			for k, item := range list.Items {
				values := x.follow(nil, rest, item)
				if !slices.ContainsFunc(values, func(v *Value) bool { return v.Kind != Null }) {
					return fmt.Errorf("%s: missing or null in element %d of its list", p, k)
				}
			}
		}
		if found {
			return nil
		}
	}
	return nil
}

// fold returns the member with a name, ignoring case if none matches exactly.
func (v *Value) fold(name string) *Value {
	if m := v.Member(name); m != nil {
		return m
	}
	for _, m := range v.Items {
		if strings.EqualFold(m.Name, name) {
			return m
		}
	}
	return nil
}

// ColumnPath returns the path of a column, whose name can contain any characters.
func ColumnPath(name string) *Path {
	return &Path{text: name, steps: []step{{key: name}}}
}

// Paths returns the paths of at most limit values in a record that are neither null nor objects.
func (v *Value) Paths(limit int) []string {
	var out []string
	var walk func(v *Value, at string, depth int)
	walk = func(v *Value, at string, depth int) {
		for _, m := range v.Items {
			here := join(at, m.Name)
			switch {
			case len(out) >= limit:
				return
			case m.Kind == Object && len(m.Items) > 0 && depth < 3:
				walk(m, here, depth+1)
			default:
				out = append(out, here)
			}
		}
	}
	if v.Kind == Object {
		walk(v, "", 0)
	}
	return out
}

// join appends a member name to a path.
func join(pattern, name string) string {
	if name == "" || strings.ContainsAny(name, ".[]*\"'") {
		return pattern + "[" + strconv.Quote(name) + "]"
	}
	if pattern == "" {
		return name
	}
	return pattern + "." + name
}
