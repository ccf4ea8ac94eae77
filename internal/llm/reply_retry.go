package llm

import (
	"cmp"
	"context"
	"errors"
	"sync"

	"github.com/ragfaith/ragfaith/internal/usage"
)

// maxAnswerTokens is the largest output token limit for replies without reasoning.
const maxAnswerTokens = 1 << 14

// A ReplyRetry retries requests whose reply was unusable. After an unparsable reply it retries once
// with an error message. After a truncated reply it retries once with twice the output tokens and
// bounded strings. If reasoning used up the output tokens, it raises the limit step by step. It
// does not retry after several unparsable replies and no usable one in the run. An error carries
// the usage of all attempts. Free text that Request.Accept rejects is not retried.
type ReplyRetry struct {
	Next            Completer
	MaxOutputTokens int // 0 means 16384, or 65536 with reasoning
	// Allowance is the number of output tokens that every request allows for reasoning, in
	// addition to those for the answer. It is raised as needed.
	Allowance int
	// Deterministic makes retries depend only on the request and its replies, not on the
	// results of other calls. Every pass of a batch then sends the same requests.
	Deterministic bool

	mu         sync.Mutex
	extra      int  // tokens needed in addition to those for the answer, found by searching
	limit      int  // larger limits are rejected; 0 if unknown
	succeeded  bool // some reply had an answer after reasoning
	answered   bool // some reply had an answer
	unanswered int  // replies without one
	failedRows int  // rows that failed because of that
	runaway    bool // untagged text is runaway generation, not reasoning
}

// Complete implements Completer. It returns the error of the last attempt.
func (p *ReplyRetry) Complete(ctx context.Context, r *Request) (*Reply, error) {
	search := &tokenSearch{ReplyRetry: p, request: r}
	var used usage.Usage
	retried := false
	for r := search.firstRequest(); ; {
		reply, err := p.Next.Complete(ctx, r)
		if err == nil {
			search.record(r, true)
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
		if isA[*ParseError](err) && search.record(r, false) {
			next = nil
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

// A tokenSearch finds the output token limit that the model needs, as part of one call.
type tokenSearch struct {
	*ReplyRetry
	request      *Request // the caller's request
	sawReasoning bool     // a truncated reply contained reasoning
	truncated    error    // error of the attempt before the last increase, if any
}

// firstRequest returns the request with the output token limit learned so far.
func (s *tokenSearch) firstRequest() *Request {
	s.mu.Lock()
	defer s.mu.Unlock()
	allowance := s.Allowance
	if !s.Deterministic {
		allowance = max(allowance, s.extra)
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

// reasons reports whether the model is known to reason. s.mu must be held.
func (s *tokenSearch) reasons() bool { return s.Allowance > 0 || s.succeeded }

// ceiling returns the largest limit to send: at most n, unless the user set one. s.mu must be held.
func (s *tokenSearch) ceiling(n int) int {
	n = cmp.Or(s.MaxOutputTokens, n)
	if l := s.limit; l > 0 {
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
	s.mu.Lock()
	defer s.mu.Unlock()
	s.sawReasoning = s.sawReasoning || e.isProse && s.reasons()
	return e.Reasoning || e.hasReasoning || e.isProse && !s.Deterministic && !s.runaway
}

// next returns the request to send after r failed with err. If the search has
// ended, it returns nil and the error of the call.
func (s *tokenSearch) next(r *Request, err error) (*Request, error) {
	e, truncated := errors.AsType[*LengthError](err)
	if found := s.firstRequest(); truncated && e.Limit >= r.MaxTokens && found.MaxTokens > r.MaxTokens {
		return found, nil // another call has meanwhile found a larger limit
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	if !truncated { // the larger limit was rejected or timed out
		previous, _ := errors.AsType[*LengthError](s.truncated)
		if isFormRejection(err) {
			s.limit = previous.Limit
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

// maxUnanswered is the number of unreadable replies after which a run that has got no
// other reply stops retrying them.
const maxUnanswered = 6

// record records a reply to r, for whose reasoning the limit was sufficient, and whether it
// has an answer. It reports whether retries are pointless because no reply of the run has one.
func (s *tokenSearch) record(r *Request, answered bool) (pointless bool) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if r.MaxTokens > s.request.MaxTokens && s.sawReasoning {
		s.succeeded, s.extra = true, max(s.extra, r.MaxTokens-s.request.MaxTokens)
	}
	if s.answered = s.answered || answered; !answered {
		s.unanswered++
	}
	return !s.Deterministic && !s.answered && s.unanswered > maxUnanswered
}

// failRow records that a row failed because of its replies. It returns the number of such
// rows, or 0 if some reply had an answer.
func (p *ReplyRetry) failRow() int {
	p.mu.Lock()
	defer p.mu.Unlock()
	if p.answered {
		return 0
	}
	p.failedRows++
	return p.failedRows
}

// recordFailure records that a call got no answer at an output token limit of limit. If no call has
// got one, later calls start with this limit because smaller ones are useless. s.mu must be held.
func (s *tokenSearch) recordFailure(limit int) {
	switch {
	case !s.sawReasoning:
		s.runaway = true
	case !s.succeeded:
		s.extra = max(s.extra, limit)
	}
}
