package llm

import (
	"context"
	"encoding/binary"
	"os"
	"sync"
	"time"
)

// turnPoll is how often one who waits for another process looks again.
const turnPoll = 50 * time.Millisecond

// A turn is the right to ask for what is not in the cache yet: for each key one
// caller at a time has it, in this process and among those that share the file,
// so that what two of them need is paid for once. Among processes it is a lock on
// one byte of a file, which the system takes back from a process that is killed;
// where the file system has no such locks each process asks for itself.
type turn struct {
	file  *os.File // nil: this process alone
	clock Clock

	mu     sync.Mutex
	asking map[string]chan struct{} // by key; closed when the answer is there
}

// enter waits for the turn of key, the SHA-256 of a request. The caller leaves when
// the answer is kept.
func (t *turn) enter(ctx context.Context, key []byte) (leave func(), err error) {
	done, err := t.here(ctx, string(key))
	if err != nil || t.file == nil {
		return done, err
	}
	at := int64(binary.LittleEndian.Uint64(key) >> 1 &^ (1 << 62))
	for {
		switch taken, err := lock(t.file, at); {
		case taken:
			return func() { _ = unlock(t.file, at); done() }, nil
		case err != nil: // no locks here
			return done, nil //nolint:nilerr // then each process asks for itself
		}
		if err := t.clock.Sleep(ctx, turnPoll); err != nil {
			done()
			return nil, err
		}
	}
}

// here waits for the turn within this process.
func (t *turn) here(ctx context.Context, key string) (leave func(), err error) {
	for {
		t.mu.Lock()
		other, busy := t.asking[key]
		if !busy {
			done := make(chan struct{})
			t.asking[key] = done
			t.mu.Unlock()
			return func() {
				t.mu.Lock()
				defer t.mu.Unlock()
				delete(t.asking, key)
				close(done)
			}, nil
		}
		t.mu.Unlock()
		select {
		case <-other:
		case <-ctx.Done():
			return nil, ctx.Err()
		}
	}
}
