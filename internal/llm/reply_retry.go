package llm

import (
	"cmp"
	"context"
	"errors"

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
