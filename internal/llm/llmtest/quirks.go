package llmtest

import (
	"encoding/json"
	"fmt"
	"hash/fnv"
	"net/http"
	"slices"
	"strings"
	"sync"
)

// Refusal returns an answer with a status and an error message.
func Refusal(status int, message, param string) *Answer {
	return &Answer{Status: status, Message: message, Param: param}
}

// When returns a quirk that answers matching calls itself.
func When(match func(c *Call) bool, answer func(c *Call) *Answer) Quirk {
	return func(next Handler) Handler {
		return func(c *Call) *Answer {
			if match(c) {
				return answer(c)
			}
			return next(c)
		}
	}
}

// rejecting returns a quirk that rejects matching calls.
func rejecting(match func(c *Call) bool, status int, message, param string) Quirk {
	return When(match, func(*Call) *Answer { return Refusal(status, message, param) })
}

// changed returns a quirk that modifies successful answers.
func changed(change func(c *Call, a *Answer)) Quirk {
	return func(next Handler) Handler {
		return func(c *Call) *Answer {
			a := next(c)
			if a.Status == 0 && a.Body == "" {
				change(c, a)
			}
			return a
		}
	}
}

// After answers every call after the first n with a.
func After(n int, a Answer) Quirk {
	return When(func(c *Call) bool { return c.N > n }, func(*Call) *Answer { out := a; return &out })
}

// Failing returns a quirk that answers one in n prompts with an error the first time.
func Failing(n int, a Answer) Quirk {
	var seen sync.Map
	a.Header = map[string]string{"Retry-After-Ms": "1"}
	return When(func(c *Call) bool {
		_, before := seen.LoadOrStore(c.User, true)
		return !before && Tokens(1, n)(c) == 1
	}, func(*Call) *Answer { out := a; return &out })
}

// NoFormat rejects some response formats, like a server that does not support them.
func NoFormat(status int, message string, formats ...string) Quirk {
	return rejecting(func(c *Call) bool { return slices.Contains(formats, c.Format) }, status, message, "")
}

// NoTemperature rejects any temperature other than 1, like OpenAI's reasoning models.
func NoTemperature() Quirk {
	return rejecting(func(c *Call) bool { return c.Temperature != nil && *c.Temperature != 1 }, http.StatusBadRequest,
		"Unsupported value: 'temperature' does not support 0 with this model. Only the default (1) value is supported.", "temperature")
}

// NoMaxTokens requires max_completion_tokens, like OpenAI's reasoning models.
func NoMaxTokens() Quirk {
	return rejecting(func(c *Call) bool { return c.Limit == "max_tokens" }, http.StatusBadRequest,
		"Unsupported parameter: 'max_tokens' is not supported with this model. Use 'max_completion_tokens' instead.", "max_tokens")
}

// NoLogprobs rejects log probabilities. If param is empty, the error does not name them.
func NoLogprobs(param string) Quirk {
	message := "Unsupported parameter: 'logprobs' is not supported with this model."
	if param == "" {
		message = "Bad request"
	}
	return rejecting(func(c *Call) bool { return c.TopLogprobs > 0 }, http.StatusBadRequest, message, param)
}

// MaxTokens rejects limits of more than n output tokens.
func MaxTokens(n int) Quirk {
	return When(func(c *Call) bool { return c.MaxTokens > n }, func(c *Call) *Answer {
		return Refusal(http.StatusBadRequest, fmt.Sprintf("%s is too large: %d. This model supports at most %d completion tokens", c.Limit, c.MaxTokens, n), c.Limit)
	})
}

// TooLarge rejects requests of more than n tokens like OpenAI, if prompt and output limit
// exceed the tokens per minute of the account.
func TooLarge(n int) Quirk {
	size := func(c *Call) int { return promptTokens(c) + c.MaxTokens }
	return When(func(c *Call) bool { return size(c) > n }, func(c *Call) *Answer {
		return Refusal(http.StatusTooManyRequests, fmt.Sprintf("Request too large for m on tokens per min (TPM): Limit %d, Requested %d.", n, size(c)), "")
	})
}

// SpentQuota is Groq's answer if the tokens of a day are used up.
func SpentQuota() Answer {
	return Answer{
		Status: http.StatusTooManyRequests, Code: "rate_limit_exceeded", Header: map[string]string{"Retry-After": "578"},
		Message: "Rate limit reached for model `m` on tokens per day (TPD): Limit 100000, Used 97050, Requested 3619. Please try again in 9m38.016s.",
	}
}

// Prose never writes JSON.
func Prose() Quirk {
	return changed(func(c *Call, a *Answer) {
		if !c.Word() {
			a.Content = "The sources are about a great many things, of which I could tell you more."
		}
	})
}

// SchemaOnly writes JSON only with a JSON schema, like small models.
func SchemaOnly() Quirk {
	return func(next Handler) Handler {
		return When(func(c *Call) bool { return c.Format != "json_schema" }, Prose()(next))(next)
	}
}

// Forms writes verdicts in other forms, which are JSON values that are used in rotation:
// supports for "supported", 1 and true, and denies for the others.
func Forms(supports, denies []string) Quirk {
	return changed(func(_ *Call, a *Answer) {
		n := 0
		a.Content = rewrite(a.Content, func(key string, v any) any {
			if key != "verdict" && key != "is_supported" {
				return v
			}
			forms := denies
			if v == "supported" || v == float64(1) || v == true {
				forms = supports
			}
			n++
			return json.RawMessage(forms[n%len(forms)])
		})
	})
}

// TextIDs writes ids as strings with a prefix.
func TextIDs(front string) Quirk {
	return changed(func(_ *Call, a *Answer) {
		a.Content = rewrite(a.Content, func(key string, v any) any {
			if strings.HasSuffix(key, "_id") {
				return front + encode(v)
			}
			return v
		})
	})
}

// EditList changes the list under a key of replies in JSON.
func EditList(key string, change func(list []any) []any) Quirk {
	return changed(func(_ *Call, a *Answer) {
		a.Content = rewrite(a.Content, func(k string, v any) any {
			if list, ok := v.([]any); ok && k == key {
				return change(list)
			}
			return v
		})
	})
}

// rewrite applies change to the members of all objects in a JSON text.
func rewrite(text string, change func(key string, v any) any) string {
	var top any
	if json.Unmarshal([]byte(text), &top) != nil {
		return text
	}
	var walk func(v any) any
	walk = func(v any) any {
		switch v := v.(type) {
		case map[string]any:
			for k, e := range v {
				v[k] = change(k, walk(e))
			}
		case []any:
			for i, e := range v {
				v[i] = walk(e)
			}
		}
		return v
	}
	return encode(walk(top))
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
	return changed(func(c *Call, a *Answer) {
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
