package llm

import (
	"context"
	"errors"
	"sync"
)

const (
	// reasoningTokens is the least that a model is given which used up its output
	// tokens for reasoning: at 40 tokens a second it fits the default timeout of a
	// minute.
	reasoningTokens = 2048
	reasoningGrowth = 4       // then it is given this many times as many
	maxReasoning    = 1 << 16 // up to this many
	maxUnmarked     = 1 << 13 // or this, if nothing shows that it is reasoning
)

// A reasoningBudget is what a run has learned of the output tokens that a model
// needs to reason before it answers.
type reasoningBudget struct {
	mu        sync.Mutex
	extra     int           // tokens, on top of what a request needs for the answer
	limit     int           // the server refuses more, or is too slow for them; 0 if not known
	worked    bool          // some answer came after reasoning
	exhausted bool          // some answer did not come with the most tokens either
	answered  bool          // some reply had an answer
	without   int           // replies without, before that
	rambles   bool          // what looks like reasoning without a mark is prose without end
	searching chan struct{} // closed when the call that finds the tokens needed ends; nil for none
}

// A search is one call's part in finding how many output tokens a model needs.
// One call searches at a time; others that need more wait, and use what it found.
type search struct {
	*Reask
	r         *Request // as the caller made it
	holds     bool     // the call is the one that searches
	reasoned  bool     // a reply was truncated in its reasoning, or after it
	truncated error    // of the last try, if this one has more tokens for it
	late      bool     // a try with more tokens has timed out
}

// first is the request with the output tokens that were found to be needed.
func (s *search) first() *Request {
	b := &s.budget
	b.mu.Lock()
	defer b.mu.Unlock()
	if s.Fixed || b.extra == 0 {
		return s.r
	}
	q := *s.r
	q.MaxTokens = max(q.MaxTokens, min(q.MaxTokens+b.extra, s.most(maxReasoning)))
	return &q
}

// most is the largest number of output tokens to ask for; the budget is locked.
func (s *search) most(n int) int {
	n = s.limit(n)
	if l := s.budget.limit; l > 0 {
		n = min(n, l)
	}
	return n
}

// concerns reports whether more output tokens, for reasoning, may help after err,
// or were too many.
func (s *search) concerns(err error) bool {
	if s.truncated != nil {
		_, tooLong := errors.AsType[*ContextLengthError](err)
		_, late := errors.AsType[*TimeoutError](err)
		if tooLong || late || refusesForm(err) {
			return true
		}
	}
	e, cut := errors.AsType[*LengthError](err)
	if !cut {
		return false
	}
	s.reasoned = s.reasoned || e.Reasoning || e.reasoned
	s.budget.mu.Lock()
	defer s.budget.mu.Unlock()
	return e.Reasoning || e.reasoned || e.prose && !s.Fixed && !s.budget.rambles
}

// next is the request that follows q; nil, with the error of the call, for none.
func (s *search) next(ctx context.Context, q *Request, err error) (*Request, error) {
	b := &s.budget
	e, cut := errors.AsType[*LengthError](err)
	if !cut { // the server refuses so many, or takes too long for them
		b.mu.Lock()
		defer b.mu.Unlock()
		before, _ := errors.AsType[*LengthError](s.truncated)
		_, late := errors.AsType[*TimeoutError](err)
		if late && !s.late {
			s.late = true
			return q, nil
		}
		if late || refusesForm(err) {
			b.limit = before.Room
		}
		s.failed(before.Room)
		if late {
			return nil, err
		}
		return nil, s.truncated
	}
	if e.Room < q.MaxTokens { // it grants less, or is not told how many
		b.mu.Lock()
		defer b.mu.Unlock()
		s.failed(q.MaxTokens)
		return nil, err
	}
	if found, waitErr := s.begin(ctx, q); found != nil || waitErr != nil {
		return found, waitErr
	}
	b.mu.Lock()
	defer b.mu.Unlock()
	top := maxReasoning
	if !s.reasoned {
		top = maxUnmarked
	}
	top = s.most(top)
	n := min(max(reasoningGrowth*q.MaxTokens, reasoningTokens), top)
	if b.exhausted {
		n = top
	}
	if n <= q.MaxTokens {
		s.failed(q.MaxTokens)
		return nil, err
	}
	more := *q
	more.MaxTokens = n
	more.Brief = q.Brief || e.reasoned && !e.Reasoning
	s.truncated = err
	return &more, nil
}

// context is that of q. If a request with more tokens than before takes too long,
// so would the usual number of retries.
func (s *search) context(ctx context.Context, q *Request) context.Context {
	if s.truncated == nil && (q.Accept == nil || q.MaxTokens == s.r.MaxTokens) {
		return ctx
	}
	return context.WithValue(ctx, triedOnce{}, true)
}

// triedOnce is the key of a context in which Retry does not repeat a timeout.
type triedOnce struct{}

// begin waits until this call is the one that searches. If another has found
// meanwhile that more tokens than those of q are needed, it returns the request
// with those.
func (s *search) begin(ctx context.Context, q *Request) (*Request, error) {
	b := &s.budget
	for !s.holds && !s.Fixed {
		b.mu.Lock()
		other := b.searching
		if b.exhausted && b.worked {
			other = nil // an odd call like this one needs nobody to wait
		} else if other == nil {
			b.searching, s.holds = make(chan struct{}), true
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
	if found := s.first(); found.MaxTokens > q.MaxTokens {
		s.end()
		return found, nil
	}
	return nil, nil
}

// end lets another call search.
func (s *search) end() {
	if s.holds {
		s.budget.mu.Lock()
		defer s.budget.mu.Unlock()
		close(s.budget.searching)
		s.budget.searching, s.holds = nil, false
	}
}

// succeeded learns from an answer to q, which shows whether the model reasoned.
func (s *search) succeeded(q *Request, reasoned bool) {
	b := &s.budget
	b.mu.Lock()
	defer b.mu.Unlock()
	if q.MaxTokens <= s.r.MaxTokens || !s.reasoned && !reasoned {
		return
	}
	b.extra, b.worked = max(b.extra, q.MaxTokens-s.r.MaxTokens), true
}

// answer notes that a reply had an answer.
func (s *search) answer() {
	s.budget.mu.Lock()
	defer s.budget.mu.Unlock()
	s.budget.answered = true
}

// unanswered notes a reply without an answer, and reports whether it is of no use
// to ask for it again: the first few of the run had none either.
func (s *search) unanswered() bool {
	const few = 6
	b := &s.budget
	b.mu.Lock()
	defer b.mu.Unlock()
	b.without++
	return !s.Fixed && !b.answered && b.without > few
}

// failed learns from a call that got no answer with n output tokens. If none has
// come at all, the others start there: what is less is of no use. The budget is
// locked.
func (s *search) failed(n int) {
	b := &s.budget
	if !s.reasoned {
		b.rambles = true
		return
	}
	b.exhausted = true
	if !b.worked {
		b.extra = max(b.extra, n)
	}
}
