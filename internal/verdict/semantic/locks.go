package semantic

import (
	"context"
	"sync"
)

// locks are mutexes by name. The zero value has no locks.
type locks struct {
	mu    sync.Mutex
	locks map[string]*lock
}

type lock struct {
	token chan struct{} // holds a token while the lock is free
	users int           // goroutines that hold the lock or wait for it
}

// lock waits for the lock of a name, and returns the function that releases it. The
// error is that of ctx.
func (l *locks) lock(ctx context.Context, name string) (unlock func(), err error) {
	l.mu.Lock()
	k := l.locks[name]
	if k == nil {
		if l.locks == nil {
			l.locks = map[string]*lock{}
		}
		k = &lock{token: make(chan struct{}, 1)}
		k.token <- struct{}{}
		l.locks[name] = k
	}
	k.users++
	l.mu.Unlock()
	leave := func() {
		l.mu.Lock()
		defer l.mu.Unlock()
		if k.users--; k.users == 0 {
			delete(l.locks, name)
		}
	}
	select {
	case <-k.token:
		return func() { k.token <- struct{}{}; leave() }, nil
	case <-ctx.Done():
		leave()
		return nil, context.Cause(ctx)
	}
}
