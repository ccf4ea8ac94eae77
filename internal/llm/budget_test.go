package llm

import (
	"context"
	"errors"
	"math"
	"strings"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"github.com/ragfaith/ragfaith/internal/usage"
)

func TestBudgetStopsBeforeLimit(t *testing.T) {
	for name, o := range map[string]Options{"tokens": {MaxTokens: 1000}, "USD": {MaxCost: 0.001}} {
		t.Run(name, func(t *testing.T) {
			s := &script{usage: usage.Usage{Requests: 1, PromptTokens: 30, CompletionTokens: 20}}
			sender := testSender(o)
			b, c := sender.budget, through(sender, s, 10)
			var err error
			for err == nil {
				_, err = c.Complete(t.Context(), newRequest(nil))
			}
			e := mustAs[*BudgetError](t, err)
			usd, tokens := b.spent.usd, b.spent.tokens
			// A request is reserved with 31 + 100 tokens and uses 50.
			if tokens != 900 || s.calls() != 18 || math.Abs(usd-0.0009) > 1e-12 || !IsFatal(err) || !strings.Contains(e.Error(), "limit of") {
				t.Errorf("got error %v after %v tokens, $%v and %d calls; want 900, $0.0009 and 18", e, tokens, usd, s.calls())
			}
			small := &Request{Messages: []Message{{User, "x"}}, MaxTokens: 1}
			if _, err := c.Complete(t.Context(), small); s.calls() != 18 || err == nil {
				t.Error("a later request was sent")
			}
		})
	}
}

func TestBudgetWithConcurrentRequests(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		sender := testSender(Options{MaxTokens: 2000, Clock: NewClock(time.Now)})
		b := sender.budget
		var maxInFlight, inFlight int
		var mu sync.Mutex
		slow := completerFunc(func(ctx context.Context, _ *Request) (*Reply, error) {
			mu.Lock()
			inFlight++
			maxInFlight = max(maxInFlight, inFlight)
			mu.Unlock()
			_ = NewClock(time.Now).Sleep(ctx, time.Second)
			mu.Lock()
			inFlight--
			mu.Unlock()
			return &Reply{Usage: usage.Usage{Requests: 1, PromptTokens: 50, CompletionTokens: 50}}, nil
		})
		c := through(sender, slow, 45)
		var wg sync.WaitGroup
		done := 0
		for range 64 {
			wg.Go(func() {
				_, err := c.Complete(t.Context(), &Request{Messages: []Message{{User, "x"}}, MaxTokens: 500})
				mu.Lock()
				defer mu.Unlock()
				if err == nil {
					done++
				} else if _, ok := errors.AsType[*BudgetError](err); !ok {
					t.Error(err)
				}
			})
		}
		wg.Wait()
		tokens := int(b.spent.tokens)
		if tokens > 2000 || done != tokens/100 || done < 14 || maxInFlight > 3 {
			t.Errorf("got %d tokens, %d completed, %d in flight; want at most 2000 tokens and 3 in flight", tokens, done, maxInFlight)
		}
	})
}

func TestBudgetCountsTimeouts(t *testing.T) {
	for name, tt := range map[string]struct {
		server *script
		want   int
	}{
		"timeout":    {&script{steps: []error{&TimeoutError{}}}, 31},
		"status 500": {&script{steps: []error{status(500)}}, 0},
		"no usage":   {&script{usage: usage.Usage{Requests: 1}}, 31},
	} {
		s := testSender(Options{MaxTokens: 10_000})
		_, _ = through(s, tt.server, 10).Complete(t.Context(), newRequest(nil))
		if n := int(s.budget.spent.tokens); n != tt.want {
			t.Errorf("%s: got %d tokens, want %d", name, n, tt.want)
		}
	}
}

func TestBudgetDoesNotOverflow(t *testing.T) {
	s := testSender(Options{MaxTokens: 1})
	for range 3 {
		s.budget.settle(amount{}, price{1, 1}.cost(math.MaxInt, math.MaxInt))
	}
	if usd, tokens := (&Stack{Client: &Client{sender: s}}).Cost(); !(usd > 0) || tokens <= 0 {
		t.Errorf("got $%v and %d tokens, want more than 0", usd, tokens)
	}
}
