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
	slowdown       = 0.7 // factor after a 429, applied at most once per adjustInterval
	speedup        = 1.2 // factor after adjustInterval without a 429
	adjustInterval = time.Second
	maxPause       = time.Minute // longest pause that a server may ask for
)

// A Pace keeps requests and tokens per minute below limits, and adapts to servers
// that reject requests: after a 429 it slows down and pauses for as long as the
// server asks, and each second without one speeds it up again, up to the limits.
// Without limits it starts, at the first 429, from the rate that it has measured.
type Pace struct {
	clock  Clock
	rpm    float64    // 0 means no limit
	tokens *tokenPace // nil means no limit

	mu          sync.Mutex
	limit       rate.Limit // requests per second; rate.Inf if there is no limit
	requests    *rate.Limiter
	pausedUntil time.Time
	adjusted    time.Time // when limit last changed
	windowStart time.Time // of the second in which sent requests were sent
	sent        int
	measured    float64 // requests in the last full second
	max         rate.Limit
}

// NewPace returns a Pace with limits per minute; 0 means no limit.
func NewPace(rpm, tpm int, c Clock) *Pace {
	p := &Pace{clock: c, rpm: float64(rpm), limit: rate.Inf, max: rate.Inf}
	if rpm > 0 {
		p.limit = rate.Limit(p.rpm / 60)
		p.max = p.limit
	}
	p.requests = rate.NewLimiter(p.limit, burst(p.limit))
	if tpm > 0 {
		p.tokens = newTokenPace(tpm, c)
	}
	return p
}

// burst returns the number of requests that may be sent at once: those of a second.
func burst(l rate.Limit) int {
	if l == rate.Inf {
		return 1
	}
	return max(1, int(l))
}

// Around waits until the request may be sent, sends it and adapts to the response.
func (p *Pace) Around(ctx context.Context, size func() Size, send Send) (usage.Usage, error) {
	if p.tokens == nil {
		return p.around(ctx, send, func() {})
	}
	s := size()
	r, err := p.tokens.reserve(ctx, s)
	if err != nil {
		return usage.Usage{}, err
	}
	sent := false
	u, err := p.around(ctx, send, func() { sent = true; p.tokens.start(r) })
	used := u
	if used.Tokens() == 0 && sent {
		used.PromptTokens = s.Prompt // the server may count requests that it did not answer
	}
	p.tokens.settle(r, used)
	return u, err
}

// around is Around without the token limit. It calls start right before send.
func (p *Pace) around(ctx context.Context, send Send, start func()) (usage.Usage, error) {
	if err := p.wait(ctx); err != nil {
		return usage.Usage{}, err
	}
	start()
	u, err := send(ctx)
	p.adapt(err, p.clock.Now())
	return u, err
}

func (p *Pace) wait(ctx context.Context) error {
	for {
		now := p.clock.Now()
		p.mu.Lock()
		d := p.pausedUntil.Sub(now)
		if d > maxPause { // longer than any pause: the clock was set back
			d, p.pausedUntil = 0, now
		}
		paused := d > 0
		if !paused {
			d = p.requests.ReserveN(now, 1).DelayFrom(now)
		}
		p.mu.Unlock()
		if d > 0 {
			if err := p.clock.Sleep(ctx, d); err != nil {
				return err
			}
		}
		if !paused && p.countSent() {
			return nil
		}
	}
}

// countSent measures the requests sent per second. It counts nothing and returns
// false if a pause began while the caller was waiting.
func (p *Pace) countSent() bool {
	now := p.clock.Now()
	p.mu.Lock()
	defer p.mu.Unlock()
	if p.pausedUntil.After(now) {
		return false
	}
	if d := now.Sub(p.windowStart); d >= adjustInterval {
		if !p.windowStart.IsZero() {
			p.measured = float64(p.sent) / d.Seconds()
		}
		p.windowStart, p.sent = now, 0
	}
	p.sent++
	return true
}

// adapt slows down or speeds up after a response.
func (p *Pace) adapt(err error, now time.Time) {
	e, ok := errors.AsType[*StatusError](err)
	throttled := ok && e.Status == http.StatusTooManyRequests && !outOfCredit(e)
	p.mu.Lock()
	defer p.mu.Unlock()
	if throttled {
		if d, ok := retryAfter(err, now); ok {
			if until := now.Add(min(d, maxPause)); until.After(p.pausedUntil) {
				p.pausedUntil = until
			}
		}
	}
	if err != nil && !throttled || now.Sub(p.adjusted) < adjustInterval {
		return
	}
	l := p.limit
	switch {
	case throttled && l == rate.Inf:
		// In the first second there is no full second to measure.
		l = rate.Limit(max(p.measured, float64(p.sent)/max(now.Sub(p.windowStart), adjustInterval/10).Seconds(), 1))
		p.max = 4 * l // above this there is no limit again
		l *= slowdown
	case throttled:
		l = max(l*slowdown, min(p.max/16, 1))
	case l == rate.Inf || l == p.max:
		return
	default:
		l *= speedup
		if l >= p.max {
			l = p.max
			if p.rpm == 0 {
				l = rate.Inf
			}
		}
	}
	p.adjusted, p.limit = now, l
	p.requests.SetLimitAt(now, l)
	p.requests.SetBurstAt(now, burst(l))
}
