package llm

import (
	"context"
	"errors"
	"fmt"
	"net/http"
	"sync"
	"testing"

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
	return &Reply{Text: "ok", Usage: u}, nil
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

type completerFunc func(context.Context, *Request) (*Reply, error)

func (f completerFunc) Complete(ctx context.Context, r *Request) (*Reply, error) { return f(ctx, r) }

func TestMeterCountsFailures(t *testing.T) {
	m := &Meter{}
	c := Wrap(&script{steps: []error{status(500), nil}}, nil, m)
	_, _ = c.Complete(t.Context(), newRequest(nil))
	_, _ = c.Complete(t.Context(), newRequest(nil))
	if u := m.Total(); u != (usage.Usage{Requests: 2, PromptTokens: 10, CompletionTokens: 5}) {
		t.Errorf("got %+v, want %+v", u, (usage.Usage{Requests: 2, PromptTokens: 10, CompletionTokens: 5}))
	}
}

func TestUsageOf(t *testing.T) {
	err := withUsage(withUsage(status(500), usage.Usage{Requests: 1}), usage.Usage{Requests: 3})
	if UsageOf(err).Requests != 3 || UsageOf(fmt.Errorf("row 1: %w", err)).Requests != 3 || UsageOf(errors.New("x")) != (usage.Usage{}) {
		t.Error("UsageOf lost the usage")
	}
	if e := errors.New("x"); !errors.Is(withUsage(e, usage.Usage{}), e) {
		t.Error("got a wrapped error without usage")
	}
	for _, e := range []error{&LengthError{}, &LengthError{Limit: 5}, &ContextLengthError{}, &ContextLengthError{Limit: 5}, &RefusalError{Reason: "content_filter"}, &BudgetError{Unit: "USD"}, &TimeoutError{}} {
		if e.Error() == "" {
			t.Errorf("%T has an empty message", e)
		}
	}
}
