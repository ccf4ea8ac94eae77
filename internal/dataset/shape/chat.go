package shape

import (
	"slices"
	"strings"
	"unicode"
	"unicode/utf8"
)

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
func messageText(v *Value) string {
	switch v.Kind {
	case Text:
		return v.Text
	case List:
		var joined strings.Builder
		before := ""
		for _, part := range v.Items {
			if kind := part.text("type"); kind == "" || kind == "text" || kind == "output_text" || kind == "input_text" {
				if text := messageText(part); text != "" {
					joined.WriteString(gap(before, text) + text)
					before = text
				}
			}
		}
		return joined.String()
	case Object:
		if content := v.first("content", "text", "value", "parts", "message"); content != nil {
			return messageText(content)
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

// callsTool reports whether a message of a model calls a tool, and is no answer.
func callsTool(m *Value) bool {
	return m.text("type") == "function_call" || len(items(m.first("tool_calls", "toolCalls"))) > 0 ||
		slices.ContainsFunc(items(m.first("content", "parts")), func(part *Value) bool { return part.text("type") == "tool_use" })
}

// failed reports whether the result of a tool is an error, which is no context.
func failed(result *Value) bool {
	return result.text("status") == "error" || slices.ContainsFunc([]string{"is_error", "error", "isError"}, func(name string) bool {
		m := result.Member(name)
		return m != nil && m.Kind == Bool && m.Text == "true"
	})
}
