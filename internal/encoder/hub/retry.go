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

// A Clock is the time that a download lives by.
type Clock interface {
	Now() time.Time
	// Sleep waits for d, or returns an error as soon as ctx ends.
	Sleep(ctx context.Context, d time.Duration) error
}

const (
	// mostWait is the longest time for which a server may ask to be left alone.
	mostWait = 2 * time.Minute
	// enough is how many bytes show that a connection works, so that the tries
	// are counted anew: a large file over a poor line may take many.
	enough = 1 << 20
)

// A StatusError is a server's refusal.
type StatusError struct {
	Status int    // of HTTP
	What   string // the repository, or the file of it
	Hint   string // what to do about it; may be empty

	wait time.Duration // that the server asked for; 0 for none
}

// Error says what was refused, how, and what may help.
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

// refused makes a *StatusError of a reply. What the server wrote is not shown.
func (r *remote) refused(res *http.Response, repo, revision, file string) error {
	e := &StatusError{Status: res.StatusCode, What: repo}
	if file != "" {
		e.What += ": " + file
	}
	// The hub hides what one may not see behind the same code as a bad token.
	page := r.base.String() + "/" + repo
	switch code := res.Header.Get("X-Error-Code"); {
	case res.Request.URL.Host != r.base.Host:
		// Not the hub's word, but of the place where it keeps the file.
	case code == "GatedRepo" && r.Token == "", e.Status == http.StatusForbidden && r.Token == "":
		e.Hint = "ask for access at " + page + ", and set HF_TOKEN to a token of that account"
	case e.Status == http.StatusUnauthorized && r.Token == "":
		e.Hint = "there is no such model, or it is not open to all: then set HF_TOKEN to a token that may read it"
	case e.Status == http.StatusUnauthorized && code != "GatedRepo":
		e.Hint = "there is no such model, or the token in HF_TOKEN may not read it"
	case code == "GatedRepo", e.Status == http.StatusForbidden:
		e.Hint = "the account of the token in HF_TOKEN has no access: ask for it at " + page
	case e.Status == http.StatusNotFound && code == "RevisionNotFound":
		e.Hint = "it has no revision " + strconv.Quote(revision)
	case e.Status == http.StatusNotFound && file == "":
		e.Hint = "there is no such model, or it has no revision " + strconv.Quote(revision)
	}
	e.wait = askedWait(res.Header.Get("Retry-After"), r.Clock.Now())
	return e
}

// askedWait reads Retry-After: seconds or a date.
func askedWait(v string, now time.Time) time.Duration {
	if n, err := strconv.ParseUint(v, 10, 31); err == nil {
		return min(time.Duration(n)*time.Second, mostWait)
	}
	if at, err := http.ParseTime(v); err == nil {
		return min(max(0, at.Sub(now)), mostWait)
	}
	return 0
}

// passing says whether the same request may succeed later.
func passing(err error) bool {
	if e, ok := errors.AsType[*networkError](err); ok {
		return !e.final
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

// A try is one request and the reading of what it brings. It calls alive for
// every piece, and reports whether it brought enough to count the tries anew.
type try func(ctx context.Context, alive func()) (anew bool, err error)

// retrying calls f until it succeeds, fails for good or has used up its tries.
// Each one ends when nothing comes for the time of Stall.
func (r *remote) retrying(ctx context.Context, what string, f try) error {
	pause := backoff.ExponentialBackOff{
		InitialInterval:     500 * time.Millisecond,
		RandomizationFactor: 0.5,
		Multiplier:          2,
		MaxInterval:         30 * time.Second,
	}
	for left := r.Retries; ; left-- {
		anew, err := r.watched(ctx, f)
		switch {
		case ctx.Err() != nil:
			return context.Cause(ctx)
		case err == nil:
			return nil
		case anew:
			left = r.Retries
			pause.Reset()
		}
		if _, ok := errors.AsType[*networkError](err); ok { // the others say it themselves
			err = fmt.Errorf("%s: %w", what, err)
		}
		if left <= 0 || !passing(err) {
			return err
		}
		wait := pause.NextBackOff()
		if e, ok := errors.AsType[*StatusError](err); ok && e.wait > 0 {
			// The random tenth keeps files that were turned away together apart.
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

// watched calls f with a context that ends when f does not call alive for
// between one and two times Stall.
func (r *remote) watched(ctx context.Context, f try) (bool, error) {
	ctx, cancel := context.WithCancelCause(ctx)
	stalled := fmt.Errorf("nothing came for %v", r.Stall)
	var beats atomic.Int64
	ended := make(chan struct{})
	go func() {
		defer close(ended)
		for last := int64(0); r.Clock.Sleep(ctx, r.Stall) == nil; {
			now := beats.Load()
			if now == last {
				cancel(stalled)
				return
			}
			last = now
		}
	}()
	anew, err := f(ctx, func() { beats.Add(1) })
	if err != nil && errors.Is(context.Cause(ctx), stalled) {
		err = &networkError{host: r.base.Host, err: stalled}
	}
	cancel(nil)
	<-ended
	return anew, err
}
