package hub

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"time"

	"github.com/gofrs/flock"

	"github.com/ragfaith/ragfaith/internal/regular"
)

// lockEvery is how often a lock that another process holds is tried.
const lockEvery = 200 * time.Millisecond

// lock keeps others from fetching the same repository until release is called.
// The operating system takes a lock back from a process that ends in any way, so
// the file that is left means nothing. A file system that knows no locks gives
// none: what two downloads make of each other there, the checksums find.
func (r *remote) lock(ctx context.Context, repo string) (release func(), err error) {
	folder := filepath.Join(r.Store.Dir, locksFolder)
	if err := os.MkdirAll(folder, 0o755); err != nil {
		return nil, fmt.Errorf("the folder of models can't be used: %w", err)
	}
	path := filepath.Join(folder, folderOf(repo)+".lock")
	if err := regular.CheckName(path); err != nil {
		return nil, err
	}
	l := flock.New(path, flock.SetFlag(os.O_CREATE|os.O_RDONLY|regular.NoFollow))
	for told := false; ; {
		ours, err := l.TryLock()
		switch {
		case ours:
			return func() { _ = l.Unlock() }, nil
		case errors.Is(err, errors.ErrUnsupported):
			return func() {}, nil
		case err != nil:
			return nil, fmt.Errorf("%s: can't be locked: %w", l.Path(), err)
		}
		if !told && r.Watch.Wait != nil {
			r.Watch.Wait(repo)
		}
		told = true
		if r.Clock.Sleep(ctx, lockEvery) != nil {
			return nil, context.Cause(ctx)
		}
	}
}
