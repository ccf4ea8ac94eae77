package llm

import (
	"context"
	"errors"
	"net/http"
	"strings"
	"testing"
	"time"

	"github.com/ragfaith/ragfaith/internal/usage"
)

func TestIsTransient(t *testing.T) {
	quota := &StatusError{Status: 429, Code: "insufficient_quota"}
	for _, tt := range []struct {
		err  error
		want bool
	}{
		{status(408), true},
		{status(429), true},
		{status(500), true},
		{status(503), true},
		{status(529), true},
		{&NetworkError{}, true},
		{&TimeoutError{}, true},
		{status(400), false},
		{status(401), false},
		{status(501), false},
		{status(307), false},
		{quota, false},
		{&NetworkError{Permanent: true}, false},
		{&ParseError{}, false},
		{&BudgetError{}, false},
		{&DownError{status(503)}, false},
		{errors.New("other"), false},
	} {
		if got := IsTransient(tt.err); got != tt.want {
			t.Errorf("%T %v: got %v, want %v", tt.err, tt.err, got, tt.want)
		}
	}
}

func TestRetryBackoffAndUsage(t *testing.T) {
	clock := newFakeClock()
	s := &script{steps: []error{status(500), &NetworkError{}, &TimeoutError{}, nil}}
	notified := 0
	c := through(testSender(Options{Retries: 5, Clock: clock, OnRetry: func(error, time.Duration) { notified++ }}), s, 0)
	reply, err := c.Complete(t.Context(), newRequest(nil))
	if err != nil || reply.Usage != (usage.Usage{Requests: 4, PromptTokens: 10, CompletionTokens: 5}) || notified != 3 {
		t.Fatalf("got %+v, %v, %d notifications; want 4 requests, nil, 3", reply, err, notified)
	}
	for i, d := range clock.slept {
		if mid := 500 * time.Millisecond << i; d < mid/2 || d > mid*3/2+1 {
			t.Errorf("wait %d: got %s, want about %s", i, d, mid)
		}
	}
}

func TestRetryGivesUp(t *testing.T) {
	for retries, calls := range map[int]int{0: 1, 2: 3} {
		s := &script{steps: []error{status(503)}}
		_, err := through(testSender(Options{Retries: retries}), s, 0).Complete(t.Context(), newRequest(nil))
		if mustAs[*StatusError](t, err).Status != 503 || s.calls() != calls || UsageOf(err).Requests != calls {
			t.Errorf("%d retries: got %v after %d calls, usage %+v; want status 503 after %d calls", retries, err, s.calls(), UsageOf(err), calls)
		}
	}
	s := &script{steps: []error{status(400)}}
	if _, err := through(testSender(Options{Retries: 5}), s, 0).Complete(t.Context(), newRequest(nil)); err == nil || s.calls() != 1 {
		t.Errorf("got %v after %d calls, want an error after 1", err, s.calls())
	}
	ctx, cancel := context.WithCancel(t.Context())
	s = &script{steps: []error{status(503)}}
	_, err := through(testSender(Options{Retries: 5, OnRetry: func(error, time.Duration) { cancel() }}), s, 0).Complete(ctx, newRequest(nil))
	if !errors.Is(err, context.Canceled) || s.calls() != 1 {
		t.Errorf("got %v after %d calls, want %v after 1", err, s.calls(), context.Canceled)
	}
}

func TestRetryHonorsServerDelay(t *testing.T) {
	now := newFakeClock().Now()
	for _, tt := range []struct {
		err  error
		want time.Duration // -1 means backoff
	}{
		{status(429, "Retry-After", "7"), 7 * time.Second},
		{status(503, "Retry-After", "2.5"), 2500 * time.Millisecond},
		{status(429, "Retry-After", "0"), 0},
		{status(503, "Retry-After", now.Add(20*time.Second).Format(http.TimeFormat)), 20 * time.Second},
		{status(503, "Retry-After", now.Add(-time.Hour).Format(http.TimeFormat)), 0},
		{status(503, "Retry-After", "soon"), -1},
		{status(429, "Retry-After", "-3"), -1},
		{status(429, "Retry-After", "NaN"), -1},
		{status(429, "Retry-After-Ms", "1500", "Retry-After", "9"), 1500 * time.Millisecond},
		{&NetworkError{}, -1},
	} {
		clock := newFakeClock()
		_, err := through(testSender(Options{Retries: 1, Clock: clock}), &script{steps: []error{tt.err, nil}}, 0).Complete(t.Context(), newRequest(nil))
		if err != nil {
			t.Fatal(err)
		}
		got := clock.slept[0]
		low, high := tt.want, tt.want+75*time.Millisecond
		if tt.want < 0 {
			low, high = 250*time.Millisecond, 751*time.Millisecond
		}
		if got < low || got > high {
			t.Errorf("%+v: waited %s, want %s to %s", tt.err, got, low, high)
		}
	}
}

func TestReplyRetryIncreasesOutputTokens(t *testing.T) {
	s := &script{steps: []error{&LengthError{Limit: 100}, nil}}
	reply, err := (&ReplyRetry{Next: s}).Complete(t.Context(), newRequest(nil))
	if err != nil || s.requests[1].MaxTokens != 200 || s.requests[0].MaxTokens != 100 || reply.Usage.Requests != 2 {
		t.Fatalf("got %+v, %v; want twice the output tokens in the second request", reply, err)
	}
	s = &script{steps: []error{&LengthError{Limit: 100}}}
	_, err = (&ReplyRetry{Next: s}).Complete(t.Context(), newRequest(nil))
	if _ = mustAs[*LengthError](t, err); s.calls() != 2 || UsageOf(err).Requests != 2 {
		t.Errorf("got %v after %d calls, want 2", err, s.calls())
	}
	s = &script{steps: []error{&LengthError{Limit: 100}}}
	if _, err = (&ReplyRetry{Next: s, MaxOutputTokens: 100}).Complete(t.Context(), newRequest(nil)); err == nil || s.calls() != 1 {
		t.Errorf("got %d requests, want 1 at the limit", s.calls())
	}
}

func TestReplyRetryDescribesError(t *testing.T) {
	s := &script{steps: []error{&ParseError{Reason: "there is no JSON in it"}, nil}}
	r := newRequest(verdicts())
	mustComplete(t, (&ReplyRetry{Next: s}), r)
	ms := s.requests[1].Messages
	if len(ms) != 2 || ms[1] != r.Messages[1] || !strings.HasPrefix(ms[0].Text, "Judge.") || !strings.Contains(ms[0].Text, "no JSON in it") || r.Messages[0].Text != "Judge." {
		t.Errorf("got messages %q, want the error added to the system message", ms)
	}
	s = &script{steps: []error{&ParseError{Reason: "x"}}}
	r = &Request{Messages: []Message{{User, "q"}}}
	_, err := (&ReplyRetry{Next: s}).Complete(t.Context(), r)
	if _ = mustAs[*ParseError](t, err); s.calls() != 2 || s.requests[1].Messages[0].Role != System || UsageOf(err).Requests != 2 {
		t.Errorf("got %v, requests %+v; want 2 requests", err, s.requests)
	}
	s = &script{steps: []error{&RefusalError{Reason: "refusal"}}}
	if _, err := (&ReplyRetry{Next: s}).Complete(t.Context(), r); err == nil || s.calls() != 1 {
		t.Errorf("got %v after %d calls, want a refusal after 1", err, s.calls())
	}
}
