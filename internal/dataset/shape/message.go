package shape

import (
	"slices"
	"strings"
)

// message returns a message of an agent framework with the members role, content and
// tool_calls, as OpenAI names them. It returns other values as they are.
func message(v *Value) *Value {
	switch data, content := v.Member("data"), v.Member("content"); {
	case len(v.Items) == 2 && data != nil && role(v) != "" && data.has("content"): // messages_to_dict of LangChain
		out := *data
		out.Name = v.Name
		if role(data) == "" {
			out.Items = append(slices.Clone(data.Items), v.Member("type"))
		}
		return &out
	case role(v) != "" && slices.ContainsFunc(items(content), isHaystackPart):
		return haystackMessage(v, content)
	}
	if name := autogenRole(v); name != "" {
		out := *v
		out.Items = append([]*Value{{Kind: Text, Name: "role", Text: name}}, v.Items...)
		if content := v.Member("content"); name == "assistant" && content.Kind == List {
			out.Items = append(out.Items, content.renamed("tool_calls"))
		}
		return &out
	}
	return v
}

// isHaystackPart reports whether v is a part of a ChatMessage of Haystack.
func isHaystackPart(v *Value) bool {
	return v.Kind == Object && len(v.Items) == 1 && (v.has("tool_call") || v.has("tool_call_result"))
}

func haystackMessage(v, content *Value) *Value {
	var parts, calls []*Value
	for _, part := range content.Items {
		switch result := part.Member("tool_call_result"); {
		case part.has("tool_call"):
			calls = append(calls, part)
		case result == nil:
			parts = append(parts, part)
		case !failed(result) && result.has("result"):
			parts = append(parts, result.Member("result").renamed(""))
		}
	}
	out := *v
	out.Items = slices.Clone(v.Items)
	out.Items[slices.Index(out.Items, content)] = newList(parts).renamed("content")
	if len(calls) > 0 {
		out.Items = append(out.Items, newList(calls).renamed("tool_calls"))
	}
	return &out
}

// autogenRole returns the role of a message or event of AutoGen, or "".
func autogenRole(v *Value) string {
	if v.Member("content") == nil || v.has("role") {
		return ""
	}
	switch v.text("type") {
	case "TextMessage", "StopMessage":
		if source := v.text("source"); source == "user" || source == "" {
			return source
		}
		return "assistant"
	case "AssistantMessage", "ToolCallRequestEvent", "ToolCallSummaryMessage":
		return "assistant"
	case "FunctionExecutionResultMessage", "ToolCallExecutionEvent":
		return "tool"
	case "ThoughtEvent":
		return "system"
	}
	return ""
}

// pydanticMessages returns the messages in the history of an agent of Pydantic AI, whose
// requests hold those of several roles, or nil.
func pydanticMessages(v *Value) []*Value {
	if !v.isObjects() || slices.ContainsFunc(v.Items, func(m *Value) bool { return m.text("kind") == "" || m.Member("parts") == nil }) {
		return nil
	}
	var out []*Value
	for _, m := range v.Items {
		answer := &Value{Kind: Object, Items: []*Value{{Kind: Text, Name: "role", Text: "assistant"}}}
		var texts, calls []*Value
		for _, part := range items(m.Member("parts")) {
			content := part.Member("content")
			kind := part.text("part_kind")
			switch {
			case kind == "tool-call" || kind == "builtin-tool-call":
				calls = append(calls, part)
			case content == nil:
			case kind == "text":
				texts = append(texts, content.renamed(""))
			case kind == "user-prompt" || kind == "tool-return" || kind == "builtin-tool-return" || kind == "system-prompt":
				name, _, _ := strings.Cut(strings.TrimPrefix(kind, "builtin-"), "-")
				out = append(out, &Value{Kind: Object, Items: []*Value{{Kind: Text, Name: "role", Text: name}, content}})
			}
		}
		if len(texts) > 0 || len(calls) > 0 {
			answer.Items = append(answer.Items, newList(texts).renamed("content"), newList(calls).renamed("tool_calls"))
			out = append(out, answer)
		}
	}
	return out
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
