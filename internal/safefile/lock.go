package safefile

import (
	"errors"
	"io/fs"
	"os"
	"syscall"

	"github.com/gofrs/flock"
)

// privateMode is the mode of files with dataset content, regardless of the umask.
const privateMode = 0o600

// A LockedError reports that another process holds a lock.
type LockedError struct{ Path string }

// Error names the file.
func (e *LockedError) Error() string { return e.Path + ": locked by another run" }

// A Lock is an exclusive lock on a file of its own. The operating system releases the lock when the
// process ends, so a file left behind by a killed process does not block others.
type Lock struct{ flock *flock.Flock }

// TryLock locks path, which it creates with mode 0600. It returns a *LockedError if
// another process holds the lock, or is just releasing it. On a file system without locks
// it succeeds, because writing is more important than detecting a second run.
func TryLock(path string) (*Lock, error) {
	// OpenFile refuses a planted file before flock opens it.
	file, err := OpenFile(path, os.O_RDWR|os.O_CREATE, privateMode)
	if err != nil {
		return nil, err
	}
	defer file.Close()
	l := flock.New(path, flock.SetFlag(os.O_RDWR|noFollow), flock.SetPermissions(privateMode))
	locked, err := l.TryLock()
	switch {
	case errors.Is(err, errors.ErrUnsupported), errors.Is(err, syscall.ENOLCK):
		return &Lock{l}, nil // not locked: Unlock only removes path
	case errors.Is(err, fs.ErrNotExist):
		return nil, &LockedError{path}
	case err != nil:
		return nil, &fs.PathError{Op: "lock", Path: path, Err: err}
	case !locked:
		return nil, &LockedError{path}
	}
	// Unlock removes the file, so another process may have created and locked a new one.
	opened, openedErr := file.Stat()
	held, heldErr := l.Stat()
	named, namedErr := os.Lstat(path)
	if errors.Join(openedErr, heldErr, namedErr) != nil || !os.SameFile(opened, held) || !os.SameFile(opened, named) {
		_ = l.Unlock()
		return nil, &LockedError{path}
	}
	return &Lock{l}, nil
}

// Unlock releases the lock and removes its file. It does nothing if l is nil or already unlocked.
func (l *Lock) Unlock() {
	if l == nil || l.flock == nil {
		return
	}
	// Removing the file first keeps other processes from locking one that is about
	// to disappear. Windows cannot remove an open file, so try again after closing.
	err := os.Remove(l.flock.Path())
	_ = l.flock.Unlock()
	if err != nil {
		_ = os.Remove(l.flock.Path())
	}
	l.flock = nil
}
