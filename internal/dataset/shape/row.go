package shape

import (
	"fmt"
	"slices"
)

// textOf returns the text of a question or answer: a string, a chat or chat message,
// or the parts of one.
func (x Expander) textOf(v *Value, field Field) (string, bool) {
	inner := x.expand(v)
	switch {
	case inner.Kind == List && isChat(inner):
		text := x.open(inner.Items).question
		if field == Answer {
			text = x.answered(inner).answer
		}
		return text, text != ""
	case inner.Kind == List && len(inner.Items) == 1:
		return x.textOf(inner.Items[0], field)
	case inner.Kind == List && isParts(inner), inner.Kind == Object && isMessage(inner):
		text := messageText(inner)
		return text, text != ""
	case v.Kind == Text:
		return v.Text, true
	}
	return "", false
}

// isParts reports whether a list holds the parts of a message.
func isParts(v *Value) bool {
	return v.isObjects() && !slices.ContainsFunc(v.Items, func(m *Value) bool { return m.first("text", "content") == nil || !m.has("type") })
}

// isMessage reports whether an object is a chat message or the content of one.
func isMessage(v *Value) bool {
	if role(v) != "" {
		return true
	}
	// A text with nothing else but what describes it.
	return v.text("text", "content", "value") != "" && !slices.ContainsFunc(v.Items, func(m *Value) bool { return m.isNested() && len(m.Items) > 0 && m.Name != "metadata" })
}

// A turn is a question in a chat, what tools returned for it, and the answer.
type turn struct {
	question, answer string
	results          []*Value
}

// answered returns the last turn of a chat that has an answer.
func (x Expander) answered(chat *Value) turn {
	for i, m := range slices.Backward(chat.Items) {
		if role(m) == "assistant" && !callsTool(m) {
			if text := messageText(m); text != "" {
				t := x.open(chat.Items[:i])
				t.answer = text
				return t
			}
		}
	}
	return turn{}
}

// open returns the turn that the last question of messages starts. Its answer is not one of them.
func (x Expander) open(messages []*Value) turn {
	var t turn
	for _, m := range slices.Backward(messages) {
		switch role(m) {
		case "user":
			isResult := false
			for _, part := range slices.Backward(items(m.first("content"))) {
				if part.text("type") != "tool_result" {
					continue
				}
				isResult = true // a text beside it is no question
				if content := part.first("content"); content != nil && !failed(part) {
					t.results = append(t.results, x.expand(content))
				}
			}
			if isResult {
				continue
			}
			if t.question = messageText(m); t.question != "" {
				slices.Reverse(t.results)
				return t
			}
		case "tool":
			if content := m.first("content", "text", "output", "results"); content != nil && !failed(m) {
				if content.isObjects() {
					content = newList(slices.DeleteFunc(slices.Clone(content.Items), failed))
				}
				t.results = append(t.results, x.expand(content))
			}
		}
	}
	slices.Reverse(t.results)
	return t
}

// A Row holds the fields of a row. Missing fields are nil.
type Row struct {
	Question, Answer *string
	Contexts         *Value
}

// A Record is a row with the record that it comes from.
type Record struct {
	Row
	Value *Value // normalized
	Raw   *Value // the same as in the file, or nil for a trace or a turn
	Line  int    // of the first span of a trace, if Close returns it
	Turn  int    // number of the turn, if Reader.Turns is set and the record is a conversation
	Err   error  // a value of the wrong type
}

// Row returns the fields of a normalized record.
func (f *Finder) Row(plan Plan, record *Value) (Row, error) {
	var row Row
	for _, field := range fields() {
		path := plan[field]
		if path == nil {
			continue
		}
		if err := f.Expand.complete(path, record); err != nil {
			return row, err
		}
		values := f.Expand.find(path, record)
		values = slices.DeleteFunc(values, func(v *Value) bool { return v.Kind == Null })
		if field == Contexts {
			switch {
			case len(values) == 1 && isChat(f.Expand.expand(values[0])):
				row.Contexts = f.toolResults(f.turn(plan, field, f.Expand.expand(values[0])))
			case len(values) == 1 && (!path.multiple() || values[0].Kind == List):
				row.Contexts = values[0]
			case len(values) > 0 || f.exists(path, record):
				row.Contexts = newList(values)
			}
			continue
		}
		if len(values) == 0 {
			continue
		}
		text, ok := f.Expand.textOf(values[0], field)
		if len(values) > 1 || !ok {
			got := values[0].Kind.String()
			if len(values) > 1 {
				got = fmt.Sprintf("%d values", len(values))
			}
			return row, fmt.Errorf("%s: want a string, got %s", path, got)
		}
		if chat := f.Expand.expand(values[0]); field == Question && isChat(chat) {
			text = f.turn(plan, field, chat).question
		}
		if field == Question {
			row.Question = &text
		} else {
			row.Answer = &text
		}
	}
	return row, f.unequal(plan, record, row.Contexts)
}

// unequal returns an error if the answer is the only one in a list, and the questions in a
// list or the lists of contexts are more or fewer: these are columns of unequal lengths.
func (f *Finder) unequal(plan Plan, record, contexts *Value) error {
	if plan[Answer] == nil {
		return nil
	}
	answers := f.Expand.find(plan[Answer], record)
	if len(answers) != 1 || !f.isColumn(answers[0], Text) || len(f.Expand.expand(answers[0]).Items) != 1 {
		return nil
	}
	for _, m := range record.Items {
		_, question := f.Names.Rank(Question, m.Name)
		if n := len(f.Expand.expand(m).Items); n != 1 && question && f.isColumn(m, Text) {
			return fmt.Errorf("want columns of equal lengths, got 1 value in %s and %d in %s", plan[Answer], n, m.Name)
		}
	}
	if contexts != nil && len(contexts.Items) > 1 && f.isColumn(contexts, List) {
		return fmt.Errorf("want columns of equal lengths, got 1 value in %s and %d in %s", plan[Answer], len(contexts.Items), plan[Contexts])
	}
	return nil
}

// isColumn reports whether v is a list of values of one kind.
func (f *Finder) isColumn(v *Value, kind Kind) bool {
	v = f.Expand.expand(v)
	return v.Kind == List && !slices.ContainsFunc(v.Items, func(item *Value) bool { return item.Kind != kind })
}

// turn returns the turn of a chat that a field is read from. If the answer is elsewhere,
// it is the answer to the last question.
func (f *Finder) turn(plan Plan, field Field, chat *Value) turn {
	if answer := plan[Answer]; answer != nil && answer.text == plan[field].text {
		return f.Expand.answered(chat)
	}
	return f.Expand.open(chat.Items)
}

// toolResults returns the documents that tools returned, or nil.
func (f *Finder) toolResults(t turn) *Value {
	docs := slices.DeleteFunc(t.results, func(v *Value) bool { return v.Kind != Text && !f.IsContexts(v) })
	if len(docs) == 0 {
		return nil
	}
	return newList(docs)
}

// exists reports whether a path ends in a list, which can be empty.
func (f *Finder) exists(p *Path, record *Value) bool {
	i := slices.IndexFunc(p.steps, func(s step) bool { return s.kind == allElements })
	return i >= 0 && slices.ContainsFunc(f.Expand.follow(nil, p.steps[:i], record), func(v *Value) bool {
		inner := f.Expand.expand(v)
		return inner.Kind == List && len(inner.Items) == 0
	})
}
