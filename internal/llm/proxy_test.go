package llm

import (
	"context"
	"encoding/base64"
	"io"
	"net"
	"net/http"
	"net/http/httptest"
	"net/url"
	"strings"
	"testing"
)

// newAuthProxy starts an HTTP proxy that requires a user and password. It sends all
// requests to target.
func newAuthProxy(t *testing.T, user, password, target string) *url.URL {
	t.Helper()
	want := "Basic " + base64.StdEncoding.EncodeToString([]byte(user+":"+password))
	proxy := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if r.Header.Get("Proxy-Authorization") != want {
			w.Header().Set("Proxy-Authenticate", "Basic")
			w.WriteHeader(http.StatusProxyAuthRequired)
			return
		}
		if r.Method != http.MethodConnect {
			writeReply(w, validReply, "stop")
			return
		}
		server, err := (&net.Dialer{}).DialContext(context.WithoutCancel(r.Context()), "tcp", target)
		if err != nil {
			w.WriteHeader(http.StatusBadGateway)
			return
		}
		client, _, err := w.(http.Hijacker).Hijack()
		if err != nil {
			_ = server.Close()
			return
		}
		_, _ = io.WriteString(client, "HTTP/1.1 200 OK\r\n\r\n")
		go func() { _, _ = io.Copy(server, client); _ = server.Close() }()
		_, _ = io.Copy(client, server)
		_ = client.Close()
	}))
	t.Cleanup(proxy.Close)
	u := must(url.Parse(proxy.URL))
	return u
}

func TestProxyWithPassword(t *testing.T) {
	const user, password = "corp\\me", "p@ss:w0rd-of-proxy"
	srv := httptest.NewTLSServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if r.Header.Get("Proxy-Authorization") != "" {
			t.Error("the server received the password of the proxy")
		}
		writeReply(w, validReply, "stop")
	}))
	defer srv.Close()
	proxy := newAuthProxy(t, user, password, srv.Listener.Addr().String())
	for _, tt := range []struct {
		base string
		user *url.Userinfo
		want string // in the error; "" for none
	}{
		{"https://example.com/v1", url.UserPassword(user, password), ""},
		{"http://example.com/v1", url.UserPassword(user, password), ""},
		{"https://example.com/v1", url.UserPassword(user, "wrong-p@ss:w0rd"), "no answer from the server: Proxy Authentication Required"},
		{"http://example.com/v1", url.UserPassword(user, "wrong-p@ss:w0rd"), "the server answered 407 Proxy Authentication Required"},
	} {
		s := newStack(t, Options{Client: Config{BaseURL: tt.base}, Retries: 3})
		at := *proxy
		at.User = tt.user
		tr := s.Client.wire.http.Transport.(*http.Transport)
		tr.Proxy, tr.TLSClientConfig = http.ProxyURL(&at), srv.Client().Transport.(*http.Transport).TLSClientConfig
		reply, err := s.Complete(t.Context(), newRequest(verdicts()))
		switch {
		case tt.want == "" && (err != nil || string(reply.JSON) != validReply):
			t.Errorf("%s: got %v, %v; want a reply", tt.base, reply, err)
		case tt.want != "" && (!IsFatal(err) || !strings.Contains(err.Error(), tt.want) || strings.Contains(err.Error(), "w0rd")):
			t.Errorf("%s: got error %v after %d requests, want %q, fatal, without the password", tt.base, err, UsageOf(err).Requests, tt.want)
		}
	}
}
