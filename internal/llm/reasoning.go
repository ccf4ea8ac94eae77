package llm

import (
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
	maxUntagged     = 1 << 13 // largest limit if there is no sign of reasoning
)

// A reasoningBudget records how many output tokens a model needs to reason
// before it answers, as observed during a run.
type reasoningBudget struct {
	mu         sync.Mutex
	extra      int           // tokens needed in addition to those for the answer
	limit      int           // larger limits are rejected or time out; 0 if unknown
	succeeded  bool          // some reply had an answer after reasoning
	exhausted  bool          // some reply had no answer even with the largest limit
	answered   bool          // some reply had an answer
	unanswered int           // replies without one
	runaway    bool          // untagged text is runaway generation, not reasoning
	searching  chan struct{} // closed when the searching call ends; nil if no call is searching
}

// A tokenSearch finds the output token limit that the model needs, as part of
// one call. One call searches at a time; others that need more tokens wait for
// its result.
type tokenSearch struct {
	*ReplyRetry
	request      *Request // the caller's request
	searching    bool     // this call is searching
	sawReasoning bool     // a truncated reply contained reasoning
	truncated    error    // error of the attempt before the last increase, if any
	timedOut     bool     // an attempt with an increased limit timed out
}

// firstRequest returns the request with the output token limit learned so far.
func (s *tokenSearch) firstRequest() *Request {
	b := &s.budget
	b.mu.Lock()
	defer b.mu.Unlock()
	if s.Deterministic || b.extra == 0 {
		return s.request
	}
	r := *s.request
	r.MaxTokens = max(r.MaxTokens, min(r.MaxTokens+b.extra, s.ceiling(maxReasoning)))
	return &r
}

// ceiling returns the largest limit to send: at most n, unless the user set
// one. The budget must be locked.
func (s *tokenSearch) ceiling(n int) int {
	n = s.limitOr(n)
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
	return e.Reasoning || e.hasReasoning || e.isProse && !s.Deterministic && !s.budget.runaway
}

// next returns the request to send after r failed with err. If the search has
// ended, it returns nil and the error of the call.
func (s *tokenSearch) next(ctx context.Context, r *Request, err error) (*Request, error) {
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
	if found, waitErr := s.acquire(ctx, r); found != nil || waitErr != nil {
		return found, waitErr
	}
	b.mu.Lock()
	defer b.mu.Unlock()
	ceiling := maxReasoning
	if !s.sawReasoning {
		ceiling = maxUntagged
	}
	ceiling = s.ceiling(ceiling)
	n := min(max(reasoningGrowth*r.MaxTokens, minReasoning), ceiling)
	if b.exhausted {
		n = ceiling
	}
	if n <= r.MaxTokens {
		s.recordFailure(r.MaxTokens)
		return nil, err
	}
	larger := *r
	larger.MaxTokens = n
	larger.Bounded = r.Bounded || e.hasReasoning && !e.Reasoning
	s.truncated = err
	return &larger, nil
}

// context returns the context for sending r. It disables retries of timeouts
// for requests with an increased limit, which would take too long.
func (s *tokenSearch) context(ctx context.Context, r *Request) context.Context {
	if s.truncated == nil && (r.Accept == nil || r.MaxTokens == s.request.MaxTokens) {
		return ctx
	}
	return context.WithValue(ctx, noTimeoutRetryKey{}, true)
}

// acquire waits until this call may search. If another call has meanwhile found
// a limit larger than that of r, acquire returns a request with that limit.
func (s *tokenSearch) acquire(ctx context.Context, r *Request) (*Request, error) {
	b := &s.budget
	for !s.searching && !s.Deterministic {
		b.mu.Lock()
		other := b.searching
		if b.exhausted && b.succeeded {
			other = nil // this reply is exceptional, so there is nothing to wait for
		} else if other == nil {
			b.searching, s.searching = make(chan struct{}), true
		}
		b.mu.Unlock()
		if other == nil {
			break
		}
		select {
		case <-other:
		case <-ctx.Done():
			return nil, ctx.Err()
		}
	}
	if found := s.firstRequest(); found.MaxTokens > r.MaxTokens {
		s.release()
		return found, nil
	}
	return nil, nil
}

// release lets another call search.
func (s *tokenSearch) release() {
	if s.searching {
		s.budget.mu.Lock()
		defer s.budget.mu.Unlock()
		close(s.budget.searching)
		s.budget.searching, s.searching = nil, false
	}
}

// recordLimit records that the limit of r was sufficient. replyReasoned is set
// if the reply contained reasoning.
func (s *tokenSearch) recordLimit(r *Request, replyReasoned bool) {
	b := &s.budget
	b.mu.Lock()
	defer b.mu.Unlock()
	if r.MaxTokens <= s.request.MaxTokens || !s.sawReasoning && !replyReasoned {
		return
	}
	b.extra, b.succeeded = max(b.extra, r.MaxTokens-s.request.MaxTokens), true
}

// recordAnswer records that a reply contained an answer.
func (s *tokenSearch) recordAnswer() {
	s.budget.mu.Lock()
	defer s.budget.mu.Unlock()
	s.budget.answered = true
}

// recordNoAnswer records a reply without an answer. It reports whether retries
// are pointless because no reply of the run has contained one.
func (s *tokenSearch) recordNoAnswer() bool {
	const maxUnanswered = 6
	b := &s.budget
	b.mu.Lock()
	defer b.mu.Unlock()
	b.unanswered++
	return !s.Deterministic && !b.answered && b.unanswered > maxUnanswered
}

// recordFailure records that a call got no answer with an output token limit of
// limit. If no call has got one, later calls start with this limit because
// smaller ones are useless. The budget must be locked.
func (s *tokenSearch) recordFailure(limit int) {
	b := &s.budget
	if !s.sawReasoning {
		b.runaway = true
		return
	}
	b.exhausted = true
	if !b.succeeded {
		b.extra = max(b.extra, limit)
	}
}
