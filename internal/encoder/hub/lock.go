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

// lock prevents other processes, including those of the Hugging Face libraries, from
// writing the named part of a repository until release is called. The operating system
// releases the lock when the process exits, so a leftover lock file has no effect. On
// file systems without locks, the checksums still detect conflicting downloads.
func (p *Puller) lock(ctx context.Context, repo, name string) (release func(), err error) {
	dir := filepath.Join(p.Store.Dir, locksDir, "models--"+dirName(repo))
	if err := os.MkdirAll(dir, 0o777); err != nil {
		return nil, fmt.Errorf("model directory: %w", err)
	}
	for {
		l, err := safefile.TryLock(filepath.Join(dir, name+".lock"))
		if err == nil {
			return l.Unlock, nil
		}
		if _, locked := errors.AsType[*safefile.LockedError](err); !locked {
			return nil, err
		}
		if p.Clock.Sleep(ctx, lockPoll) != nil {
			return nil, context.Cause(ctx)
		}
	}
}
