package llm

import (
	"errors"
	"net/http"
	"time"

	"golang.org/x/time/rate"
)

const (
	slowdownFactor = 0.7 // applied after a 429, at most once per adjustInterval
	speedupFactor  = 1.2 // applied after each adjustInterval without a 429
	adjustInterval = time.Second
	// Pauses that the server did not ask for.
	minProbePause = 500 * time.Millisecond
	maxProbePause = 30 * time.Second

	noticeableWait = 10 * time.Second // wait after 429s that is reported
)

// A rateLimiter keeps requests per minute below a configured limit
// and adapts to servers that reject requests. After a 429 it lowers the rate
// and pauses for as long as the server asks, up to maxWait. Each second without
// a 429 raises the rate again, up to the limit. Without a configured limit, the
// first 429 starts limiting at the measured rate.
//
// While the server answers nothing but 429, the pauses grow exponentially from
// minProbePause. After maxThrottled, adapt returns a *ThrottledError.
type rateLimiter struct {
	requestsPerMinute float64 // 0 means no limit

	limit        rate.Limit // requests per second; rate.Inf if there is no limit
	requests     *rate.Limiter
	pausedUntil  time.Time
	lastAdjusted time.Time  // time of the last change to limit
	windowStart  time.Time  // start of the current measuring window
	sentInWindow int        // requests sent since windowStart
	lastRate     float64    // requests per second in the last full window
	maxLimit     rate.Limit // upper bound for limit
	rounds       int        // 429s since the last other response, each to a request sent after the previous
	firstRound   time.Time  // time of the first of them
	lastRound    time.Time  // time of the last of them
	noticeable   bool       // 429s have caused a noticeableWait
}

// newRateLimiter returns a rateLimiter with a limit per minute, where 0 means unlimited.
func newRateLimiter(rpm int) *rateLimiter {
	l := &rateLimiter{requestsPerMinute: float64(rpm), limit: rate.Inf, maxLimit: rate.Inf}
	if rpm > 0 {
		l.limit = rate.Limit(l.requestsPerMinute / 60)
		l.maxLimit = l.limit
	}
	l.requests = rate.NewLimiter(l.limit, burst(l.limit))
	return l
}

// burst returns how many requests may be sent at once: one second's worth.
func burst(l rate.Limit) int {
	if l == rate.Inf {
		return 1
	}
	return max(1, int(l))
}

// delay returns how long a request must wait for the rate limit or a pause.
func (p *rateLimiter) delay(now time.Time) time.Duration {
	if pause := p.pausedUntil.Sub(now); pause > 0 {
		return pause
	}
	if missing := 1 - p.requests.TokensAt(now); p.limit != rate.Inf && missing > 0 {
		return time.Duration(missing/float64(p.limit)*float64(time.Second)) + 1
	}
	return 0
}

// take counts a request that is being sent.
func (p *rateLimiter) take(now time.Time) {
	p.requests.AllowN(now, 1)
	if d := now.Sub(p.windowStart); d >= adjustInterval {
		if !p.windowStart.IsZero() {
			p.lastRate = float64(p.sentInWindow) / d.Seconds()
		}
		p.windowStart, p.sentInWindow = now, 0
	}
	p.sentInWindow++
}

// adapt adjusts the rate and the pause after the response to a request. It
// returns err, or a *ThrottledError.
func (p *rateLimiter) adapt(err error, sent, now time.Time) error {
	e, ok := errors.AsType[*StatusError](err)
	throttled := ok && e.Status == http.StatusTooManyRequests && !isQuotaSpent(e)
	switch {
	case throttled:
		err = p.throttle(e, err, sent, now)
	case ok || isReply(err) || isA[*ContextLengthError](err):
		p.rounds = 0
	}
	p.adjustRate(isReply(err), throttled, now)
	return err
}

// throttle sets the pause after a 429.
func (p *rateLimiter) throttle(e *StatusError, err error, sent, now time.Time) error {
	switch {
	case p.rounds == 0:
		p.rounds, p.firstRound, p.lastRound = 1, now, now
	case !sent.Before(p.lastRound):
		p.rounds, p.lastRound = p.rounds+1, now
	}
	e.throttled = p.rounds > 1
	pause, requested := retryAfter(e, now)
	if requested && pause > maxWait {
		return err // ends the run
	}
	if p.rounds > 1 {
		pause = max(pause, min(minProbePause<<min(p.rounds-2, 10), maxProbePause))
	}
	if until := now.Add(pause); until.After(p.pausedUntil) {
		p.pausedUntil = until
	}
	d := now.Sub(p.firstRound)
	p.noticeable = p.noticeable || d+pause >= noticeableWait
	if p.rounds >= minThrottledRounds && d >= maxThrottled {
		return &ThrottledError{d, e}
	}
	return err
}

// adjustRate adapts the rate to a response: a reply, a 429 or neither.
func (p *rateLimiter) adjustRate(replied, throttled bool, now time.Time) {
	if !replied && !throttled || now.Sub(p.lastAdjusted) < adjustInterval {
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
