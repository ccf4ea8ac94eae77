package wildtest

import (
	"fmt"
	"net/http"
	"sync"
)

// Refusal is an answer with a status and a message.
func Refusal(status int, message, param string) *Answer {
	return &Answer{Status: status, Message: message, Param: param}
}

// When answers the calls that match in another way.
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

// Failing answers one prompt in n with an error when it comes first.
func Failing(n int, a Answer) Quirk {
	var seen sync.Map
	a.Header = map[string]string{"Retry-After-Ms": "1"}
	return When(func(c *Call) bool {
		_, before := seen.LoadOrStore(c.User, true)
		return !before && Tokens(1, n)(c) == 1
	}, func(*Call) *Answer { out := a; return &out })
}

// NoFormat refuses some formats of replies, as a server that does not know them.
func NoFormat(status int, message string, formats ...string) Quirk {
	return When(func(c *Call) bool {
		for _, f := range formats {
			if c.Format == f {
				return true
			}
		}
		return false
	}, func(*Call) *Answer { return Refusal(status, message, "") })
}

// NoTemperature refuses any temperature but 1, as reasoning models of OpenAI do.
func NoTemperature() Quirk {
	return When(func(c *Call) bool { return c.Temperature != nil && *c.Temperature != 1 }, func(*Call) *Answer {
		return Refusal(http.StatusBadRequest, "Unsupported value: 'temperature' does not support 0 with this model. Only the default (1) value is supported.", "temperature")
	})
}

// NoMaxTokens wants max_completion_tokens, as they do.
func NoMaxTokens() Quirk {
	return When(func(c *Call) bool { return c.Limit == "max_tokens" }, func(*Call) *Answer {
		return Refusal(http.StatusBadRequest, "Unsupported parameter: 'max_tokens' is not supported with this model. Use 'max_completion_tokens' instead.", "max_tokens")
	})
}

// MostTokens grants n output tokens and refuses more.
func MostTokens(n int) Quirk {
	return When(func(c *Call) bool { return c.MaxTokens > n }, func(c *Call) *Answer {
		return Refusal(http.StatusBadRequest, fmt.Sprintf("%s is too large: %d. This model supports at most %d completion tokens, whereas you provided %d.",
			c.Limit, c.MaxTokens, n, c.MaxTokens), c.Limit)
	})
}
