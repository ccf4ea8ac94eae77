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

// A sentPrompt is the time and the tokens of a prompt.
type sentPrompt struct {
	at     time.Time
	tokens int
}

// maxPerMinute returns the largest number of tokens in any minute.
func maxPerMinute(sent []sentPrompt) (tokens int) {
	for i := range sent {
		sum := 0
		for _, r := range sent[i:] {
			if r.at.Sub(sent[i].at) < time.Minute {
				sum += r.tokens
			}
		}
		tokens = max(tokens, sum)
	}
	return tokens
}

func TestTokenLimitInEveryMinute(t *testing.T) {
	const limit = 60_000
	for name, tt := range map[string]struct {
		prompt func(i int) int
		reply  int
		got    int
		min    int // minimum throughput in tokens per minute
	}{
		"short":                {func(int) int { return 900 }, 100, limit, limit * 7 / 10},
		"a third of the limit": {func(int) int { return 20_000 }, 100, limit, limit * 6 / 10},
		"mixed":                {func(i int) int { return rand.New(rand.NewPCG(1, uint64(i))).IntN(50_000) }, 80, limit, limit / 2},
		"equal to the limit":   {func(int) int { return 59_000 }, 100, limit, limit * 7 / 10},
		"above the limit":      {func(int) int { return 150_000 }, 100, 150_000, limit * 8 / 10},
	} {
		t.Run(name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				clock := NewClock(time.Now)
				p := testSender(Options{TPM: limit, Clock: clock})
				var mu sync.Mutex
				var sent []sentPrompt
				var sizes []Size
				total := 0
				for i := 0; total < 10*limit; i++ {
					sizes = append(sizes, Size{Prompt: tt.prompt(i), Reply: tt.reply})
					total += sizes[i].Prompt
				}
				start, slots := time.Now(), make(chan struct{}, 8)
				inParallel(len(sizes), func(i int) {
					slots <- struct{}{}
					defer func() { <-slots }()
					_, _, err := p.try(t.Context(), call{
						size: func() Size { return sizes[i] },
						send: func(ctx context.Context) (usage.Usage, error) {
							mu.Lock()
							sent = append(sent, sentPrompt{time.Now(), sizes[i].Prompt})
							mu.Unlock()
							return usage.Usage{Requests: 1, PromptTokens: sizes[i].Prompt, CompletionTokens: tt.reply}, clock.Sleep(ctx, 2*time.Second)
						},
					})
					if err != nil {
						t.Error(err)
					}
				})
				if got := maxPerMinute(sent); got > tt.got {
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
	if _, _, err := p.try(ctx, call{size: size, send: func(context.Context) (usage.Usage, error) { return usage.Usage{}, ctx.Err() }}); !errors.Is(err, context.Canceled) {
		t.Errorf("got %v, want %v", err, context.Canceled)
	}
	before := clock.Now()
	for range 2 {
		_, _, _ = p.try(t.Context(), call{size: size, send: func(context.Context) (usage.Usage, error) { return usage.Usage{PromptTokens: 5000}, nil }})
	}
	if d := clock.Now().Sub(before); d > time.Second*31 {
		t.Errorf("waited %v, want at most 31s", d)
	}
}
