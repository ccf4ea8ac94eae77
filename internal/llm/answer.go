package llm

import (
	"bytes"
	"encoding/json"
	"html"
	"slices"
	"strconv"
	"strings"
	"sync"
	"unicode"
	"unicode/utf8"

	"golang.org/x/text/unicode/norm"
)

// Answer returns the part of a reply that follows the model's reasoning. Reasoning ends at the last
// closing tag; the opening tag may be missing, since many chat templates add it to the prompt. ok
// is false if there is no answer because a tag is not closed or a gpt-oss model did not reach its
// final channel.
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

// reasoningTags returns pairs of opening and closing reasoning tags, in lower case.
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

// finalChannel returns the final channel of a gpt-oss reply, or all of text if it contains no
// channels. lower is text in lower case. Servers that strip special tokens leave only the channel
// names: "analysisWe need …assistantfinalYes".
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

// isCompleteAnswer reports whether a truncated free-text reply is still usable, because it is one
// word or a complete JSON value. Anything longer may be reasoning.
func isCompleteAnswer(text string) bool {
	answer, ok := Answer(text)
	return ok && (len(strings.Fields(answer)) == 1 || json.Valid([]byte(answer)))
}

// startsWithJSON reports whether text starts with a JSON object, a JSON array or a code fence.
func startsWithJSON(text string) bool {
	text = strings.TrimSpace(text)
	return strings.HasPrefix(text, "{") || strings.HasPrefix(text, "[") || strings.HasPrefix(text, "```")
}

// isTruncated reports whether a finish reason means that the output token limit
// was reached. The spelling varies between servers.
func isTruncated(reason string) bool {
	return slices.Contains([]string{
		"length", "max_tokens", "max_output_tokens", "max_completion_tokens", "max_new_tokens", "max_length", "model_length", "token_limit",
	}, strings.ToLower(reason))
}

// compact returns valid JSON without white space.
func compact(v json.RawMessage) []byte {
	var b bytes.Buffer
	_ = json.Compact(&b, v)
	return b.Bytes()
}

// promptEcho returns a function that reports whether a value occurs in a text of ms, other
// than the instructions. The texts are JSON, and may contain the value with its own
// escapes and layout, which models do not preserve.
func promptEcho(ms []Message) func(value string) bool {
	prompt := sync.OnceValue(func() string {
		var b strings.Builder
		for _, m := range ms {
			if m.Role != System {
				b.WriteString(plainValue(m.Text) + "\n")
			}
		}
		return b.String()
	})
	return func(value string) bool { return strings.Contains(prompt(), plainValue(value)) }
}

// maxEscapes is the number of times that escapes are decoded: a string in JSON in a
// context, in the JSON of a prompt.
const maxEscapes = 4

// plainValue returns a text without the escapes, entities, forms of characters, white space,
// quotation marks and commas in which two copies of a JSON value may differ, in lower case.
func plainValue(text string) string {
	return strings.Map(func(r rune) rune {
		if unicode.IsSpace(r) || isInvisible(r) || unicode.Is(unicode.Quotation_Mark, r) || strings.ContainsRune("`\\,", r) {
			return -1
		}
		return unicode.ToLower(r)
	}, norm.NFKC.String(html.UnescapeString(decodeEscapes(text))))
}

func isInvisible(r rune) bool { return unicode.IsControl(r) || unicode.Is(unicode.Cf, r) }

// decodeEscapes decodes the escapes of JSON wherever they occur in a text.
func decodeEscapes(text string) string {
	for range maxEscapes {
		if strings.IndexByte(text, '\\') < 0 {
			break
		}
		text = unescape(text)
	}
	return text
}

// unescape decodes one level of escapes.
func unescape(text string) string {
	var b strings.Builder
	for {
		i := strings.IndexByte(text, '\\')
		if i < 0 || i+1 == len(text) {
			b.WriteString(text)
			return b.String()
		}
		b.WriteString(text[:i])
		n := 2
		switch c := text[i+1]; {
		case c == 'n' || c == 't' || c == 'r' || c == 'b' || c == 'f':
			b.WriteByte(' ')
		case c == 'u' && i+6 <= len(text) && isHex(text[i+2:i+6]):
			n = 6
			r, _ := strconv.ParseUint(text[i+2:i+6], 16, 16)
			b.WriteRune(rune(r))
		default:
			_, size := utf8.DecodeRuneInString(text[i+1:])
			n = 1 + size
			b.WriteString(text[i+1 : i+n])
		}
		text = text[i+n:]
	}
}
