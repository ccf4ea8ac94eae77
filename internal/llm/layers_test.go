package llm

import (
	"context"
	"errors"
	"fmt"
	"math"
	"net/http"
	"strconv"
	"strings"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"github.com/ragfaith/ragfaith/internal/usage"
)

// A script is a Completer that returns its steps in order and repeats the last one.
type script struct {
	mu    sync.Mutex
	steps []error // nil is a reply
	asked []*Request
	usage usage.Usage
}

func (s *script) Complete(ctx context.Context, r *Request) (*Reply, error) {
	if ctx.Err() != nil {
		return nil, ctx.Err()
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	s.asked = append(s.asked, r)
	u := s.usage
	if u == (usage.Usage{}) {
		u = usage.Usage{Requests: 1, PromptTokens: 10, CompletionTokens: 5}
	}
	i := min(len(s.asked), len(s.steps)) - 1
	if i >= 0 && s.steps[i] != nil {
		return nil, withUsage(s.steps[i], usage.Usage{Requests: 1})
	}
	return &Reply{Text: "ok", Usage: u}, nil
}

func (s *script) calls() int {
	s.mu.Lock()
	defer s.mu.Unlock()
	return len(s.asked)
}

func status(code int, header ...string) error {
	h := http.Header{}
	for i := 0; i < len(header); i += 2 {
		h.Set(header[i], header[i+1])
	}
	return &StatusError{Status: code, header: h}
}

func TestTransient(t *testing.T) {
	quota := &StatusError{Status: 429, Code: "insufficient_quota"}
	for _, tt := range []struct {
		err  error
		want bool
	}{
		{status(408), true},
		{status(429), true},
		{status(500), true},
		{status(502), true},
		{status(503), true},
		{status(504), true},
		{status(529), true},
		{&NetworkError{}, true},
		{&TimeoutError{}, true},
		{status(400), false},
		{status(401), false},
		{status(402), false},
		{status(403), false},
		{status(404), false},
		{status(422), false},
		{status(501), false},
		{status(307), false},
		{quota, false},
		{&NetworkError{Certificate: true}, false},
		{&ParseError{}, false},
		{&LengthError{}, false},
		{&RefusalError{}, false},
		{&BudgetError{}, false},
		{&DownError{status(503)}, false},
		{errors.New("other"), false},
	} {
		if got := Transient(tt.err); got != tt.want {
			t.Errorf("%T %v: got %v, want %v", tt.err, tt.err, got, tt.want)
		}
	}
}

func TestRetryBackoffAndUsage(t *testing.T) {
	clock := newFakeClock()
	s := &script{steps: []error{status(500), &NetworkError{}, &TimeoutError{}, nil}}
	notified := 0
	c := Layered(s, nil, &Retry{Retries: 5, Clock: clock, Notify: func(error, time.Duration) { notified++ }})
	reply, err := c.Complete(t.Context(), ask(nil))
	if err != nil || reply.Usage != (usage.Usage{Requests: 4, PromptTokens: 10, CompletionTokens: 5}) || notified != 3 {
		t.Fatalf("got %+v, %v, notified %d", reply, err, notified)
	}
	for i, d := range clock.slept {
		if mid := 500 * time.Millisecond << i; d < mid/2 || d > mid*3/2+1 {
			t.Errorf("wait %d: got %s", i, d)
		}
	}
}

func TestRetryGivesUp(t *testing.T) {
	for retries, calls := range map[int]int{0: 1, 2: 3} {
		s := &script{steps: []error{status(503)}}
		_, err := Layered(s, nil, &Retry{Retries: retries, Clock: newFakeClock()}).Complete(t.Context(), ask(nil))
		if as[*StatusError](t, err).Status != 503 || s.calls() != calls || UsageOf(err).Requests != calls {
			t.Errorf("%d retries: got %v after %d calls, usage %+v", retries, err, s.calls(), UsageOf(err))
		}
	}
	s := &script{steps: []error{status(400)}}
	if _, err := Layered(s, nil, &Retry{Retries: 5, Clock: newFakeClock()}).Complete(t.Context(), ask(nil)); err == nil || s.calls() != 1 {
		t.Errorf("got %v after %d calls", err, s.calls())
	}
	ctx, cancel := context.WithCancel(t.Context())
	s = &script{steps: []error{status(503)}}
	_, err := Layered(s, nil, &Retry{Retries: 5, Clock: newFakeClock(), Notify: func(error, time.Duration) { cancel() }}).Complete(ctx, ask(nil))
	if !errors.Is(err, context.Canceled) || s.calls() != 1 {
		t.Errorf("got %v after %d calls", err, s.calls())
	}
}

func TestRetryHonorsServerDelay(t *testing.T) {
	now := newFakeClock().Now()
	for _, tt := range []struct {
		err  error
		want time.Duration // -1: the usual
	}{
		{status(429, "Retry-After", "7"), 7 * time.Second},
		{status(503, "Retry-After", "2.5"), 2500 * time.Millisecond},
		{status(429, "Retry-After", "0"), 0},
		{status(503, "Retry-After", now.Add(20*time.Second).Format(http.TimeFormat)), 20 * time.Second},
		{status(503, "Retry-After", now.Add(-time.Hour).Format(http.TimeFormat)), 0},
		{status(503, "Retry-After", "soon"), -1},
		{status(429, "Retry-After", "-3"), -1},
		{status(429, "Retry-After", "NaN"), -1},
		{status(429, "Retry-After", "86400"), 30 * time.Second}, // the cap
		{status(429, "Retry-After-Ms", "1500", "Retry-After", "9"), 1500 * time.Millisecond},
		{status(429, "X-Ratelimit-Reset-Requests", "1s"), time.Second},
		{status(429, "X-Ratelimit-Reset-Tokens", "6m0s"), 30 * time.Second},
		{status(429, "X-Ratelimit-Reset-Requests", "20ms", "X-Ratelimit-Remaining-Requests", "99", "X-Ratelimit-Reset-Tokens", "6s", "X-Ratelimit-Remaining-Tokens", "0"), 6 * time.Second},
		{status(429, "X-Ratelimit-Reset-Requests", "9s", "X-Ratelimit-Remaining-Requests", "99", "X-Ratelimit-Reset-Tokens", "6s", "X-Ratelimit-Remaining-Tokens", "0"), 6 * time.Second},
		{status(429, "X-Ratelimit-Reset", strconv.FormatInt(now.Add(8*time.Second).Unix(), 10)), 8 * time.Second},
		{status(429, "X-Ratelimit-Reset", strconv.FormatInt(now.Add(8*time.Second).UnixMilli(), 10)), 8 * time.Second},
		{status(500, "X-Ratelimit-Reset-Requests", "20s"), -1},
		{&NetworkError{}, -1},
	} {
		clock := newFakeClock()
		_, err := Layered(&script{steps: []error{tt.err, nil}}, nil, &Retry{Retries: 1, Cap: 30 * time.Second, Clock: clock}).Complete(t.Context(), ask(nil))
		if err != nil {
			t.Fatal(err)
		}
		got := clock.slept[0]
		low, high := tt.want, tt.want+75*time.Millisecond
		if tt.want < 0 {
			low, high = 250*time.Millisecond, 751*time.Millisecond
		}
		if got < low || got > high {
			t.Errorf("got %+v: waited %s", tt.err, got)
		}
	}
}

func TestReaskIncreasesOutputTokens(t *testing.T) {
	s := &script{steps: []error{&LengthError{Limit: 100}, nil}}
	reply, err := (&Reask{Next: s}).Complete(t.Context(), ask(nil))
	if err != nil || s.asked[1].MaxTokens != 200 || s.asked[0].MaxTokens != 100 || reply.Usage.Requests != 2 {
		t.Fatalf("got %+v, %v", reply, err)
	}
	s = &script{steps: []error{&LengthError{Limit: 100}}}
	_, err = (&Reask{Next: s}).Complete(t.Context(), ask(nil))
	if _ = as[*LengthError](t, err); s.calls() != 2 || UsageOf(err).Requests != 2 {
		t.Errorf("got %v after %d calls", err, s.calls())
	}
	s = &script{steps: []error{&LengthError{Limit: 100}}}
	if _, err = (&Reask{Next: s, MaxOutputTokens: 100}).Complete(t.Context(), ask(nil)); err == nil || s.calls() != 1 {
		t.Errorf("got %d requests above the limit", s.calls())
	}
}

// A pause that begins while requests are queued applies to them too.
func TestPauseAppliesToQueuedRequests(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		p := NewPace(60, 0, NewClock(time.Now))
		start := time.Now()
		var mu sync.Mutex
		var sent []time.Duration
		c := Layered(completerFunc(func(ctx context.Context, _ *Request) (*Reply, error) {
			mu.Lock()
			sent = append(sent, time.Since(start))
			first := len(sent) == 1
			mu.Unlock()
			if !first {
				return &Reply{}, nil
			}
			_ = NewClock(time.Now).Sleep(ctx, 500*time.Millisecond) // the others have their turns by then
			return nil, status(429, "Retry-After", "20")
		}), nil, p)
		var wg sync.WaitGroup
		for range 5 {
			wg.Go(func() { _, _ = c.Complete(t.Context(), ask(nil)) })
		}
		wg.Wait()
		if sent[1] < 20*time.Second || sent[4] < sent[1]+time.Second {
			t.Errorf("got requests at %v", sent)
		}
	})
}

func TestReaskDescribesError(t *testing.T) {
	s := &script{steps: []error{&ParseError{Reason: "there is no JSON in it"}, nil}}
	r := ask(verdicts())
	if _, err := (&Reask{Next: s}).Complete(t.Context(), r); err != nil {
		t.Fatal(err)
	}
	ms := s.asked[1].Messages
	if len(ms) != 2 || ms[1] != r.Messages[1] || !strings.HasPrefix(ms[0].Text, "Judge.") || !strings.Contains(ms[0].Text, "no JSON in it") || r.Messages[0].Text != "Judge." {
		t.Errorf("got %q", ms)
	}
	s = &script{steps: []error{&ParseError{Reason: "x"}}}
	r = &Request{Messages: []Message{{User, "q"}}}
	_, err := (&Reask{Next: s}).Complete(t.Context(), r)
	if _ = as[*ParseError](t, err); s.calls() != 2 || s.asked[1].Messages[0].Role != System || UsageOf(err).Requests != 2 {
		t.Errorf("got %v, asked %+v", err, s.asked)
	}
	s = &script{steps: []error{&RefusalError{Reason: "refusal"}}}
	if _, err := (&Reask{Next: s}).Complete(t.Context(), r); err == nil || s.calls() != 1 {
		t.Errorf("a refusal was repeated: %v", err)
	}
}

func TestPaceLimitsRequests(t *testing.T) {
	clock := newFakeClock()
	start := clock.Now()
	p := NewPace(60, 0, clock)
	c := Layered(&script{}, nil, p)
	for range 31 {
		if _, err := c.Complete(t.Context(), ask(nil)); err != nil {
			t.Fatal(err)
		}
	}
	if d := clock.Now().Sub(start); d < 29*time.Second || d > 31*time.Second {
		t.Errorf("31 requests at 60 a minute took %s", d)
	}
	if float64(p.limit)*60 != 60 {
		t.Errorf("got pace %v", float64(p.limit)*60)
	}
}

func TestPaceLimitsTokens(t *testing.T) {
	clock := newFakeClock()
	start := clock.Now()
	c := Layered(&script{usage: usage.Usage{Requests: 1, PromptTokens: 900, CompletionTokens: 100}}, func(string) int { return 250 }, NewPace(0, 60_000, clock))
	for range 60 {
		if _, err := c.Complete(t.Context(), ask(nil)); err != nil {
			t.Fatal(err)
		}
	}
	// 60,000 tokens at 60,000 a minute: a quarter of the prompts may go at once.
	if d := clock.Now().Sub(start); d < 40*time.Second || d > 62*time.Second {
		t.Errorf("took %s, which is too long or too short", d)
	}
}

func TestPaceAllowsPromptAboveLimit(t *testing.T) {
	c := Layered(&script{}, func(string) int { return 1e6 }, NewPace(0, 100, newFakeClock()))
	if _, err := c.Complete(t.Context(), ask(nil)); err != nil {
		t.Error(err)
	}
}

func TestPaceSlowsDownAndRecovers(t *testing.T) {
	clock := newFakeClock()
	p := NewPace(600, 0, clock)
	s := &script{steps: []error{status(429, "Retry-After", "20"), status(429), nil}}
	c := Layered(s, nil, p)
	_, _ = c.Complete(t.Context(), ask(nil))
	slow := float64(p.limit) * 60
	before := clock.Now()
	_, _ = c.Complete(t.Context(), ask(nil))
	if d := clock.Now().Sub(before); d < 20*time.Second {
		t.Errorf("got a pause of %s", d)
	}
	if slow != 420 || float64(p.limit)*60 >= slow {
		t.Errorf("got paces %v, then %v", slow, float64(p.limit)*60)
	}
	for range 200 {
		_, _ = c.Complete(t.Context(), ask(nil))
		clock.pass(500 * time.Millisecond)
	}
	if float64(p.limit)*60 != 600 {
		t.Errorf("recovered to %v", float64(p.limit)*60)
	}
}

func TestPaceFindsLimitWithoutConfig(t *testing.T) {
	clock := newFakeClock()
	p := NewPace(0, 0, clock)
	steps := make([]error, 40)
	steps[39] = status(429)
	s := &script{steps: append(steps, nil)}
	c := Layered(s, nil, p)
	for range 40 {
		if !math.IsInf(float64(p.limit)*60, 1) {
			t.Fatal("limited before the first 429")
		}
		_, _ = c.Complete(t.Context(), ask(nil))
		clock.pass(100 * time.Millisecond)
	}
	if l := float64(p.limit) * 60 / 60; l < 5 || l > 9 {
		t.Errorf("got a limit of %v after 10 requests a second", l)
	}
	for range 400 {
		_, _ = c.Complete(t.Context(), ask(nil))
		clock.pass(500 * time.Millisecond)
	}
	if !math.IsInf(float64(p.limit)*60, 1) {
		t.Errorf("got a limit of %v", float64(p.limit)*60)
	}
}

func TestPaceNeverStops(t *testing.T) {
	clock := newFakeClock()
	p := NewPace(600, 0, clock)
	c := Layered(&script{steps: []error{status(429)}}, nil, p)
	for range 100 {
		_, _ = c.Complete(t.Context(), ask(nil))
		clock.pass(time.Second)
	}
	if l := float64(p.limit) * 60; l < 30 {
		t.Errorf("got a limit of %v", l)
	}
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	if _, err := c.Complete(ctx, ask(nil)); !errors.Is(err, context.Canceled) {
		t.Errorf("got %v", err)
	}
}

func TestBudgetStopsBeforeTheLimit(t *testing.T) {
	ten := func(string) int { return 10 }
	for name, b := range map[string]*Budget{"tokens": NewBudget(0, 1000), "USD": NewBudget(0.001, 0)} {
		t.Run(name, func(t *testing.T) {
			s := &script{usage: usage.Usage{Requests: 1, PromptTokens: 30, CompletionTokens: 20}}
			c := Layered(s, ten, b.At(1, 1)) // 1 USD per million tokens
			var err error
			for err == nil {
				_, err = c.Complete(t.Context(), ask(nil))
			}
			e := as[*BudgetError](t, err)
			usd, tokens := b.Spent()
			// A request may come to 31 + 100 tokens, and each comes to 50.
			if tokens != 900 || s.calls() != 18 || math.Abs(usd-0.0009) > 1e-12 || !Fatal(err) || !strings.Contains(e.Error(), "limit of") {
				t.Errorf("%v: got %d tokens, $%v, %d calls", e, tokens, usd, s.calls())
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
		b := NewBudget(0, 2000)
		var top, now int
		var mu sync.Mutex
		slow := completerFunc(func(ctx context.Context, _ *Request) (*Reply, error) {
			mu.Lock()
			now++
			top = max(top, now)
			mu.Unlock()
			_ = NewClock(time.Now).Sleep(ctx, time.Second)
			mu.Lock()
			now--
			mu.Unlock()
			return &Reply{Usage: usage.Usage{Requests: 1, PromptTokens: 50, CompletionTokens: 50}}, nil
		})
		c := Layered(slow, func(string) int { return 45 }, b.At(0, 0))
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
		_, tokens := b.Spent()
		if tokens > 2000 || done != tokens/100 || done < 14 || top > 3 {
			t.Errorf("got %d tokens, %d done, %d at once", tokens, done, top)
		}
	})
}

type completerFunc func(context.Context, *Request) (*Reply, error)

func (f completerFunc) Complete(ctx context.Context, r *Request) (*Reply, error) { return f(ctx, r) }

func TestBudgetCountsTimeouts(t *testing.T) {
	ten := func(string) int { return 10 }
	b := NewBudget(0, 10_000)
	_, _ = Layered(&script{steps: []error{&TimeoutError{}}}, ten, b.At(0, 0)).Complete(t.Context(), ask(nil))
	if _, n := b.Spent(); n != 31 {
		t.Errorf("got %d tokens for a timeout", n)
	}
	b = NewBudget(0, 10_000)
	_, _ = Layered(&script{steps: []error{status(500)}}, ten, b.At(0, 0)).Complete(t.Context(), ask(nil))
	if _, n := b.Spent(); n != 0 {
		t.Errorf("got %d tokens for a 500", n)
	}
	_, _ = Layered(&script{usage: usage.Usage{Requests: 1}}, ten, b.At(0, 0)).Complete(t.Context(), ask(nil))
	if _, n := b.Spent(); n != 31 {
		t.Errorf("got %d tokens without reported usage", n)
	}
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	b = NewBudget(0, 100)
	b.reserved.tokens = 90
	if err := b.reserve(ctx, spending{tokens: 50}); !errors.Is(err, context.Canceled) {
		t.Errorf("got %v", err)
	}
}

func TestBreakerOpensForADeadServer(t *testing.T) {
	for name, tt := range map[string]struct {
		err   error
		calls int
	}{
		"no connection":        {&NetworkError{Message: "refused"}, 4},
		"silence":              {&TimeoutError{}, 4},
		"gateway":              {status(502), 16},
		"not an API":           {status(200), 4},
		"key refused":          {status(401), 1},
		"forbidden":            {status(403), 1},
		"no model":             {status(404), 1},
		"moved":                {status(301), 1},
		"no credit":            {status(402), 1},
		"quota":                {&StatusError{Status: 429, Code: "insufficient_quota"}, 1},
		"certificate":          {&NetworkError{Certificate: true}, 1},
		"only bad requests":    {status(400), 16},
		"rate: never":          {status(429), 100},
		"unreadable: never":    {&ParseError{}, 100},
		"budget: never":        {&BudgetError{}, 100},
		"canceled: never":      {context.Canceled, 100},
		"deadline: never":      {context.DeadlineExceeded, 100},
		"content filter: none": {&RefusalError{}, 100},
	} {
		t.Run(name, func(t *testing.T) {
			s := &script{steps: []error{tt.err}}
			b := NewBreaker(newFakeClock())
			c := Layered(s, nil, b)
			var err error
			for range 100 {
				_, err = c.Complete(t.Context(), ask(nil))
			}
			if s.calls() != tt.calls {
				t.Errorf("%d calls, want %d", s.calls(), tt.calls)
			}
			if tt.calls < 100 {
				if e := as[*DownError](t, err); !Fatal(err) || e.Unwrap() == nil || !strings.Contains(e.Error(), "giving up") || b.Err() == nil {
					t.Errorf("got %v", err)
				}
			} else if b.Err() != nil {
				t.Errorf("breaker: got %v", b.Err())
			}
		})
	}
}

func TestBreakerToleratesRestart(t *testing.T) {
	clock := newFakeClock()
	down := &NetworkError{Message: "refused"}
	s := &script{steps: []error{nil, down, down, down, down, down, down, nil, down}}
	b := NewBreaker(clock)
	c := Layered(s, nil, b)
	for range 8 {
		_, _ = c.Complete(t.Context(), ask(nil))
		clock.pass(100 * time.Millisecond)
	}
	if b.Err() != nil {
		t.Fatalf("breaker is open after a restart: %v", b.Err())
	}
	for range 12 {
		_, _ = c.Complete(t.Context(), ask(nil))
		clock.pass(time.Second)
	}
	if b.Err() == nil {
		t.Error("breaker is closed after the server went away")
	}
}

func TestBreakerIgnoresBadRequests(t *testing.T) {
	s := &script{steps: []error{nil, status(400)}}
	b := NewBreaker(newFakeClock())
	c := Layered(s, nil, b)
	for range 100 {
		_, _ = c.Complete(t.Context(), ask(nil))
	}
	if b.Err() != nil || s.calls() != 100 {
		t.Errorf("breaker after %d calls: got %v", s.calls(), b.Err())
	}
}

func TestBreakerWakesSleepers(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		clock := NewClock(time.Now)
		b := NewBreaker(clock)
		var n int
		var mu sync.Mutex
		srv := completerFunc(func(context.Context, *Request) (*Reply, error) {
			mu.Lock()
			defer mu.Unlock()
			if n++; n < 10 {
				return nil, status(429, "Retry-After", "50")
			}
			return nil, status(401)
		})
		c := Layered(srv, nil, &Retry{Retries: 5, Clock: b.Clock(clock)}, b)
		start := time.Now()
		var wg sync.WaitGroup
		for i := range 10 {
			wg.Go(func() {
				_ = clock.Sleep(t.Context(), time.Duration(i)*time.Second)
				_, err := c.Complete(t.Context(), ask(nil))
				if _, ok := errors.AsType[*DownError](err); !ok {
					t.Errorf("got %v", err)
				}
			})
		}
		wg.Wait()
		if d := time.Since(start); d > 10*time.Second {
			t.Errorf("took %s, which is too long or too short", d)
		}
		if err := b.Clock(clock).Sleep(t.Context(), time.Hour); !errors.Is(err, b.Err()) {
			t.Errorf("got %v", err)
		}
	})
}

func TestMeterCountsFailures(t *testing.T) {
	m := &Meter{}
	c := Layered(&script{steps: []error{status(500), nil}}, nil, m)
	_, _ = c.Complete(t.Context(), ask(nil))
	_, _ = c.Complete(t.Context(), ask(nil))
	if u := m.Total(); u != (usage.Usage{Requests: 2, PromptTokens: 10, CompletionTokens: 5}) {
		t.Errorf("got %+v", u)
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
	for _, e := range []error{&LengthError{}, &LengthError{Limit: 5}, &ContextLengthError{}, &ContextLengthError{Limit: 5}, &RefusalError{Reason: "content_filter"}, &BudgetError{What: "USD"}, &TimeoutError{}} {
		if e.Error() == "" {
			t.Errorf("%T has an empty message", e)
		}
	}
}
