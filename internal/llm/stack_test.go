package llm

import (
	"fmt"
	"net/http"
	"net/http/httptest"
	"strconv"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/ragfaith/ragfaith/internal/usage"
)

func newStack(t *testing.T, o Options) *Stack {
	t.Helper()
	if o.Client.Model == "" {
		o.Client.Model = "m"
	}
	if o.Clock == nil {
		o.Clock = newFakeClock()
	}
	s, err := New(o)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(s.Close)
	return s
}

// A cache hit needs no server: a run whose rows are all cached works offline.
func TestCacheHitIgnoresOpenBreaker(t *testing.T) {
	srv, _ := newTestServer(t, func(n int, _ sent, w http.ResponseWriter) {
		if n > 1 {
			writeError(w, 401, "who are you?", "")
			return
		}
		writeReply(w, validReply, "stop")
	})
	cache, _ := openCache(t, t.TempDir())
	s := newStack(t, Options{Client: Config{BaseURL: srv.URL}, Cache: cache})
	_, _ = s.Complete(t.Context(), newRequest(verdicts()))
	_, err := s.Complete(t.Context(), newRequest(nil))
	_ = mustAs[*DownError](t, err)
	if reply, err := s.Complete(t.Context(), newRequest(verdicts())); err != nil || !reply.Cached {
		t.Errorf("got %+v, %v; want a cached reply", reply, err)
	}
}

// A run with many rows ends without retries if the server is unreachable, does not respond
// or rejects the key.
func TestDeadServerEndsRun(t *testing.T) {
	release := make(chan struct{})
	unreachable := httptest.NewServer(nil)
	unreachable.Close()
	hanging, _ := newTestServer(t, func(int, sent, http.ResponseWriter) { <-release })
	rejecting, rejected := newTestServer(t, func(_ int, _ sent, w http.ResponseWriter) { writeError(w, 401, "no", "") })
	defer close(release)
	for name, url := range map[string]string{"unreachable": unreachable.URL, "hanging": hanging.URL, "rejecting": rejecting.URL} {
		t.Run(name, func(t *testing.T) {
			timeout := time.Minute // avoid timeouts on a busy machine
			if name == "hanging" {
				timeout = 50 * time.Millisecond
			}
			s := newStack(t, Options{Client: Config{BaseURL: url, Timeout: timeout}, Retries: 5, Clock: NewClock(time.Now)})
			inParallel(16, func(int) {
				for range 10 {
					_, err := s.Complete(t.Context(), newRequest(verdicts()))
					checkDown(t, err)
				}
			})
			// With five retries each, 160 calls would make 960 attempts.
			if n := s.Meter.Total().Requests; n > 160 || s.Client.sender.breaker.downErr == nil {
				t.Errorf("got %d attempts for 160 calls, breaker error %v; want at most 160 and an open breaker", n, s.Client.sender.breaker.downErr)
			}
			if n := s.Meter.Total().Requests; name == "rejecting" && n != len(rejected()) {
				t.Errorf("counted %d requests, want %d as on the server", n, len(rejected()))
			}
		})
	}
}

// The transport must not retry silently after a broken connection, since retries in two
// layers would multiply.
func TestTransportDoesNotRetry(t *testing.T) {
	n := 0
	var mu sync.Mutex
	broken := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) {
		mu.Lock()
		defer mu.Unlock()
		if n++; n == 1 {
			writeReply(w, "x", "stop")
			return
		}
		panic(http.ErrAbortHandler)
	}))
	defer broken.Close()
	c := newTestClient(t, Config{BaseURL: broken.URL})
	_, _ = c.Complete(t.Context(), newRequest(nil))
	_, err := c.Complete(t.Context(), newRequest(nil))
	mu.Lock()
	defer mu.Unlock()
	if _ = mustAs[*NetworkError](t, err); n != 2 {
		t.Errorf("got %d requests, want 2", n)
	}
}

func TestStackEmbedder(t *testing.T) {
	srv, got := newTestServer(t, func(n int, s sent, w http.ResponseWriter) {
		if n == 1 {
			writeError(w, 503, "busy", "")
			return
		}
		fmt.Fprint(w, `{"data":[{"index":0,"embedding":[1]}],"usage":{"prompt_tokens":4}}`)
	})
	cache, _ := openCache(t, t.TempDir())
	s := newStack(t, Options{Client: Config{BaseURL: srv.URL, APIKey: secret}, Retries: 2, Cache: cache, MaxTokens: 1000})
	e, at, err := s.Embedder(Config{Model: "text-embedding-3-small"})
	if err != nil || at != srv.URL {
		t.Fatal(at, err)
	}
	for i := range 2 {
		v, _, err := e.Embed(t.Context(), []string{"a"})
		if err != nil || fmt.Sprint(v) != "[[1]]" {
			t.Fatalf("call %d: got %v, %v; want [[1]]", i, v, err)
		}
	}
	if u := s.Meter.Total(); u != (usage.Usage{Requests: 2, PromptTokens: 4, CachedRequests: 1}) || len(got()) != 2 || got()[1].header.Get("Authorization") == "" {
		t.Errorf("got total %+v, want 2 requests and 1 cached, sent with the key", u)
	}
	if _, tokens := s.Cost(); tokens != 4 {
		t.Errorf("got %d tokens, want 4", tokens)
	}
	// Another server must not get the key, and has its own breaker.
	other, seen := newTestServer(t, func(_ int, _ sent, w http.ResponseWriter) { writeError(w, 401, "no", "") })
	e, at, err = s.Embedder(Config{Model: "e", BaseURL: other.URL})
	if err != nil || at != other.URL {
		t.Fatal(at, err)
	}
	_, _, err = e.Embed(t.Context(), []string{"b"})
	if _ = mustAs[*DownError](t, err); s.Client.sender.breaker.downErr != nil || seen()[0].header.Get("Authorization") != "" {
		t.Errorf("got breaker error %v, header %v; want nil, no key", s.Client.sender.breaker.downErr, seen()[0].header)
	}
	if _, _, err := s.Embedder(Config{}); err == nil {
		t.Error("got no error without a model, want one")
	}
	limited := newStack(t, Options{Client: Config{Model: "gpt-4o"}, MaxCost: 1})
	if _, _, err := limited.Embedder(Config{Model: "my-embedder"}); err == nil {
		t.Error("got no error for a model without price, want one")
	}
}

// Runaway generation is bounded by the schema if the server supports that. If not, this is
// detected once, and unbounded schemas remain in use.
func TestRunawayReplyIsRetriedWithBounds(t *testing.T) {
	for _, supportsBounds := range []bool{true, false} {
		srv, got := newTestServer(t, func(_ int, s sent, w http.ResponseWriter) {
			switch isBounded := strings.Contains(s.raw, "maxItems"); {
			case isBounded && !supportsBounds:
				writeError(w, 400, "Invalid schema for response_format: 'maxItems' is not permitted", "response_format")
			case isBounded || s.body["max_tokens"].(float64) > 100:
				writeReply(w, validReply, "stop")
			default:
				writeReply(w, `{"verdicts":[1,1,1,1,1,1`, "length")
			}
		})
		s := newStack(t, Options{Client: Config{BaseURL: srv.URL}})
		r := newRequest(withBounds(verdicts()))
		for range 2 {
			if reply, err := s.Complete(t.Context(), r); err != nil || string(reply.JSON) != validReply {
				t.Fatalf("bounds %v: got %+v, %v; want %s", supportsBounds, reply, err, validReply)
			}
		}
		var gotBounded []string
		for _, g := range got() {
			if g.format() != "json_schema" {
				t.Errorf("bounds %v: got format %q, want json_schema", supportsBounds, g.format())
			}
			gotBounded = append(gotBounded, strconv.FormatBool(strings.Contains(g.raw, "maxItems")))
		}
		want := map[bool]string{true: "[false true false true]", false: "[false true false false false]"}[supportsBounds]
		if fmt.Sprint(gotBounded) != want {
			t.Errorf("bounds %v: got bounded schemas %v, want %s", supportsBounds, gotBounded, want)
		}
	}
}
