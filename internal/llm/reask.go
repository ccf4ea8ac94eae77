package llm

import (
	"context"
	"errors"
)

// roomToThink is the room of a request whose first room went into thoughts. What a
// reply takes is no measure of them. At 40 tokens a second it fits the usual timeout
// of a minute.
const roomToThink = 2048

// Reask asks once more for a reply that could not be used: with twice the room
// and an end to its strings for one that was cut off, with roomToThink for one that
// was cut off before it began, both up to MaxRoom tokens, and with the fault told
// for one that could not be read. What fails again is the caller's, with the usage
// of both. Free text that Accept refuses is not asked for again.
type Reask struct {
	Next    Completer
	MaxRoom int // in tokens; 0 for 16384
}

// Complete implements Completer. After the second try its errors are Next's.
func (a *Reask) Complete(ctx context.Context, r *Request) (*Reply, error) {
	reply, err := a.Next.Complete(ctx, r)
	if err == nil {
		return reply, nil
	}
	again, ok := a.again(r, err)
	if !ok {
		return nil, err
	}
	used := UsageOf(err)
	reply, err = a.Next.Complete(ctx, again)
	if err != nil {
		return nil, withUsage(err, used.Add(UsageOf(err)))
	}
	out := *reply
	out.Usage = used.Add(reply.Usage)
	return &out, nil
}

func (a *Reask) again(r *Request, err error) (*Request, bool) {
	limit := a.MaxRoom
	if limit == 0 {
		limit = 16384
	}
	next := *r
	if e, ok := errors.AsType[*LengthError](err); ok {
		room := max(r.MaxTokens, UsageOf(err).CompletionTokens)
		next.MaxTokens, next.Brief = min(2*room, limit), true
		if e.Thinking {
			next.MaxTokens, next.Brief = min(max(2*room, roomToThink), limit), r.Brief
		}
		return &next, next.MaxTokens > r.MaxTokens && room > 0
	}
	if e, ok := errors.AsType[*ParseError](err); ok && r.Accept == nil {
		// In front, with the rest of what the system says: the texts that are judged
		// stay the last word. Not the reply itself: it may quote them.
		next.Messages = withSystem(r.Messages, "Your last reply could not be used: "+cut(e.Reason, 200)+
			". Reply with the JSON that is asked for, complete, and with nothing else.")
		return &next, true
	}
	return nil, false
}
