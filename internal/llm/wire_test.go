package llm

import (
	"bytes"
	"compress/gzip"
	"context"
	"crypto/tls"
	"encoding/json"
	"fmt"
	"log/slog"
	"net/http"
	"net/http/httptest"
	"net/url"
	"strings"
	"sync/atomic"
	"testing"

	openai "github.com/sashabaranov/go-openai"
)

func TestBaseURLs(t *testing.T) {
	tests := map[string]struct {
		base        string
		path, query string // relative to the server
		azure       bool
	}{
		"plain":                    {"/v1", "/v1/chat/completions", "", false},
		"prefix":                   {"/team/llm/v1/", "/team/llm/v1/chat/completions", "", false},
		"with endpoint path":       {"/v1/chat/completions", "/v1/chat/completions", "", false},
		"root":                     {"", "/chat/completions", "", false},
		"azure by version":         {"/gw?api-version=2024-06-01", "/gw/openai/deployments/m/chat/completions", "api-version=2024-06-01", true},
		"azure by path":            {"/gw/openai/deployments/judge-4o", "/gw/openai/deployments/judge-4o/chat/completions", "api-version=2024-10-21", true},
		"azure by query":           {"/openai?api-version=2025-01-01", "/openai/deployments/m/chat/completions", "api-version=2025-01-01", true},
		"azure with endpoint path": {"/openai/deployments/d/chat/completions?api-version=2025-01-01", "/openai/deployments/d/chat/completions", "api-version=2025-01-01", true},
		"azure models":             {"/models?api-version=2024-05-01-preview", "/models/chat/completions", "api-version=2024-05-01-preview", true},
		"azure v1":                 {"/openai/v1?api-version=preview", "/openai/v1/chat/completions", "api-version=preview", true},
	}
	for name, tt := range tests {
		t.Run(name, func(t *testing.T) {
			srv, got := newTestServer(t, func(_ int, _ sent, w http.ResponseWriter) { writeReply(w, validReply, "stop") })
			c := newTestClient(t, Config{BaseURL: srv.URL + tt.base, APIKey: secret})
			mustComplete(t, c, newRequest(verdicts()))
			s := got()[0]
			if s.path != tt.path || s.query != tt.query {
				t.Errorf("asked %s?%s, want %s?%s", s.path, s.query, tt.path, tt.query)
			}
			if (s.header.Get("api-key") == secret) != tt.azure {
				t.Errorf("got headers %v, want the api-key header: %t", s.header, tt.azure)
			}
			if strings.Contains(c.Endpoint(), "?") {
				t.Errorf("got endpoint %s, want no query", c.Endpoint())
			}
		})
	}
}

func TestAzureHosts(t *testing.T) {
	for base, want := range map[string]string{
		"https://x.openai.azure.com":             "https://x.openai.azure.com",
		"https://x.openai.azure.com/openai/":     "https://x.openai.azure.com",
		"https://x.services.ai.azure.com/models": "https://x.services.ai.azure.com/models",
		"https://x.openai.azure.com/openai/v1":   "https://x.openai.azure.com/openai/v1",
	} {
		e, err := newEndpoint(base)
		if err != nil || !e.azure || e.base != want {
			t.Errorf("%s: got %+v, %v; want Azure at %s", base, e, err, want)
		}
	}
}

func TestAzureWithoutKey(t *testing.T) {
	srv, got := newTestServer(t, func(_ int, _ sent, w http.ResponseWriter) { writeReply(w, validReply, "stop") })
	mustComplete(t, newTestClient(t, Config{BaseURL: srv.URL + "?api-version=v"}), newRequest(verdicts()))
	if _, ok := got()[0].header["Api-Key"]; ok {
		t.Error("an empty api-key header was sent")
	}
}

func TestRedirectToOtherHostIsNotFollowed(t *testing.T) {
	other, seen := newTestServer(t, func(_ int, _ sent, w http.ResponseWriter) { writeReply(w, validReply, "stop") })
	for _, code := range []int{301, 302, 303, 307, 308} {
		srv, _ := newTestServer(t, func(_ int, _ sent, w http.ResponseWriter) {
			w.Header().Set("Location", other.URL+"/v1/chat/completions?k="+url.QueryEscape(secret))
			w.WriteHeader(code)
		})
		_, err := newTestClient(t, Config{BaseURL: srv.URL, APIKey: secret}).Complete(t.Context(), newRequest(verdicts()))
		if e := mustAs[*StatusError](t, err); e.Status != code || !strings.Contains(e.Error(), other.URL) || strings.Contains(e.Error(), "sk-very") {
			t.Errorf("got %v, want status %d without the key", e, code)
		}
	}
	if n := len(seen()); n > 0 {
		t.Errorf("got %d requests to the other host, want 0", n)
	}
}

func TestRedirectOnSameHostIsFollowed(t *testing.T) {
	srv, got := newTestServer(t, func(n int, s sent, w http.ResponseWriter) {
		if s.path == "/chat/completions" {
			w.Header().Set("Location", "/v1/chat/completions")
			w.WriteHeader(http.StatusPermanentRedirect)
			return
		}
		writeReply(w, validReply, "stop")
	})
	mustComplete(t, newTestClient(t, Config{BaseURL: srv.URL, APIKey: secret}), newRequest(verdicts()))
	if s := got()[1]; s.header.Get("Authorization") == "" || s.body["model"] != "m" {
		t.Errorf("got %+v, want the same request with its key", s)
	}
}

// A body that follows status 101 is a connection, which the timeout does not close.
func TestSwitchingProtocolsIsAnError(t *testing.T) {
	done := make(chan struct{})
	srv, _ := newTestServer(t, func(_ int, _ sent, w http.ResponseWriter) {
		w.WriteHeader(http.StatusSwitchingProtocols)
		_ = http.NewResponseController(w).Flush()
		<-done
	})
	_, err := newTestClient(t, Config{BaseURL: srv.URL}).Complete(t.Context(), newRequest(verdicts()))
	close(done)
	if e := mustAs[*StatusError](t, err); e.Status != http.StatusSwitchingProtocols || IsTransient(err) {
		t.Errorf("got %v, want a permanent error with status 101", err)
	}
}

func TestReplySizeIsLimited(t *testing.T) {
	block := bytes.Repeat([]byte(" "), 1<<20)
	var read atomic.Int64 // uncompressed MiB
	for name, tt := range map[string]struct {
		answer http.HandlerFunc
		want   string
	}{
		"100 MB": {func(w http.ResponseWriter, _ *http.Request) {
			for range 100 {
				if _, err := w.Write(block); err != nil {
					return
				}
				read.Add(1)
			}
		}, "larger than 1030 KiB"},
		"gzip bomb": {func(w http.ResponseWriter, _ *http.Request) {
			w.Header().Set("Content-Encoding", "gzip")
			z := gzip.NewWriter(w)
			defer z.Close()
			for range 100 {
				if _, err := z.Write(block); err != nil {
					return
				}
			}
		}, "larger than 1030 KiB"},
		"choices": {func(w http.ResponseWriter, _ *http.Request) {
			fmt.Fprint(w, `{"choices":[{}`+strings.Repeat(",{}", 10_000)+"]}")
		}, "more than 4496 JSON values"},
	} {
		t.Run(name, func(t *testing.T) {
			srv := httptest.NewServer(tt.answer)
			defer srv.Close()
			_, err := newTestClient(t, Config{BaseURL: srv.URL}).Complete(t.Context(), newRequest(verdicts()))
			if e := mustAs[*StatusError](t, err); !strings.Contains(e.Error(), tt.want) || IsTransient(err) {
				t.Errorf("got %v, want a permanent error about the size", e)
			}
			// Some more data is in transit when reading ends.
			if n := read.Load(); n > 80 {
				t.Errorf("read %d MiB, want at most 80", n)
			}
		})
	}
}

func TestLongErrorIsShortened(t *testing.T) {
	srv, _ := newTestServer(t, func(_ int, _ sent, w http.ResponseWriter) {
		w.WriteHeader(http.StatusTooManyRequests)
		for range 1000 {
			fmt.Fprint(w, strings.Repeat("busy ", 1000))
		}
	})
	_, err := newTestClient(t, Config{BaseURL: srv.URL}).Complete(t.Context(), newRequest(verdicts()))
	if len(err.Error()) > 1000 || !IsTransient(err) {
		t.Errorf("got an error of %d bytes, want a transient one of at most 1000: %.100s", len(err.Error()), err)
	}
}

func TestUntrustedCertificate(t *testing.T) {
	srv := httptest.NewTLSServer(nil)
	defer srv.Close()
	srv.Config.ErrorLog = slog.NewLogLogger(slog.DiscardHandler, slog.LevelInfo)
	_, err := newTestClient(t, Config{BaseURL: srv.URL}).Complete(t.Context(), newRequest(verdicts()))
	if e := mustAs[*NetworkError](t, err); !e.Permanent || !strings.Contains(e.Error(), "certificate") || IsTransient(err) || e.Unwrap() == nil {
		t.Errorf("got %v, want a permanent certificate error", e)
	}
}

func TestServerThatRequiresClientCertificate(t *testing.T) {
	for _, version := range []uint16{tls.VersionTLS12, tls.VersionTLS13} {
		srv := httptest.NewUnstartedServer(nil)
		srv.Config.ErrorLog = slog.NewLogLogger(slog.DiscardHandler, slog.LevelInfo)
		srv.TLS = &tls.Config{ClientAuth: tls.RequireAnyClientCert, MaxVersion: version}
		srv.StartTLS()
		defer srv.Close()
		c := newTestClient(t, Config{BaseURL: srv.URL})
		c.wire.http.Transport.(*http.Transport).TLSClientConfig.RootCAs = srv.Client().Transport.(*http.Transport).TLSClientConfig.RootCAs
		_, err := c.Complete(t.Context(), newRequest(verdicts()))
		if e := mustAs[*NetworkError](t, err); !strings.HasPrefix(e.Error(), "no answer from the server, which asks for a client certificate") {
			t.Errorf("TLS version %x: got %v, want an error about the client's certificate", version, err)
		}
	}
}

// The key must not appear in anything that is shown, logged or stored, whatever the server
// sends.
func TestKeyIsNeverPrinted(t *testing.T) {
	quoted, _ := json.Marshal(secret)
	inUserMessage := map[string]func(w http.ResponseWriter){
		"401": func(w http.ResponseWriter) { writeError(w, 401, "Incorrect API key provided: "+secret, "") },
		"plain 500": func(w http.ResponseWriter) {
			w.WriteHeader(http.StatusInternalServerError)
			fmt.Fprint(w, "Bearer "+secret)
		},
		"escaped": func(w http.ResponseWriter) {
			w.WriteHeader(http.StatusBadRequest)
			fmt.Fprint(w, url.QueryEscape(secret))
		},
		"path escaped": func(w http.ResponseWriter) {
			w.WriteHeader(http.StatusBadRequest)
			fmt.Fprint(w, url.PathEscape(secret))
		},
		"context":       func(w http.ResponseWriter) { writeError(w, 400, "context length 5 "+secret, "") },
		"filter":        func(w http.ResponseWriter) { writeError(w, 400, "content_filter "+secret, secret) },
		"param":         func(w http.ResponseWriter) { writeError(w, 402, "x", secret) },
		"200 and HTML":  func(w http.ResponseWriter) { w.Header().Set("Content-Type", secret); fmt.Fprint(w, secret) },
		"200 and error": func(w http.ResponseWriter) { fmt.Fprintf(w, `{"error":{"message":%s}}`, quoted) },
		"wrong type":    func(w http.ResponseWriter) { fmt.Fprintf(w, `{"choices":%s}`, quoted) },
		"refusal":       func(w http.ResponseWriter) { fmt.Fprintf(w, `{"choices":[{"message":{"refusal":%s}}]}`, quoted) },
		"prose":         func(w http.ResponseWriter) { writeReply(w, "your key is "+secret, "stop") },
		"in a reply":    func(w http.ResponseWriter) { writeReply(w, `{"verdicts":[],"note":"`+secret+`"}`, "stop") },
		"redirect": func(w http.ResponseWriter) {
			w.Header().Set("Location", "http://other.invalid/"+secret)
			w.WriteHeader(http.StatusFound)
		},
	}
	for name, answer := range inUserMessage {
		t.Run(name, func(t *testing.T) {
			srv, _ := newTestServer(t, func(_ int, _ sent, w http.ResponseWriter) { answer(w) })
			u, _ := url.Parse(srv.URL)
			u.User = url.UserPassword("me", "pass-word-7")
			cfg := Config{BaseURL: u.String(), APIKey: secret, Model: "m"}
			c := newTestClient(t, cfg)
			cache, _ := openCache(t, t.TempDir())
			reply, err := cache.Completer(c, c.Endpoint(), c.Model()).Complete(t.Context(), newRequest(verdicts()))
			var seen bytes.Buffer
			log := slog.New(slog.NewJSONHandler(&seen, nil))
			log.Info("x", "err", err, "client", c, "config", cfg)
			fmt.Fprintf(&seen, "%v %+v %#v %v %+v %v %#v", err, err, err, c, c, reply, c)
			if reply != nil {
				fmt.Fprintf(&seen, "%s %s", reply.Text, reply.JSON)
			}
			for e := err; e != nil; {
				fmt.Fprintf(&seen, "%+v %#v", e, e)
				w, ok := e.(interface{ Unwrap() error })
				if !ok {
					break
				}
				e = w.Unwrap()
			}
			searchSecrets(t, seen.String())
		})
	}
	cfg := Config{BaseURL: "http://127.0.0.1:1", APIKey: secret, Model: "m"}
	b, _ := json.Marshal(cfg)
	searchSecrets(t, fmt.Sprintf("%v %+v %#v %s", cfg, cfg, cfg, b))
	_, err := newTestClient(t, cfg).Complete(context.Background(), newRequest(nil))
	searchSecrets(t, fmt.Sprintf("%v %+v %#v", err, err, err))
}

func searchSecrets(t *testing.T, s string) {
	t.Helper()
	for _, bad := range []string{"sk-very", "secret%2B", "secret+key", "pass-word-7"} {
		if strings.Contains(s, bad) {
			t.Errorf("secret %q found in %s", bad, s)
		}
	}
}

func TestReplaceNonNumbers(t *testing.T) {
	for in, want := range map[string]string{
		`{"a":-Infinity,"b":[NaN, Infinity]}`:      `{"a":-9999,"b":["NaN", "Infinity"]}`,
		`{"a":"NaN \" -Infinity","logprob":NaN}`:   `{"a":"NaN \" -Infinity","logprob":"NaN"}`,
		`{"a":"-Infinity"}`:                        `{"a":"-Infinity"}`,
		`{"a":`:                                    `{"a":`,
		`{"choices":[{"logprobs":{"content":[]}}]`: `{"choices":[{"logprobs":{"content":[]}}]`,
	} {
		if got := string(replaceNonNumbers([]byte(in))); got != want {
			t.Errorf("%s: got %s, want %s", in, got, want)
		}
	}
}

// A null is read as log probability 0, which can't be that of two tokens.
func TestAlternativesThatAreAllCertainAreNone(t *testing.T) {
	token := openai.LogProb{Token: "yes", TopLogProbs: []openai.TopLogProbs{{Token: "yes"}, {Token: "no"}}}
	if got := alternatives(&token, 5); got != nil {
		t.Errorf("got %v, want none", got)
	}
	token.LogProb, token.TopLogProbs[1].LogProb = -0.1, -2.5
	if got := alternatives(&token, 5); len(got) != 2 {
		t.Errorf("got %v, want both", got)
	}
}
