package llm

import (
	"context"
	"fmt"
	"net/http"
	"slices"
	"sync"
	"testing"
	"time"
)

// tokensOf returns the limits of output tokens that were sent.
func tokensOf(all []sent) (limits []int) {
	for _, s := range all {
		n, _ := s.body["max_tokens"].(float64)
		limits = append(limits, int(n))
	}
	return limits
}

// A reasoner answers if it gets enough output tokens, and rejects too many.
func reasoner(needs, limit int) func(int, sent, http.ResponseWriter) {
	return func(_ int, s sent, w http.ResponseWriter) {
		switch n := int(s.body["max_tokens"].(float64)); {
		case n > limit:
			fail(w, 400, fmt.Sprintf("max_tokens is too large: %d. This model supports at most %d completion tokens", n, limit), "max_tokens")
		case n < needs:
			say(w, "", "length")
		default:
			say(w, good, "stop")
		}
	}
}

// Of any number of concurrent calls one searches for the limit, and the others start with
// its result.
func TestConcurrentCallsSearchOnce(t *testing.T) {
	const calls = 16
	srv, got := server(t, reasoner(20_000, 1<<20))
	a := &ReplyRetry{Next: client(t, Config{BaseURL: srv.URL})}
	var wg sync.WaitGroup
	for range calls {
		wg.Go(func() {
			if reply, err := a.Complete(t.Context(), ask(verdicts())); err != nil || string(reply.JSON) != good {
				t.Errorf("got %+v, %v", reply, err)
			}
		})
	}
	wg.Wait()
	if n := len(got()); n > 2*calls+2 { // one call needs two more, with 2048 and 8192
		t.Errorf("got %d requests for %d calls: %v", n, calls, tokensOf(got()))
	}
}

func TestSearchStopsAtModelLimit(t *testing.T) {
	srv, got := server(t, reasoner(50_000, 30_000))
	a := &ReplyRetry{Next: client(t, Config{BaseURL: srv.URL})}
	for range 3 {
		_, err := a.Complete(t.Context(), ask(verdicts()))
		if e := as[*LengthError](t, err); !e.Reasoning || e.Limit != 30_000 {
			t.Errorf("got %v", err)
		}
	}
	// Once the limit is known, a row takes one request.
	if want := []int{100, 2048, 8192, 32768, 30000, 30000, 30000}; !slices.Equal(tokensOf(got()), want) {
		t.Errorf("sent %v, want %v", tokensOf(got()), want)
	}
}

// The limit is found even if the error message does not name it.
func TestRejectedLimitEndsSearch(t *testing.T) {
	srv, got := server(t, func(_ int, s sent, w http.ResponseWriter) {
		if s.body["max_tokens"].(float64) > 5000 {
			fail(w, 400, "max_tokens is too large", "")
			return
		}
		say(w, "", "length")
	})
	a := &ReplyRetry{Next: client(t, Config{BaseURL: srv.URL})}
	for range 3 {
		if e := as[*LengthError](t, second(a.Complete(t.Context(), ask(verdicts())))); !e.Reasoning || e.Limit != 2048 {
			t.Errorf("got %v", e)
		}
	}
	if want := []int{100, 2048, 8192, 2048, 2048}; !slices.Equal(tokensOf(got()), want) {
		t.Errorf("sent %v, want %v", tokensOf(got()), want)
	}
}

func second(_ *Reply, err error) error { return err }

// A limit that leads to a timeout is tried twice, and then never again.
func TestTimeoutEndsSearch(t *testing.T) {
	s := &script{steps: []error{
		&LengthError{Limit: 100, Reasoning: true}, &LengthError{Limit: 2048, Reasoning: true}, &TimeoutError{time.Minute}, &TimeoutError{time.Minute},
		&LengthError{Limit: 2048, Reasoning: true},
	}}
	a := &ReplyRetry{Next: Wrap(s, nil, &Retry{Retries: 5, Clock: &fakeClock{}})}
	_, err := a.Complete(t.Context(), ask(verdicts()))
	_ = as[*TimeoutError](t, err)
	_, err = a.Complete(t.Context(), ask(verdicts()))
	_ = as[*LengthError](t, err)
	var sent []int
	for _, r := range s.asked {
		sent = append(sent, r.MaxTokens)
	}
	if want := []int{100, 2048, 8192, 8192, 2048}; !slices.Equal(sent, want) {
		t.Errorf("sent %v, want %v", sent, want)
	}
}

// Runaway prose is not treated as reasoning, so other requests keep their limit.
func TestRunawayProseIsNotReasoning(t *testing.T) {
	srv, got := server(t, func(_ int, _ sent, w http.ResponseWriter) { say(w, "The user asks me to check", "length") })
	a := &ReplyRetry{Next: client(t, Config{BaseURL: srv.URL})}
	for range 2 {
		if _, err := a.Complete(t.Context(), ask(verdicts())); !IsTruncated(err) {
			t.Errorf("got %v", err)
		}
	}
	if want := []int{100, 2048, 8192, 100, 200}; !slices.Equal(tokensOf(got()), want) {
		t.Errorf("sent %v, want %v", tokensOf(got()), want)
	}
}

// A waiting call ends with its context, and a search with its call.
func TestCanceledCallReleasesSearch(t *testing.T) {
	ctx, cancel := context.WithCancel(t.Context())
	waiting := make(chan struct{})
	calls := 0
	a := &ReplyRetry{Next: completerFunc(func(ctx context.Context, r *Request) (*Reply, error) {
		if calls++; calls == 1 {
			return nil, &LengthError{Limit: r.MaxTokens, Reasoning: true}
		}
		if r.MaxTokens > 100 && calls == 2 {
			close(waiting)
			<-ctx.Done()
			return nil, ctx.Err()
		}
		return &Reply{}, nil
	})}
	go func() { <-waiting; cancel() }()
	if _, err := a.Complete(ctx, ask(nil)); err == nil {
		t.Error("got no error, want one")
	}
	if _, err := a.Complete(t.Context(), ask(nil)); err != nil {
		t.Error(err)
	}
	if a.budget.searching != nil {
		t.Error("the search was not released")
	}
}
