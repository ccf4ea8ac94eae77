package llm

import (
	"encoding/json"
	"errors"
	"fmt"
	"slices"
	"time"
)

// A Config specifies a model and its server.
type Config struct {
	BaseURL         string `json:"-"` // defaults to OpenAI; Azure URLs are detected; may have a password
	Model           string
	APIKey          string `json:"-"` // optional
	ReasoningEffort string // sent as reasoning_effort if not empty
	Timeout         time.Duration
	// ReasoningTimeout replaces Timeout for requests to models that are known to reason, if
	// it is longer.
	ReasoningTimeout time.Duration
	Headers          Headers         // sent with every request
	ExtraBody        json.RawMessage // added to chat requests; from ParseExtraBody
}

// String returns a description without the key.
func (c Config) String() string {
	address := "an unusable base URL"
	if e, err := newEndpoint(c.BaseURL); err == nil {
		address = e.publicURL
	}
	return fmt.Sprintf("llm.Config{%s at %s}", c.Model, address)
}

// GoString returns the same as String.
func (c Config) GoString() string { return c.String() }

// ParseExtraBody parses a JSON object whose members are added to chat requests,
// and returns it in a canonical form. It rejects the members that this package
// sends itself. The result is nil if text is empty.
func ParseExtraBody(text string) (json.RawMessage, error) {
	if text == "" {
		return nil, nil
	}
	var members map[string]json.RawMessage
	if err := json.Unmarshal([]byte(text), &members); err != nil || members == nil {
		return nil, errors.New(`want a JSON object such as {"top_p":0.9}`)
	}
	for name := range members {
		if isReservedMember(name) {
			return nil, fmt.Errorf("%s can't be set: ragfaith sets it itself", name)
		}
	}
	if len(members) == 0 {
		return nil, nil
	}
	return json.Marshal(members)
}

// isReservedMember reports whether a member of the request follows from other options, or
// from how verdicts are requested.
func isReservedMember(name string) bool {
	return slices.Contains([]string{
		"model", "messages", "prompt", "stream", "stream_options", "n", "response_format", "tools", "tool_choice", "functions", "function_call", "logprobs",
		"top_logprobs", "max_tokens", "max_completion_tokens", "reasoning_effort", "temperature", "seed",
	}, name)
}
