package hub

import (
	"context"
	"errors"
	"fmt"
	"net/http"
	"strconv"
	"time"

	"github.com/cenkalti/backoff/v5"
)

// maxRetryAfter limits the wait that a server may request.
const maxRetryAfter = 2 * time.Minute

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
	denied := e.Status == http.StatusUnauthorized || e.Status == http.StatusForbidden
	page := r.base.String() + "/" + repo
	switch {
	case res.Request.URL.Host != r.base.Host:
		// The response is from the file storage, not from the hub.
	case denied && r.Token == "": // also for missing models, to hide which exist
		e.Hint = "model does not exist, or request access at " + page + " and set HF_TOKEN to a token of that account"
	case denied:
		e.Hint = "model does not exist, or the token in HF_TOKEN or of the login is invalid or has no access: request it at " + page
	case e.Status == http.StatusNotFound && file == "":
		e.Hint = "model or revision not found: " + strconv.Quote(revision)
	}
	if n, err := strconv.ParseUint(res.Header.Get("Retry-After"), 10, 31); err == nil {
		e.wait = min(time.Duration(n)*time.Second, maxRetryAfter)
	}
	return e
}

// retryable reports whether the same request may succeed later.
func retryable(err error) bool {
	if _, ok := errors.AsType[*networkError](err); ok {
		return true
	}
	e, ok := errors.AsType[*StatusError](err)
	return ok && (e.Status == http.StatusRequestTimeout || e.Status == http.StatusTooManyRequests || e.Status >= 500)
}

// An attempt sends one request and reads the response. It calls keepAlive whenever
// data arrives.
type attempt func(ctx context.Context, keepAlive func()) error

// retry calls f until it succeeds, fails permanently, or has no attempts left.
func (r *remote) retry(ctx context.Context, what string, f attempt) error {
	pause := backoff.ExponentialBackOff{
		InitialInterval:     500 * time.Millisecond,
		RandomizationFactor: 0.5,
		Multiplier:          2,
		MaxInterval:         30 * time.Second,
	}
	for remaining := r.Retries; ; remaining-- {
		err := r.withStallTimeout(ctx, f)
		if ctx.Err() != nil {
			return context.Cause(ctx)
		}
		if _, ok := errors.AsType[*networkError](err); ok { // other errors already name the file
			err = fmt.Errorf("%s: %w", what, err)
		}
		if err == nil || remaining <= 0 || !retryable(err) {
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

// withStallTimeout calls f with a context that is canceled if f does not call
// keepAlive for r.Stall.
func (r *remote) withStallTimeout(ctx context.Context, f attempt) error {
	stalled := fmt.Errorf("no data received for %v", r.Stall)
	ctx, cancel := context.WithCancelCause(ctx)
	defer cancel(nil)
	timer := time.AfterFunc(r.Stall, func() { cancel(stalled) })
	defer timer.Stop()
	err := f(ctx, func() { timer.Reset(r.Stall) })
	if err != nil && errors.Is(context.Cause(ctx), stalled) {
		return &networkError{host: r.base.Host, err: stalled}
	}
	return err
}
