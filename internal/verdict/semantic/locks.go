package semantic

import (
	"context"
	"sync"
)

// locks is a set of named mutexes. The zero value is ready to use.
type locks struct {
	mu    sync.Mutex
	locks map[string]*lock
}

type lock struct {
	token chan struct{} // contains a token while the lock is free
	users int           // number of goroutines that hold the lock or wait for it
}

// lock acquires the lock with the given name and returns a function that releases it.
// It returns an error if ctx is done first.
func (l *locks) lock(ctx context.Context, name string) (unlock func(), err error) {
	l.mu.Lock()
	named := l.locks[name]
	if named == nil {
		if l.locks == nil {
			l.locks = map[string]*lock{}
		}
		named = &lock{token: make(chan struct{}, 1)}
		named.token <- struct{}{}
		l.locks[name] = named
	}
	named.users++
	l.mu.Unlock()
	removeUser := func() {
		l.mu.Lock()
		defer l.mu.Unlock()
		if named.users--; named.users == 0 {
			delete(l.locks, name)
		}
	}
	select {
	case <-named.token:
		return func() { named.token <- struct{}{}; removeUser() }, nil
	case <-ctx.Done():
		removeUser()
		return nil, context.Cause(ctx)
	}
}
