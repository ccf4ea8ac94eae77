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

// retryAfter returns the delay that the server requests. It reads
// Retry-After-Ms and Retry-After in seconds or as a date. For a 429 it also
// reads the delay in the error message, and otherwise the reset time of the
// exhausted limit from x-ratelimit-reset-requests, -tokens, or without a suffix,
// written as "1s", "6m0s", "59.5" or a Unix time. A reset time is when a limit is
// fully replenished, so it is not explicit and at most a minute. The delay is
// never negative, and 0 if there is none.
func retryAfter(e *StatusError, now time.Time) (wait time.Duration, explicit bool) {
	if at, err := http.ParseTime(e.header.Get("Date")); err == nil {
		now = at // the clocks may differ
	}
	if ms, err := strconv.ParseFloat(e.header.Get("Retry-After-Ms"), 64); err == nil && ms >= 0 && ms < 1e9 {
		return time.Duration(ms * float64(time.Millisecond)), true
	}
	if v := e.header.Get("Retry-After"); v != "" {
		if d, ok := parseDelay(v, now); ok {
			return d, true
		}
		if at, err := http.ParseTime(v); err == nil {
			return max(0, at.Sub(now)), true
		}
	}
	if e.Status != http.StatusTooManyRequests {
		return 0, false
	}
	if m := delayInMessage.FindStringSubmatch(e.Message + " " + e.body); m != nil {
		if d, ok := parseDelay(strings.TrimSuffix(m[1], " second"), now); ok {
			return d, true
		}
	}
	return min(resetDelay(e.header, now), time.Minute), false
}

// delayInMessage matches the delays in error messages of OpenAI, Groq and Gemini
// ("try again in 6m0.5s", "retryDelay": "26s"), and of Azure and GitHub ("retry after
// 9 seconds", "wait 40 seconds").
var delayInMessage = regexp.MustCompile(`(?i)(?:try again in|retry in|retryDelay": ?"|retry after|please wait) ?((?:[\d.]+(?:h|ms|m|s))+|\d+ second)`)

// resetDelay returns the longest reset time of the exhausted limits, or of all
// limits if none is marked as exhausted.
func resetDelay(h http.Header, now time.Time) time.Duration {
	var longest, exhausted time.Duration
	anyExhausted := false
	for _, suffix := range []string{"-requests", "-tokens", ""} {
		d, ok := parseDelay(h.Get("X-Ratelimit-Reset"+suffix), now)
		if !ok {
			continue
		}
		longest = max(longest, d)
		if h.Get("X-Ratelimit-Remaining"+suffix) == "0" {
			exhausted, anyExhausted = max(exhausted, d), true
		}
	}
	if anyExhausted {
		return exhausted
	}
	return longest
}

// parseDelay parses a duration, a number of seconds, or a Unix time in seconds
// or milliseconds.
func parseDelay(v string, now time.Time) (time.Duration, bool) {
	v = strings.TrimSpace(v)
	if n, err := strconv.ParseFloat(v, 64); err == nil {
		switch {
		case !(n >= 0 && n < 1e14): // also rejects NaN
			return 0, false
		case n > 1e11:
			return max(0, time.UnixMilli(int64(n)).Sub(now)), true
		case n > 1e8:
			return max(0, time.Unix(int64(n), 0).Sub(now)), true
		}
		return time.Duration(n * float64(time.Second)), true
	}
	d, err := time.ParseDuration(v)
	return max(0, d), err == nil
}
