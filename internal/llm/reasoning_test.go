package llm

import (
	"fmt"
	"net/http"
	"slices"
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

// reasoningServer returns a handler that answers only with at least needed output
// tokens and rejects more than limit.
func reasoningServer(needed, limit int) func(int, sent, http.ResponseWriter) {
	return func(_ int, s sent, w http.ResponseWriter) {
		switch n := int(s.body["max_tokens"].(float64)); {
		case n > limit:
			writeError(w, 400, fmt.Sprintf("max_tokens is too large: %d. This model supports at most %d completion tokens", n, limit), "max_tokens")
		case n < needed:
			writeReply(w, "", "length")
		default:
			writeReply(w, validReply, "stop")
		}
	}
}

func TestSearchStopsAtModelLimit(t *testing.T) {
	srv, got := newTestServer(t, reasoningServer(50_000, 30_000))
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
