package llm

import (
	"context"
	"errors"
	"net/http"
	"sync"
	"time"

	"golang.org/x/time/rate"

	"github.com/ragfaith/ragfaith/internal/usage"
)

const (
	slowdownFactor = 0.7 // factor after a 429, applied at most once per adjustInterval
	speedupFactor  = 1.2 // factor after adjustInterval without a 429
	adjustInterval = time.Second
	maxPause       = time.Minute // longest pause that a server may ask for
)

// A RateLimiter keeps requests and tokens per minute below limits, and adapts to servers
// that reject requests: after a 429 it slows down and pauses for as long as the
// server asks, and each second without one speeds it up again, up to the limits.
// Without limits it starts, at the first 429, from the rate that it has measured.
type RateLimiter struct {
	clock             Clock
	requestsPerMinute float64       // 0 means no limit
	tokens            *tokenLimiter // nil means no limit

	mu           sync.Mutex
	limit        rate.Limit // requests per second; rate.Inf if there is no limit
	requests     *rate.Limiter
	pausedUntil  time.Time
	lastAdjusted time.Time // when limit last changed
	windowStart  time.Time // of the second in which sent requests were sent
	sentInWindow int
	lastRate     float64 // requests in the last full second
	maxLimit     rate.Limit
}

// NewRateLimiter returns a RateLimiter with limits per minute; 0 means no limit.
func NewRateLimiter(rpm, tpm int, clock Clock) *RateLimiter {
	l := &RateLimiter{clock: clock, requestsPerMinute: float64(rpm), limit: rate.Inf, maxLimit: rate.Inf}
	if rpm > 0 {
		l.limit = rate.Limit(l.requestsPerMinute / 60)
		l.maxLimit = l.limit
	}
	l.requests = rate.NewLimiter(l.limit, burst(l.limit))
	if tpm > 0 {
		l.tokens = newTokenLimiter(tpm, clock)
	}
	return l
}

// burst returns the number of requests that may be sent at once: those of a second.
func burst(l rate.Limit) int {
	if l == rate.Inf {
		return 1
	}
	return max(1, int(l))
}

// Do waits until the request may be sent, sends it and adapts to the response.
func (p *RateLimiter) Do(ctx context.Context, size func() Size, send Send) (usage.Usage, error) {
	if p.tokens == nil {
		return p.do(ctx, send, func() {})
	}
	s := size()
	r, err := p.tokens.reserve(ctx, s)
	if err != nil {
		return usage.Usage{}, err
	}
	sent := false
	u, err := p.do(ctx, send, func() { sent = true; p.tokens.start(r) })
	used := u
	if used.Tokens() == 0 && sent {
		used.PromptTokens = s.Prompt // the server may count requests that it did not answer
	}
	p.tokens.settle(r, used)
	return u, err
}

// do is Do without the token limit. It calls start right before send.
func (p *RateLimiter) do(ctx context.Context, send Send, start func()) (usage.Usage, error) {
	if err := p.wait(ctx); err != nil {
		return usage.Usage{}, err
	}
	start()
	u, err := send(ctx)
	p.adapt(err, p.clock.Now())
	return u, err
}

func (p *RateLimiter) wait(ctx context.Context) error {
	for {
		now := p.clock.Now()
		p.mu.Lock()
		delay := p.pausedUntil.Sub(now)
		if delay > maxPause { // longer than any pause: the clock was set back
			delay, p.pausedUntil = 0, now
		}
		paused := delay > 0
		if !paused {
			delay = p.requests.ReserveN(now, 1).DelayFrom(now)
		}
		p.mu.Unlock()
		if delay > 0 {
			if err := p.clock.Sleep(ctx, delay); err != nil {
				return err
			}
		}
		if !paused && p.recordSent() {
			return nil
		}
	}
}

// recordSent measures the requests sent per second. It counts nothing and returns
// false if a pause began while the caller was waiting.
func (p *RateLimiter) recordSent() bool {
	now := p.clock.Now()
	p.mu.Lock()
	defer p.mu.Unlock()
	if p.pausedUntil.After(now) {
		return false
	}
	if d := now.Sub(p.windowStart); d >= adjustInterval {
		if !p.windowStart.IsZero() {
			p.lastRate = float64(p.sentInWindow) / d.Seconds()
		}
		p.windowStart, p.sentInWindow = now, 0
	}
	p.sentInWindow++
	return true
}

// adapt slows down or speeds up after a response.
func (p *RateLimiter) adapt(err error, now time.Time) {
	e, ok := errors.AsType[*StatusError](err)
	throttled := ok && e.Status == http.StatusTooManyRequests && !isOutOfCredit(e)
	p.mu.Lock()
	defer p.mu.Unlock()
	if throttled {
		if d, ok := retryAfter(err, now); ok {
			if until := now.Add(min(d, maxPause)); until.After(p.pausedUntil) {
				p.pausedUntil = until
			}
		}
	}
	if err != nil && !throttled || now.Sub(p.lastAdjusted) < adjustInterval {
		return
	}
	l := p.limit
	switch {
	case throttled && l == rate.Inf:
		// In the first second there is no full second to measure.
		l = rate.Limit(max(p.lastRate, float64(p.sentInWindow)/max(now.Sub(p.windowStart), adjustInterval/10).Seconds(), 1))
		p.maxLimit = 4 * l // above this there is no limit again
		l *= slowdownFactor
	case throttled:
		l = max(l*slowdownFactor, min(p.maxLimit/16, 1))
	case l == rate.Inf || l == p.maxLimit:
		return
	default:
		l *= speedupFactor
		if l >= p.maxLimit {
			l = p.maxLimit
			if p.requestsPerMinute == 0 {
				l = rate.Inf
			}
		}
	}
	p.lastAdjusted, p.limit = now, l
	p.requests.SetLimitAt(now, l)
	p.requests.SetBurstAt(now, burst(l))
}
