package shape

import "slices"

// A Finder finds the fields of rows in records.
type Finder struct {
	Names  *Names
	Expand Expander
	// IsContexts reports whether a value can be read as contexts.
	IsContexts func(*Value) bool

	tools []Tool
}

// NewFinder returns a Finder. isContexts reports whether a value can be read as
// contexts.
func NewFinder(expand Expander, isContexts func(*Value) bool) *Finder {
	return &Finder{Names: NewNames(), Expand: expand, IsContexts: isContexts, tools: Tools()}
}

// guess returns the tool that wrote a normalized record, or nil.
func (f *Finder) guess(v *Value) *Tool {
	if i := slices.IndexFunc(f.tools, func(t Tool) bool { return t.matches(v) }); i >= 0 {
		return &f.tools[i]
	}
	return nil
}

// A Plan says where the fields of a row are.
type Plan map[Field]*Path

// Column returns the column that a field is read from without a path, or "".
func (p Plan) Column(f Field) string {
	if path := p[f]; path != nil && len(path.steps) == 1 && path.steps[0].kind == byKey {
		return path.steps[0].key
	}
	return ""
}
