package llm

import (
	"context"
	"encoding/binary"
	"time"
)

// lockPoll is the interval for checking whether another process has released a
// lock.
const lockPoll = 50 * time.Millisecond

// lock locks key, the SHA-256 of a request, so that only one of the processes that share a
// cache requests a missing reply. Equal runs at the same time then pay for each reply once
// instead of each: two runs over 60 rows send 63 requests in total instead of 126. Each key
// is locked by a byte range of the file; the operating system releases the lock when a
// process exits. On file systems without byte range locks, each process sends its own
// request. The caller must call release after storing the reply.
func (c *Cache) lock(ctx context.Context, key []byte) (release func(), err error) {
	if c.locks == nil {
		return func() {}, nil
	}
	offset := int64(binary.LittleEndian.Uint64(key) >> 1 &^ (1 << 62))
	for {
		switch locked, err := tryLock(c.locks, offset); {
		case locked:
			return func() { _ = unlock(c.locks, offset) }, nil
		case err != nil: // the file system does not support locks
			return func() {}, nil //nolint:nilerr // each process sends its own request
		}
		if err := c.clock.Sleep(ctx, lockPoll); err != nil {
			return nil, err
		}
	}
}
