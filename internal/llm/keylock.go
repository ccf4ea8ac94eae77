package llm

import (
	"context"
	"encoding/binary"
	"os"
	"sync"
	"time"
)

// lockPoll is the interval for checking whether another process has released a
// lock.
const lockPoll = 50 * time.Millisecond

// keyLocks deduplicates concurrent requests for the same uncached reply, within
// this process and across processes that share the file, so that it is paid for
// only once. Across processes, each key is locked by a byte range of the file;
// the operating system releases the lock when a process exits. On file systems
// without byte range locks, each process sends its own request.
type keyLocks struct {
	file  *os.File // nil to lock within this process only
	clock Clock

	mu   sync.Mutex
	held map[string]chan struct{} // closed on release
}

// acquire locks key, the SHA-256 of a request. The caller must call release
// after storing the reply.
func (t *keyLocks) acquire(ctx context.Context, key []byte) (release func(), err error) {
	done, err := t.acquireLocal(ctx, string(key))
	if err != nil || t.file == nil {
		return done, err
	}
	offset := int64(binary.LittleEndian.Uint64(key) >> 1 &^ (1 << 62))
	for {
		switch locked, err := tryLock(t.file, offset); {
		case locked:
			return func() { _ = unlock(t.file, offset); done() }, nil
		case err != nil: // the file system does not support locks
			return done, nil //nolint:nilerr // each process sends its own request
		}
		if err := t.clock.Sleep(ctx, lockPoll); err != nil {
			done()
			return nil, err
		}
	}
}

// acquireLocal locks key within this process.
func (t *keyLocks) acquireLocal(ctx context.Context, key string) (release func(), err error) {
	for {
		t.mu.Lock()
		other, busy := t.held[key]
		if !busy {
			done := make(chan struct{})
			t.held[key] = done
			t.mu.Unlock()
			return func() {
				t.mu.Lock()
				defer t.mu.Unlock()
				delete(t.held, key)
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
