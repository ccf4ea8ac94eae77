package shape

import (
	"slices"
	"strings"
)

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

// turnRows returns a row for each answered turn of the conversation in a record, or nil if
// its answer is in none. Each is read like the last turn of a conversation that ends there.
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
		if !isChat(c.list) || role(m) == "assistant" && !callsTool(m) && r.Expand.messageText(m) != "" {
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
	for i, end := range ends {
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
		}
		if row.Answer != nil {
			earlier.WriteString("assistant: " + *row.Answer + "\n")
		}
		rows = append(rows, Record{Row: row, Value: end, Turn: i + 1, Err: err})
	}
	return rows
}

// merge returns contexts with those of earlier turns that it lacks.
func merge(contexts *Value, earlier []*Value) *Value {
	if contexts.Kind != List {
		contexts = newList([]*Value{contexts})
	}
	out := slices.Clone(contexts.Items)
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
