package llmtest

import (
	"fmt"
	"net/http"
)

// After answers every call after the first n with a.
func After(n int, a Answer) Quirk {
	return When(func(c *Call) bool { return c.N > n }, func(*Call) *Answer { out := a; return &out })
}

// SpentQuota is Groq's answer if the tokens of a day are used up.
func SpentQuota() Answer {
	return Answer{
		Status: http.StatusTooManyRequests, Code: "rate_limit_exceeded", Header: map[string]string{"Retry-After": "578"},
		Message: "Rate limit reached for model `m` in organization `o` service tier `on_demand` on tokens per day (TPD): Limit 100000, Used 97050, Requested 3619. Please try again in 9m38.016s.",
	}
}

// TooLarge rejects requests of more than n tokens like OpenAI, if prompt and output limit
// exceed the tokens per minute of the account.
func TooLarge(n int) Quirk {
	size := func(c *Call) int { return promptTokens(c) + c.MaxTokens }
	return When(func(c *Call) bool { return size(c) > n }, func(c *Call) *Answer {
		return &Answer{
			Status: http.StatusTooManyRequests, Code: "rate_limit_exceeded",
			Message: fmt.Sprintf("Request too large for m in organization o on tokens per min (TPM): Limit %d, Requested %d. The input or output tokens must be reduced in order to run successfully.", n, size(c)),
		}
	})
}

// promptTokens counts four bytes as a token.
func promptTokens(c *Call) int { return (len(c.System) + len(c.User)) / 4 }
