package llm

import (
	"cmp"
	"context"
	"errors"
	"net/http"
	"time"
)

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

// A breaker ends a run whose server is down or rejects all requests, instead of
// letting every row fail separately. Once open, it stays open: every request ends with the
// same *DownError. It opens at once after a rejected key (401, 403, 407), an
// unknown model or path (404, 405), a redirect or a
// rejected certificate, and if a quota or credit is used up, the server asks to
// wait longer than maxWait, or rateLimiter returns a *ThrottledError. A response that
// does not come from an API counts as a lost connection. A timeout does not count if
// other requests were answered in the meantime: the request may have waited in the
// server's queue.
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
	case weight < 0:
		return
	case weight == 0:
		b.weight, b.responded = 0, true
		b.responses++
		return
	default:
		if b.weight == 0 {
			b.firstFailure = now
		}
		b.weight += weight
		if b.weight < openThreshold || b.responded && now.Sub(b.firstFailure) < restartGracePeriod {
			return
		}
	}
	b.downErr = &DownError{Cause: err}
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
