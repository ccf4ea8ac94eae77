package shape

import (
	"slices"
	"strings"
)

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

// attached returns v with references to attachments replaced by their texts. A missing one
// is null.
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
