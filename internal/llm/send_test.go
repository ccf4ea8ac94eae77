package llm

import (
	"context"
	"encoding/json"
	"net/http"
	"sync"

	"github.com/ragfaith/ragfaith/internal/usage"
)

// A script is a Completer that returns its steps in order and repeats the last one.
type script struct {
	mu       sync.Mutex
	steps    []error // nil means a reply
	requests []*Request
	usage    usage.Usage
}

func (s *script) Complete(ctx context.Context, r *Request) (*Reply, error) {
	if ctx.Err() != nil {
		return nil, ctx.Err()
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	s.requests = append(s.requests, r)
	u := s.usage
	if u == (usage.Usage{}) {
		u = usage.Usage{Requests: 1, PromptTokens: 10, CompletionTokens: 5}
	}
	i := min(len(s.requests), len(s.steps)) - 1
	if i >= 0 && s.steps[i] != nil {
		return nil, withUsage(s.steps[i], usage.Usage{Requests: 1})
	}
	reply := &Reply{Text: "ok", Usage: u}
	if r.Schema != nil {
		reply.JSON = json.RawMessage(validReply)
	}
	return reply, nil
}

func (s *script) calls() int {
	s.mu.Lock()
	defer s.mu.Unlock()
	return len(s.requests)
}

func status(code int, header ...string) error {
	h := http.Header{}
	for i := 0; i < len(header); i += 2 {
		h.Set(header[i], header[i+1])
	}
	return &StatusError{Status: code, header: h}
}

// testSender returns a sender with the limits of o, by default on a fake clock.
func testSender(o Options) *sender {
	if o.Clock == nil {
		o.Clock = newFakeClock()
	}
	if o.Notify == nil {
		o.Notify = func(string) {}
	}
	return newSender(o)
}

// through returns a Completer that sends the requests of next with s. Each text has the
// given number of tokens, at a price of 1 USD per million.
func through(s *sender, next Completer, tokens int) Completer {
	return completerFunc(func(ctx context.Context, r *Request) (*Reply, error) {
		var reply *Reply
		used, err := s.do(ctx, call{
			size: func() Size { return sizeOf(r, func(string) int { return tokens }) }, price: price{1e-6, 1e-6},
			send: func(ctx context.Context) (usage.Usage, error) {
				got, err := next.Complete(ctx, r)
				if err != nil {
					return UsageOf(err), err
				}
				reply = got
				return got.Usage, nil
			},
			timeoutIsFinal: r.timeoutIsFinal,
		})
		if err != nil {
			return nil, withUsage(err, used)
		}
		out := *reply
		out.Usage = used
		return &out, nil
	})
}
