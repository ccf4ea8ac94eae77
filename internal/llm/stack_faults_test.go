package llm

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"math/rand/v2"
	"net/http"
	"strconv"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"
)

// A faultyServer is a transport to a simulated server that reasons, is overloaded, rejects
// requests or does not answer.
type faultyServer struct {
	seed            uint64
	mu              sync.Mutex
	rng             *rand.Rand
	requests, spent atomic.Int64 // spent are tokens
}

// RoundTrip implements http.RoundTripper.
func (s *faultyServer) RoundTrip(r *http.Request) (*http.Response, error) {
	n := s.requests.Add(1)
	var q struct {
		MaxTokens int `json:"max_tokens"`
	}
	if err := json.NewDecoder(r.Body).Decode(&q); err != nil {
		return nil, err
	}
	s.mu.Lock()
	fault, delay, tokens := s.rng.IntN(100), time.Duration(50+s.rng.IntN(4000))*time.Millisecond, 100+s.rng.IntN(6000)
	s.mu.Unlock()
	if s.seed%4 == 3 && fault < 5 {
		delay = time.Hour
	}
	if err := NewClock(time.Now).Sleep(r.Context(), delay); err != nil {
		return nil, err
	}
	code, body := 200, ""
	switch {
	case s.seed%7 == 0 && n > 40:
		code = http.StatusUnauthorized
	case s.seed%11 == 0 && n > 20, s.seed%4 >= 1 && fault < 25:
		code = http.StatusTooManyRequests
	case s.seed%4 >= 2 && fault < 35:
		code = http.StatusServiceUnavailable
	default:
		finish, content := "stop", validReply
		if tokens > q.MaxTokens {
			finish, content, tokens = "length", "", q.MaxTokens
		}
		s.spent.Add(int64(tokens + 100))
		body = fmt.Sprintf(`{"choices":[{"finish_reason":%q,"message":{"role":"assistant","content":%q,"reasoning_content":"x"}}],
			"usage":{"prompt_tokens":100,"completion_tokens":%d,"total_tokens":%d}}`, finish, content, tokens, tokens+100)
	}
	if code != http.StatusOK {
		body = `{"error":{"message":"fault"}}`
	}
	return &http.Response{StatusCode: code, Header: http.Header{"Content-Type": {"application/json"}}, Body: io.NopCloser(strings.NewReader(body))}, nil
}

// Whatever fails, all calls return, no slot stays occupied, every request and its tokens
// are counted once, and a budget is kept. Calls with equal requests, calls that are
// canceled, and calls that wait for the first reply or a search run at the same time.
func TestStackSurvivesFaults(t *testing.T) {
	for seed := range uint64(44) {
		t.Run(strconv.FormatUint(seed, 10), func(t *testing.T) {
			dir := t.TempDir()
			synctest.Test(t, func(t *testing.T) {
				clock := NewClock(time.Now)
				cache := OpenCache(t.Context(), dir, clock, func(err error) { t.Error(err) })
				defer cache.Close()
				server := &faultyServer{seed: seed, rng: rand.New(rand.NewPCG(seed, 1))}
				o := Options{
					Client: Config{BaseURL: "http://server/v1", Model: "m", Timeout: 20 * time.Second},
					Clock:  clock, Retries: 5, Concurrency: 8, Cache: cache,
				}
				if seed%3 == 0 {
					o.MaxTokens = 60000
				}
				if seed%5 == 0 {
					o.TPM = 300000
				}
				s := newStack(t, o)
				s.Client.wire.http.Transport = server
				inParallel(16, func(worker int) {
					rng := rand.New(rand.NewPCG(seed, uint64(worker)))
					for range 12 {
						r := newRequest(verdicts())
						r.Messages = append(r.Messages, Message{User, strconv.Itoa(rng.IntN(40))})
						ctx, cancel := t.Context(), context.CancelFunc(func() {})
						if seed%2 == 0 && rng.IntN(3) == 0 {
							ctx, cancel = context.WithTimeout(ctx, time.Duration(rng.IntN(8000))*time.Millisecond)
						}
						if _, err := s.Complete(ctx, r); ctx.Err() == nil && errors.Is(err, context.DeadlineExceeded) {
							t.Errorf("got %v for a call that is not canceled", err)
						}
						cancel()
					}
				})
				if u := s.Meter.Total(); u.Requests != int(server.requests.Load()) || u.Tokens() != int(server.spent.Load()) {
					t.Errorf("counted %d requests and %d tokens, want %d and %d", u.Requests, u.Tokens(), server.requests.Load(), server.spent.Load())
				}
				if n := int(server.spent.Load()); o.MaxTokens > 0 && n > o.MaxTokens {
					t.Errorf("spent %d tokens, want at most %d", n, o.MaxTokens)
				}
				if n := s.Client.sender.slots.inFlight; n != 0 {
					t.Errorf("got %d occupied slots, want none", n)
				}
			})
		})
	}
}
