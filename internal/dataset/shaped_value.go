package dataset

import "github.com/ragfaith/ragfaith/internal/dataset/shape"

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
	v := &shape.Value{Name: n.name, Text: n.text}
	switch n.kind {
	case kindNull:
		v.Kind = shape.Null
	case kindBool:
		v.Kind = shape.Bool
	case kindNumber:
		v.Kind = shape.Number
	case kindText, kindBytes:
		v.Kind = shape.Text
	case kindList, kindObject:
		v.Kind = shape.List
		if n.kind == kindObject {
			v.Kind = shape.Object
		}
		for j := i + 1; j < n.end; j = t.nodes[j].end {
			v.Items = append(v.Items, t.value(j))
		}
	}
	return v
}

// addValue appends a value to t.
func (t *tree) addValue(v *shape.Value) {
	switch v.Kind {
	case shape.Null:
		t.add(kindNull, v.Name, "")
	case shape.Bool:
		t.add(kindBool, v.Name, v.Text)
	case shape.Number:
		t.add(kindNumber, v.Name, v.Text)
	case shape.Text:
		t.add(kindText, v.Name, v.Text)
	case shape.List, shape.Object:
		k := kindList
		if v.Kind == shape.Object {
			k = kindObject
		}
		i := t.open(k, v.Name)
		for _, item := range v.Items {
			t.addValue(item)
		}
		t.close(i)
	}
}
