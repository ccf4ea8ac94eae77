package llm

import (
	"context"
	"errors"

	"github.com/ragfaith/ragfaith/internal/usage"
)

// maxAnswerTokens is the largest limit of output tokens for a reply without reasoning.
const maxAnswerTokens = 1 << 14

// ReplyRetry repeats requests whose reply was not usable. An unreadable reply is requested
// once more with an error message, a truncated one once more with twice the output
// tokens and bounded strings, and one that was truncated by reasoning with more and
// more output tokens. If that fails too, the error carries the usage of all attempts.
// Free text that Request.Accept rejects is not requested again.
type ReplyRetry struct {
	Next            Completer
	MaxOutputTokens int // 0 means 16384, or 65536 with reasoning
	// Deterministic makes requests depend on the caller's request and its replies alone, and not
	// on what other calls have shown, so that every pass of a batch makes the same ones.
	Deterministic bool

	budget reasoningBudget
}

// Complete implements Completer. After the last attempt its errors are those of Next.
func (p *ReplyRetry) Complete(ctx context.Context, r *Request) (*Reply, error) {
	search := &tokenSearch{ReplyRetry: p, request: r}
	defer search.release()
	var used usage.Usage
	retried := false
	for r := search.firstRequest(); ; {
		reply, err := p.Next.Complete(search.context(ctx, r), r)
		if err == nil {
			search.recordAnswer()
			search.recordLimit(r, reply.reasoned)
			out := *reply
			out.Usage = used.Add(reply.Usage)
			return &out, nil
		}
		used = used.Add(UsageOf(err))
		var next *Request
		if search.shouldContinue(err) {
			next, err = search.next(ctx, r, err)
		} else if !retried {
			retried = true
			next = p.retryRequest(r, err)
		}
		if e, ok := errors.AsType[*ParseError](err); ok {
			search.recordLimit(r, false)
			if e.NoAnswer && search.recordNoAnswer() {
				next = nil
			}
		}
		if next == nil {
			return nil, withUsage(err, used)
		}
		r = next
	}
}

// retryRequest returns the request to send after the reply to r was not usable, or nil.
func (a *ReplyRetry) retryRequest(r *Request, err error) *Request {
	next := *r
	if isA[*LengthError](err) {
		used := max(r.MaxTokens, UsageOf(err).CompletionTokens)
		next.MaxTokens, next.Bounded = min(2*used, a.limitOr(maxAnswerTokens)), true
		if r.Accept != nil { // a single word was truncated, probably by reasoning before it
			next.MaxTokens = max(next.MaxTokens, min(minReasoning, a.limitOr(maxAnswerTokens)))
		}
		if next.MaxTokens <= r.MaxTokens || used == 0 {
			return nil
		}
		return &next
	}
	if e, ok := errors.AsType[*ParseError](err); ok && r.Accept == nil {
		// In the system message, so that the texts to judge stay last. The reply itself is
		// left out, since it may quote them.
		next.Messages = withSystem(r.Messages, "Your last reply could not be used: "+truncateText(e.Reason, 200)+
			". Reply with the JSON that is asked for, complete, and with nothing else.")
		return &next
	}
	return nil
}

// limitOr returns MaxOutputTokens, or n if it is not set.
func (a *ReplyRetry) limitOr(n int) int {
	if a.MaxOutputTokens > 0 {
		return a.MaxOutputTokens
	}
	return n
}
