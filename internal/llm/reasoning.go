package llm

import (
	"cmp"
	"context"
	"errors"
	"sync"
)

const (
	// minReasoning is the first output token limit to try after reasoning used up the
	// original one. At 40 tokens per second it fits the default timeout of a minute.
	minReasoning    = 2048
	reasoningGrowth = 4       // factor between consecutive limits
	maxReasoning    = 1 << 16 // largest limit
	maxUntagged     = 1 << 15 // largest limit if there is no sign of reasoning

	allowanceFactor = 8    // first allowance of a known model, as a multiple of its typical reasoning
	minAllowance    = 4096 // smallest allowance for reasoning once a model has reasoned
	enough          = 20   // replies after which their peak is trusted
)

// A reasoningBudget records how many output tokens a model needs to reason
// before it answers, as observed during a run.
type reasoningBudget struct {
	mu         sync.Mutex
	replies    int           // number of replies
	peak       int           // most reasoning tokens of a reply
	first      chan struct{} // closed once the first reply shows whether the model reasons; nil before the first call
	extra      int           // tokens needed in addition to those for the answer, found by searching
	limit      int           // larger limits are rejected or time out; 0 if unknown
	succeeded  bool          // some reply had an answer after reasoning
	answered   bool          // some reply had an answer
	unanswered int           // replies without one
	failedRows int           // rows that failed because of that
	runaway    bool          // untagged text is runaway generation, not reasoning
}

// A tokenSearch finds the output token limit that the model needs, as part of
// one call.
type tokenSearch struct {
	*ReplyRetry
	request      *Request // the caller's request
	leading      bool     // this call is the first one, and others wait for it
	sawReasoning bool     // a truncated reply contained reasoning
	truncated    error    // error of the attempt before the last increase, if any
	timedOut     bool     // an attempt with an increased limit timed out
}

// awaitFirstReply makes the first call of a run the leading one if nothing is
// known about the model. Later calls wait until its reply shows how many tokens
// the model needs, so that not all rows in flight pay for a truncated reply.
func (s *tokenSearch) awaitFirstReply(ctx context.Context) error {
	b := &s.budget
	b.mu.Lock()
	first := b.first
	wait := s.Probe && !s.Deterministic
	if wait && first == nil {
		b.first, s.leading = make(chan struct{}), true
	}
	b.mu.Unlock()
	if !wait || s.leading {
		return nil
	}
	select {
	case <-first:
		return nil
	case <-ctx.Done():
		return ctx.Err()
	}
}

// allowance returns the output tokens to allow for reasoning. Lengths vary, so it is a
// multiple of the peak, and larger while few replies are known.
func (b *reasoningBudget) allowance() int {
	if b.peak == 0 {
		return 0
	}
	factor := 2
	if b.replies < enough {
		factor = 4
	}
	return min(max(factor*b.peak, minAllowance), maxReasoning)
}

// stopLeading lets the calls that wait for the first reply continue.
func (s *tokenSearch) stopLeading() {
	if s.leading {
		s.leading = false
		close(s.budget.first)
	}
}

// firstRequest returns the request with the output token limit learned so far.
func (s *tokenSearch) firstRequest() *Request {
	b := &s.budget
	b.mu.Lock()
	defer b.mu.Unlock()
	allowance := s.Allowance
	if !s.Deterministic {
		if b.replies >= enough && allowance > 0 {
			allowance = minAllowance
		}
		allowance = max(allowance, b.allowance(), b.extra)
	}
	n := s.request.MaxTokens
	n = max(n, min(n+allowance, s.ceiling(maxReasoning)))
	n = min(n, cmp.Or(s.MaxOutputTokens, n))
	if n == s.request.MaxTokens {
		return s.request
	}
	r := *s.request
	r.MaxTokens, r.reasons = n, s.reasons()
	return &r
}

// reasons reports whether the model is known to reason. The budget must be
// locked.
func (s *tokenSearch) reasons() bool {
	return s.Allowance > 0 || s.budget.succeeded || s.budget.peak > 0
}

// ceiling returns the largest limit to send: at most n, unless the user set
// one. The budget must be locked.
func (s *tokenSearch) ceiling(n int) int {
	n = cmp.Or(s.MaxOutputTokens, n)
	if l := s.budget.limit; l > 0 {
		n = min(n, l)
	}
	return n
}

// shouldContinue reports whether err shows that the model needs more output
// tokens for reasoning, or that the last increase was too large.
func (s *tokenSearch) shouldContinue(err error) bool {
	if s.truncated != nil && (isA[*ContextLengthError](err) || isA[*TimeoutError](err) || isFormRejection(err)) {
		return true
	}
	e, truncated := errors.AsType[*LengthError](err)
	if !truncated {
		return false
	}
	s.sawReasoning = s.sawReasoning || e.Reasoning || e.hasReasoning
	s.budget.mu.Lock()
	defer s.budget.mu.Unlock()
	s.sawReasoning = s.sawReasoning || e.isProse && s.reasons()
	return e.Reasoning || e.hasReasoning || e.isProse && !s.Deterministic && !s.budget.runaway
}

// next returns the request to send after r failed with err. If the search has
// ended, it returns nil and the error of the call.
func (s *tokenSearch) next(r *Request, err error) (*Request, error) {
	b := &s.budget
	e, truncated := errors.AsType[*LengthError](err)
	if !truncated { // the larger limit was rejected or timed out
		b.mu.Lock()
		defer b.mu.Unlock()
		previous, _ := errors.AsType[*LengthError](s.truncated)
		timeout := isA[*TimeoutError](err)
		if timeout && !s.timedOut {
			s.timedOut = true
			return r, nil
		}
		if timeout || isFormRejection(err) {
			b.limit = previous.Limit
		}
		s.recordFailure(previous.Limit)
		if timeout {
			return nil, err
		}
		return nil, s.truncated
	}
	if e.Limit < r.MaxTokens { // the server ignores or lowers the limit
		b.mu.Lock()
		defer b.mu.Unlock()
		s.recordFailure(r.MaxTokens)
		return nil, err
	}
	if found := s.firstRequest(); found.MaxTokens > r.MaxTokens {
		return found, nil // another call has meanwhile found a larger limit
	}
	b.mu.Lock()
	defer b.mu.Unlock()
	ceiling := maxReasoning
	if !s.sawReasoning {
		ceiling = maxUntagged
	}
	ceiling = s.ceiling(ceiling)
	n := min(max(reasoningGrowth*r.MaxTokens, minReasoning), ceiling)
	if n <= r.MaxTokens {
		s.recordFailure(r.MaxTokens)
		return nil, err
	}
	larger := *r
	larger.MaxTokens, larger.reasons = n, s.sawReasoning
	larger.Bounded = r.Bounded || e.hasReasoning && !e.Reasoning
	s.truncated = err
	return &larger, nil
}

// prepare returns r as it is to be sent. A timeout with an increased limit is not retried,
// which would take too long. If the first attempt of the leading call fails, other calls
// stop waiting for it.
func (s *tokenSearch) prepare(r *Request) *Request {
	out := *r
	if s.leading {
		out.onRetry = s.stopLeading
	}
	out.timeoutIsFinal = s.truncated != nil || r.Accept != nil && r.MaxTokens > s.request.MaxTokens
	return &out
}

// recordReply records a reply to r, which used the given number of tokens to reason.
func (s *tokenSearch) recordReply(r *Request, reasoning int) {
	b := &s.budget
	b.mu.Lock()
	b.answered = true
	b.replies, b.peak = b.replies+1, max(b.peak, min(reasoning, maxReasoning))
	b.mu.Unlock()
	s.recordLimit(r, reasoning)
}

// recordLimit records that the limit of r was sufficient, which only matters if
// the model reasoned for an unknown number of tokens.
func (s *tokenSearch) recordLimit(r *Request, reasoning int) {
	b := &s.budget
	b.mu.Lock()
	defer b.mu.Unlock()
	if r.MaxTokens <= s.request.MaxTokens || !s.sawReasoning && reasoning == 0 {
		return
	}
	if b.succeeded = true; reasoning == 0 {
		b.extra = max(b.extra, r.MaxTokens-s.request.MaxTokens)
	}
}

// maxUnanswered is the number of unreadable replies after which a run that has got no
// other reply stops retrying them.
const maxUnanswered = 6

// recordNoAnswer records a reply without an answer. It reports whether retries
// are pointless because no reply of the run has contained one.
func (s *tokenSearch) recordNoAnswer() bool {
	b := &s.budget
	b.mu.Lock()
	defer b.mu.Unlock()
	b.unanswered++
	return !s.Deterministic && !b.answered && b.unanswered > maxUnanswered
}

// failRow records that a row failed because of its replies. It returns the number of such
// rows, or 0 if some reply had an answer.
func (b *reasoningBudget) failRow() int {
	b.mu.Lock()
	defer b.mu.Unlock()
	if b.answered {
		return 0
	}
	b.failedRows++
	return b.failedRows
}

// recordFailure records that a call got no answer at an output token limit of limit. If no
// call has got one, later calls start with this limit because smaller ones are useless.
// The budget must be locked.
func (s *tokenSearch) recordFailure(limit int) {
	b := &s.budget
	switch {
	case !s.sawReasoning:
		b.runaway = true
	case !b.succeeded:
		b.extra = max(b.extra, limit)
	}
}
