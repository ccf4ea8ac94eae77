package llm

import (
	"context"
	"errors"

	"github.com/ragfaith/ragfaith/internal/usage"
)

// maxAnswer is how many output tokens a reply without reasoning may be given.
const maxAnswer = 1 << 14

// Reask asks again for a reply that could not be used: once with the fault told,
// for one that could not be read; once with twice the output tokens and bounded
// strings, for one that was truncated; and with more and more output tokens if
// reasoning took them. What fails after that is the caller's, with the usage of
// all tries. Free text that Accept refuses is not asked for again.
type Reask struct {
	Next    Completer
	MaxRoom int // output tokens; 0 for 16384, and 65536 with reasoning
	// Fixed makes the requests depend on r and its replies alone, and not on what
	// others have shown, so that every pass of a batch run makes the same ones.
	Fixed bool

	budget reasoningBudget
}

// Complete implements Completer. After the last try its errors are Next's.
func (a *Reask) Complete(ctx context.Context, r *Request) (*Reply, error) {
	s := &search{Reask: a, r: r}
	defer s.end()
	var used usage.Usage
	retried := false
	for q := s.first(); ; {
		reply, err := a.Next.Complete(s.context(ctx, q), q)
		if err == nil {
			s.answer()
			s.succeeded(q, reply.reasoned)
			out := *reply
			out.Usage = used.Add(reply.Usage)
			return &out, nil
		}
		used = used.Add(UsageOf(err))
		var again *Request
		if s.concerns(err) {
			again, err = s.next(ctx, q, err)
		} else if !retried {
			retried = true
			again = a.again(q, err)
		}
		if e, unread := errors.AsType[*ParseError](err); unread {
			s.succeeded(q, false)
			if e.NoAnswer && s.unanswered() {
				again = nil
			}
		}
		if again == nil {
			return nil, withUsage(err, used)
		}
		q = again
	}
}

// again is the request that follows a reply that could not be used; nil for none.
func (a *Reask) again(r *Request, err error) *Request {
	next := *r
	if _, ok := errors.AsType[*LengthError](err); ok {
		room := max(r.MaxTokens, UsageOf(err).CompletionTokens)
		next.MaxTokens, next.Brief = min(2*room, a.limit(maxAnswer)), true
		if r.Accept != nil { // it was to be one word, so there may be reasoning before it
			next.MaxTokens = max(next.MaxTokens, min(reasoningTokens, a.limit(maxAnswer)))
		}
		if next.MaxTokens <= r.MaxTokens || room == 0 {
			return nil
		}
		return &next
	}
	if e, ok := errors.AsType[*ParseError](err); ok && r.Accept == nil {
		// In front, with the rest of what the system says: the texts that are judged
		// stay the last word. Not the reply itself: it may quote them.
		next.Messages = withSystem(r.Messages, "Your last reply could not be used: "+cut(e.Reason, 200)+
			". Reply with the JSON that is asked for, complete, and with nothing else.")
		return &next
	}
	return nil
}

// limit is the largest number of output tokens to ask for, n if MaxRoom is 0.
func (a *Reask) limit(n int) int {
	if a.MaxRoom > 0 {
		return a.MaxRoom
	}
	return n
}
