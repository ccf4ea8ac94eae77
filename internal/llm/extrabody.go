package llm

import (
	"encoding/json"
	"errors"
	"fmt"
)

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
		if reason := reservedMember(name); reason != "" {
			return nil, fmt.Errorf("%s can't be set: %s", name, reason)
		}
	}
	if len(members) == 0 {
		return nil, nil
	}
	return json.Marshal(members)
}

// reservedMember returns why a member of the request can't be set, or "" if it
// can.
func reservedMember(name string) string {
	switch name {
	case "model":
		return "use --model"
	case "messages", "prompt":
		return "the prompts are those of --prompts"
	case "stream", "stream_options":
		return "replies are not streamed"
	case "n":
		return "a request has one reply; use --votes"
	case "response_format", "tools", "tool_choice", "functions", "function_call", "logprobs", "top_logprobs":
		return "the judge decides how it asks for verdicts"
	case "max_tokens", "max_completion_tokens":
		return "use --max-output-tokens"
	case "reasoning_effort":
		return "use --reasoning-effort"
	case "temperature", "seed":
		return "retries and --votes depend on it"
	}
	return ""
}
