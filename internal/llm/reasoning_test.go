package llm

import (
	"context"
	"fmt"
	"net/http"
	"slices"
	"sync"
	"sync/atomic"
	"testing"
	"time"
)

// maxTokensOf returns the max_tokens of each request.
func maxTokensOf(all []sent) (limits []int) {
	for _, s := range all {
		n, _ := s.body["max_tokens"].(float64)
		limits = append(limits, int(n))
	}
	return limits
}

func TestSearchStopsAtModelLimit(t *testing.T) {
	srv, got := newTestServer(t, func(_ int, s sent, w http.ResponseWriter) {
		if n := s.body["max_tokens"].(float64); n > 30_000 {
			writeError(w, 400, fmt.Sprintf("max_tokens is too large: %v. This model supports at most 30000 completion tokens", n), "max_tokens")
			return
		}
		writeReply(w, "", "length")
	})
	retrier := &ReplyRetry{Next: newTestClient(t, Config{BaseURL: srv.URL})}
	for range 3 {
		_, err := retrier.Complete(t.Context(), newRequest(verdicts()))
		if e := mustAs[*LengthError](t, err); !e.Reasoning || e.Limit != 30_000 {
			t.Errorf("got %v, want reasoning truncated at 30000 tokens", err)
		}
	}
	// Once the limit is known, each call sends one request.
	if want := []int{100, 2048, 8192, 32768, 30000, 30000, 30000}; !slices.Equal(maxTokensOf(got()), want) {
		t.Errorf("got limits %v, want %v", maxTokensOf(got()), want)
	}
}

// The limit is found even if the error message does not name it.
func TestRejectedLimitEndsSearch(t *testing.T) {
	srv, got := newTestServer(t, func(_ int, s sent, w http.ResponseWriter) {
		if s.body["max_tokens"].(float64) > 5000 {
			writeError(w, 400, "max_tokens is too large", "")
			return
		}
		writeReply(w, "", "length")
	})
	retrier := &ReplyRetry{Next: newTestClient(t, Config{BaseURL: srv.URL})}
	for range 3 {
		if e := mustAs[*LengthError](t, errOf(retrier.Complete(t.Context(), newRequest(verdicts())))); !e.Reasoning || e.Limit != 2048 {
			t.Errorf("got %v, want reasoning truncated at 2048 tokens", e)
		}
	}
	if want := []int{100, 2048, 8192, 2048, 2048}; !slices.Equal(maxTokensOf(got()), want) {
		t.Errorf("got limits %v, want %v", maxTokensOf(got()), want)
	}
}

// A model that is known to reason gets more time.
func TestReasoningTimeout(t *testing.T) {
	srv, _ := newTestServer(t, func(_ int, _ sent, w http.ResponseWriter) {
		_ = http.NewResponseController(w).Flush()
		<-t.Context().Done()
	})
	c := newTestClient(t, Config{BaseURL: srv.URL, Timeout: 10 * time.Millisecond, ReasoningTimeout: 20 * time.Millisecond})
	for _, reasons := range []bool{false, true} {
		r := newRequest(nil)
		r.reasons = reasons
		want := 10 * time.Millisecond
		if reasons {
			want = 20 * time.Millisecond
		}
		if e := mustAs[*TimeoutError](t, errOf(c.Complete(t.Context(), r))); e.After != want {
			t.Errorf("reasons %t: got a timeout of %v, want %v", reasons, e.After, want)
		}
	}
}

func errOf(_ *Reply, err error) error { return err }

// A limit that causes a timeout is tried at most twice.
func TestTimeoutEndsSearch(t *testing.T) {
	s := &script{steps: []error{
		&LengthError{Limit: 100, Reasoning: true}, &LengthError{Limit: 2048, Reasoning: true}, &TimeoutError{time.Minute}, &TimeoutError{time.Minute},
		&LengthError{Limit: 2048, Reasoning: true},
	}}
	retrier := &ReplyRetry{Next: through(testSender(Options{Retries: 5}), s, 0)}
	_, err := retrier.Complete(t.Context(), newRequest(verdicts()))
	_ = mustAs[*TimeoutError](t, err)
	_, err = retrier.Complete(t.Context(), newRequest(verdicts()))
	_ = mustAs[*LengthError](t, err)
	var sent []int
	for _, r := range s.requests {
		sent = append(sent, r.MaxTokens)
	}
	if want := []int{100, 2048, 8192, 8192, 2048}; !slices.Equal(sent, want) {
		t.Errorf("got limits %v, want %v", sent, want)
	}
}

// Runaway prose is not treated as reasoning, so other requests keep their limit.
func TestRunawayProseIsNotReasoning(t *testing.T) {
	srv, got := newTestServer(t, func(_ int, _ sent, w http.ResponseWriter) { writeReply(w, "The user asks me to check", "length") })
	retrier := &ReplyRetry{Next: newTestClient(t, Config{BaseURL: srv.URL})}
	for range 2 {
		if _, err := retrier.Complete(t.Context(), newRequest(verdicts())); !IsTruncated(err) {
			t.Errorf("got %v, want a truncated reply", err)
		}
	}
	if want := []int{100, 2048, 8192, 32768, 100, 200}; !slices.Equal(maxTokensOf(got()), want) {
		t.Errorf("got limits %v, want %v", maxTokensOf(got()), want)
	}
}

func TestAllowanceIsLimited(t *testing.T) {
	for _, tt := range []struct{ replies, peak, want int }{
		{0, 0, 0},
		{100, 0, 0},
		{1, 300, minAllowance},
		{1, 3000, 12_000},
		{100, 3000, 6000},
		{100, maxReasoning, maxReasoning},
	} {
		b := reasoningBudget{replies: tt.replies, peak: tt.peak}
		if got := b.allowance(); got != tt.want {
			t.Errorf("%d replies with a peak of %d: got %d, want %d", tt.replies, tt.peak, got, tt.want)
		}
	}
}

// Only the first call pays for a truncated reply.
func TestFirstReplyDecides(t *testing.T) {
	const calls = 16
	var mu sync.Mutex
	var limits []int
	started := make(chan struct{}, calls)
	p := &ReplyRetry{Probe: true, Next: completerFunc(func(_ context.Context, r *Request) (*Reply, error) {
		mu.Lock()
		limits = append(limits, r.MaxTokens)
		n := len(limits)
		mu.Unlock()
		if n == 1 {
			for range calls - 1 { // the others have started, and wait
				<-started
			}
		}
		if r.MaxTokens < 3000 {
			return nil, &LengthError{Limit: r.MaxTokens, Reasoning: true}
		}
		return &Reply{reasoning: 2900}, nil
	})}
	inParallel(calls, func(i int) {
		if i > 0 {
			p.budget.waitForFirst()
			started <- struct{}{}
		}
		if _, err := p.Complete(t.Context(), newRequest(nil)); err != nil {
			t.Error(err)
		}
	})
	if want := []int{100, 2048, 8192}; !slices.Equal(limits[:3], want) || len(limits) != calls+2 || slices.Min(limits[3:]) < 3000 {
		t.Errorf("got limits %v, want %v and then %d sufficient ones", limits, want, calls-1)
	}
}

// waitForFirst waits until the first call is leading.
func (b *reasoningBudget) waitForFirst() {
	for leading := false; !leading; {
		b.mu.Lock()
		leading = b.first != nil
		b.mu.Unlock()
	}
}

// Calls do not wait while the first one waits for its retry.
func TestFailedFirstAttemptEndsWait(t *testing.T) {
	ctx, cancel := context.WithTimeout(t.Context(), 10*time.Second)
	defer cancel()
	var n atomic.Int32
	third := make(chan struct{})
	p := &ReplyRetry{Probe: true, Next: through(testSender(Options{Retries: 1}), completerFunc(func(ctx context.Context, _ *Request) (*Reply, error) {
		switch n.Add(1) {
		case 1:
			return nil, &StatusError{Status: 503}
		case 2:
			select {
			case <-third:
			case <-ctx.Done():
				return nil, ctx.Err()
			}
		case 3:
			close(third)
		}
		return &Reply{}, nil
	}), 0)}
	inParallel(3, func(int) {
		if _, err := p.Complete(ctx, newRequest(nil)); err != nil {
			t.Errorf("got %v, want no error: the calls waited for each other", err)
		}
	})
}
