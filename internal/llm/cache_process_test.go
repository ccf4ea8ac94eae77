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
	one, w1 := openCache(t, dir)
	two, w2 := openCache(t, dir)
	var wg sync.WaitGroup
	for i := range 8 {
		k := []*Cache{one, two}[i%2]
		wg.Go(func() {
			c := k.Completer(&countingModel{}, "e", strconv.Itoa(i))
			for j := range 25 {
				r := newRequest(verdicts())
				r.Seed = j
				if _, err := c.Complete(t.Context(), r); err != nil {
					t.Error(err)
				}
				k.Put(t.Context(), "space", fmt.Sprintf("%d-%02d", i, j), json.RawMessage(`1`))
			}
		})
	}
	wg.Wait()
	for _, k := range []*Cache{one, two} {
		s, err := k.Stats(t.Context())
		if err != nil || s.Replies != 200 || s.Items != 200 || len(k.List(t.Context(), "space")) != 200 {
			t.Errorf("got %+v, %v; want 200 replies and 200 items", s, err)
		}
	}
	if len(w1.all)+len(w2.all) > 0 {
		t.Errorf("got warnings %v and %v, want none", w1, w2)
	}
	a := &countingModel{}
	r := newRequest(verdicts())
	if reply, err := two.Completer(a, "e", "0").Complete(t.Context(), r); err != nil || !reply.Cached {
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
	a := &countingModel{}
	slow := completerFunc(func(ctx context.Context, r *Request) (*Reply, error) {
		_ = NewClock(time.Now).Sleep(ctx, time.Millisecond)
		return a.Complete(ctx, r)
	})
	var runs [3]*Cache
	for i := range runs {
		runs[i] = OpenCache(t.Context(), dir, NewClock(time.Now), func(err error) { t.Error(err) })
		defer func() { _ = runs[i].Close() }()
	}
	gone := newRequest(verdicts())
	if _, err := runs[2].locks.acquire(t.Context(), requestKey("e", "m", gone)); err != nil {
		t.Fatal(err)
	}
	waits, cancel := context.WithTimeout(t.Context(), 3*lockPoll)
	defer cancel()
	if _, err := runs[0].Completer(slow, "e", "m").Complete(waits, gone); !errors.Is(err, context.DeadlineExceeded) {
		t.Errorf("got error %v, want %v while the other process holds the lock", err, context.DeadlineExceeded)
	}
	_ = runs[2].Close()
	var wg sync.WaitGroup
	for _, k := range runs[:2] {
		c := k.Completer(slow, "e", "m")
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
	if a.calls != 100 {
		t.Errorf("got %d requests, want 100", a.calls)
	}
}

// A sleeper is a clock that calls a function when it sleeps.
type sleeper struct {
	*fakeClock
	then func()
}

func (s *sleeper) Sleep(ctx context.Context, d time.Duration) error {
	s.then()
	return s.fakeClock.Sleep(ctx, d)
}

func TestCacheIsCreatedByManyProcesses(t *testing.T) {
	// Another process is creating the file, so SQLite reports it as busy.
	half := t.TempDir()
	other, err := sql.Open("sqlite", dataSource(filepath.Join(half, CacheFile)))
	if err != nil {
		t.Fatal(err)
	}
	defer other.Close()
	tx, err := other.BeginTx(t.Context(), nil)
	if err != nil {
		t.Fatal(err)
	}
	w, waits := &warnings{}, 0
	k := OpenCache(t.Context(), half, &sleeper{newFakeClock(), func() { waits++; _ = tx.Rollback() }}, w.add)
	k.Put(t.Context(), "a", "b", json.RawMessage(`1`))
	if _, ok := k.Get(t.Context(), "a", "b"); !ok || waits == 0 || len(w.all) > 0 {
		t.Errorf("file created by another process: got found %t after %d waits, warnings %v; want true after some, none", ok, waits, w)
	}
	_ = k.Close()
	for range 5 {
		dir := filepath.Join(t.TempDir(), "new")
		var wg sync.WaitGroup
		for i := range 8 {
			wg.Go(func() {
				w := &warnings{}
				k := OpenCache(t.Context(), dir, NewClock(time.Now), w.add)
				defer func() { _ = k.Close() }()
				k.Put(t.Context(), "a", strconv.Itoa(i), json.RawMessage(`1`))
				if _, ok := k.Get(t.Context(), "a", strconv.Itoa(i)); !ok || len(w.all) > 0 {
					t.Errorf("got value found %t, warnings %v; want true, none", ok, w)
				}
			})
		}
		wg.Wait()
	}
}
