package llm

import (
	"cmp"
	"encoding/json"
	"errors"
	"fmt"
	"maps"
	"net/http"
	"regexp"
	"slices"
	"strings"
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

// namedMember returns the member of extra that a rejection of a request names,
// or "". A name that is a word, such as user, may occur in the message of any
// rejection, so it must be quoted, or follow a colon
// at the end or an arrow.
func namedMember(extra json.RawMessage, e *StatusError) string {
	if len(extra) == 0 || e.Status != http.StatusBadRequest && e.Status != http.StatusUnprocessableEntity {
		return ""
	}
	var members map[string]json.RawMessage
	_ = json.Unmarshal(extra, &members) // ParseExtraBody returns only objects
	for _, name := range slices.Sorted(maps.Keys(members)) {
		pattern := `(^|[^A-Za-z0-9_])%s($|[^A-Za-z0-9_])`
		if e.Param == "" && !strings.Contains(name, "_") {
			pattern = "[\"'`]%[1]s[\"'`]|: %[1]s\\.?$|-> %[1]s\\b"
		}
		if regexp.MustCompile(fmt.Sprintf(pattern, regexp.QuoteMeta(name))).MatchString(cmp.Or(e.Param, e.Message)) {
			return name
		}
	}
	return ""
}
