package llm

import (
	"context"
	"errors"

	"github.com/ragfaith/ragfaith/internal/usage"
)

// maxAnswer is the largest limit of output tokens for a reply without reasoning.
const maxAnswer = 1 << 14

// Reask repeats requests whose reply was not usable. An unreadable reply is requested
// once more with an error message, a truncated one once more with twice the output
// tokens and bounded strings, and one that was truncated by reasoning with more and
// more output tokens. If that fails too, the error carries the usage of all attempts.
// Free text that Request.Accept rejects is not requested again.
type Reask struct {
	Next            Completer
	MaxOutputTokens int // 0 means 16384, or 65536 with reasoning
	// Fixed makes requests depend on the caller's request and its replies alone, and not
	// on what other calls have shown, so that every pass of a batch makes the same ones.
	Fixed bool

	budget reasoningBudget
}

// Complete implements Completer. After the last attempt its errors are those of Next.
func (a *Reask) Complete(ctx context.Context, r *Request) (*Reply, error) {
	s := &tokenSearch{Reask: a, request: r}
	defer s.release()
	var used usage.Usage
	repeated := false
	for r := s.firstRequest(); ; {
		reply, err := a.Next.Complete(s.context(ctx, r), r)
		if err == nil {
			s.recordAnswer()
			s.recordLimit(r, reply.reasoned)
			out := *reply
			out.Usage = used.Add(reply.Usage)
			return &out, nil
		}
		used = used.Add(UsageOf(err))
		var next *Request
		if s.handles(err) {
			next, err = s.next(ctx, r, err)
		} else if !repeated {
			repeated = true
			next = a.repeat(r, err)
		}
		if e, ok := errors.AsType[*ParseError](err); ok {
			s.recordLimit(r, false)
			if e.NoAnswer && s.recordNoAnswer() {
				next = nil
			}
		}
		if next == nil {
			return nil, withUsage(err, used)
		}
		r = next
	}
}

// repeat returns the request to send after the reply to r was not usable, or nil.
func (a *Reask) repeat(r *Request, err error) *Request {
	next := *r
	if isA[*LengthError](err) {
		used := max(r.MaxTokens, UsageOf(err).CompletionTokens)
		next.MaxTokens, next.Bounded = min(2*used, a.limit(maxAnswer)), true
		if r.Accept != nil { // a single word was truncated, probably by reasoning before it
			next.MaxTokens = max(next.MaxTokens, min(minReasoning, a.limit(maxAnswer)))
		}
		if next.MaxTokens <= r.MaxTokens || used == 0 {
			return nil
		}
		return &next
	}
	if e, ok := errors.AsType[*ParseError](err); ok && r.Accept == nil {
		// In the system message, so that the texts to judge stay last. The reply itself is
		// left out, since it may quote them.
		next.Messages = withSystem(r.Messages, "Your last reply could not be used: "+shorten(e.Reason, 200)+
			". Reply with the JSON that is asked for, complete, and with nothing else.")
		return &next
	}
	return nil
}

// limit returns MaxOutputTokens, or n if it is not set.
func (a *Reask) limit(n int) int {
	if a.MaxOutputTokens > 0 {
		return a.MaxOutputTokens
	}
	return n
}
