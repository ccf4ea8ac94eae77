package llm

import (
	"cmp"
	"context"
	"errors"
	"sync"

	"github.com/ragfaith/ragfaith/internal/usage"
)

// maxAnswerTokens is the largest output token limit for replies without
// reasoning.
const maxAnswerTokens = 1 << 14

// A ReplyRetry retries requests whose reply was unusable. After an unparsable
// reply it retries once with an error message. After a truncated reply it
// retries once with twice the output tokens and bounded strings. If reasoning
// used up the output tokens, it raises the limit step by step. It does not retry after
// several unparsable replies and no usable one in the run. An error carries
// the usage of all attempts. Free text that Request.Accept rejects is not
// retried.
type ReplyRetry struct {
	Next            Completer
	MaxOutputTokens int // 0 means 16384, or 65536 with reasoning
	// Allowance is the number of output tokens that every request allows for reasoning, in
	// addition to those for the answer. It is raised as needed.
	Allowance int
	// Deterministic makes retries depend only on the request and its replies, not on the
	// results of other calls. Every pass of a batch then sends the same requests.
	Deterministic bool

	budget reasoningBudget
}

// Complete implements Completer. It returns the error of the last attempt.
func (p *ReplyRetry) Complete(ctx context.Context, r *Request) (*Reply, error) {
	search := &tokenSearch{ReplyRetry: p, request: r}
	var used usage.Usage
	retried := false
	for r := search.firstRequest(); ; {
		reply, err := p.Next.Complete(ctx, r)
		if err == nil {
			search.recordReply(r)
			out := *reply
			out.Usage = used.Add(reply.Usage)
			return &out, nil
		}
		used = used.Add(UsageOf(err))
		var next *Request
		if search.shouldContinue(err) {
			next, err = search.next(r, err)
		} else if !retried {
			retried = true
			next = p.retryRequest(r, err)
		}
		if isA[*ParseError](err) {
			search.recordLimit(r)
			if search.recordNoAnswer() {
				next = nil
			}
		}
		if next == nil {
			return nil, withUsage(err, used)
		}
		r = next
	}
}

// retryRequest returns the request to send after r failed with err, or nil.
func (p *ReplyRetry) retryRequest(r *Request, err error) *Request {
	next := *r
	if isA[*LengthError](err) {
		limit := cmp.Or(p.MaxOutputTokens, maxAnswerTokens)
		used := max(r.MaxTokens, UsageOf(err).CompletionTokens)
		next.MaxTokens, next.Bounded = min(2*used, limit), true
		if r.Accept != nil { // a one-word reply is truncated only if reasoning precedes it
			next.MaxTokens = max(next.MaxTokens, min(minReasoning, limit))
		}
		if next.MaxTokens <= r.MaxTokens || used == 0 {
			return nil
		}
		return &next
	}
	if e, ok := errors.AsType[*ParseError](err); ok && r.Accept == nil {
		// Extend the system message so that the texts to judge stay last. Leave out the
		// reply because it may quote them.
		next.Messages = withSystem(r.Messages, "Your last reply could not be used: "+truncateText(e.Reason, 200)+
			". Reply with the JSON that is asked for, complete, and with nothing else.")
		return &next
	}
	return nil
}

const (
	// minReasoning is the first output token limit to try after reasoning used up the
	// original one. At 40 tokens per second it fits the default timeout of a minute.
	minReasoning    = 2048
	reasoningGrowth = 4       // factor between consecutive limits
	maxUntagged     = 1 << 15 // largest limit if there is no sign of reasoning

	allowanceFactor = 8    // first allowance of a known model, as a multiple of its typical reasoning
	minAllowance    = 4096 // smallest allowance of a known model
)

// A reasoningBudget records how many output tokens a model needs to reason
// before it answers, as observed during a run.
type reasoningBudget struct {
	mu         sync.Mutex
	extra      int  // tokens needed in addition to those for the answer, found by searching
	limit      int  // larger limits are rejected; 0 if unknown
	succeeded  bool // some reply had an answer after reasoning
	answered   bool // some reply had an answer
	unanswered int  // replies without one
	failedRows int  // rows that failed because of that
	runaway    bool // untagged text is runaway generation, not reasoning
}

// A tokenSearch finds the output token limit that the model needs, as part of
// one call.
type tokenSearch struct {
	*ReplyRetry
	request      *Request // the caller's request
	sawReasoning bool     // a truncated reply contained reasoning
	truncated    error    // error of the attempt before the last increase, if any
}

// firstRequest returns the request with the output token limit learned so far.
func (s *tokenSearch) firstRequest() *Request {
	b := &s.budget
	b.mu.Lock()
	defer b.mu.Unlock()
	allowance := s.Allowance
	if !s.Deterministic {
		allowance = max(allowance, b.extra)
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
func (s *tokenSearch) reasons() bool { return s.Allowance > 0 || s.budget.succeeded }

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
	if found := s.firstRequest(); truncated && e.Limit >= r.MaxTokens && found.MaxTokens > r.MaxTokens {
		return found, nil // another call has meanwhile found a larger limit
	}
	b.mu.Lock()
	defer b.mu.Unlock()
	if !truncated { // the larger limit was rejected or timed out
		previous, _ := errors.AsType[*LengthError](s.truncated)
		if isFormRejection(err) {
			b.limit = previous.Limit
		}
		s.recordFailure(previous.Limit)
		if isA[*TimeoutError](err) {
			return nil, err
		}
		return nil, s.truncated
	}
	ceiling := maxReasoning
	if !s.sawReasoning {
		ceiling = maxUntagged
	}
	n := min(max(reasoningGrowth*r.MaxTokens, minReasoning), s.ceiling(ceiling))
	if n <= r.MaxTokens || e.Limit < r.MaxTokens { // the server ignores or lowers the limit
		s.recordFailure(r.MaxTokens)
		return nil, err
	}
	larger := *r
	larger.MaxTokens, larger.reasons = n, s.sawReasoning
	larger.Bounded = r.Bounded || e.hasReasoning && !e.Reasoning
	// A retry after a timeout would take too long.
	larger.timeoutIsFinal = true
	s.truncated = err
	return &larger, nil
}

// recordReply records a reply to r.
func (s *tokenSearch) recordReply(r *Request) {
	s.budget.mu.Lock()
	s.budget.answered = true
	s.budget.mu.Unlock()
	s.recordLimit(r)
}

// recordLimit records that the limit of r was sufficient for reasoning.
func (s *tokenSearch) recordLimit(r *Request) {
	b := &s.budget
	b.mu.Lock()
	defer b.mu.Unlock()
	if r.MaxTokens > s.request.MaxTokens && s.sawReasoning {
		b.succeeded, b.extra = true, max(b.extra, r.MaxTokens-s.request.MaxTokens)
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
