package llmtest

import (
	"encoding/json"
	"fmt"
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
	return When(func(c *Call) bool { return slices.Contains(formats, c.Format) },
		func(*Call) *Answer { return Refusal(status, message, "") })
}

// NoTemperature rejects any temperature other than 1, like OpenAI's reasoning models.
func NoTemperature() Quirk {
	return When(func(c *Call) bool { return c.Temperature != nil && *c.Temperature != 1 }, func(*Call) *Answer {
		return Refusal(http.StatusBadRequest, "Unsupported value: 'temperature' does not support 0 with this model. Only the default (1) value is supported.", "temperature")
	})
}

// NoMaxTokens requires max_completion_tokens, like OpenAI's reasoning models.
func NoMaxTokens() Quirk {
	return When(func(c *Call) bool { return c.Limit == "max_tokens" }, func(*Call) *Answer {
		return Refusal(http.StatusBadRequest, "Unsupported parameter: 'max_tokens' is not supported with this model. Use 'max_completion_tokens' instead.", "max_tokens")
	})
}

// MaxTokens rejects limits of more than n output tokens.
func MaxTokens(n int) Quirk {
	return When(func(c *Call) bool { return c.MaxTokens > n }, func(c *Call) *Answer {
		return Refusal(http.StatusBadRequest, fmt.Sprintf("%s is too large: %d. This model supports at most %d completion tokens, whereas you provided %d.",
			c.Limit, c.MaxTokens, n, c.MaxTokens), c.Limit)
	})
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
	prose := Prose()
	return func(next Handler) Handler {
		without := prose(next)
		return func(c *Call) *Answer {
			if c.Format == "json_schema" {
				return next(c)
			}
			return without(c)
		}
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
		var reply map[string]any
		if json.Unmarshal([]byte(a.Content), &reply) != nil {
			return
		}
		if list, ok := reply[key].([]any); ok {
			reply[key] = change(list)
			a.Content = encode(reply)
		}
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
