package llm

import (
	"context"
	"errors"
	"net/http"
	"strings"
	"time"

	"github.com/cenkalti/backoff/v5"

	"github.com/ragfaith/ragfaith/internal/usage"
)

// Retry sends again what failed for reasons that pass: 408, 425, 429 and 5xx,
// broken connections, and a try that timed out. It is the only layer of retries.
// Between tries it waits as long as the server asks, up to Cap, and otherwise a
// random time around 0.5 s, 1 s, 2 s and so on up to 30 s.
type Retry struct {
	Retries int           // after the first try
	Cap     time.Duration // the longest wait that a server is granted; 0 for a minute
	Clock   Clock
	Notify  func(err error, wait time.Duration) // may be nil
}

// Around calls send until it succeeds, fails for good or has used its retries up.
func (r *Retry) Around(ctx context.Context, _ func() Size, send Send) (usage.Usage, error) {
	pause := backoff.ExponentialBackOff{
		InitialInterval:     500 * time.Millisecond,
		RandomizationFactor: 0.5,
		Multiplier:          2,
		MaxInterval:         30 * time.Second,
	}
	var used usage.Usage
	for try := 0; ; try++ {
		u, err := send(ctx)
		used = used.Add(u)
		if err == nil || ctx.Err() != nil || try >= r.Retries || !Passing(err) || late(ctx, err) {
			return used, err
		}
		wait := pause.NextBackOff()
		if asked, ok := askedWait(err, r.Clock.Now()); ok {
			limit := r.Cap
			if limit <= 0 {
				limit = time.Minute
			}
			// The random tenth keeps rows that were turned away together apart.
			wait = min(asked, limit) + wait/10
		}
		if r.Notify != nil {
			r.Notify(err, wait)
		}
		if e := r.Clock.Sleep(ctx, wait); e != nil {
			return used, e
		}
	}
}

// late reports whether err is a timeout of a request that is not to be repeated.
func late(ctx context.Context, err error) bool {
	_, timeout := errors.AsType[*TimeoutError](err)
	return timeout && ctx.Value(triedOnce{}) != nil
}

// Passing says whether the same request may succeed later.
func Passing(err error) bool {
	if Fatal(err) {
		return false
	}
	if e, ok := errors.AsType[*NetworkError](err); ok {
		return !e.Certificate
	}
	if _, ok := errors.AsType[*TimeoutError](err); ok {
		return true
	}
	e, ok := errors.AsType[*StatusError](err)
	if !ok {
		return false
	}
	switch e.Status {
	case http.StatusRequestTimeout, http.StatusTooEarly:
		return true
	case http.StatusTooManyRequests:
		return !outOfCredit(e)
	case http.StatusNotImplemented, http.StatusHTTPVersionNotSupported:
		return false
	}
	return e.Status >= 500
}

// outOfCredit is a 429 or 402 that no wait ends.
func outOfCredit(e *StatusError) bool {
	return e.Status == http.StatusPaymentRequired ||
		e.Status == http.StatusTooManyRequests && strings.Contains(e.Code+e.Message, "insufficient_quota")
}
