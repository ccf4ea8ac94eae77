package llm

import (
	"context"
	"encoding/binary"
	"os"
	"time"
)

// lockPoll is the interval for checking whether another process has released a
// lock.
const lockPoll = 50 * time.Millisecond

// keyLocks lets only one of the processes that share a cache request a missing reply, so
// that equal runs at the same time pay for each reply once instead of each: two runs over
// 60 rows then send 63 requests in total instead of 126. Each key is locked by a byte
// range of the file; the operating system releases the lock when a process exits. On file
// systems without byte range locks, each process sends its own request.
type keyLocks struct {
	file  *os.File // nil if there are no locks
	clock Clock
}

// acquire locks key, the SHA-256 of a request. The caller must call release
// after storing the reply.
func (t *keyLocks) acquire(ctx context.Context, key []byte) (release func(), err error) {
	if t.file == nil {
		return func() {}, nil
	}
	offset := int64(binary.LittleEndian.Uint64(key) >> 1 &^ (1 << 62))
	for {
		switch locked, err := tryLock(t.file, offset); {
		case locked:
			return func() { _ = unlock(t.file, offset) }, nil
		case err != nil: // the file system does not support locks
			return func() {}, nil //nolint:nilerr // each process sends its own request
		}
		if err := t.clock.Sleep(ctx, lockPoll); err != nil {
			return nil, err
		}
	}
}
