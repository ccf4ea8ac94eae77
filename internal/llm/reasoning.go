package llm

import (
	"context"
	"errors"
	"sync"
)

const (
	// minReasoning is the limit of output tokens after a model has used up all of them
	// for reasoning. At 40 tokens a second it fits the default timeout of a minute.
	minReasoning    = 2048
	reasoningGrowth = 4       // factor of each further increase
	maxReasoning    = 1 << 16 // largest limit
	maxUntagged     = 1 << 13 // largest limit if nothing shows that the model reasons
)

// A reasoningBudget is what a run has learned about the output tokens that a model
// needs to reason before it answers.
type reasoningBudget struct {
	mu         sync.Mutex
	extra      int           // tokens needed on top of those for the answer
	limit      int           // the server rejects more, or is too slow for them; 0 if unknown
	succeeded  bool          // some answer came after reasoning
	exhausted  bool          // some reply had no answer even with the largest limit
	answered   bool          // some reply had an answer
	unanswered int           // replies without one
	runaway    bool          // untagged text before an answer is not reasoning but runaway generation
	searching  chan struct{} // closed when the call that searches for the limit ends; nil if none does
}

// A tokenSearch is the part of one call in finding the limit of output tokens that
// the model needs. One call searches at a time; others that need more tokens wait for
// its result.
type tokenSearch struct {
	*ReplyRetry
	request      *Request // as the caller made it
	searching    bool     // this call is the one that searches
	sawReasoning bool     // a reply was truncated during or after its reasoning
	truncated    error    // of the previous attempt, if the current one has more tokens for that reason
	timedOut     bool     // an attempt with more tokens has timed out
}

// firstRequest returns the request with the limit of output tokens learned so far.
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

// ceiling returns the largest limit to send, at most n unless the user set it. The
// budget must be locked.
func (s *tokenSearch) ceiling(n int) int {
	n = s.limitOr(n)
	if l := s.budget.limit; l > 0 {
		n = min(n, l)
	}
	return n
}

// shouldContinue reports whether err shows that the model needs more output tokens for
// reasoning, or that the last increase was too large.
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

// next returns the request to send after r failed with err, or nil and the error of
// the call.
func (s *tokenSearch) next(ctx context.Context, r *Request, err error) (*Request, error) {
	b := &s.budget
	e, truncated := errors.AsType[*LengthError](err)
	if !truncated { // the server rejects the larger limit, or takes too long with it
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
	if e.Limit < r.MaxTokens { // the server grants less, or does not take a limit
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

// context returns the context for sending r. If r has more tokens than before and
// times out, the usual number of retries would take too long.
func (s *tokenSearch) context(ctx context.Context, r *Request) context.Context {
	if s.truncated == nil && (r.Accept == nil || r.MaxTokens == s.request.MaxTokens) {
		return ctx
	}
	return context.WithValue(ctx, noTimeoutRetryKey{}, true)
}

// acquire waits until this call may search. If another call has found meanwhile that
// more tokens are needed than r has, it returns the request with those.
func (s *tokenSearch) acquire(ctx context.Context, r *Request) (*Request, error) {
	b := &s.budget
	for !s.searching && !s.Deterministic {
		b.mu.Lock()
		other := b.searching
		if b.exhausted && b.succeeded {
			other = nil // exceptional replies like this one need not wait for each other
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

// recordLimit learns from the limit of r, which was sufficient. reasoned reports
// whether the reply had reasoning.
func (s *tokenSearch) recordLimit(r *Request, replyReasoned bool) {
	b := &s.budget
	b.mu.Lock()
	defer b.mu.Unlock()
	if r.MaxTokens <= s.request.MaxTokens || !s.sawReasoning && !replyReasoned {
		return
	}
	b.extra, b.succeeded = max(b.extra, r.MaxTokens-s.request.MaxTokens), true
}

// recordAnswer notes that a reply had an answer.
func (s *tokenSearch) recordAnswer() {
	s.budget.mu.Lock()
	defer s.budget.mu.Unlock()
	s.budget.answered = true
}

// recordNoAnswer notes a reply without an answer. It reports whether repeating the
// request is pointless, because the first replies of the run had no answer either.
func (s *tokenSearch) recordNoAnswer() bool {
	const maxUnanswered = 6
	b := &s.budget
	b.mu.Lock()
	defer b.mu.Unlock()
	b.unanswered++
	return !s.Deterministic && !b.answered && b.unanswered > maxUnanswered
}

// recordFailure learns from a call that got no answer with a limit of n tokens. If no
// call has ever got one, the others start with that limit, since a smaller one is
// useless. The budget must be locked.
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
