package llm

import (
	"context"
	"errors"
	"math/rand/v2"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"github.com/ragfaith/ragfaith/internal/usage"
)

// A tokenServer records the time and prompt tokens of each request.
type tokenServer struct {
	mu   sync.Mutex
	sent []struct {
		at     time.Time
		tokens int
	}
	reply   func() usage.Usage
	latency time.Duration
}

func (s *tokenServer) serve(ctx context.Context, size Size) (usage.Usage, error) {
	s.mu.Lock()
	s.sent = append(s.sent, struct {
		at     time.Time
		tokens int
	}{time.Now(), size.Prompt})
	s.mu.Unlock()
	if err := NewClock(time.Now).Sleep(ctx, s.latency); err != nil {
		return usage.Usage{}, err
	}
	u := s.reply()
	if u.PromptTokens == 0 {
		u.PromptTokens = size.Prompt
	}
	return u, nil
}

// maxTokens returns the largest number of tokens in any minute.
func (s *tokenServer) maxTokens() int {
	maxTokens := 0
	for i := range s.sent {
		sum := 0
		for _, r := range s.sent[i:] {
			if r.at.Sub(s.sent[i].at) < time.Minute {
				sum += r.tokens
			}
		}
		maxTokens = max(maxTokens, sum)
	}
	return maxTokens
}

func TestTokenLimitInEveryMinute(t *testing.T) {
	const limit = 60_000
	for name, tt := range map[string]struct {
		prompt     func(i int) int
		replyLimit int
		reply      int
		got        int
		min        int // minimum throughput in tokens per minute
	}{
		"short":                {func(int) int { return 900 }, 720, 100, limit, limit * 7 / 10},
		"a third of the limit": {func(int) int { return 20_000 }, 700, 100, limit, limit * 6 / 10},
		"mixed":                {func(i int) int { return rand.New(rand.NewPCG(1, uint64(i))).IntN(50_000) }, 560, 80, limit, limit / 2},
		"equal to the limit":   {func(int) int { return 59_000 }, 700, 100, limit, limit * 7 / 10},
		"above the limit":      {func(int) int { return 150_000 }, 700, 100, 150_000, limit * 8 / 10},
	} {
		t.Run(name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				s := &tokenServer{reply: func() usage.Usage { return usage.Usage{Requests: 1, CompletionTokens: tt.reply} }, latency: 2 * time.Second}
				p := testSender(Options{TPM: limit, Clock: NewClock(time.Now)})
				start, total := time.Now(), 0
				var wg sync.WaitGroup
				slots := make(chan struct{}, 8)
				for i := 0; total < 10*limit; i++ {
					size := Size{Prompt: tt.prompt(i), Reply: tt.reply}
					total += size.Prompt
					wg.Go(func() {
						slots <- struct{}{}
						defer func() { <-slots }()
						if _, err := p.try(t.Context(), call{
							size: func() Size { return size },
							send: func(ctx context.Context) (usage.Usage, error) { return s.serve(ctx, size) },
						}); err != nil {
							t.Error(err)
						}
					})
				}
				wg.Wait()
				if got := s.maxTokens(); got > tt.got {
					t.Errorf("got %d tokens in a minute, want at most %d", got, tt.got)
				}
				if rate := float64(total) / time.Since(start).Minutes(); rate < float64(tt.min) {
					t.Errorf("got %.0f tokens per minute, want at least %d", rate, tt.min)
				}
			})
		})
	}
}

func TestTokenLimiterReleasesUnsentRequests(t *testing.T) {
	clock := newFakeClock()
	p := testSender(Options{TPM: 60_000, Clock: clock})
	size := func() Size { return Size{Prompt: 14_000} }
	ctx := canceled(t)
	if _, err := p.try(ctx, call{size: size, send: func(context.Context) (usage.Usage, error) { return usage.Usage{}, ctx.Err() }}); !errors.Is(err, context.Canceled) {
		t.Errorf("got %v, want %v", err, context.Canceled)
	}
	before := clock.Now()
	for range 2 {
		_, _ = p.try(t.Context(), call{size: size, send: func(context.Context) (usage.Usage, error) { return usage.Usage{PromptTokens: 5000}, nil }})
	}
	if d := clock.Now().Sub(before); d > time.Second*31 {
		t.Errorf("waited %v, want at most 31s", d)
	}
}

func TestBreakerWakesTokenLimiter(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		p := testSender(Options{TPM: 60, Clock: NewClock(time.Now)})
		one := call{
			size: func() Size { return Size{Prompt: 1000} },
			send: func(context.Context) (usage.Usage, error) { return usage.Usage{PromptTokens: 1000}, nil },
		}
		if _, err := p.do(t.Context(), one); err != nil {
			t.Fatal(err)
		}
		start := time.Now()
		var wg sync.WaitGroup
		for range 3 {
			wg.Go(func() {
				_, err := p.do(t.Context(), one)
				checkDown(t, err)
			})
		}
		synctest.Wait()
		_ = p.breaker.end(status(401), 0)
		wg.Wait()
		if d := time.Since(start); d > time.Second {
			t.Errorf("waited %v, want at most 1s", d)
		}
	})
}
