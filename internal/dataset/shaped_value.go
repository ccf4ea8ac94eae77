package dataset

import "github.com/ragfaith/ragfaith/internal/dataset/shape"

// newFinder returns a Finder that reads cells and contexts as this package does.
func newFinder() *shape.Finder { return shape.NewFinder(expandCell, isContexts) }

// expandCell returns the list or object in a text, or nil.
func expandCell(text string) *shape.Value {
	if classifyCell(text) == notList {
		return nil
	}
	t := &tree{}
	if readJSONText(t, text) != nil {
		if t.reset(); readPython(t, text) != nil {
			return nil
		}
	}
	return t.value(0)
}

// isContexts reports whether a value can be read as contexts. An empty list can.
func isContexts(v *shape.Value) bool {
	t := &tree{}
	t.addValue(v)
	_, err := contexts(t, 0)
	return err == nil || v.Kind == shape.List && len(v.Items) == 0
}

// value returns the value of node i.
func (t *tree) value(i int) *shape.Value {
	n := t.nodes[i]
	v := &shape.Value{Kind: n.kind, Name: n.name, Text: n.text}
	if n.kind == kindBytes {
		v.Kind = shape.Text
	}
	for j := i + 1; j < n.end; j = t.nodes[j].end {
		v.Items = append(v.Items, t.value(j))
	}
	return v
}

// addValue appends a value to t.
func (t *tree) addValue(v *shape.Value) {
	i := len(t.nodes)
	t.add(v.Kind, v.Name, v.Text)
	for _, item := range v.Items {
		t.addValue(item)
	}
	t.close(i)
}
