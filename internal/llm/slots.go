package llm

import (
	"errors"
	"net/http"
	"time"
)

// slots limits the requests in flight to what the server can handle. The limit
// starts at its maximum. It is halved when a request times out or the server is
// overloaded (503, 504 or 529 without a delay), at most once for requests that
// were in flight together. It rises by one after as many replies as it allows
// requests. After as many 429s in a row, one request is sent at a time until
// there is a reply; otherwise 429s only change the rate (rateLimiter).
type slots struct {
	max        int
	limit      int
	lowest     int // lowest limit so far
	inFlight   int
	generation int // number of times that the limit was lowered
	replies    int // since the limit last changed
	rejected   int // 429s since the last reply
}

func newSlots(n int) *slots { return &slots{max: n, limit: n, lowest: n} }

// reached returns the lowest limit so far, or 0 if it was never lowered.
func (s *slots) reached() int {
	if s.lowest == s.max {
		return 0
	}
	return s.lowest
}

// delay returns 0 if a request may be sent.
func (s *slots) delay() time.Duration {
	if s.inFlight == 0 || s.inFlight < s.limit && s.rejected < s.limit {
		return 0
	}
	return untilChange
}

// take starts a request. It returns the generation, which release needs.
func (s *slots) take() (generation int) {
	s.inFlight++
	return s.generation
}

// release ends a request and adapts the limit to its outcome.
func (s *slots) release(generation int, err error, now time.Time) {
	s.inFlight--
	e, ok := errors.AsType[*StatusError](err)
	switch {
	case ok && e.Status == http.StatusTooManyRequests:
		s.rejected++
	case isOverload(err, now):
		if generation == s.generation && s.limit > 1 {
			s.lower()
		}
	case isReply(err):
		s.rejected = 0
		if s.replies++; s.replies >= s.limit && s.limit < s.max {
			s.limit++
			s.replies = 0
		}
	}
}

// lower halves the limit.
func (s *slots) lower() {
	s.limit /= 2
	s.lowest = min(s.lowest, s.limit)
	s.generation++
	s.replies = 0
}

// isOverload reports whether a request failed because the server has too many.
func isOverload(err error, now time.Time) bool {
	if isA[*TimeoutError](err) {
		return true
	}
	e, ok := errors.AsType[*StatusError](err)
	if !ok || e.Status != http.StatusServiceUnavailable && e.Status != http.StatusGatewayTimeout && e.Status != 529 {
		return false
	}
	wait, _ := retryAfter(e, now)
	return wait == 0
}
