package hub

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"time"

	"github.com/ragfaith/ragfaith/internal/safefile"
)

// lockPoll is the interval between attempts to acquire a lock that another process
// holds.
const lockPoll = 200 * time.Millisecond

// lock prevents other processes from downloading the same repository until release
// is called. The operating system releases the lock when the process exits, so a
// leftover lock file has no effect. On file systems without locks, the checksums
// still detect conflicting downloads.
func (r *remote) lock(ctx context.Context, repo string) (release func(), err error) {
	dir := filepath.Join(r.Store.Dir, locksDir)
	if err := os.MkdirAll(dir, 0o755); err != nil {
		return nil, fmt.Errorf("model directory: %w", err)
	}
	path := filepath.Join(dir, dirName(repo)+".lock")
	for waiting := false; ; waiting = true {
		l, err := safefile.TryLock(path)
		if err == nil {
			return l.Unlock, nil
		}
		if _, locked := errors.AsType[*safefile.LockedError](err); !locked {
			return nil, err
		}
		if !waiting && r.Watch.Wait != nil {
			r.Watch.Wait(repo)
		}
		if r.Clock.Sleep(ctx, lockPoll) != nil {
			return nil, context.Cause(ctx)
		}
	}
}
