package llm

import (
	"encoding/json"
	"strings"
)

// Answer returns the part of a reply that follows the model's reasoning.
// Reasoning ends at the last closing tag; the opening tag may be missing, since
// many chat templates add it to the prompt. ok is false if there is no answer
// because a tag is not closed or a gpt-oss model did not reach its final
// channel.
func Answer(text string) (answer string, ok bool) {
	lower := lowerASCII(text)
	start := 0
	for _, tag := range reasoningTags() {
		if i := strings.LastIndex(lower, tag[1]); i >= 0 {
			start = max(start, i+len(tag[1]))
		}
	}
	text, lower = text[start:], lower[start:]
	for _, tag := range reasoningTags() {
		if strings.Contains(lower, tag[0]) {
			return "", false
		}
	}
	return finalChannel(text, lower)
}

// reasoningTags returns pairs of opening and closing reasoning tags, in lower
// case.
func reasoningTags() [][2]string {
	return [][2]string{
		{"<think>", "</think>"},
		{"<thinking>", "</thinking>"},
		{"<thought>", "</thought>"},
		{"<reasoning>", "</reasoning>"},
		{"[think]", "[/think]"}, // Magistral
		{"◁think▷", "◁/think▷"}, // Kimi
	}
}

// finalChannel returns the final channel of a gpt-oss reply, or all of text if
// it contains no channels. lower is text in lower case. Servers that strip
// special tokens leave only the channel names: "analysisWe need
// …assistantfinalYes".
func finalChannel(text, lower string) (answer string, ok bool) {
	const start, channel, message, finalMarker = "<|start|>", "<|channel|>", "<|message|>", "assistantfinal"
	if i := strings.LastIndex(lower, message); i >= 0 {
		header := lower[:i]
		header = header[max(0, strings.LastIndex(header, start)):]
		if j := strings.LastIndex(header, channel); j >= 0 {
			header = header[j+len(channel):]
		}
		answer, _, _ = strings.Cut(text[i+len(message):], "<|")
		return answer, strings.HasPrefix(strings.TrimSpace(header), "final")
	}
	if strings.Contains(lower, channel) {
		return "", false
	}
	if rest, isAnalysis := strings.CutPrefix(strings.TrimSpace(text), "analysis"); isAnalysis && rest != "" && 'A' <= rest[0] && rest[0] <= 'Z' {
		if i := strings.LastIndex(lower, finalMarker); i >= 0 {
			return text[i+len(finalMarker):], true
		}
		return "", false
	}
	return text, true
}

// lowerASCII lower-cases ASCII letters only, which preserves byte offsets.
func lowerASCII(s string) string {
	b := []byte(s)
	for i, c := range b {
		if 'A' <= c && c <= 'Z' {
			b[i] = c + 'a' - 'A'
		}
	}
	return string(b)
}

// hasReasoning reports whether a reply contains tagged reasoning.
func hasReasoning(text string) bool {
	answer, ok := Answer(text)
	return !ok || len(answer) != len(text)
}

// isCompleteAnswer reports whether a truncated free-text reply is still usable,
// because it is one word or a complete JSON value. Anything longer may be
// reasoning.
func isCompleteAnswer(text string) bool {
	answer, ok := Answer(text)
	return ok && (len(strings.Fields(answer)) == 1 || json.Valid([]byte(answer)))
}

// startsWithJSON reports whether text starts with a JSON object, a JSON array
// or a code fence.
func startsWithJSON(text string) bool {
	text = strings.TrimSpace(text)
	return strings.HasPrefix(text, "{") || strings.HasPrefix(text, "[") || strings.HasPrefix(text, "```")
}

// isTruncated reports whether a finish reason means that the output token limit
// was reached. The spelling varies between servers.
func isTruncated(reason string) bool {
	switch strings.ToLower(reason) {
	case "length", "max_tokens", "max_output_tokens", "max_completion_tokens", "max_new_tokens", "max_length", "model_length", "token_limit":
		return true
	}
	return false
}
