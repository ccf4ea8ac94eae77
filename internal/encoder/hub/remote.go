package hub

import (
	"cmp"
	"context"
	"crypto/tls"
	"crypto/x509"
	"errors"
	"fmt"
	"io"
	"net/http"
	"net/url"
	"strings"
)

// DefaultEndpoint is the hub that is asked where no other one is named.
const DefaultEndpoint = "https://huggingface.co"

// A remote is a hub.
type remote struct {
	*Puller
	base *url.URL
	http *http.Client
}

// Check tells what is wrong with the endpoint or the token. Pull does so too,
// before anything is sent.
func (p *Puller) Check() error {
	_, err := p.base()
	return err
}

// base reads the endpoint, and checks the token.
func (p *Puller) base() (*url.URL, error) {
	base, err := url.Parse(strings.TrimRight(cmp.Or(p.Endpoint, DefaultEndpoint), "/"))
	if err != nil {
		return nil, errors.New("endpoint: it is not a URL")
	}
	switch {
	case base.Scheme != "http" && base.Scheme != "https" || base.Host == "":
		return nil, fmt.Errorf("endpoint %q: want http:// or https:// and a host", base.Redacted())
	case base.User != nil:
		return nil, errors.New("endpoint: it may have no name and password")
	case base.RawQuery != "" || base.Fragment != "":
		return nil, errors.New("endpoint: it may have no query")
	}
	for i := range len(p.Token) {
		if c := p.Token[i]; c <= ' ' || c > '~' {
			return nil, errors.New("HF_TOKEN: it has characters that no token has")
		}
	}
	return base, nil
}

// newRemote makes what asks the hub; nothing is sent.
func (p *Puller) newRemote() (*remote, error) {
	base, err := p.base()
	if err != nil {
		return nil, err
	}
	client := http.Client{}
	if p.HTTP != nil {
		client = *p.HTTP
	}
	next := client.Transport
	if next == nil {
		next = http.DefaultTransport
	}
	client.Transport = &authorized{next, base, p.Token}
	client.CheckRedirect = checkRedirect
	settled := *p
	if settled.Stall <= 0 {
		settled.Stall = DefaultStall
	}
	return &remote{&settled, base, &client}, nil
}

// authorized sends the token to the hub itself and to nobody else. The requests
// that pass through it have none, so that no redirection can carry it off: what
// net/http thinks of as the same site has other ports and subdomains in it.
type authorized struct {
	next  http.RoundTripper
	base  *url.URL
	token string
}

// RoundTrip implements http.RoundTripper.
func (a *authorized) RoundTrip(r *http.Request) (*http.Response, error) {
	if a.token != "" && r.URL.Scheme == a.base.Scheme && r.URL.Host == a.base.Host {
		r = r.Clone(r.Context())
		r.Header.Set("Authorization", "Bearer "+a.token)
	}
	return a.next.RoundTrip(r)
}

// mostRedirects is how many redirections a request may take: to the name that a
// repository has now, to the place where a file lies, and some to spare.
const mostRedirects = 10

// A redirectError is a redirection that is not followed.
type redirectError struct{ reason string }

func (e *redirectError) Error() string { return e.reason }

func checkRedirect(r *http.Request, via []*http.Request) error {
	if len(via) > mostRedirects {
		return &redirectError{fmt.Sprintf("it redirects more than %d times", mostRedirects)}
	}
	if r.URL.Scheme != "https" && via[len(via)-1].URL.Scheme == "https" {
		return &redirectError{"it redirects from https to " + r.URL.Scheme}
	}
	return nil
}

// address is where a path of the hub lies. Each element becomes one element of
// the URL, with its slashes escaped.
func (r *remote) address(query string, elements ...string) string {
	var b strings.Builder
	b.WriteString(r.base.String())
	for _, e := range elements {
		b.WriteByte('/')
		b.WriteString(url.PathEscape(e))
	}
	if query != "" {
		b.WriteString("?" + query)
	}
	return b.String()
}

// listing asks what a repository has at a revision.
func (r *remote) listing(ctx context.Context, repo, revision string) (*listing, error) {
	org, name, _ := strings.Cut(repo, "/")
	address := r.address("blobs=true", "api", "models", org, name, "revision", revision)
	var reply []byte
	err := r.retrying(ctx, repo, func(ctx context.Context, alive func()) (bool, error) {
		res, err := r.get(ctx, address, nil)
		if err != nil {
			return false, err
		}
		defer res.Body.Close()
		if res.StatusCode != http.StatusOK {
			return false, r.refused(res, repo, revision, "")
		}
		reply, err = io.ReadAll(io.LimitReader(&living{res.Body, alive}, mostReply+1))
		if err != nil {
			return false, r.network(err)
		}
		if len(reply) > mostReply {
			return false, fmt.Errorf("%s: the server's reply is longer than %d bytes", repo, mostReply)
		}
		return false, nil
	})
	if err != nil {
		return nil, err
	}
	return parseListing(repo, reply)
}

// living tells of every read that brought something.
type living struct {
	io.Reader
	alive func()
}

func (l *living) Read(p []byte) (int, error) {
	n, err := l.Reader.Read(p)
	if n > 0 {
		l.alive()
	}
	return n, err
}

// get sends a request. Its errors are *networkError.
func (r *remote) get(ctx context.Context, address string, header http.Header) (*http.Response, error) {
	q, err := http.NewRequestWithContext(ctx, http.MethodGet, address, http.NoBody)
	if err != nil {
		return nil, err
	}
	if header != nil {
		q.Header = header
	}
	q.Header.Set("User-Agent", "ragfaith")
	// Lengths, ranges and hashes are those of the content as it is.
	q.Header.Set("Accept-Encoding", "identity")
	res, err := r.http.Do(q)
	if err != nil {
		return nil, r.network(err)
	}
	return res, nil
}

// A networkError is a request that got no answer, or not all of it.
type networkError struct {
	host  string
	err   error
	final bool // another try is of no use
}

func (e *networkError) Error() string { return e.host + ": " + e.err.Error() }
func (e *networkError) Unwrap() error { return e.err }

// network makes a *networkError. It names the hub and not the address that was
// asked last: that one may hold a signature which opens the file to anybody.
func (r *remote) network(err error) error {
	if e, ok := errors.AsType[*url.Error](err); ok {
		err = e.Err
	}
	n := &networkError{host: r.base.Host, err: err}
	_, redirect := errors.AsType[*redirectError](err)
	_, certificate := errors.AsType[*tls.CertificateVerificationError](err)
	_, authority := errors.AsType[x509.UnknownAuthorityError](err)
	_, hostname := errors.AsType[x509.HostnameError](err)
	n.final = redirect || certificate || authority || hostname
	return n
}
