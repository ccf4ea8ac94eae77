package llm

import (
	"errors"
	"fmt"
	"net/http"
	"regexp"
	"strconv"
	"strings"
	"time"
)

const (
	// maxWait is the longest delay requested by a server that is waited for. A longer one
	// ends the run.
	maxWait = 10 * time.Minute
	// maxThrottled is how long a server may answer nothing but 429. It is longer than the
	// minute of limits per minute.
	maxThrottled = 90 * time.Second
	// minThrottledRounds is the number of times that the server must have rejected requests
	// by then, each after the wait that it asked for.
	minThrottledRounds = 3
)

// IsTransient reports whether retrying the same request may succeed.
func IsTransient(err error) bool {
	if IsFatal(err) {
		return false
	}
	if e, ok := errors.AsType[*NetworkError](err); ok {
		return !e.Permanent
	}
	if isA[*TimeoutError](err) {
		return true
	}
	e, ok := errors.AsType[*StatusError](err)
	if !ok {
		return false
	}
	switch e.Status {
	case http.StatusRequestTimeout, http.StatusTooEarly:
		return true
	case http.StatusTooManyRequests:
		return !isQuotaSpent(e)
	case http.StatusNotImplemented, http.StatusHTTPVersionNotSupported:
		return false
	}
	return e.Status >= 500
}

// retryAfter returns the delay that the server requests in Retry-After-Ms, in Retry-After, as
// seconds or a date, or in the error message of a 429. requested is false if there is none.
func retryAfter(e *StatusError, now time.Time) (wait time.Duration, requested bool) {
	if ms, err := strconv.ParseFloat(e.header.Get("Retry-After-Ms"), 64); err == nil && ms >= 0 && ms < 1e9 {
		return time.Duration(ms * float64(time.Millisecond)), true
	}
	if v := e.header.Get("Retry-After"); v != "" {
		if d, ok := parseDelay(v); ok {
			return d, true
		}
		if at, err := http.ParseTime(v); err == nil {
			return max(0, at.Sub(now)), true
		}
	}
	if m := delayInMessage.FindStringSubmatch(e.Message + " " + e.body); m != nil && e.Status == http.StatusTooManyRequests {
		return parseDelay(strings.TrimSuffix(m[1], " second"))
	}
	return 0, false
}

// delayInMessage matches the delays in error messages of OpenAI, Groq and Gemini
// ("try again in 6m0.5s", "retryDelay": "26s"), and of Azure and GitHub ("retry after
// 9 seconds", "wait 40 seconds").
var delayInMessage = regexp.MustCompile(`(?i)(?:try again in|retry in|retryDelay": ?"|retry after|please wait) ?((?:[\d.]+(?:h|ms|m|s))+|\d+ second)`)

// parseDelay parses a duration or a number of seconds.
func parseDelay(v string) (time.Duration, bool) {
	if n, err := strconv.ParseFloat(strings.TrimSpace(v), 64); err == nil {
		if !(n >= 0 && n < 1e9) { // also rejects NaN
			return 0, false
		}
		return time.Duration(n * float64(time.Second)), true
	}
	d, err := time.ParseDuration(v)
	return max(0, d), err == nil
}

// spentQuota matches errors about quotas that last for days and about credit. The
// servers are, in this order: OpenAI, DeepSeek and Moonshot; Moonshot; Groq, Bedrock,
// Gemini ("PerDay" in a quotaId), OpenRouter ("free-models-per-day") and Cohere
// ("/ month"); Cloudflare and others; Anthropic; Together and OpenRouter; OpenAI;
// Anthropic; GitHub.
var spentQuota = regexp.MustCompile(`(?i)insufficient[ _-](?:quota|balance|funds|credits?)` +
	`|exceeded_current_quota` +
	`|per[ _-]?(?:day|week|month)\b|PerDay|PerMonth|/ ?(?:day|month)\b` +
	`|(?:daily|weekly|monthly)[^.]{0,40}(?:quota|limit|allocation|credits?|budget)` +
	`|credit balance is too low` +
	`|out of credits?|no (?:more |remaining )?credits|credit limit exceeded` +
	`|billing_hard_limit_reached|billing hard limit` +
	`|reached your specified api usage limits` +
	`|ByDay`)

// spentCredit matches the beginning of messages with which Anthropic and OpenAI reject
// requests with status 400 if there is no credit left. Other messages with that status may
// quote the request, and thereby any text.
var spentCredit = regexp.MustCompile(`(?i)^(?:your credit balance is too low|you have reached your specified api usage limits|billing hard limit)`)

// isQuotaSpent reports whether e means that a quota of days or a credit is used up,
// so that waiting for minutes does not help.
func isQuotaSpent(e *StatusError) bool {
	switch e.Status {
	case http.StatusPaymentRequired:
		return true
	case http.StatusTooManyRequests:
		return spentQuota.MatchString(e.Code + " " + e.Message + " " + e.body)
	case http.StatusBadRequest:
		return spentCredit.MatchString(e.Message)
	}
	return false
}

// limitAndRequested matches the numbers in OpenAI's and Groq's rejection of a request
// that alone exceeds the tokens per minute.
var limitAndRequested = regexp.MustCompile(`(?i)\blimit:? ([\d,]+)(?: TPM)?[,.]? (?:used:? [\d,]+[,.]? )?requested:? ([\d,]+)`)

// tooLargeRequest returns the tokens per minute that a rejected request alone exceeds,
// and its own tokens as counted by the server: those of its prompt and usually its
// output token limit.
func tooLargeRequest(e *StatusError) (limit, requested int, ok bool) {
	if e.Status != http.StatusTooManyRequests && e.Status != http.StatusRequestEntityTooLarge {
		return 0, 0, false
	}
	if m := limitAndRequested.FindStringSubmatch(e.Message); m != nil {
		limit, requested = atoi(m[1]), atoi(m[2])
		return limit, requested, requested > limit
	}
	return 0, 0, e.Status == http.StatusTooManyRequests && strings.Contains(strings.ToLower(e.Message), "request too large")
}

// atoi returns the value of digits with commas, or 0 if it is too large.
func atoi(s string) int {
	n, _ := strconv.Atoi(strings.ReplaceAll(s, ",", ""))
	return n
}

// A ThrottledError is a 429 from a server that has answered nothing else for a while.
type ThrottledError struct {
	After time.Duration
	Cause *StatusError
}

func (e *ThrottledError) Error() string {
	return fmt.Sprintf("it has rejected all requests for %v: %v", e.After.Round(time.Second), e.Cause)
}

func (e *ThrottledError) Unwrap() error { return e.Cause }

// permanentRejection returns an error that explains why waiting for the server is
// pointless, or nil.
func permanentRejection(e *StatusError, now time.Time) error {
	if isQuotaSpent(e) {
		return fmt.Errorf("a quota or credit is used up: %w", e)
	}
	if wait, ok := retryAfter(e, now); ok && wait > maxWait {
		return fmt.Errorf("it asks to wait %v: %w", wait.Round(time.Second), e)
	}
	return nil
}
