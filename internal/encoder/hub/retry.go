package hub

import (
	"context"
	"errors"
	"fmt"
	"net/http"
	"strconv"
	"sync/atomic"
	"time"

	"github.com/cenkalti/backoff/v5"
)

// A Clock provides the time for downloads.
type Clock interface {
	Now() time.Time
	// Sleep waits for d. If ctx is done first, it returns an error.
	Sleep(ctx context.Context, d time.Duration) error
}

const (
	// maxRetryAfter limits the wait that a server may request.
	maxRetryAfter = 2 * time.Minute
	// progressBytes is the amount of data after which the number of attempts is
	// reset, so that a large file can be downloaded over an unreliable connection.
	progressBytes = 1 << 20
)

// A StatusError reports a response with an error status.
type StatusError struct {
	Status int    // HTTP status code
	What   string // name of the repository or file
	Hint   string // optional advice

	wait time.Duration // requested by the server, or 0
}

func (e *StatusError) Error() string {
	s := fmt.Sprintf("%s: the server answered %d", e.What, e.Status)
	if t := http.StatusText(e.Status); t != "" {
		s += " " + t
	}
	if e.Hint != "" {
		s += ": " + e.Hint
	}
	return s
}

// statusError returns a *StatusError for a response. The error does not contain
// text from the server.
func (r *remote) statusError(res *http.Response, repo, revision, file string) error {
	e := &StatusError{Status: res.StatusCode, What: repo}
	if file != "" {
		e.What += ": " + file
	}
	// The hub sends 401 for private and missing models too, to hide which exist.
	page := r.base.String() + "/" + repo
	switch code := res.Header.Get("X-Error-Code"); {
	case res.Request.URL.Host != r.base.Host:
		// The response is from the file storage, not from the hub.
	case e.Status == http.StatusUnauthorized && r.Token != "" && res.Header.Get("X-Error-Message") == "Invalid credentials in Authorization header":
		e.Hint = "the token in " + r.tokenFrom() + " is invalid or expired"
	case code == "GatedRepo" && r.Token == "", e.Status == http.StatusForbidden && r.Token == "":
		e.Hint = "request access at " + page + " and set HF_TOKEN to a token of that account"
	case e.Status == http.StatusUnauthorized && r.Token == "":
		e.Hint = "model does not exist, or set HF_TOKEN to a token with access to it"
	case e.Status == http.StatusUnauthorized && code != "GatedRepo":
		e.Hint = "model does not exist, or the token in " + r.tokenFrom() + " has no access to it"
	case code == "GatedRepo", e.Status == http.StatusForbidden:
		e.Hint = "the token in " + r.tokenFrom() + " has no access: request it at " + page
	case e.Status == http.StatusNotFound && code == "RevisionNotFound":
		e.Hint = "revision not found: " + strconv.Quote(revision)
	case e.Status == http.StatusNotFound && file == "":
		e.Hint = "model or revision not found: " + strconv.Quote(revision)
	}
	e.wait = parseRetryAfter(res.Header.Get("Retry-After"), r.Clock.Now())
	return e
}

// parseRetryAfter parses a Retry-After header: seconds or a date.
func parseRetryAfter(v string, now time.Time) time.Duration {
	if n, err := strconv.ParseUint(v, 10, 31); err == nil {
		return min(time.Duration(n)*time.Second, maxRetryAfter)
	}
	if t, err := http.ParseTime(v); err == nil {
		return min(max(0, t.Sub(now)), maxRetryAfter)
	}
	return 0
}

// retryable reports whether the same request may succeed later.
func retryable(err error) bool {
	if e, ok := errors.AsType[*networkError](err); ok {
		return !e.permanent
	}
	e, ok := errors.AsType[*StatusError](err)
	if !ok {
		return false
	}
	switch e.Status {
	case http.StatusRequestTimeout, http.StatusTooEarly, http.StatusTooManyRequests, http.StatusRequestedRangeNotSatisfiable:
		return true
	case http.StatusNotImplemented, http.StatusHTTPVersionNotSupported:
		return false
	}
	return e.Status >= 500
}

// An attempt sends one request and reads the response. It calls keepAlive whenever
// data arrives, and reports whether it made enough progress to reset the number of
// attempts.
type attempt func(ctx context.Context, keepAlive func()) (progressed bool, err error)

// retry calls f until it succeeds, fails permanently, or has no attempts left.
func (r *remote) retry(ctx context.Context, what string, f attempt) error {
	pause := backoff.ExponentialBackOff{
		InitialInterval:     500 * time.Millisecond,
		RandomizationFactor: 0.5,
		Multiplier:          2,
		MaxInterval:         30 * time.Second,
	}
	for remaining := r.Retries; ; remaining-- {
		progressed, err := r.withStallTimeout(ctx, f)
		switch {
		case ctx.Err() != nil:
			return context.Cause(ctx)
		case err == nil:
			return nil
		case progressed:
			remaining = r.Retries
			pause.Reset()
		}
		if _, ok := errors.AsType[*networkError](err); ok { // other errors already name the file
			err = fmt.Errorf("%s: %w", what, err)
		}
		if remaining <= 0 || !retryable(err) {
			return err
		}
		wait := pause.NextBackOff()
		if e, ok := errors.AsType[*StatusError](err); ok && e.wait > 0 {
			// Jitter spreads the retries of parallel downloads.
			wait = e.wait + wait/10
		}
		if r.Watch.Retry != nil {
			r.Watch.Retry(err, wait)
		}
		if r.Clock.Sleep(ctx, wait) != nil {
			return context.Cause(ctx)
		}
	}
}

// withStallTimeout calls f with a context that is canceled if f stops calling
// keepAlive. The timeout is between one and two times r.Stall.
func (r *remote) withStallTimeout(ctx context.Context, f attempt) (bool, error) {
	ctx, cancel := context.WithCancelCause(ctx)
	stalled := fmt.Errorf("no data received for %v", r.Stall)
	var activity atomic.Int64
	done := make(chan struct{})
	go func() {
		defer close(done)
		for last := int64(0); r.Clock.Sleep(ctx, r.Stall) == nil; {
			now := activity.Load()
			if now == last {
				cancel(stalled)
				return
			}
			last = now
		}
	}()
	progressed, err := f(ctx, func() { activity.Add(1) })
	if err != nil && errors.Is(context.Cause(ctx), stalled) {
		err = &networkError{host: r.base.Host, err: stalled}
	}
	cancel(nil)
	<-done
	return progressed, err
}
