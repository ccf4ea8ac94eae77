package shape

import "slices"

// A conversation is the list of turns or chat messages that the answer of a record is in.
type conversation struct {
	at   []step // path of the list
	list *Value
}

// conversation returns the conversation that an answer path leads into, or nil.
func (f *Finder) conversation(answer *Path, record *Value) *conversation {
	v := record
	for i, s := range answer.steps {
		if s.kind != byKey {
			return nil
		}
		if v = v.Member(s.key); v == nil {
			return nil
		}
		if v = f.Expand.expand(v); v.Kind != List {
			continue
		}
		rest := answer.steps[i+1:]
		if len(rest) == 0 && isChat(v) || len(rest) > 0 && rest[0].kind == byIndex && rest[0].index == -1 {
			return &conversation{answer.steps[:i+1], v}
		}
		return nil
	}
	return nil
}

// upTo returns the record with the first n elements of its conversation.
func (x Expander) upTo(c *conversation, record *Value, n int) *Value {
	var replace func(v *Value, steps []step) *Value
	replace = func(v *Value, steps []step) *Value {
		name := v.Name
		if len(steps) == 0 {
			return newList(c.list.Items[:n:n]).renamed(name)
		}
		out := *x.expand(v)
		out.Name, out.Items = name, slices.Clone(out.Items)
		for i, m := range out.Items {
			if m.Name == steps[0].key {
				out.Items[i] = replace(m, steps[1:])
			}
		}
		return &out
	}
	return replace(record, c.at)
}

// merge returns contexts with those of earlier turns that it lacks.
func merge(contexts *Value, earlier []*Value) *Value {
	out := slices.Clone(listed(contexts))
	seen := map[string]bool{}
	for _, v := range out {
		seen[v.key()] = true
	}
	for _, v := range earlier {
		if !seen[v.key()] {
			out = append(out, v)
		}
	}
	return newList(out).renamed(contexts.Name)
}
