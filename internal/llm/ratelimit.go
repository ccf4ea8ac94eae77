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
	slowdownFactor = 0.7 // applied after a 429, at most once per adjustInterval
	speedupFactor  = 1.2 // applied after each adjustInterval without a 429
	adjustInterval = time.Second
	maxPause       = time.Minute // longest Retry-After that is honored
)

// A RateLimiter keeps requests and tokens per minute below configured limits
// and adapts to servers that reject requests. After a 429 it lowers the rate
// and pauses for as long as the server asks. Each second without a 429 raises
// the rate again, up to the limits. Without configured limits, the first 429
// starts limiting at the measured rate.
type RateLimiter struct {
	clock             Clock
	requestsPerMinute float64       // 0 means no limit
	tokens            *tokenLimiter // nil means no limit

	mu           sync.Mutex
	limit        rate.Limit // requests per second; rate.Inf if there is no limit
	requests     *rate.Limiter
	pausedUntil  time.Time
	lastAdjusted time.Time  // time of the last change to limit
	windowStart  time.Time  // start of the current measuring window
	sentInWindow int        // requests sent since windowStart
	lastRate     float64    // requests per second in the last full window
	maxLimit     rate.Limit // upper bound for limit
}

// NewRateLimiter returns a RateLimiter with limits per minute, where 0 means
// unlimited.
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

// burst returns how many requests may be sent at once: one second's worth.
func burst(l rate.Limit) int {
	if l == rate.Inf {
		return 1
	}
	return max(1, int(l))
}

// Do waits until the request may be sent, sends it and adapts the rate to the
// response.
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
		used.PromptTokens = s.Prompt // the server may count unanswered requests
	}
	p.tokens.settle(r, used)
	return u, err
}

// do implements Do without the token limit. It calls start just before send.
func (p *RateLimiter) do(ctx context.Context, send Send, start func()) (usage.Usage, error) {
	if err := p.wait(ctx); err != nil {
		return usage.Usage{}, err
	}
	start()
	u, err := send(ctx)
	p.adapt(err, p.clock.Now())
	return u, err
}

// wait blocks until the rate limit and any pause allow another request.
func (p *RateLimiter) wait(ctx context.Context) error {
	for {
		now := p.clock.Now()
		p.mu.Lock()
		delay := p.pausedUntil.Sub(now)
		if delay > maxPause { // the clock was set back
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

// recordSent counts a request for the measured rate. It returns false, without
// counting, if a pause started while the caller was waiting.
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

// adapt adjusts the rate after a response.
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
		// Within the first second, extrapolate from the requests sent so far.
		l = rate.Limit(max(p.lastRate, float64(p.sentInWindow)/max(now.Sub(p.windowStart), adjustInterval/10).Seconds(), 1))
		p.maxLimit = 4 * l // the limit is removed at this rate
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
