package llm

import (
	"bytes"
	"encoding/json"
	"math"
	"strconv"
	"strings"

	openai "github.com/sashabaranov/go-openai"
)

// tinyTemperature is how go-openai writes the smallest temperature. It leaves out 0.
const tinyTemperature = `"temperature":1e-45`

// request converts r to a request in form f.
func (c *Client) request(r *Request, f form) openai.ChatCompletionRequest {
	q := openai.ChatCompletionRequest{Model: c.model, Messages: messages(r, f)}
	switch n := f.outputTokens(r); f.TokenParam {
	case maxTokens:
		q.MaxTokens = n //nolint:staticcheck // most servers support only this parameter
	case maxCompletionTokens:
		q.MaxCompletionTokens = n
	case noMaxTokens:
	}
	if !f.NoTemperature {
		q.Temperature = max(float32(r.Temperature), math.SmallestNonzeroFloat32)
	}
	if r.Seed != 0 && !f.NoSeed {
		q.Seed = &r.Seed
	}
	if !f.NoEffort {
		q.ReasoningEffort = c.effort
	}
	if documents := documents(r); documents != nil {
		q.ChatTemplateKwargs = map[string]any{"documents": documents}
	}
	if n := f.logprobs(r); n > 0 {
		q.LogProbs, q.TopLogProbs = true, n
	}
	if r.Schema == nil {
		return q
	}
	switch f.Format {
	case jsonSchema:
		q.ResponseFormat = &openai.ChatCompletionResponseFormat{
			Type:       openai.ChatCompletionResponseFormatTypeJSONSchema,
			JSONSchema: &openai.ChatCompletionResponseFormatJSONSchema{Name: r.Schema.Name, Schema: f.schema(r), Strict: true},
		}
	case jsonMode:
		q.ResponseFormat = &openai.ChatCompletionResponseFormat{Type: openai.ChatCompletionResponseFormatTypeJSONObject}
	case jsonInPrompt:
	}
	return q
}

// completeBody completes the body of a chat request by go-openai: it writes a temperature
// of 0, which some servers would round up, and adds the members of the extra body. The
// replaced text can't occur in a message because quotes in JSON strings are escaped.
func (w *wire) completeBody(b []byte) []byte {
	b = bytes.Replace(b, []byte(tinyTemperature), []byte(`"temperature":0`), 1)
	if len(w.extraBody) == 0 {
		return b
	}
	return append(append(b[:len(b)-1], ','), w.extraBody[1:]...)
}

// messages converts the messages of r. If the schema is not sent separately, it
// is appended to the system message, so that the texts to judge stay last and
// all requests share a prefix.
func messages(r *Request, f form) []openai.ChatCompletionMessage {
	src := r.Messages
	if r.Schema != nil && f.Format != jsonSchema {
		src = withSystem(src, "Reply with one JSON value and nothing else. It must satisfy this JSON Schema:\n"+string(f.schema(r)))
	}
	out := make([]openai.ChatCompletionMessage, 0, len(src))
	system := ""
	for _, m := range src {
		if m.Role == Document {
			continue
		}
		if f.NoSystem && m.Role == System {
			system += m.Text + "\n\n"
			continue
		}
		out = append(out, openai.ChatCompletionMessage{Role: string(m.Role), Content: system + m.Text})
		system = ""
	}
	if system != "" {
		out = append(out, openai.ChatCompletionMessage{Role: string(User), Content: strings.TrimSpace(system)})
	}
	return out
}

// documents returns the documents of r in the form that chat templates read, or nil.
func documents(r *Request) (list []map[string]string) {
	for _, m := range r.Messages {
		if m.Role == Document {
			list = append(list, map[string]string{"doc_id": strconv.Itoa(len(list)), "text": m.Text})
		}
	}
	return list
}

// withSystem appends a paragraph to the system message, or adds one.
func withSystem(ms []Message, text string) []Message {
	if len(ms) == 0 || ms[0].Role != System {
		return append([]Message{{System, text}}, ms...)
	}
	out := append([]Message(nil), ms...)
	out[0].Text += "\n\n" + text
	return out
}

// messageText returns the text of a message from whichever field contains it.
func messageText(m *openai.ChatCompletionMessage) string {
	var b strings.Builder
	b.WriteString(m.Content)
	for _, p := range m.MultiContent {
		b.WriteString(p.Text)
	}
	text := b.String()
	if text == "" && len(m.ToolCalls) > 0 {
		return m.ToolCalls[0].Function.Arguments
	}
	return text
}

// An optional is a part of a reply that is left out if the server sends another type, so
// that the reply is still readable.
type optional[T any] struct{ value T }

// UnmarshalJSON implements json.Unmarshaler.
func (o *optional[T]) UnmarshalJSON(b []byte) error {
	var v T
	if json.Unmarshal(b, &v) == nil {
		o.value = v
	}
	return nil
}

// decodeChat decodes the parts of a chat completion that are needed, even if go-openai
// can't decode others.
func (w *wire) decodeChat(body []byte) (*openai.ChatCompletionResponse, error) {
	var parts struct {
		Choices []struct {
			Message      openai.ChatCompletionMessage `json:"message"`
			FinishReason openai.FinishReason          `json:"finish_reason"`
			LogProbs     optional[*openai.LogProbs]   `json:"logprobs"`
		} `json:"choices"`
		Usage optional[openai.Usage] `json:"usage"`
	}
	err := w.decode(body, &parts)
	res := &openai.ChatCompletionResponse{Usage: parts.Usage.value}
	for _, p := range parts.Choices {
		res.Choices = append(res.Choices, openai.ChatCompletionChoice{Message: p.Message, FinishReason: p.FinishReason, LogProbs: p.LogProbs.value})
	}
	return res, err
}
