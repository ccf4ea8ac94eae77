package llm

import (
	"errors"
	"net/http"
	"regexp"
	"strconv"
	"strings"
	"time"
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
