package llm

import (
	"cmp"
	"context"
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

// spentQuota matches errors about quotas that last for days and about credit. The servers are, in
// this order: OpenAI, DeepSeek and Moonshot; Moonshot; Groq, Bedrock, Gemini ("PerDay" in a
// quotaId), OpenRouter ("free-models-per-day") and Cohere ("/ month"); Cloudflare and others;
// Anthropic; Together and OpenRouter; OpenAI; Anthropic; GitHub.
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

// tooLargeRequest returns the tokens per minute that a rejected request alone exceeds, and its own
// tokens as counted by the server: those of its prompt and usually its output token limit.
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

// The breaker sums weights of the failures since the last response and opens at
// openThreshold. A lost connection or timeout weighs connectionFailureWeight and a 5xx
// weighs 1. Four lost connections open the breaker, in less than six seconds with the
// delays of sender. A server that has responded before gets a grace period to restart.
// If it never has, other error responses weigh 1 too.
const (
	connectionFailureWeight = 4
	openThreshold           = 16
	restartGracePeriod      = 5 * time.Second
)

// A breaker ends a run whose server is down or rejects all requests, instead of letting every row
// fail separately. Once open, it stays open: every request ends with the same *DownError. It opens
// at once after a rejected key (401, 403, 407), an unknown model or path (404, 405), a redirect or
// a rejected certificate, and if a quota or credit is used up, the server asks to wait longer than
// maxWait, or rateLimiter returns a *ThrottledError. A response that does not come from an API
// counts as a lost connection. A timeout does not count if other requests were answered in the
// meantime: the request may have waited in the server's queue.
type breaker struct {
	downErr      error // the *DownError that opened it, or nil
	weight       int
	firstFailure time.Time // first failure since the last response
	responded    bool      // whether the server has ever responded
	responses    int       // number of responses
}

// end records the outcome of an attempt, before which there were a number of responses. It
// returns err, or the *DownError if the breaker is open.
func (b *breaker) end(err error, responses int, now time.Time) error {
	if isQueued := isA[*TimeoutError](err) && b.responses > responses; !isQueued && b.downErr == nil {
		b.record(err, now)
	}
	if err == nil {
		return nil
	}
	return cmp.Or(b.downErr, err)
}

// record counts the outcome of an attempt.
func (b *breaker) record(err error, now time.Time) {
	weight, fatal := severity(err)
	if e, ok := errors.AsType[*StatusError](err); ok && !fatal {
		if cause := permanentRejection(e, now); cause != nil {
			err, fatal = cause, true
		}
		if weight == 0 && e.Status != http.StatusTooManyRequests && !b.responded {
			weight = 1
		}
	}
	switch {
	case fatal:
		b.downErr = &DownError{Cause: err}
	case weight == 0:
		b.weight, b.responded = 0, true
		b.responses++
	case weight > 0:
		if b.weight == 0 {
			b.firstFailure = now
		}
		b.weight += weight
		if b.weight >= openThreshold && (!b.responded || now.Sub(b.firstFailure) >= restartGracePeriod) {
			b.downErr = &DownError{Cause: err}
		}
	}
}

// severity returns the weight of an outcome: 0 if the server responded, or
// negative if the error is unrelated to the state of the server.
func severity(err error) (weight int, fatal bool) {
	if e, ok := errors.AsType[*NetworkError](err); ok {
		return connectionFailureWeight, e.Permanent
	}
	if isA[*TimeoutError](err) {
		return connectionFailureWeight, false
	}
	if isA[*BudgetError](err) || errors.Is(err, context.Canceled) || errors.Is(err, context.DeadlineExceeded) {
		return -1, false
	}
	e, ok := errors.AsType[*StatusError](err)
	if !ok {
		return 0, false
	}
	switch e.Status {
	case http.StatusUnauthorized, http.StatusForbidden, http.StatusNotFound, http.StatusMethodNotAllowed, http.StatusProxyAuthRequired:
		return 1, true
	case http.StatusOK:
		return connectionFailureWeight, false
	}
	if e.Status < 400 || isA[*ThrottledError](err) {
		return 1, true
	}
	if e.Status >= http.StatusInternalServerError {
		return 1, false
	}
	return 0, false
}
