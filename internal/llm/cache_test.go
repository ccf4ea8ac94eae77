package llm

import (
	"context"
	"database/sql"
	"encoding/json"
	"errors"
	"fmt"
	"net/http"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/ragfaith/ragfaith/internal/usage"
)

func openCache(t *testing.T, dir string) (*Cache, *warnings) {
	t.Helper()
	w := &warnings{}
	cache := OpenCache(t.Context(), dir, newFakeClock(), w.add)
	t.Cleanup(func() { _ = cache.Close() })
	return cache, w
}

type warnings struct {
	mu  sync.Mutex
	all []error
}

func (w *warnings) add(err error) {
	w.mu.Lock()
	defer w.mu.Unlock()
	w.all = append(w.all, err)
}

func (w *warnings) String() string {
	w.mu.Lock()
	defer w.mu.Unlock()
	return fmt.Sprint(w.all)
}

func TestCacheHit(t *testing.T) {
	dir := filepath.Join(t.TempDir(), "a ?#%dir", "llm")
	cache, w := openCache(t, dir)
	a := &script{}
	c := cache.Completer(a, "http://x", "m")
	for i := range 2 {
		reply := mustComplete(t, c, newRequest(verdicts()))
		if string(reply.JSON) != validReply || reply.Text != "ok" || reply.Cached != (i == 1) {
			t.Errorf("call %d: got %+v, want cached: %t", i, reply, i == 1)
		}
		if i == 1 && reply.Usage != (usage.Usage{CachedRequests: 1}) {
			t.Errorf("got usage %+v for a hit, want only a cached request", reply.Usage)
		}
	}
	if a.calls() != 1 || len(w.all) > 0 {
		t.Errorf("got %d calls, warnings %v; want 1, none", a.calls(), w)
	}
}

// Equal requests are sent once, and the others count as cached. A caller that is canceled
// does not fail the others.
func TestCacheSendsConcurrentEqualRequestsOnce(t *testing.T) {
	for name, fault := range map[string]error{ // of requests that are not canceled
		"reply": nil,
		"error": withUsage(status(500), usage.Usage{Requests: 1}),
	} {
		t.Run(name, func(t *testing.T) {
			cache, _ := openCache(t, t.TempDir())
			release := make(chan struct{})
			var mu sync.Mutex
			sent := 0
			started := make(chan struct{})
			slow := completerFunc(func(ctx context.Context, _ *Request) (*Reply, error) {
				mu.Lock()
				if sent++; sent == 1 {
					close(started)
				}
				mu.Unlock()
				select {
				case <-release:
				case <-ctx.Done():
					return nil, ctx.Err()
				}
				if fault != nil {
					return nil, fault
				}
				return &Reply{Text: validReply, JSON: json.RawMessage(validReply), Usage: usage.Usage{Requests: 1}}, nil
			})
			meter := &Meter{}
			c := &metered{cache.Completer(slow, "e", "m"), meter}
			var wg sync.WaitGroup
			ctx, cancel := context.WithCancel(t.Context())
			ended := make(chan struct{})
			wg.Go(func() {
				defer close(ended)
				if _, err := c.Complete(ctx, newRequest(verdicts())); !errors.Is(err, context.Canceled) {
					t.Errorf("got %v, want %v", err, context.Canceled)
				}
			})
			<-started
			failed, hits := 0, 0
			for range 20 {
				wg.Go(func() {
					reply, err := c.Complete(t.Context(), newRequest(verdicts()))
					mu.Lock()
					defer mu.Unlock()
					if err != nil {
						failed++
					} else if reply.Cached && string(reply.JSON) == validReply && reply.OriginalUsage.Requests == 1 {
						hits++
					}
				})
			}
			cancel()
			<-ended
			close(release)
			wg.Wait()
			u := meter.Total()
			if fault == nil && (sent != 2 || hits != 19 || failed > 0 || u.Requests != sent-1 || u.CachedRequests != hits) {
				t.Errorf("got %d sent, %d failed, %d hits, usage %+v; want 2, none, 19", sent, failed, hits, u)
			}
			if fault != nil && (failed != 20 || u.Requests != sent-1) {
				t.Errorf("got %d sent, %d failed, usage %+v; want all 20 failed, and the usage of each request once", sent, failed, u)
			}
		})
	}
}

func TestCacheKeyCoversRequest(t *testing.T) {
	base := func() *Request { return newRequest(verdicts()) }
	seen := map[string]string{}
	add := func(name, endpoint, model string, r *Request) {
		key := string(requestKey(endpoint, model, r))
		if other, ok := seen[key]; ok {
			t.Errorf("%s and %s: got equal keys, want different ones", name, other)
		}
		seen[key] = name
	}
	add("base", "e", "m", base())
	add("endpoint", "e2", "m", base())
	add("model", "e", "m2", base())
	add("split", "em", "", base())
	for name, change := range map[string]func(*Request){
		"temperature": func(r *Request) { r.Temperature = 0.1 },
		"seed":        func(r *Request) { r.Seed = 1 },
		"max tokens":  func(r *Request) { r.MaxTokens++ },
		"prompt":      func(r *Request) { r.Prompt = "test/2" },
		"message":     func(r *Request) { r.Messages[1].Text += " " },
		"role":        func(r *Request) { r.Messages[1].Role = System },
		"order":       func(r *Request) { r.Messages[0], r.Messages[1] = r.Messages[1], r.Messages[0] },
		"split":       func(r *Request) { r.Messages = append(r.Messages, Message{User, ""}) },
		"schema":      func(r *Request) { r.Schema.JSON = json.RawMessage(`{}`) },
		"schema name": func(r *Request) { r.Schema.Name = "x" },
		"no schema":   func(r *Request) { r.Schema = nil },
		"bad byte 1":  func(r *Request) { r.Messages[1].Text = "\xff" },
		"bad byte 2":  func(r *Request) { r.Messages[1].Text = "\xfe" },
	} {
		r := base()
		change(r)
		add(name, "e", "m", r)
	}
	if _, ok := seen[string(requestKey("e", "m", base()))]; !ok {
		t.Error("the key of a request is not stable")
	}
}

func TestCacheSkipsUnusableReplies(t *testing.T) {
	cache, _ := openCache(t, t.TempDir())
	for _, fault := range []error{&ParseError{}, &RefusalError{}, status(500)} {
		s := &script{steps: []error{fault}}
		c := cache.Completer(s, "e", fmt.Sprintf("%T", fault))
		for range 2 {
			if _, err := c.Complete(t.Context(), newRequest(nil)); err == nil {
				t.Fatal("got no error, want one")
			}
		}
		if s.calls() != 2 {
			t.Errorf("error %T: got %d calls, want 2, as the reply must not be stored", fault, s.calls())
		}
	}
	// A reply that the schema no longer accepts is requested again.
	a := &script{}
	c := cache.Completer(a, "e", "m")
	r := newRequest(verdicts())
	_, _ = c.Complete(t.Context(), r)
	r.Schema.Accept = func(json.RawMessage) error { return errors.New("changed") }
	if reply, _ := c.Complete(t.Context(), r); reply.Cached || a.calls() != 2 {
		t.Error("an invalid reply was used")
	}
	// The same applies to free text.
	words := &script{}
	c = cache.Completer(words, "e", "words")
	r = newRequest(nil)
	_, _ = c.Complete(t.Context(), r)
	for _, why := range []error{nil, errors.New("changed")} {
		r.Accept = func(string) error { return why }
		if reply, _ := c.Complete(t.Context(), r); reply.Cached != (why == nil) {
			t.Errorf("acceptance error %v: got cached %t, want %t", why, reply.Cached, why == nil)
		}
	}
}

func TestCacheItems(t *testing.T) {
	cache, _ := openCache(t, t.TempDir())
	ctx := t.Context()
	cache.Put(ctx, "a", "2", json.RawMessage(`{"x":2}`))
	cache.Put(ctx, "a", "1", json.RawMessage(`{"x":0}`))
	cache.Put(ctx, "a", "1", json.RawMessage(`{"x":1}`))
	cache.Put(ctx, "b", "1", json.RawMessage(`3`))
	if v, ok := cache.Get(ctx, "a", "1"); !ok || string(v) != `{"x":1}` {
		t.Errorf("got %s, %v; want {\"x\":1}, true", v, ok)
	}
	if got := fmt.Sprintf("%s", cache.List(ctx, "a")); got != `[{"x":1} {"x":2}]` {
		t.Errorf("got %s, want %s", got, `[{"x":1} {"x":2}]`)
	}
	if cache.List(ctx, "c") != nil {
		t.Error("got items of an empty namespace")
	}
}

func TestCacheStatsAndClear(t *testing.T) {
	dir := t.TempDir()
	clock := newFakeClock()
	cache := OpenCache(t.Context(), dir, clock, func(err error) { t.Error(err) })
	defer cache.Close()
	if s, err := cache.Stats(t.Context()); err != nil || !s.Oldest.IsZero() || s.Replies != 0 {
		t.Errorf("empty cache: got %+v, %v; want no replies", s, err)
	}
	start := clock.Now()
	c := cache.Completer(&script{}, "e", "m")
	_, _ = c.Complete(t.Context(), newRequest(verdicts()))
	clock.pass(48 * time.Hour)
	cache.Put(t.Context(), "a", "1", json.RawMessage(`1`))
	s, err := cache.Stats(t.Context())
	if err != nil || s.Replies != 1 || s.Items != 1 || s.Bytes == 0 || !s.Oldest.Equal(start) || s.Path != filepath.Join(dir, CacheFile) {
		t.Errorf("got %+v, %v; want 1 reply and 1 item", s, err)
	}
	if n, err := cache.Clear(t.Context(), 24*time.Hour); n != 1 || err != nil {
		t.Errorf("got %d entries cleared, %v; want 1, nil", n, err)
	}
	if n, err := cache.Clear(t.Context(), 0); n != 1 || err != nil {
		t.Errorf("got %d entries cleared, %v; want 1, nil", n, err)
	}
}

func TestCacheFailureIsWarning(t *testing.T) {
	for name, spoil := range map[string]func(t *testing.T, dir string){
		"corrupt": func(t *testing.T, dir string) {
			writeFile(t, filepath.Join(dir, CacheFile), strings.Repeat("no database ", 500))
		},
		"directory instead of file": func(t *testing.T, dir string) {
			if err := os.Mkdir(filepath.Join(dir, CacheFile), 0o700); err != nil {
				t.Fatal(err)
			}
		},
		"different table": func(t *testing.T, dir string) {
			cache := OpenCache(t.Context(), dir, newFakeClock(), func(err error) { t.Error(err) })
			if _, err := cache.db.ExecContext(t.Context(), `DROP TABLE replies; CREATE TABLE replies (x)`); err != nil {
				t.Fatal(err)
			}
			_ = cache.Close()
		},
	} {
		t.Run(name, func(t *testing.T) {
			dir := t.TempDir()
			spoil(t, dir)
			cache, w := openCache(t, dir)
			a := &script{}
			c := cache.Completer(a, "e", "m")
			for range 5 {
				if reply, err := c.Complete(t.Context(), newRequest(verdicts())); err != nil || reply.Cached {
					t.Fatalf("got %+v, %v; want an uncached reply", reply, err)
				}
			}
			if a.calls() != 5 || len(w.all) == 0 || len(w.all) > 2 || !strings.Contains(w.String(), dir) {
				t.Errorf("got %d calls, warnings %v; want 5, one or two that name %s", a.calls(), w, dir)
			}
			cache.Put(t.Context(), "a", "b", json.RawMessage(`1`))
			if _, ok := cache.Get(t.Context(), "a", "b"); ok || cache.List(t.Context(), "a") != nil {
				t.Error("got a reply from a disabled cache")
			}
			if _, err := cache.Stats(t.Context()); err == nil {
				t.Error("got statistics of a disabled cache")
			}
			if _, err := cache.Clear(t.Context(), time.Hour); err == nil {
				t.Error("cleared an unreadable cache by age")
			}
			if _, err := cache.Clear(t.Context(), 0); err != nil {
				t.Errorf("Clear: got error %v, want nil", err)
			}
			_ = cache.Close()
			repaired, w := openCache(t, dir)
			repaired.Put(t.Context(), "a", "b", json.RawMessage(`1`))
			if _, ok := repaired.Get(t.Context(), "a", "b"); !ok || len(w.all) > 0 {
				t.Errorf("after Clear: got value found %t, warnings %v; want true, none", ok, w)
			}
		})
	}
}

func TestLockedCacheIsWarning(t *testing.T) {
	if testing.Short() {
		t.Skip("slow, skipped with -short")
	}
	dir := t.TempDir()
	cache, w := openCache(t, dir)
	other, _ := openCache(t, dir)
	tx := must(other.db.BeginTx(t.Context(), nil)) // immediate: it holds the lock for writing
	defer func() { _ = tx.Rollback() }()
	c := cache.Completer(&script{}, "e", "m")
	if _, err := c.Complete(t.Context(), newRequest(verdicts())); err != nil || len(w.all) != 1 {
		t.Errorf("got %v, warnings %v; want nil and one", err, w)
	}
	_ = tx.Rollback()
	_, _ = c.Complete(t.Context(), newRequest(verdicts()))
	if reply, err := c.Complete(t.Context(), newRequest(verdicts())); err != nil || !reply.Cached {
		t.Errorf("after unlocking: got %+v, %v; want a cached reply", reply, err)
	}
}

func TestCacheEmbedder(t *testing.T) {
	cache, _ := openCache(t, t.TempDir())
	srv, got := newTestServer(t, func(_ int, s sent, w http.ResponseWriter) {
		var data []string
		for i, text := range s.body["input"].([]any) {
			data = append(data, fmt.Sprintf(`{"index":%d,"embedding":[%d,1]}`, i, len(text.(string))))
		}
		fmt.Fprintf(w, `{"data":[%s],"usage":{"prompt_tokens":%d}}`, strings.Join(data, ","), len(data))
	})
	e := &embedder{newTestClient(t, Config{BaseURL: srv.URL}), cache, &Meter{}}
	for _, tt := range []struct {
		texts    []string
		want     string
		tokens   int
		requests int
	}{
		{[]string{"a", "bb"}, "[[1 1] [2 1]]", 2, 1},
		{[]string{"ccc", "bb", "a"}, "[[3 1] [2 1] [1 1]]", 1, 2},
		{[]string{"a", "ccc"}, "[[1 1] [3 1]]", 0, 2},
		{nil, "[]", 0, 2},
	} {
		v, u, err := e.Embed(t.Context(), tt.texts)
		if err != nil || fmt.Sprint(v) != tt.want || u.PromptTokens != tt.tokens || len(got()) != tt.requests || (u.CachedRequests == 1) != (u.Requests == 0 && tt.texts != nil) {
			t.Errorf("%v: got %v, %+v, %v after %d requests; want %s for %d tokens after %d", tt.texts, v, u, err, len(got()), tt.want, tt.tokens, tt.requests)
		}
	}
}

func TestCacheIsSharedBetweenProcesses(t *testing.T) {
	dir := t.TempDir()
	first, firstWarnings := openCache(t, dir)
	second, secondWarnings := openCache(t, dir)
	var wg sync.WaitGroup
	for i := range 8 {
		cache := []*Cache{first, second}[i%2]
		wg.Go(func() {
			c := cache.Completer(&script{}, "e", strconv.Itoa(i))
			for j := range 25 {
				r := newRequest(verdicts())
				r.Seed = j
				if _, err := c.Complete(t.Context(), r); err != nil {
					t.Error(err)
				}
				cache.Put(t.Context(), "space", fmt.Sprintf("%d-%02d", i, j), json.RawMessage(`1`))
			}
		})
	}
	wg.Wait()
	for _, cache := range []*Cache{first, second} {
		s, err := cache.Stats(t.Context())
		if err != nil || s.Replies != 200 || s.Items != 200 || len(cache.List(t.Context(), "space")) != 200 {
			t.Errorf("got %+v, %v; want 200 replies and 200 items", s, err)
		}
	}
	if len(firstWarnings.all)+len(secondWarnings.all) > 0 {
		t.Errorf("got warnings %v and %v, want none", firstWarnings, secondWarnings)
	}
	model := &script{}
	r := newRequest(verdicts())
	if reply, err := second.Completer(model, "e", "0").Complete(t.Context(), r); err != nil || !reply.Cached {
		t.Errorf("got %+v, %v; want a cached reply", reply, err)
	}
}

// A callbackClock is a fakeClock that calls onSleep before it sleeps.
type callbackClock struct {
	*fakeClock
	onSleep func()
}

func (s *callbackClock) Sleep(ctx context.Context, d time.Duration) error {
	s.onSleep()
	return s.fakeClock.Sleep(ctx, d)
}

func TestCacheIsCreatedByManyProcesses(t *testing.T) {
	// Another process is creating the file, so SQLite reports it as busy.
	dir := t.TempDir()
	other := must(sql.Open("sqlite", dataSource(filepath.Join(dir, CacheFile))))
	defer other.Close()
	tx := must(other.BeginTx(t.Context(), nil))
	w, sleeps := &warnings{}, 0
	cache := OpenCache(t.Context(), dir, &callbackClock{newFakeClock(), func() { sleeps++; _ = tx.Rollback() }}, w.add)
	cache.Put(t.Context(), "a", "b", json.RawMessage(`1`))
	if _, ok := cache.Get(t.Context(), "a", "b"); !ok || sleeps == 0 || len(w.all) > 0 {
		t.Errorf("file created by another process: got value found %t after %d sleeps, warnings %v; want true after at least 1, none", ok, sleeps, w)
	}
	_ = cache.Close()
}
