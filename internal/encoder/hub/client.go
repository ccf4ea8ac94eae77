// Package hub finds models on disk and downloads them from a Hugging Face hub.
//
// Models are stored in the layout of the Hugging Face cache, so that models can be
// shared with other programs. The directory of a model appears when all files are
// complete and match the checksums of the hub.
package hub

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"maps"
	"net/http"
	"net/url"
	"strconv"
	"strings"
	"time"

	"github.com/cenkalti/backoff/v5"
)

// DefaultStall is a suitable Puller.Stall.
const DefaultStall = 30 * time.Second

// A Puller downloads models into a store.
type Puller struct {
	Store    Store
	Endpoint string        // URL of the hub; "" means DefaultEndpoint
	Token    string        // optional access token, sent only to the hub
	HTTP     *http.Client  // required, with a Transport; its CheckRedirect is replaced
	Clock    Clock         // required
	Stall    time.Duration // timeout for receiving data, required
	Retries  int           // attempts after the first
	Watch    Watch         // progress callbacks
	Offline  bool          // send no requests
	// CheckConfig, if set, returns an error for a config.json of a model that can't be used,
	// before its weights are downloaded. sentence means that it has a modules.json.
	CheckConfig func(config []byte, sentence bool) error

	symlinkFunc func(target, name string) error // test hook to simulate a system without links
}

// Watch receives progress events, possibly concurrently. All fields are optional.
type Watch struct {
	Plan  func(bytes int64) // called once, before the first file that is counted
	Bytes func(n int64)     // bytes completed; negative if data was discarded
	Retry func(err error, wait time.Duration)
}

func (w *Watch) bytes(n int64) {
	if w.Bytes != nil && n != 0 {
		w.Bytes(n)
	}
}

// A Clock provides the time for downloads.
type Clock interface {
	// Sleep waits for d. If ctx is done first, it returns an error.
	Sleep(ctx context.Context, d time.Duration) error
}

// DefaultEndpoint is the default of Puller.Endpoint.
const DefaultEndpoint = "https://huggingface.co"

// remote is a client of a hub.
type remote struct {
	*Puller
	base *url.URL
	http *http.Client
}

// Check validates the endpoint without sending a request.
func (p *Puller) Check() error {
	_, err := p.base()
	return err
}

func (p *Puller) base() (*url.URL, error) {
	base, err := url.Parse(strings.TrimRight(cmp.Or(p.Endpoint, DefaultEndpoint), "/"))
	if err != nil {
		return nil, errors.New("endpoint: invalid URL")
	}
	if base.Scheme != "http" && base.Scheme != "https" || base.Host == "" || base.User != nil || base.RawQuery != "" || base.Fragment != "" {
		base.RawQuery = "" // may be a secret
		return nil, fmt.Errorf("endpoint %q: want a URL of a host and a path, such as %s", base.Redacted(), DefaultEndpoint)
	}
	return base, nil
}

func (p *Puller) newRemote() (*remote, error) {
	base, err := p.base()
	if err != nil {
		return nil, err
	}
	client := *p.HTTP
	client.Transport = &authTransport{client.Transport, base, p.Token}
	client.CheckRedirect = checkRedirect
	return &remote{new(*p), base, &client}, nil
}

// authTransport adds the token to requests to the hub itself. Setting the header in the request
// would not be safe, because http.Client forwards it on redirects to other ports and subdomains.
type authTransport struct {
	next  http.RoundTripper
	base  *url.URL
	token string
}

// RoundTrip implements http.RoundTripper.
func (a *authTransport) RoundTrip(r *http.Request) (*http.Response, error) {
	if a.token != "" && r.URL.Scheme == a.base.Scheme && r.URL.Host == a.base.Host {
		r = r.Clone(r.Context())
		r.Header.Set("Authorization", "Bearer "+a.token)
	}
	return a.next.RoundTrip(r)
}

// maxRedirects limits the redirects of a request. Two are normal: to the current
// name of a repository and to the location of a file.
const maxRedirects = 10

// errRedirect reports a redirect that is not followed.
var errRedirect = errors.New("not followed")

func checkRedirect(r *http.Request, via []*http.Request) error {
	if len(via) > maxRedirects {
		return fmt.Errorf("more than %d redirects: %w", maxRedirects, errRedirect)
	}
	if r.URL.Scheme != "https" && via[len(via)-1].URL.Scheme == "https" {
		return fmt.Errorf("redirect from https to %s: %w", r.URL.Scheme, errRedirect)
	}
	return nil
}

// address returns the URL for the given path elements. It escapes slashes within an element.
func (r *remote) address(elements ...string) string {
	parts := []string{r.base.String()}
	for _, e := range elements {
		parts = append(parts, url.PathEscape(e))
	}
	return strings.Join(parts, "/")
}

// send sends a request. Without a response the error is a *networkError.
func (r *remote) send(ctx context.Context, address string, header http.Header) (*http.Response, error) {
	req, err := http.NewRequestWithContext(ctx, http.MethodGet, address, http.NoBody)
	if err != nil {
		return nil, err
	}
	maps.Copy(req.Header, header)
	req.Header.Set("User-Agent", "ragfaith")
	// Sizes, ranges and hashes apply to uncompressed content.
	req.Header.Set("Accept-Encoding", "identity")
	res, err := r.http.Do(req)
	if err != nil {
		return nil, r.networkErr(err)
	}
	return res, nil
}

// A networkError reports a request that failed without a complete response.
type networkError struct {
	host  string
	token string // to remove from the error, which may quote the server
	err   error
}

func (e *networkError) Error() string {
	text := e.err.Error()
	if e.token != "" {
		text = strings.ReplaceAll(text, e.token, "[token]")
	}
	return e.host + ": " + text
}
func (e *networkError) Unwrap() error { return e.err }

// networkErr returns a *networkError that names the hub instead of the URL, which
// may contain a signature that grants access to the file.
func (r *remote) networkErr(err error) error {
	if e, ok := errors.AsType[*url.Error](err); ok {
		err = e.Err
	}
	return &networkError{r.base.Host, r.Token, err}
}

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
		e.Hint = "model does not exist or is gated: request access at " + page + " and set HF_TOKEN to a token of that account"
	case denied:
		e.Hint = "model does not exist, or the token (HF_TOKEN or saved login) is invalid or has no access: request access at " + page
	case e.Status == http.StatusNotFound && file == "":
		e.Hint = "model or revision not found: " + strconv.Quote(revision)
	}
	if n, err := strconv.ParseUint(res.Header.Get("Retry-After"), 10, 31); err == nil {
		e.wait = min(time.Duration(n)*time.Second, maxRetryAfter)
	}
	return e
}

// An attempt sends one request and reads the response. It calls keepAlive whenever data arrives.
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
		_, transient := errors.AsType[*networkError](err)
		if transient { // other errors already name the file
			transient = !errors.Is(err, errRedirect)
			err = fmt.Errorf("%s: %w", what, err)
		}
		e, answered := errors.AsType[*StatusError](err)
		if answered {
			transient = e.Status == http.StatusRequestTimeout || e.Status == http.StatusTooManyRequests || e.Status >= 500
		}
		if remaining <= 0 || !transient {
			return err
		}
		wait := pause.NextBackOff()
		if answered && e.wait > 0 {
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
