package shape

import (
	"slices"
	"strconv"
	"strings"
	"unicode"
	"unicode/utf8"
)

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
		unflatten(out)
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
		if list := m.Member("values"); list != nil {
			return attributes(list)
		}
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

// unflatten nests the members of an object whose names are dotted paths. Objects with
// the keys 0, 1, 2, ... that arise become lists.
func unflatten(v *Value) {
	root := &Value{Kind: Object}
	made := map[*Value]map[string]*Value{root: {}} // members of the objects that get more
	add := func(parent, m *Value) {
		parent.Items = append(parent.Items, m)
		if made[parent] != nil && made[parent][m.Name] == nil {
			made[parent][m.Name] = m
		}
	}
	find := func(parent *Value, name string) *Value {
		if members, ok := made[parent]; ok {
			return members[name]
		}
		members := make(map[string]*Value, len(parent.Items))
		for _, m := range slices.Backward(parent.Items) {
			members[m.Name] = m
		}
		made[parent] = members
		return members[name]
	}
	for _, m := range v.Items {
		keys := splitName(m.Name)
		parent := root
		if len(keys) > maxDepth || slices.Contains(keys, "") || strings.Contains(m.Name, " ") {
			keys = []string{m.Name}
		}
		for len(keys) > 1 {
			next := find(parent, keys[0])
			if next == nil {
				next = &Value{Kind: Object, Name: keys[0]}
				made[next] = map[string]*Value{}
				add(parent, next)
			} else if next.Kind != Object {
				break
			}
			parent, keys = next, keys[1:]
		}
		name := strings.Join(keys, ".")
		if old := find(parent, name); old != nil && old.Kind == Object && m.Kind == Object {
			for _, item := range m.Items {
				add(old, item)
			}
			continue
		}
		add(parent, m.renamed(name))
	}
	for o := range made {
		indexed := o != root
		for _, m := range o.Items {
			_, err := strconv.ParseUint(m.Name, 10, 32)
			indexed = indexed && err == nil
		}
		if indexed {
			o.Kind = List
			sortByNumber(o.Items, 0)
			// A table has columns for the longest list.
			for len(o.Items) > 0 && isBlank(o.Items[len(o.Items)-1]) {
				o.Items = o.Items[:len(o.Items)-1]
			}
			if len(o.Items) == 0 {
				o.Kind = Null
			}
		}
	}
	v.Items = root.Items
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

// role returns the standard name of the role of a chat message, or "".
func role(v *Value) string {
	name := strings.ToLower(v.text("role", "type", "from", "speaker", "sender", "author.role", "author", "message.role"))
	switch strings.TrimSuffix(strings.TrimSuffix(name, "chunk"), "message") {
	case "user", "human", "customer":
		return "user"
	case "assistant", "ai", "bot", "gpt", "model", "agent", "chatbot", "function_call":
		return "assistant"
	case "tool", "function", "retriever", "retrieval", "function_call_output", "file_search_call":
		return "tool"
	case "system", "developer", "reasoning":
		return "system"
	}
	if strings.HasSuffix(name, "message") || strings.HasSuffix(name, "event") { // of a framework that is not known, such as AutoGen
		return "system"
	}
	return ""
}

// isChat reports whether v is a list of chat messages.
func isChat(v *Value) bool {
	return v.isObjects() && !slices.ContainsFunc(v.Items, func(m *Value) bool {
		return role(m) == "" || v.first("content", "text", "value", "parts", "message", "output", "tool_calls", "toolCalls") == nil && len(m.Items) < 2
	})
}

// messageText returns the text of a chat message or of its content, which can be a
// string or a list of parts.
func (x Expander) messageText(v *Value) string {
	switch v.Kind {
	case Text:
		return v.Text
	case List:
		var joined strings.Builder
		before := ""
		for _, part := range v.Items {
			if kind := part.text("type"); kind == "" || kind == "text" || kind == "output_text" || kind == "input_text" {
				if text := x.messageText(part); text != "" {
					joined.WriteString(gap(before, text) + text)
					before = text
				}
			}
		}
		return joined.String()
	case Object:
		if content := v.first("content", "text", "value", "parts", "message"); content != nil {
			return x.messageText(content)
		}
	case Null, Bool, Number, Bytes:
	}
	return ""
}

// gap returns what stands between two parts of a text: nothing if the second one continues a sentence, as the
// parts of an answer with citations do, and otherwise a line break.
func gap(before, after string) string {
	last, _ := utf8.DecodeLastRuneInString(before)
	first, _ := utf8.DecodeRuneInString(after)
	if before == "" || unicode.IsSpace(last) || unicode.IsSpace(first) || unicode.IsLower(first) || unicode.IsDigit(first) || strings.ContainsRune(",.;:!?)…", first) {
		return ""
	}
	return "\n"
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
			if text := x.messageText(m); text != "" {
				t := x.open(chat.Items[:i])
				t.answer = text
				return t
			}
		}
	}
	return turn{}
}

// open returns the turn that the last question of messages starts. Its answer is not
// one of them.
func (x Expander) open(messages []*Value) turn {
	var t turn
	for _, m := range slices.Backward(messages) {
		switch role(m) {
		case "user":
			for _, part := range slices.Backward(items(m.first("content"))) {
				if content := part.first("content"); content != nil && part.text("type") == "tool_result" && !failed(part) {
					t.results = append(t.results, x.expand(content))
				}
			}
			if t.question = x.messageText(m); t.question != "" {
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

// callsTool reports whether a message of a model calls a tool, and is no answer.
func callsTool(m *Value) bool {
	return m.text("type") == "function_call" || len(items(m.first("tool_calls", "toolCalls"))) > 0 ||
		slices.ContainsFunc(items(m.first("content", "parts")), func(part *Value) bool { return part.text("type") == "tool_use" })
}

// failed reports whether the result of a tool is an error, which is no context.
func failed(result *Value) bool {
	for _, name := range []string{"is_error", "error", "isError"} {
		if m := result.Member(name); m != nil && m.Kind == Bool && m.Text == "true" {
			return true
		}
	}
	return result.text("status") == "error"
}
