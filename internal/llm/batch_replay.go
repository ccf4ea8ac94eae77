package llm

import (
	"context"
	"encoding/json"
	"errors"
	"net/http"

	openai "github.com/sashabaranov/go-openai"

	"github.com/ragfaith/ragfaith/internal/usage"
)

// replay reads what a batch brought as if it had just come. It is not ok where the
// request has to be asked online.
func (c *Client) replay(r *Request, a answered) (reply *Reply, err error, ok bool) {
	if a.status == http.StatusOK {
		res := completion(a.body)
		if len(res.Choices) == 0 {
			return nil, nil, false
		}
		f, _ := c.current()
		reply, err := c.read(r, f, res, c.counted(r, res).Add(usage.Usage{Requests: 1}))
		return reply, err, true
	}
	if !negotiable(a.status) {
		return nil, nil, false
	}
	final, room := classify(batchRefusal(a.status, a.body))
	_, long := errors.AsType[*ContextLengthError](final)
	_, refused := errors.AsType[*RefusalError](final)
	if refused || long && room < leastRoom {
		return nil, withUsage(final, usage.Usage{Requests: 1}), true
	}
	return nil, nil, false
}

// completion reads a reply; the zero value for what is none.
func completion(body []byte) (res openai.ChatCompletionResponse) {
	if json.Unmarshal(body, &res) != nil {
		return openai.ChatCompletionResponse{}
	}
	return res
}

// batchRefusal is the error that a line of a batch stands for.
func batchRefusal(status int, body []byte) *StatusError {
	e := &StatusError{Status: status, body: string(body)}
	e.read(body)
	if e.Message == "" {
		e.Message = cut(string(body), 300)
	}
	return e
}

// A stored Completer looks into the store, and asks next for what has no reply
// there.
type stored struct {
	b    *Batch
	next Completer
}

// Complete implements Completer.
func (s *stored) Complete(ctx context.Context, r *Request) (*Reply, error) {
	c := s.b.stack.Client
	a, known, err := s.b.store.get(ctx, requestKey(c.Endpoint(), c.Model(), r))
	if err != nil {
		return nil, err
	}
	if known {
		if reply, err, ok := c.replay(r, a); ok {
			return reply, err
		}
	}
	return s.next.Complete(ctx, r)
}

// A lookup answers from the cache and keeps nothing in it: what a recording pass
// reads of the store is counted when the last pass does.
type lookup struct {
	*cached
	next Completer
}

// Complete implements Completer.
func (l lookup) Complete(ctx context.Context, r *Request) (*Reply, error) {
	if reply := l.find(ctx, requestKey(l.endpoint, l.model, r), r); reply != nil {
		return reply, nil
	}
	return l.next.Complete(ctx, r)
}
