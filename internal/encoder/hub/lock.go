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

// lockPoll is the interval between attempts to take a lock that another process
// holds.
const lockPoll = 200 * time.Millisecond

// lock keeps other processes from downloading the same repository until release is
// called. It waits while another process holds the lock. On a file system without
// locks two downloads can run at once; the checksums find what they damage.
func (r *remote) lock(ctx context.Context, repo string) (release func(), err error) {
	dir := filepath.Join(r.Store.Dir, locksFolder)
	if err := os.MkdirAll(dir, 0o755); err != nil {
		return nil, fmt.Errorf("the folder of models can't be used: %w", err)
	}
	path := filepath.Join(dir, folderOf(repo)+".lock")
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
