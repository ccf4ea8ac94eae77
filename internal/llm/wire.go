package llm

import (
	"bytes"
	"cmp"
	"context"
	"crypto/tls"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net"
	"net/http"
	"net/url"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"sync/atomic"
	"time"

	openai "github.com/sashabaranov/go-openai"
)

const (
	maxErrorBytes = 64 << 10          // bytes read from an error response
	invalidReply  = "invalid reply: " // start of the message about a reply that is not JSON
)

// A wire sends HTTP requests to one server, for go-openai and without it. It reads each response up to a limit, redacts
// errors, and converts every unsuccessful response into an error of this package.
type wire struct {
	*secrets

	http      *http.Client
	endpoint  endpoint
	key       string // may be empty
	headers   Headers
	extraBody json.RawMessage // added to chat requests; an object, or nil

	wantsCertificate atomic.Bool // the server has asked for a certificate of the client
}

func newWire(c Config, e endpoint) *wire {
	w := &wire{secrets: newSecrets(append([]string{c.APIKey, e.secret}, c.Headers.secrets...)...), endpoint: e, headers: c.Headers, extraBody: c.ExtraBody}
	if !c.Headers.ReplaceKey() {
		w.key = c.APIKey
	}
	transport := http.DefaultTransport.(*http.Transport).Clone()
	transport.DialContext = (&net.Dialer{Timeout: 10 * time.Second}).DialContext
	transport.MaxIdleConns, transport.MaxIdleConnsPerHost = 256, 256
	transport.TLSClientConfig = &tls.Config{GetClientCertificate: func(*tls.CertificateRequestInfo) (*tls.Certificate, error) {
		w.wantsCertificate.Store(true)
		return &tls.Certificate{}, nil // none
	}}
	w.http = &http.Client{Transport: transport, CheckRedirect: checkRedirect}
	return w
}

// checkRedirect follows only redirects that preserve method, scheme and host,
// so that keys and rows are sent only to the configured server.
func checkRedirect(r *http.Request, via []*http.Request) error {
	keepsMethod := r.Response.StatusCode == http.StatusTemporaryRedirect || r.Response.StatusCode == http.StatusPermanentRedirect
	if !keepsMethod || r.URL.Scheme != via[0].URL.Scheme || r.URL.Host != via[0].URL.Host || len(via) > 5 {
		return http.ErrUseLastResponse
	}
	return nil
}

// request returns a request that sends in as JSON, or nothing if it is nil.
func (w *wire) request(ctx context.Context, method, url string, in any) (*http.Request, error) {
	var content io.Reader
	if in != nil {
		body, err := json.Marshal(in)
		if err != nil {
			return nil, err
		}
		content = bytes.NewReader(body)
	}
	r, err := http.NewRequestWithContext(ctx, method, url, content)
	if err != nil {
		return nil, err
	}
	r.Header.Set("Accept", "application/json")
	if in != nil {
		r.Header.Set("Content-Type", "application/json")
	}
	return r, nil
}

// An exchange is one request by go-openai. Its response is successful and complete.
type exchange struct {
	*wire
	limit replyLimit
	reply []byte // nil unless it arrived
}

// client returns a client of go-openai that sends its request as x.
func (x *exchange) client() *openai.Client {
	cfg := openai.DefaultConfig("")
	if e := &x.endpoint; e.deployments {
		cfg = openai.DefaultAzureConfig("", e.base)
		cfg.AzureModelMapperFunc = func(model string) string { return cmp.Or(e.deployment, model) }
	}
	cfg.BaseURL, cfg.APIVersion, cfg.HTTPClient = x.endpoint.base, x.endpoint.version, x
	return openai.NewClientWithConfig(cfg)
}

// Do implements openai.HTTPDoer.
func (x *exchange) Do(r *http.Request) (*http.Response, error) {
	if strings.HasSuffix(r.URL.Path, "/chat/completions") {
		b, err := io.ReadAll(r.Body)
		if err != nil {
			return nil, err
		}
		b = x.completeBody(b)
		r.GetBody = func() (io.ReadCloser, error) { return io.NopCloser(bytes.NewReader(b)), nil }
		r.Body, _ = r.GetBody()
		r.ContentLength = int64(len(b))
	}
	var err error
	if x.reply, err = x.read(r, x.limit); err != nil {
		return nil, err
	}
	return &http.Response{StatusCode: http.StatusOK, Body: io.NopCloser(bytes.NewReader(x.reply))}, nil
}

// tinyTemperature is how go-openai writes the smallest temperature. It leaves out 0.
const tinyTemperature = `"temperature":1e-45`

// completeBody completes the body of a chat request by go-openai: it writes a temperature
// of 0, which some servers would round up, and adds the members of the extra body. The
// replaced text can't occur in a message because quotes in JSON strings are escaped.
func (w *wire) completeBody(b []byte) []byte {
	b = bytes.Replace(b, []byte(tinyTemperature), []byte(`"temperature":0`), 1)
	if len(w.extraBody) == 0 {
		return b
	}
	return append(append(b[:len(b)-1], ','), w.extraBody[1:]...)
}

// open sends a request with the key and the headers, and returns a successful response.
// The caller must close its body.
func (w *wire) open(r *http.Request) (*http.Response, error) {
	r.Header.Del("Api-Key") // which go-openai sets for Azure
	if w.key != "" {
		if w.endpoint.azure {
			r.Header.Set("Api-Key", w.key)
		}
		if w.endpoint.bearer {
			r.Header.Set("Authorization", "Bearer "+w.key)
		}
	}
	for name, values := range w.headers.values {
		r.Header[name] = slices.Clone(values)
	}
	res, err := w.http.Do(r)
	if err != nil {
		return nil, w.networkError(r.Context(), err)
	}
	if res.StatusCode >= 200 && res.StatusCode < 300 {
		return res, nil
	}
	defer res.Body.Close()
	if res.StatusCode < 200 { // 101, whose body is a connection that ignores the context
		return nil, &StatusError{Status: res.StatusCode, Message: "no final status: check the base URL"}
	}
	body, _ := io.ReadAll(io.LimitReader(res.Body, maxErrorBytes)) // a part is enough
	return nil, w.statusError(res, body)
}

// read sends a request and returns the JSON object of the response.
func (w *wire) read(r *http.Request, limit replyLimit) ([]byte, error) {
	res, err := w.open(r)
	if err != nil {
		return nil, err
	}
	defer res.Body.Close()
	body, err := io.ReadAll(io.LimitReader(res.Body, int64(limit.bytes)+1))
	if e := limit.check(body); e != nil {
		return nil, &StatusError{Status: res.StatusCode, Message: e.Error()}
	}
	if err != nil {
		return nil, w.networkError(r.Context(), err)
	}
	if err := w.checkReply(res, body); err != nil {
		return nil, err
	}
	return body, nil
}

// call sends a request and decodes the response into out as send does.
func (w *wire) call(ctx context.Context, method, url string, in, out any) error {
	r, err := w.request(ctx, method, url, in)
	if err != nil {
		return err
	}
	return w.send(r, out)
}

// send sends a request and decodes the response into out, with keys redacted.
func (w *wire) send(r *http.Request, out any) error {
	body, err := w.read(r, replyLimit{maxReplyBytes, maxReplyValues})
	if err != nil {
		return err
	}
	return w.decode(w.redactJSON(body), out)
}

// decode decodes a response.
func (w *wire) decode(body []byte, out any) error {
	err := json.Unmarshal(body, out)
	if err != nil && !json.Valid(body) {
		err = json.Unmarshal(replaceNonNumbers(body), out)
	}
	if err != nil {
		return &StatusError{Status: http.StatusOK, Message: invalidReply + w.redactConnError(err)}
	}
	return nil
}

// nonNumber matches JSON strings, and the numbers that Python writes but JSON lacks.
var nonNumber = regexp.MustCompile(`"(?:[^"\\]|\\.)*"|-?Infinity|NaN`)

// replaceNonNumbers makes a reply with log probabilities such as -Infinity valid JSON.
// Other values than -Infinity become strings, so that the log probabilities are dropped.
func replaceNonNumbers(body []byte) []byte {
	return nonNumber.ReplaceAllFunc(body, func(found []byte) []byte {
		switch string(found) {
		case "-Infinity":
			return strconv.AppendInt(nil, minLogprob, 10)
		case "Infinity", "NaN":
			return strconv.AppendQuote(nil, string(found))
		}
		return found
	})
}

func (w *wire) networkError(ctx context.Context, err error) error {
	if ctx.Err() != nil {
		return ctx.Err()
	}
	cause := err
	if e, ok := errors.AsType[*url.Error](err); ok {
		cause = e.Err
	}
	msg := w.redactConnError(cause)
	e := &NetworkError{Message: "no answer from the server: " + msg, err: cause}
	switch {
	case isA[*tls.CertificateVerificationError](err):
		e.Permanent = true
		e.Message = "the server's certificate can't be trusted: " + msg
	case w.wantsCertificate.Load(): // the connection may be lost before the alert is read
		op, ok := errors.AsType[*net.OpError](err)
		e.Permanent = ok && op.Op == "remote error" // an alert of TLS, which has no exported type
		e.Message = "no answer from the server, which asks for a client certificate (a proxy can add one): " + msg
	}
	return e
}

// statusError returns an error with the header and the body of a response, without secrets.
func (w *wire) statusError(res *http.Response, body []byte) *StatusError {
	for _, values := range res.Header {
		for i := range values {
			values[i] = w.redactError(values[i])
		}
	}
	e := &StatusError{Status: res.StatusCode, header: res.Header}
	e.parseBody(w.redactError(string(body)))
	if res.StatusCode >= 300 && res.StatusCode < 400 {
		e.Message = "it redirects to " + w.redactLocation(res.Header.Get("Location")) + ", which is not followed; set the base URL to it if it is yours"
	}
	return e
}

// checkReply detects responses with status 200 that are not replies, such as
// HTML pages and errors reported only in the body.
func (w *wire) checkReply(res *http.Response, body []byte) error {
	trimmed := bytes.TrimSpace(body)
	if len(trimmed) == 0 || trimmed[0] != '{' {
		contentType, _, _ := strings.Cut(w.redactError(res.Header.Get("Content-Type")), ";")
		return &StatusError{Status: res.StatusCode, Message: fmt.Sprintf("the response is %q instead of JSON: check the base URL", truncateText(contentType, 100))}
	}
	if !bytes.Contains(trimmed, []byte(`"error"`)) {
		return nil
	}
	var r struct {
		Error   json.RawMessage   `json:"error"`
		Choices []json.RawMessage `json:"choices"`
		Data    []json.RawMessage `json:"data"`
	}
	_ = json.Unmarshal(trimmed, &r) // decode reports syntax errors
	if len(r.Choices) > 0 || len(r.Data) > 0 || len(r.Error) == 0 || string(r.Error) == "null" {
		return nil
	}
	e := w.statusError(res, trimmed)
	var inner struct {
		Code int `json:"code"`
	}
	if json.Unmarshal(r.Error, &inner) == nil && inner.Code >= 400 && inner.Code < 600 {
		e.Status = inner.Code
	}
	return e
}

const (
	minReplyBytes    = 1 << 20  // envelope of a reply, with what servers add to it
	maxReplyBytes    = 32 << 20 // of embeddings and lists of batches
	tokenBytes       = 64       // upper bound of an output token, repeated and escaped
	alternativeBytes = 256      // upper bound of a token with its log probability
	maxReasoning     = 1 << 16  // largest output token limit of a request

	minReplyValues = 4096
	maxReplyValues = 1 << 17
)

// A replyLimit bounds the response to a request, before it is parsed: every value takes
// hundreds of bytes of memory, even if it is {}.
type replyLimit struct {
	bytes  int // decompressed
	values int // JSON objects and arrays
}

// limitReply returns the limit of a reply with a number of output tokens, and alternatives
// for each of them. If tokens is 0, the server chooses their number.
func limitReply(tokens, alternatives int) replyLimit {
	if tokens <= 0 {
		tokens = maxReasoning
	}
	return replyLimit{
		bytes:  min(minReplyBytes+tokens*(tokenBytes+alternatives*alternativeBytes), maxReplyBytes),
		values: minReplyValues + 4*tokens*(alternatives+1),
	}
}

// check returns an error if a response exceeds the limit.
func (l replyLimit) check(body []byte) error {
	if len(body) > l.bytes {
		return fmt.Errorf("the reply is larger than %d KiB", l.bytes>>10)
	}
	if values, _ := countValues(body); values > l.values {
		return fmt.Errorf("the reply has more than %d JSON values", l.values)
	}
	return nil
}

// countValues returns the number of objects and arrays in JSON and how deep they are nested.
func countValues(b []byte) (values, depth int) {
	level, inString := 0, false
	for i := 0; i < len(b); i++ {
		switch c := b[i]; {
		case inString && c == '\\':
			i++
		case c == '"':
			inString = !inString
		case inString:
		case c == '{' || c == '[':
			values++
			level++
			depth = max(depth, level)
		case c == '}' || c == ']':
			level--
		}
	}
	return values, depth
}
