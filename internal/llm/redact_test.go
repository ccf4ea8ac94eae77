package llm

import (
	"context"
	"encoding/base64"
	"errors"
	"fmt"
	"net"
	"net/http"
	"net/http/httptest"
	"net/url"
	"strings"
	"testing"
	"time"
	"unicode"
)

// A placeholder key for a local server is not removed from replies or from words in errors.
func TestPlaceholderKeyIsNotRedacted(t *testing.T) {
	const reply = `{"verdicts":[{"id":0,"verdict":"supported"},{"id":1,"verdict":"not_mentioned"}]}`
	for _, key := range []string{"supported", "a", "x", "none", "EMPTY", "ollama", "verdicts", "verdict", "content", "not_mentioned", "sk-no-key", "choices", `":`} {
		srv, _ := newTestServer(t, func(n int, _ sent, w http.ResponseWriter) {
			if n == 1 {
				writeReply(w, reply, "stop")
				return
			}
			writeError(w, 402, "an account is not supported here: it has none, "+key+"s, or EMPTY ones", "")
		})
		c := newTestClient(t, Config{BaseURL: srv.URL, APIKey: key})
		got, err := c.Complete(t.Context(), newRequest(verdicts()))
		if err != nil || got.Text != reply || string(got.JSON) != reply {
			t.Errorf("key %q: got %v, %v; want %q", key, got, err, reply)
		}
		_, err = c.Complete(t.Context(), newRequest(verdicts()))
		if err == nil || !strings.Contains(err.Error(), "an account is not supported here: it has none, "+strings.Join(strings.Fields(key), " ")+"s, or EMPTY ones") {
			t.Errorf("key %q: got error %v, want words that contain the key unchanged", key, err)
		}
	}
}

func TestKeysAreRemovedFromErrors(t *testing.T) {
	for _, tt := range []struct{ key, text, want string }{
		{"sk-proj-0123456789abcdef", "Bearersk-proj-0123456789abcdef!", "Bearer[key]!"},
		{"sk-proj/0123456789+abc", "sk-proj%2F0123456789%2Babc", "[key]"},
		{"hunter22", `no "hunter22", hunter22 hunter22.`, `no "[key]", [key] [key].`},
		{"hunter22", "hunter223 xhunter22 hunter22-3", "hunter223 xhunter22 hunter22-3"},
		{"correcthorsebatterystaple", "correcthorsebatterystaple", "[key]"},
		{"sk-no-key", "sk-no-key-required", "sk-no-key-required"},
		{"short7", "short7", "short7"},
		{"", "text", "text"},
		{"Zq8xW3v+B7nK2/mP5rT9aa01", `bad key Zq8xW3v+B7nK2\/mP5rT9aa01`, "bad key [key]"},
		{"Zq8xW3v+B7nK2/mP5rT9aa01", `bad key \u005aq8xW3v\u002BB7nK2/mP5rT9aa01`, "bad key [key]"},
		{"sk-proj-0123456789abcdef", "sk-proj\u200b-0123456789\x00abcdef", "[key]"},
		{"hunter22", `no h\u0075nter22.`, "no [key]."},
	} {
		if got := newSecrets(tt.key).redactError(tt.text); got != tt.want {
			t.Errorf("%q of %q: got %q, want %q", tt.key, tt.text, got, tt.want)
		}
	}
}

func TestKeysAreRemovedFromDecodedReplies(t *testing.T) {
	const key = "sk-test-Zq8xW3vB7nK2"
	for text, want := range map[string]string{
		`{"a":["\u0073k-test-Zq8xW3vB7nK2"],"n":12345678901234567890}`: `{"a":["[key]"],"n":12345678901234567890}`,
		"{\"a\":\"sk-test\u200b-Zq8xW3vB7nK2\"}":                       `{"a":"[key]"}`,
		`{"a":"\\u0073k-test-Zq8xW3vB7nK2"}`:                           `{"a":"[key]"}`,
		`{"b":"\u0073k-test","a":"Zq8xW3vB7nK2"}`:                      `{"b":"\u0073k-test","a":"Zq8xW3vB7nK2"}`,
	} {
		if got := string(newSecrets(key).redactJSON([]byte(text))); got != want {
			t.Errorf("%s: got %s, want %s", text, got, want)
		}
	}
}

// Text from a proxy or a TLS peer in an error is shortened, and secrets in it are
// removed.
func TestConnectionErrorsAreSanitized(t *testing.T) {
	const password = "pa55word-of-proxy"
	hostile := "\x1b[31m\u202e" + secret + " " + strings.Repeat("long ", 20_000)
	listen := func(answer string) string {
		l := must(net.Listen("tcp", "127.0.0.1:0"))
		t.Cleanup(func() { _ = l.Close() })
		go func() {
			for {
				conn, err := l.Accept()
				if err != nil {
					return
				}
				_, _ = conn.Read(make([]byte, 1<<16))
				_, _ = conn.Write([]byte(answer))
				_ = conn.Close()
			}
		}()
		return l.Addr().String()
	}
	failing := func(text string) *http.Transport {
		return &http.Transport{DialContext: func(context.Context, string, string) (net.Conn, error) { return nil, errors.New(text) }}
	}
	proxy := func(text string) *http.Transport {
		at := must(url.Parse("http://user:" + password + "@" + listen(text)))
		return &http.Transport{Proxy: http.ProxyURL(at)}
	}
	invalid := &http.Transport{Proxy: func(*http.Request) (*url.URL, error) {
		return nil, fmt.Errorf("invalid proxy address %q: parse %q: invalid character", "user:"+password+" x@host", "http://user:"+password+" x@host")
	}}
	for name, tr := range map[string]*http.Transport{
		"connect": proxy("HTTP/1.1 502 " + strings.ReplaceAll(hostile, "\n", " ") + "\r\n\r\n"),
		"tls":     proxy("HTTP/1.1 200 OK\r\n\r\n" + hostile),
		"dial":    failing(hostile),
		"dns":     failing("lookup http://me:" + password + "@host: " + hostile),
		"invalid": invalid,
	} {
		t.Run(name, func(t *testing.T) {
			defer tr.CloseIdleConnections()
			c := newTestClient(t, Config{BaseURL: "https://llm.invalid/v1", APIKey: secret, Timeout: 10 * time.Second})
			c.wire.http.Transport = tr
			_, err := c.Complete(t.Context(), newRequest(verdicts()))
			text := mustAs[*NetworkError](t, err).Error()
			if len(text) > 2000 || strings.IndexFunc(text, func(r rune) bool { return !unicode.IsPrint(r) }) >= 0 {
				t.Errorf("got %d bytes, want at most 2000 printable ones: %.300q", len(text), text)
			}
			for _, secret := range []string{password, "pa55", secret, "sk-very", base64.StdEncoding.EncodeToString([]byte("user:" + password))} {
				if strings.Contains(text, secret) {
					t.Errorf("secret %q found in %.300q", secret, text)
				}
			}
		})
	}
}

func TestRedirectErrorHidesSecrets(t *testing.T) {
	for location, want := range map[string]string{
		"https://me:pa55word-9@login.invalid/start?token=t0ken-of-a-session#s": "it redirects to https://login.invalid/start, which",
		"https://login.invalid/%zz?token=t0ken-of-a-session":                   "failed to parse Location header",
	} {
		srv := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) {
			w.Header().Set("Location", location)
			w.WriteHeader(http.StatusFound)
		}))
		_, err := newTestClient(t, Config{BaseURL: srv.URL}).Complete(t.Context(), newRequest(verdicts()))
		if err == nil || !strings.Contains(err.Error(), want) || strings.Contains(err.Error(), "t0ken") {
			t.Errorf("got %v, want one that contains %q and no token", err, want)
		}
		srv.Close()
	}
}

// A long number in an invalid reply is not repeated in full.
func TestDecodingErrorIsShortened(t *testing.T) {
	srv, _ := newTestServer(t, func(_ int, _ sent, w http.ResponseWriter) {
		fmt.Fprintf(w, `{"choices":[{"message":{"tool_calls":[{"index":%s}]}}]}`, strings.Repeat("9", 1<<20))
	})
	_, err := newTestClient(t, Config{BaseURL: srv.URL}).Complete(t.Context(), newRequest(verdicts()))
	if err == nil || len(err.Error()) > 1000 || !strings.Contains(err.Error(), invalidReply) {
		t.Errorf("got an error of %d bytes, want at most 1000 about an invalid reply", len(fmt.Sprint(err)))
	}
}
