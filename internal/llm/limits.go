package llm

import (
	"cmp"
	"context"
	"errors"
	"net/http"
	"time"

	"golang.org/x/time/rate"

	"github.com/ragfaith/ragfaith/internal/usage"
)

// slots limits the requests in flight to what the server can handle. The limit starts at its
// maximum. It is halved when a request times out or the server is overloaded (503, 504 or 529
// without a delay), at most once for requests that were in flight together. It rises by one after
// as many replies as it allows requests. After as many 429s in a row, one request is sent at a time
// until there is a reply; otherwise 429s only change the rate (rateLimiter).
type slots struct {
	max        int
	limit      int
	lowest     int // lowest limit so far
	inFlight   int
	generation int // number of times that the limit was lowered
	replies    int // since the limit last changed
	rejected   int // 429s since the last reply
}

func newSlots(n int) *slots { return &slots{max: n, limit: n, lowest: n} }

// reached returns the lowest limit so far, or 0 if it was never lowered.
func (s *slots) reached() int {
	if s.lowest == s.max {
		return 0
	}
	return s.lowest
}

// delay returns 0 if a request may be sent.
func (s *slots) delay() time.Duration {
	if s.inFlight == 0 || s.inFlight < s.limit && s.rejected < s.limit {
		return 0
	}
	return untilChange
}

// take starts a request. It returns the generation, which release needs.
func (s *slots) take() (generation int) {
	s.inFlight++
	return s.generation
}

// release ends a request and adapts the limit to its outcome.
func (s *slots) release(generation int, err error, now time.Time) {
	s.inFlight--
	e, ok := errors.AsType[*StatusError](err)
	switch {
	case ok && e.Status == http.StatusTooManyRequests:
		s.rejected++
	case isOverload(err, now):
		if generation == s.generation && s.limit > 1 {
			s.limit /= 2
			s.lowest = min(s.lowest, s.limit)
			s.generation++
			s.replies = 0
		}
	case isReply(err):
		s.rejected = 0
		if s.replies++; s.replies >= s.limit && s.limit < s.max {
			s.limit++
			s.replies = 0
		}
	}
}

// isOverload reports whether a request failed because the server has too many.
func isOverload(err error, now time.Time) bool {
	if isA[*TimeoutError](err) {
		return true
	}
	e, ok := errors.AsType[*StatusError](err)
	if !ok || e.Status != http.StatusServiceUnavailable && e.Status != http.StatusGatewayTimeout && e.Status != 529 {
		return false
	}
	wait, _ := retryAfter(e, now)
	return wait == 0
}

const (
	slowdownFactor = 0.7 // applied after a 429, at most once per adjustInterval
	speedupFactor  = 1.2 // applied after each adjustInterval without a 429
	adjustInterval = time.Second
	// Pauses that the server did not ask for.
	minProbePause = 500 * time.Millisecond
	maxProbePause = 30 * time.Second

	noticeableWait = 10 * time.Second // wait after 429s that is reported
)

// A rateLimiter keeps requests per minute below a configured limit and adapts to servers that
// reject requests. After a 429 it lowers the rate and pauses for as long as the server asks, up to
// maxWait. Each second without a 429 raises the rate again, up to the limit. Without a configured
// limit, the first 429 starts limiting at the measured rate.
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

// slotsPerMinute divides a minute into equal slots. Each slot allows its share
// of prompt tokens, which prevents bursts.
const slotsPerMinute = 4

// A tokenLimiter keeps the tokens in every sliding minute below a limit. A request reserves the
// tokens of its prompt and its longest possible reply when it is sent. Its actual usage replaces
// the reservation once the reply arrives. A nil tokenLimiter has no limit. A request larger than
// the limit waits until no other reservation is active, is sent alone, and then blocks others for
// as many minutes as it exceeds the limit.
type tokenLimiter struct {
	limit    float64
	reserved map[*reservation]struct{}
}

// A reservation accounts for a request that was sent recently.
type reservation struct {
	prompt, tokens float64
	sent           time.Time
}

// delay returns how long a request of size s must wait unless a reservation is settled.
func (t *tokenLimiter) delay(s Size, now time.Time) time.Duration {
	if t == nil {
		return 0
	}
	inMinute, inSlot, wait := 0.0, 0.0, time.Minute
	for r := range t.reserved {
		age := now.Sub(r.sent)
		remaining := max(time.Minute, time.Duration(r.tokens/t.limit*float64(time.Minute))) - age
		if remaining <= 0 {
			delete(t.reserved, r)
			continue
		}
		inMinute += r.tokens
		if slotRemaining := time.Minute/slotsPerMinute - age; slotRemaining > 0 {
			inSlot += r.prompt
			remaining = min(remaining, slotRemaining)
		}
		wait = min(wait, remaining)
	}
	if inMinute > 0 && inMinute+float64(s.Prompt+s.Reply) > t.limit || inSlot > 0 && inSlot+float64(s.Prompt) > t.limit/slotsPerMinute {
		return wait
	}
	return 0
}

// reserve accounts for a request that is being sent.
func (t *tokenLimiter) reserve(s Size, now time.Time) *reservation {
	if t == nil {
		return nil
	}
	r := &reservation{prompt: float64(s.Prompt), tokens: float64(s.Prompt + s.Reply), sent: now}
	t.reserved[r] = struct{}{}
	return r
}

// settle replaces the estimate of a reservation with the actual usage.
func (t *tokenLimiter) settle(r *reservation, u usage.Usage) {
	if t == nil {
		return
	}
	r.prompt, r.tokens = float64(u.PromptTokens), float64(u.Tokens())
}

// deadlines limits the duration of requests. A server with few slots answers requests in turn, so
// the time of a request starts again whenever another one is answered, as often as there can be
// requests before it in the server's queue: the largest number of requests in flight so far, less
// one. On a server that answers in parallel this lets a stuck request last little longer. A server
// that answers nothing gets no more time.
type deadlines struct {
	inFlight map[*deadline]struct{}
	max      int // largest number of requests in flight so far
}

type deadline struct {
	timer    *time.Timer
	timeout  time.Duration
	restarts int
}

// start starts a request, and cancels it with context.DeadlineExceeded if it takes longer
// than the timeout, unless that is 0.
func (d *deadlines) start(cancel context.CancelCauseFunc, timeout time.Duration) *deadline {
	t := &deadline{timeout: cmp.Or(timeout, untilChange)}
	t.timer = time.AfterFunc(t.timeout, func() { cancel(context.DeadlineExceeded) })
	d.inFlight[t] = struct{}{}
	d.max = max(d.max, len(d.inFlight))
	return t
}

// end ends a request, which was answered or not.
func (d *deadlines) end(t *deadline, answered bool) {
	t.timer.Stop()
	delete(d.inFlight, t)
	for other := range d.inFlight {
		if answered && other.restarts < d.max-1 {
			other.restarts++
			other.timer.Reset(other.timeout)
		}
	}
}
