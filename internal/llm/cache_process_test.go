package llm

import (
	"context"
	"database/sql"
	"encoding/json"
	"fmt"
	"path/filepath"
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
