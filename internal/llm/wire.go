package llm

import (
	"bytes"
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
	"strconv"
	"strings"
	"sync/atomic"
	"syscall"
	"time"

	openai "github.com/sashabaranov/go-openai"
)

const (
	maxErrorBytes   = 64 << 10 // bytes read from an error response
	maxMessageChars = 300      // characters of an error message

	tinyTemperature   = `"temperature":1e-45`
	zeroedTemperature = `"temperature":0`
)

// A wire is the HTTP client for go-openai. It reads each response completely,
// up to a limit, redacts errors, and converts every unsuccessful response into
// an error of this package. It does not retry.
type wire struct {
	http *http.Client
	*secrets
	apiKey    string // for Azure's api-key header; empty for other servers
	headers   Headers
	extraBody json.RawMessage
	accepted  atomic.Bool // a reply to a request with extraBody was received
}

func newWire(c Config, keys []string, azure bool) *wire {
	w := &wire{secrets: newSecrets(keys...), headers: c.Headers, extraBody: c.ExtraBody}
	if azure {
		w.apiKey = c.APIKey
	}
	var client http.Client
	if c.HTTPClient != nil {
		client = *c.HTTPClient
	}
	if client.Transport == nil {
		transport := &http.Transport{
			Proxy:                 http.ProxyFromEnvironment,
			DialContext:           (&net.Dialer{Timeout: 10 * time.Second, KeepAlive: 30 * time.Second}).DialContext,
			ForceAttemptHTTP2:     true,
			MaxIdleConns:          256,
			MaxIdleConnsPerHost:   256,
			IdleConnTimeout:       90 * time.Second,
			TLSHandshakeTimeout:   10 * time.Second,
			ExpectContinueTimeout: time.Second,
			OnProxyConnectResponse: func(_ context.Context, _ *url.URL, _ *http.Request, res *http.Response) error {
				if res.StatusCode == http.StatusProxyAuthRequired {
					return errProxyAuth
				}
				return nil
			},
		}
		if c.Certificate != nil {
			transport.TLSClientConfig = &tls.Config{Certificates: []tls.Certificate{*c.Certificate}}
		}
		client.Transport = transport
	}
	client.CheckRedirect = checkRedirect
	client.Jar = nil
	w.http = &client
	return w
}

// errProxyAuth reports that a proxy rejects the user and password, or that there
// are none.
var errProxyAuth = errors.New("the proxy requires a valid user and password (407): set HTTPS_PROXY=http://USER:PASSWORD@HOST:PORT, with special characters percent-encoded")

// checkRedirect follows only redirects that preserve method, scheme and host,
// so that keys and rows are sent only to the configured server.
func checkRedirect(r *http.Request, via []*http.Request) error {
	keepsMethod := r.Response.StatusCode == http.StatusTemporaryRedirect || r.Response.StatusCode == http.StatusPermanentRedirect
	if !keepsMethod || r.URL.Scheme != via[0].URL.Scheme || r.URL.Host != via[0].URL.Host || len(via) > 5 {
		return http.ErrUseLastResponse
	}
	return nil
}

// Do implements openai.HTTPDoer.
func (w *wire) Do(r *http.Request) (*http.Response, error) {
	if r.Header.Get("api-key") == "" {
		r.Header.Del("api-key")
	}
	if w.apiKey != "" {
		r.Header.Set("api-key", w.apiKey)
	}
	w.headers.apply(r)
	if err := w.rewriteBody(r); err != nil {
		return nil, err
	}
	t := transferFromContext(r.Context())
	if err := t.attachFile(r); err != nil {
		return nil, err
	}
	res, err := w.http.Do(r)
	if err != nil {
		return nil, w.networkError(r.Context(), err)
	}
	if t.isStreamed(res) {
		return res, nil
	}
	defer res.Body.Close()
	if res.StatusCode < 200 { // 101, whose body is a connection that ignores the context
		return nil, &StatusError{Status: res.StatusCode, Message: "no final status: check the base URL"}
	}
	ok := res.StatusCode >= 200 && res.StatusCode < 300
	limit := replyLimitFrom(r.Context())
	if !ok {
		limit.bytes = maxErrorBytes
	}
	body, err := io.ReadAll(io.LimitReader(res.Body, int64(limit.bytes)+1))
	if ok {
		if err := limit.check(body); err != nil {
			return nil, &StatusError{Status: res.StatusCode, Message: err.Error()}
		}
		if err != nil {
			return nil, w.networkError(r.Context(), err)
		}
	}
	for _, values := range res.Header {
		for i := range values {
			values[i] = w.redactError(values[i])
		}
	}
	if !ok {
		return nil, w.statusError(res, []byte(w.redactError(string(body))))
	}
	if err := w.checkReply(res, body); err != nil {
		return nil, err
	}
	if strings.HasSuffix(r.URL.Path, "/chat/completions") {
		w.accepted.Store(true)
	} else {
		body = w.redactJSON(body) // Client.read redacts chat completions
	}
	res.Body = io.NopCloser(bytes.NewReader(t.rewrite(dropInvalidLogprobs(dropInvalidUsage(replaceNonNumbers(body))))))
	return res, nil
}

// nonNumber matches JSON strings, and the numbers that Python writes but JSON lacks.
var nonNumber = regexp.MustCompile(`"(?:[^"\\]|\\.)*"|-?Infinity|NaN`)

// replaceNonNumbers makes a reply with log probabilities such as -Infinity valid JSON.
// Other values than -Infinity become strings, so that the log probabilities are dropped.
func replaceNonNumbers(body []byte) []byte {
	if json.Valid(body) {
		return body
	}
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

// dropInvalidUsage removes a usage object that go-openai can't parse, for
// example because of fractional counts, so that the reply is still readable.
// Tokens are then counted as if the server reported none.
func dropInvalidUsage(body []byte) []byte {
	var r struct {
		Usage json.RawMessage `json:"usage"`
	}
	if json.Unmarshal(body, &r) != nil || len(r.Usage) == 0 || json.Unmarshal(r.Usage, &openai.Usage{}) == nil {
		return body
	}
	var all map[string]json.RawMessage
	if json.Unmarshal(body, &all) != nil {
		return body
	}
	delete(all, "usage")
	out, err := json.Marshal(all)
	if err != nil {
		return body
	}
	return out
}

// CloseIdleConnections closes connections that are not in use.
func (w *wire) CloseIdleConnections() { w.http.CloseIdleConnections() }

// rewriteBody writes a temperature of 0 and adds the extra body to chat
// requests. go-openai omits zeros, so the request contains the smallest positive
// float32, which some servers round up to 0.01. The replaced text can't occur in
// a message because quotes in JSON strings are escaped.
func (w *wire) rewriteBody(r *http.Request) error {
	if r.Body == nil || r.Body == http.NoBody {
		return nil
	}
	b, err := io.ReadAll(r.Body)
	if err != nil {
		return err
	}
	b = bytes.Replace(b, []byte(tinyTemperature), []byte(zeroedTemperature), 1)
	if strings.HasSuffix(r.URL.Path, "/chat/completions") {
		b = mergeBody(b, w.extraBody)
	}
	r.Body, r.ContentLength = io.NopCloser(bytes.NewReader(b)), int64(len(b))
	r.GetBody = func() (io.ReadCloser, error) { return io.NopCloser(bytes.NewReader(b)), nil }
	return nil
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
	if errors.Is(err, syscall.EMFILE) || errors.Is(err, syscall.ENFILE) {
		e.Message = "no request could be sent: " + msg + "; fewer rows at once (--concurrency) or a higher limit (ulimit -n) helps"
	}
	switch {
	case isA[*tls.CertificateVerificationError](err):
		e.Permanent = true
		e.Message = "the server's certificate can't be trusted: " + msg
	case strings.Contains(msg, "remote error: tls:") && strings.Contains(msg, "certificate"):
		e.Permanent = true
		e.Message = "the server requires a client certificate that it trusts (--client-cert): " + msg
	case errors.Is(err, errProxyAuth):
		e.Permanent = true
		e.Message = errProxyAuth.Error()
	}
	return e
}

// statusError returns the error for an unsuccessful response.
func (w *wire) statusError(res *http.Response, body []byte) error {
	e := &StatusError{Status: res.StatusCode, header: res.Header, body: string(body)}
	if res.StatusCode >= 300 && res.StatusCode < 400 {
		e.Message = "it redirects to " + w.redactLocation(res.Header.Get("Location")) + ", which is not followed; set the base URL to it if it is yours"
		return e
	}
	e.parseBody(body)
	if res.StatusCode == http.StatusProxyAuthRequired { // of a proxy for http://
		e.Message = errProxyAuth.Error()
	}
	if e.Message == "" {
		e.Message = truncateText(string(body), maxMessageChars)
	}
	if name := namedMember(w.extraBody, e); name != "" && !w.accepted.Load() {
		e.extraBody = true
		e.Message += " (" + name + " is set by --extra-body)"
	}
	return e
}

// parseBody sets the fields of e from a response body. Servers send the error
// as an object or a string in "error", or in "message" or "detail" at the top
// level.
func (e *StatusError) parseBody(body []byte) {
	var list []json.RawMessage // Gemini sends a list of one error
	if json.Unmarshal(body, &list) == nil && len(list) > 0 {
		body = list[0]
	}
	var top map[string]json.RawMessage
	if json.Unmarshal(body, &top) != nil {
		return
	}
	obj := top
	if raw, ok := top["error"]; ok {
		var inner map[string]json.RawMessage
		if json.Unmarshal(raw, &inner) == nil && inner != nil {
			obj = inner
		}
	}
	field := func(keys ...string) string {
		for _, k := range keys {
			for _, m := range []map[string]json.RawMessage{obj, top} {
				if raw, ok := m[k]; ok && string(raw) != "null" {
					var s string
					if json.Unmarshal(raw, &s) != nil {
						s = string(raw)
					}
					return truncateText(s, maxMessageChars)
				}
			}
		}
		return ""
	}
	e.Message = field("message", "detail", "error", "error_message")
	e.Param = field("param")
	e.Code = strings.TrimSpace(field("code") + " " + field("type"))
}

// checkReply detects responses with status 200 that are not replies, such as
// HTML pages and errors reported only in the body.
func (w *wire) checkReply(res *http.Response, body []byte) error {
	trimmed := bytes.TrimSpace(body)
	if len(trimmed) == 0 || trimmed[0] != '{' {
		contentType, _, _ := strings.Cut(res.Header.Get("Content-Type"), ";")
		return &StatusError{Status: res.StatusCode, Message: fmt.Sprintf("the response is %q instead of JSON: check the base URL", truncateText(contentType, 100))}
	}
	var r struct {
		Error   json.RawMessage   `json:"error"`
		Choices []json.RawMessage `json:"choices"`
		Data    []json.RawMessage `json:"data"`
	}
	_ = json.Unmarshal(trimmed, &r) // go-openai reports syntax errors
	if len(r.Choices) > 0 || len(r.Data) > 0 || len(r.Error) == 0 || string(r.Error) == "null" {
		return nil
	}
	body = []byte(w.redactError(string(body)))
	e := &StatusError{Status: res.StatusCode, header: res.Header, body: string(body)}
	e.parseBody(body)
	var inner struct {
		Code int `json:"code"`
	}
	if json.Unmarshal(r.Error, &inner) == nil && inner.Code >= 400 && inner.Code < 600 {
		e.Status = inner.Code
	}
	return e
}
