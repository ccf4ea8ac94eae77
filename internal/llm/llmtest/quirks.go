package llmtest

import (
	"hash/fnv"
	"net/http"
	"strings"
)

// Refusal returns an answer with a status and an error message.
func Refusal(status int, message, param string) *Answer {
	return &Answer{Status: status, Message: message, Param: param}
}

// rejections are the answers of real servers to calls with something that they do not support.
//
//nolint:gochecknoglobals // constant
var rejections = map[string]struct {
	matches func(c *Call) bool
	answer  *Answer
}{
	"schemas": {
		func(c *Call) bool { return c.Format == "json_schema" },
		Refusal(http.StatusBadRequest, "response_format json_schema is not supported", ""),
	},
	"response formats": {
		func(c *Call) bool { return c.Format != "" },
		Refusal(http.StatusUnprocessableEntity, "response_format: extra fields not permitted", ""),
	},
	"temperature": { // OpenAI's reasoning models
		func(c *Call) bool { return c.Temperature != nil && *c.Temperature != 1 },
		Refusal(http.StatusBadRequest, "Unsupported value: 'temperature' does not support 0 with this model. Only the default (1) value is supported.", "temperature"),
	},
	"max_tokens": { // OpenAI's reasoning models
		func(c *Call) bool { return c.Limit == "max_tokens" },
		Refusal(http.StatusBadRequest, "Unsupported parameter: 'max_tokens' is not supported with this model. Use 'max_completion_tokens' instead.", "max_tokens"),
	},
	"more than 30000 tokens": {
		func(c *Call) bool { return c.MaxTokens > 30_000 },
		Refusal(http.StatusBadRequest, "max_completion_tokens is too large: 32768. This model supports at most 30000 completion tokens", "max_completion_tokens"),
	},
	"logprobs": {
		func(c *Call) bool { return c.TopLogprobs > 0 },
		Refusal(http.StatusBadRequest, "Unsupported parameter: 'logprobs' is not supported with this model.", "logprobs"),
	},
	"logprobs without a reason": {
		func(c *Call) bool { return c.TopLogprobs > 0 },
		Refusal(http.StatusBadRequest, "Bad request", ""),
	},
	"reasoning_effort": {
		func(c *Call) bool { return strings.Contains(string(c.Raw), `"reasoning_effort"`) },
		Refusal(http.StatusBadRequest, "Unrecognized request argument supplied: reasoning_effort", ""),
	},
}

// Rejects returns a quirk that rejects calls with something in the table of rejections.
func Rejects(what string) Quirk {
	r := rejections[what]
	return When(r.matches, func(*Call) *Answer { return r.answer })
}

// When returns a quirk that answers matching calls itself.
func When(match func(c *Call) bool, answer func(c *Call) *Answer) Quirk {
	return func(c *Call, next Handler) *Answer {
		if match(c) {
			return answer(c)
		}
		return next(c)
	}
}

// Changed returns a quirk that modifies successful answers.
func Changed(change func(c *Call, a *Answer)) Quirk {
	return func(c *Call, next Handler) *Answer {
		a := next(c)
		if a.Status == 0 && a.Body == "" {
			change(c, a)
		}
		return a
	}
}

// Prose never writes JSON.
func Prose() Quirk {
	return Changed(func(c *Call, a *Answer) {
		if !c.Word() {
			a.Content = "The sources are about a great many things, of which I could tell you more."
		}
	})
}

// draft is reasoning that resembles an answer; its verdicts must be ignored.
const draft = "Yes, the user asks me to check the claims. A first idea would be " +
	`{"verdicts":[{"claim_id":0,"statement_id":0,"chunk_ids":[],"quote":"","reason":"draft","verdict":"supported"}]}` +
	" but let me look closer."

// A Reasoner configures how a model reasons before it answers.
type Reasoner struct {
	Tokens func(c *Call) int // output tokens for reasoning
	// Text combines reasoning and answer in the content. Nil means that the server separates
	// them. The answer is empty if the output tokens ran out.
	Text   func(reasoning, answer string) string
	Field  bool // send separated reasoning in its own field
	Silent bool // do not report reasoning tokens
}

// Reasons uses output tokens for reasoning, and truncates replies that exceed the limit.
func Reasons(r Reasoner) Quirk {
	return Changed(func(c *Call, a *Answer) {
		a.ReasoningTokens = r.Tokens(c)
		a.CompletionTokens += a.ReasoningTokens
		reasoning := draft
		if c.Limit != "" && c.MaxTokens < a.CompletionTokens {
			a.Finish, a.Content = "length", ""
			a.CompletionTokens, a.ReasoningTokens = c.MaxTokens, c.MaxTokens
			reasoning = draft[:min(len(draft), 4*c.MaxTokens)]
		}
		if r.Silent {
			a.ReasoningTokens = 0
		}
		if r.Text != nil {
			a.Content = r.Text(reasoning, a.Content)
		} else if r.Field {
			a.Reasoning = reasoning
		}
	})
}

// Tokens returns a function for a number from low to high that depends only on the prompt.
func Tokens(low, high int) func(c *Call) int {
	return func(c *Call) int {
		h := fnv.New32a()
		_, _ = h.Write([]byte(c.User))
		return low + int(h.Sum32())%(high-low+1)
	}
}

// Tags puts reasoning between tags. Opening is empty if the prompt template adds that tag.
func Tags(opening, closing string) func(reasoning, answer string) string {
	return func(reasoning, answer string) string {
		if answer == "" {
			return opening + reasoning
		}
		return opening + reasoning + closing + "\n\n" + answer
	}
}
