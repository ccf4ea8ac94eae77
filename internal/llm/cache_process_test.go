package llm

import (
	"context"
	"database/sql"
	"encoding/json"
	"errors"
	"fmt"
	"path/filepath"
	"runtime"
	"strconv"
	"sync"
	"testing"
	"time"
)

func TestCacheIsSharedBetweenProcesses(t *testing.T) {
	dir := t.TempDir()
	first, firstWarnings := openCache(t, dir)
	second, secondWarnings := openCache(t, dir)
	var wg sync.WaitGroup
	for i := range 8 {
		cache := []*Cache{first, second}[i%2]
		wg.Go(func() {
			c := cache.Completer(&countingModel{}, "e", strconv.Itoa(i))
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
	model := &countingModel{}
	r := newRequest(verdicts())
	if reply, err := second.Completer(model, "e", "0").Complete(t.Context(), r); err != nil || !reply.Cached {
		t.Errorf("got %+v, %v; want a cached reply", reply, err)
	}
}

// Concurrent runs with the same rows pay for each row once. If the process that holds the
// lock ends, another one sends the request.
func TestCacheLocksKeysBetweenProcesses(t *testing.T) {
	if runtime.GOOS != "linux" && runtime.GOOS != "windows" {
		t.Skip("file locks belong to the process on this system, and the test is a single process")
	}
	dir := t.TempDir()
	model := &countingModel{}
	slow := completerFunc(func(ctx context.Context, r *Request) (*Reply, error) {
		_ = NewClock(time.Now).Sleep(ctx, time.Millisecond)
		return model.Complete(ctx, r)
	})
	var caches [3]*Cache
	for i := range caches {
		caches[i] = OpenCache(t.Context(), dir, NewClock(time.Now), func(err error) { t.Error(err) })
		defer func() { _ = caches[i].Close() }()
	}
	locked := newRequest(verdicts())
	if _, err := caches[2].lock(t.Context(), requestKey("e", "m", locked)); err != nil {
		t.Fatal(err)
	}
	ctx, cancel := context.WithTimeout(t.Context(), 3*lockPoll)
	defer cancel()
	if _, err := caches[0].Completer(slow, "e", "m").Complete(ctx, locked); !errors.Is(err, context.DeadlineExceeded) {
		t.Errorf("got error %v, want %v while the other process holds the lock", err, context.DeadlineExceeded)
	}
	_ = caches[2].Close()
	var wg sync.WaitGroup
	for _, cache := range caches[:2] {
		c := cache.Completer(slow, "e", "m")
		for w := range 4 {
			wg.Go(func() {
				for i := w; i < 100; i += 4 {
					r := newRequest(verdicts())
					r.Seed = i
					if _, err := c.Complete(t.Context(), r); err != nil {
						t.Error(err)
					}
				}
			})
		}
	}
	wg.Wait()
	if model.calls != 100 {
		t.Errorf("got %d requests, want 100", model.calls)
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
	other, err := sql.Open("sqlite", dataSource(filepath.Join(dir, CacheFile)))
	if err != nil {
		t.Fatal(err)
	}
	defer other.Close()
	tx, err := other.BeginTx(t.Context(), nil)
	if err != nil {
		t.Fatal(err)
	}
	w, sleeps := &warnings{}, 0
	cache := OpenCache(t.Context(), dir, &callbackClock{newFakeClock(), func() { sleeps++; _ = tx.Rollback() }}, w.add)
	cache.Put(t.Context(), "a", "b", json.RawMessage(`1`))
	if _, ok := cache.Get(t.Context(), "a", "b"); !ok || sleeps == 0 || len(w.all) > 0 {
		t.Errorf("file created by another process: got value found %t after %d sleeps, warnings %v; want true after at least 1, none", ok, sleeps, w)
	}
	_ = cache.Close()
	for range 5 {
		dir := filepath.Join(t.TempDir(), "new")
		var wg sync.WaitGroup
		for i := range 8 {
			wg.Go(func() {
				w := &warnings{}
				cache := OpenCache(t.Context(), dir, NewClock(time.Now), w.add)
				defer func() { _ = cache.Close() }()
				cache.Put(t.Context(), "a", strconv.Itoa(i), json.RawMessage(`1`))
				if _, ok := cache.Get(t.Context(), "a", strconv.Itoa(i)); !ok || len(w.all) > 0 {
					t.Errorf("got value found %t, warnings %v; want true, none", ok, w)
				}
			})
		}
		wg.Wait()
	}
}
