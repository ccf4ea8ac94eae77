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

// How the pace changes: down to slower of itself at a 429, but once a second at
// most; up by faster for a second without one.
const (
	slower  = 0.7
	faster  = 1.2
	step    = time.Second
	holdCap = time.Minute // the longest rest that a server is granted
)

// A Pace keeps requests and tokens per minute below limits, and finds a lower
// pace by itself when the server turns requests away: at a 429 it slows down and
// rests for as long as the server asks, and with each good second it goes faster
// again, up to the limits. Without limits it starts, at the first 429, from the
// pace that it has measured.
type Pace struct {
	clock  Clock
	rpm    float64    // 0: no limit
	tokens *tokenPace // nil: no limit

	mu       sync.Mutex
	limit    rate.Limit // of requests a second; rate.Inf while there is none
	requests *rate.Limiter
	rest     time.Time // nothing is sent before
	changed  time.Time
	started  time.Time // of the second in which sent were sent
	sent     int
	measured float64 // requests in the last full second
	top      rate.Limit
}

// NewPace takes limits per minute; 0 is none.
func NewPace(rpm, tpm int, c Clock) *Pace {
	p := &Pace{clock: c, rpm: float64(rpm), limit: rate.Inf, top: rate.Inf}
	if rpm > 0 {
		p.limit = rate.Limit(p.rpm / 60)
		p.top = p.limit
	}
	p.requests = rate.NewLimiter(p.limit, burst(p.limit))
	if tpm > 0 {
		p.tokens = newTokenPace(tpm, c)
	}
	return p
}

// burst is what may go at once: a second's worth.
func burst(l rate.Limit) int {
	if l == rate.Inf {
		return 1
	}
	return max(1, int(l))
}

// Around waits for its turn, sends, and learns from the answer.
func (p *Pace) Around(ctx context.Context, size func() Size, send Send) (usage.Usage, error) {
	if p.tokens == nil {
		return p.around(ctx, send, func() {})
	}
	s := size()
	b, err := p.tokens.book(ctx, s)
	if err != nil {
		return usage.Usage{}, err
	}
	sent := false
	u, err := p.around(ctx, send, func() { sent = true; p.tokens.start(b) })
	took := u
	if took.Tokens() == 0 && sent {
		took.PromptTokens = s.Prompt // the server may count what it did not answer
	}
	p.tokens.settle(b, took)
	return u, err
}

// around is Around without the pace of tokens. start is called when it sends.
func (p *Pace) around(ctx context.Context, send Send, start func()) (usage.Usage, error) {
	if err := p.wait(ctx); err != nil {
		return usage.Usage{}, err
	}
	start()
	u, err := send(ctx)
	p.learn(err, p.clock.Now())
	return u, err
}

func (p *Pace) wait(ctx context.Context) error {
	for {
		now := p.clock.Now()
		p.mu.Lock()
		d := p.rest.Sub(now)
		if d > holdCap { // nobody is granted that much: the clock was set back
			d, p.rest = 0, now
		}
		resting := d > 0
		if !resting {
			d = p.requests.ReserveN(now, 1).DelayFrom(now)
		}
		p.mu.Unlock()
		if d > 0 {
			if err := p.clock.Sleep(ctx, d); err != nil {
				return err
			}
		}
		if !resting && p.count() {
			return nil
		}
	}
}

// count measures how many requests a second are sent. It is false, and counts
// nothing, where a rest began while this one waited for its turn.
func (p *Pace) count() bool {
	now := p.clock.Now()
	p.mu.Lock()
	defer p.mu.Unlock()
	if p.rest.After(now) {
		return false
	}
	if d := now.Sub(p.started); d >= step {
		if !p.started.IsZero() {
			p.measured = float64(p.sent) / d.Seconds()
		}
		p.started, p.sent = now, 0
	}
	p.sent++
	return true
}

// learn slows down or speeds up.
func (p *Pace) learn(err error, now time.Time) {
	e, ok := errors.AsType[*StatusError](err)
	turnedAway := ok && e.Status == http.StatusTooManyRequests && !outOfCredit(e)
	p.mu.Lock()
	defer p.mu.Unlock()
	if turnedAway {
		if d, ok := askedWait(err, now); ok {
			if until := now.Add(min(d, holdCap)); until.After(p.rest) {
				p.rest = until
			}
		}
	}
	if err != nil && !turnedAway || now.Sub(p.changed) < step {
		return
	}
	l := p.limit
	switch {
	case turnedAway && l == rate.Inf:
		// In the first second there is only its beginning to go by.
		l = rate.Limit(max(p.measured, float64(p.sent)/max(now.Sub(p.started), step/10).Seconds(), 1))
		p.top = 4 * l // and past that, no limit again
		l *= slower
	case turnedAway:
		l = max(l*slower, min(p.top/16, 1))
	case l == rate.Inf || l == p.top:
		return
	default:
		l *= faster
		if l >= p.top {
			l = p.top
			if p.rpm == 0 {
				l = rate.Inf
			}
		}
	}
	p.changed, p.limit = now, l
	p.requests.SetLimitAt(now, l)
	p.requests.SetBurstAt(now, burst(l))
}

// PerMinute is the pace that is kept now, in requests; +Inf while none is.
func (p *Pace) PerMinute() float64 {
	p.mu.Lock()
	defer p.mu.Unlock()
	return float64(p.limit) * 60
}
