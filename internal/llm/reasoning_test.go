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

// A larger limit that causes a timeout is not tried again.
func TestTimeoutEndsSearch(t *testing.T) {
	s := &script{steps: []error{
		&LengthError{Limit: 100, Reasoning: true}, &LengthError{Limit: 2048, Reasoning: true}, &TimeoutError{time.Minute}, nil,
	}}
	retrier := &ReplyRetry{Next: through(testSender(Options{Retries: 5}), s, 0)}
	_, err := retrier.Complete(t.Context(), newRequest(verdicts()))
	_ = mustAs[*TimeoutError](t, err)
	mustComplete(t, retrier, newRequest(verdicts()))
	var sent []int
	for _, r := range s.requests {
		sent = append(sent, r.MaxTokens)
	}
	if want := []int{100, 2048, 8192, 2148}; !slices.Equal(sent, want) {
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
