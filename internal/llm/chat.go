package llm

import (
	"encoding/json"
	"strconv"
	"strings"
)

// A chatRequest is the body of a request for a chat completion.
type chatRequest struct {
	Model               string          `json:"model"`
	Messages            []chatMessage   `json:"messages"`
	MaxTokens           int             `json:"max_tokens,omitempty"`
	MaxCompletionTokens int             `json:"max_completion_tokens,omitempty"`
	Temperature         *float64        `json:"temperature,omitempty"`
	Stream              bool            `json:"stream"`
	ResponseFormat      *responseFormat `json:"response_format,omitempty"`
	Seed                int             `json:"seed,omitempty"`
	Logprobs            bool            `json:"logprobs,omitempty"`
	TopLogprobs         int             `json:"top_logprobs,omitempty"`
	ReasoningEffort     string          `json:"reasoning_effort,omitempty"`
	TemplateArguments   map[string]any  `json:"chat_template_kwargs,omitempty"`
}

type chatMessage struct {
	Role    string `json:"role"`
	Content string `json:"content"`
}

type responseFormat struct {
	Type   string        `json:"type"`
	Schema *strictSchema `json:"json_schema,omitempty"`
}

type strictSchema struct {
	Name   string          `json:"name"`
	Schema json.RawMessage `json:"schema"`
	Strict bool            `json:"strict"`
}

// A chatReply is the body of a chat completion.
type chatReply struct {
	Choices []choice            `json:"choices"`
	Usage   optional[chatUsage] `json:"usage"`
}

type choice struct {
	Message struct {
		Content          content `json:"content"`
		Refusal          string  `json:"refusal"`
		ReasoningContent string  `json:"reasoning_content"`
		ToolCalls        []struct {
			Function struct {
				Arguments string `json:"arguments"`
			} `json:"function"`
		} `json:"tool_calls"`
	} `json:"message"`
	FinishReason string                 `json:"finish_reason"`
	Logprobs     optional[chatLogprobs] `json:"logprobs"`
}

type chatUsage struct {
	PromptTokens     int `json:"prompt_tokens"`
	CompletionTokens int `json:"completion_tokens"`
	TotalTokens      int `json:"total_tokens"`
	Details          struct {
		ReasoningTokens int `json:"reasoning_tokens"`
	} `json:"completion_tokens_details"`
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

// A content is the text of a message, which is a string or a list of parts.
type content string

// UnmarshalJSON implements json.Unmarshaler.
func (c *content) UnmarshalJSON(b []byte) error {
	var parts []struct {
		Text string `json:"text"`
	}
	if len(b) == 0 || b[0] != '[' {
		return json.Unmarshal(b, (*string)(c))
	}
	err := json.Unmarshal(b, &parts)
	for _, p := range parts {
		*c += content(p.Text)
	}
	return err
}

// text returns the text of the message from whichever field contains it.
func (c *choice) text() string {
	if c.Message.Content == "" && len(c.Message.ToolCalls) > 0 {
		return c.Message.ToolCalls[0].Function.Arguments
	}
	return string(c.Message.Content)
}

// request converts r to a request in form f.
func (c *Client) request(r *Request, f form) chatRequest {
	q := chatRequest{Model: c.model, Messages: messages(r, f)}
	switch n := f.outputTokens(r); f.TokenParam {
	case maxTokens:
		q.MaxTokens = n
	case maxCompletionTokens:
		q.MaxCompletionTokens = n
	case noMaxTokens:
	}
	if !f.NoTemperature {
		q.Temperature = &r.Temperature
	}
	if !f.NoSeed {
		q.Seed = r.Seed
	}
	if !f.NoEffort {
		q.ReasoningEffort = c.effort
	}
	if documents := documents(r); documents != nil {
		q.TemplateArguments = map[string]any{"documents": documents}
	}
	if n := f.logprobs(r); n > 0 {
		q.Logprobs, q.TopLogprobs = true, n
	}
	if r.Schema == nil {
		return q
	}
	switch f.Format {
	case jsonSchema:
		q.ResponseFormat = &responseFormat{Type: "json_schema", Schema: &strictSchema{Name: r.Schema.Name, Schema: f.schema(r), Strict: true}}
	case jsonMode:
		q.ResponseFormat = &responseFormat{Type: "json_object"}
	case jsonInPrompt:
	}
	return q
}

// body returns the body of a request, with the members of the extra body.
func (c *Client) body(q chatRequest) ([]byte, error) {
	b, err := json.Marshal(q)
	if err != nil || len(c.extraBody) == 0 {
		return b, err
	}
	return append(append(b[:len(b)-1], ','), c.extraBody[1:]...), nil
}

// messages converts the messages of r. If the schema is not sent separately, it
// is appended to the system message, so that the texts to judge stay last and
// all requests share a prefix.
func messages(r *Request, f form) []chatMessage {
	src := r.Messages
	if r.Schema != nil && (f.Format != jsonSchema || f.SchemaInPrompt) {
		src = withSystem(src, "Reply with one JSON value and nothing else. It must satisfy this JSON Schema:\n"+string(f.schema(r)))
	}
	out := make([]chatMessage, 0, len(src))
	system := ""
	for _, m := range src {
		if m.Role == Document {
			continue
		}
		if f.NoSystem && m.Role == System {
			system += m.Text + "\n\n"
			continue
		}
		out = append(out, chatMessage{string(m.Role), system + m.Text})
		system = ""
	}
	if system != "" {
		out = append(out, chatMessage{string(User), strings.TrimSpace(system)})
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
