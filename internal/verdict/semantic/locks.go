package semantic

import (
	"context"
	"sync"
)

// locks lets one goroutine at a time have a name.
type locks struct {
	mu   sync.Mutex
	held map[string]*lock
}

type lock struct {
	turn  chan struct{} // holds a token while the name is free
	users int           // who have it or wait for it
}

// take waits until name is free, and returns what frees it again. The error is
// that of ctx.
func (l *locks) take(ctx context.Context, name string) (release func(), err error) {
	l.mu.Lock()
	k := l.held[name]
	if k == nil {
		k = &lock{turn: make(chan struct{}, 1)}
		k.turn <- struct{}{}
		l.held[name] = k
	}
	k.users++
	l.mu.Unlock()
	leave := func() {
		l.mu.Lock()
		defer l.mu.Unlock()
		if k.users--; k.users == 0 {
			delete(l.held, name)
		}
	}
	select {
	case <-k.turn:
		return func() { k.turn <- struct{}{}; leave() }, nil
	case <-ctx.Done():
		leave()
		return nil, context.Cause(ctx)
	}
}
