package llm

import (
	"errors"
	"net/http"
	"strconv"
	"strings"
	"time"
)

// askedWait is how long a server asks to be left alone: Retry-After in seconds or
// as a date, retry-after-ms, or for a 429 the reset of the limit that is used up
// (x-ratelimit-reset-requests, -tokens, or the plain one), in the forms "1s",
// "6m0s", "59.5", or a moment in Unix time. It is never negative.
func askedWait(err error, now time.Time) (time.Duration, bool) {
	e, ok := errors.AsType[*StatusError](err)
	if !ok || e.header == nil {
		return 0, false
	}
	if ms, err := strconv.ParseFloat(e.header.Get("Retry-After-Ms"), 64); err == nil && ms >= 0 && ms < 1e9 {
		return time.Duration(ms * float64(time.Millisecond)), true
	}
	if v := e.header.Get("Retry-After"); v != "" {
		if d, ok := span(v, now); ok {
			return d, true
		}
		if at, err := http.ParseTime(v); err == nil {
			return max(0, at.Sub(now)), true
		}
	}
	if e.Status != http.StatusTooManyRequests {
		return 0, false
	}
	var all, empty time.Duration
	found, used := false, false
	for _, kind := range []string{"-requests", "-tokens", ""} {
		d, ok := span(e.header.Get("X-Ratelimit-Reset"+kind), now)
		if !ok {
			continue
		}
		all, found = max(all, d), true
		if left := e.header.Get("X-Ratelimit-Remaining" + kind); left == "0" {
			empty, used = max(empty, d), true
		}
	}
	if used {
		return empty, true
	}
	return all, found
}

// span reads a length of time or a moment in Unix seconds or milliseconds.
func span(v string, now time.Time) (time.Duration, bool) {
	v = strings.TrimSpace(v)
	if n, err := strconv.ParseFloat(v, 64); err == nil {
		switch {
		case !(n >= 0 && n < 1e14): // not a number either
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
