package safefile

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"strconv"
	"strings"
	"syscall"

	"github.com/gofrs/flock"
)

// A LockedError reports that another process holds a lock.
type LockedError struct {
	Path string
	PID  int // ID of the other process, or 0 if unknown
}

// Error names the file and the process.
func (e *LockedError) Error() string {
	if e.PID == 0 {
		return e.Path + ": locked by another run"
	}
	return fmt.Sprintf("%s: locked by another run (process %d)", e.Path, e.PID)
}

// A Lock is an exclusive lock on a file of its own. The operating system releases the
// lock when the process ends, so a file left behind by a killed process does not block
// others.
type Lock struct{ flock *flock.Flock }

// TryLock locks path, which it creates with mode 0600 and the process ID as its
// content. It returns a *LockedError if another process holds the lock. On a file
// system without locks it succeeds, because writing is more important than detecting a
// second run.
func TryLock(path string) (*Lock, error) {
	const attempts = 100 // each failure means that another process just unlocked
	for range attempts {
		// OpenFile refuses a planted file before flock opens it.
		file, err := OpenFile(path, os.O_RDWR|os.O_CREATE, privateMode)
		if err != nil {
			return nil, err
		}
		lock, err := tryLock(path, file)
		_ = file.Close()
		if lock != nil || err != nil {
			return lock, err
		}
	}
	return nil, &LockedError{Path: path}
}

// tryLock locks the file at path, which is open as file. It returns nil if the
// file at path is no longer that one: Unlock removes it, so another process may
// have created and locked a new one.
func tryLock(path string, file *os.File) (*Lock, error) {
	l := flock.New(path, flock.SetFlag(os.O_RDWR|noFollow), flock.SetPermissions(privateMode))
	locked, err := l.TryLock()
	switch {
	case errors.Is(err, fs.ErrNotExist), errors.Is(err, syscall.EINTR):
		return nil, nil
	case errors.Is(err, errors.ErrUnsupported), errors.Is(err, syscall.ENOLCK):
		// l is not locked, and Unlock only removes path.
	case err != nil:
		return nil, &fs.PathError{Op: "lock", Path: path, Err: err}
	case !locked:
		return nil, &LockedError{Path: path, PID: readPID(path)}
	}
	opened, openedErr := file.Stat()
	held, heldErr := l.Stat()
	named, namedErr := os.Lstat(path)
	err = errors.Join(openedErr, heldErr, namedErr)
	if errors.Is(err, fs.ErrNotExist) {
		err = nil
	} else if err == nil && os.SameFile(opened, held) && os.SameFile(opened, named) {
		// The process ID is used only in messages, so a failure to write it is ignored.
		_ = file.Truncate(0)
		_, _ = file.WriteString(strconv.Itoa(os.Getpid()) + "\n")
		return &Lock{l}, nil
	}
	return nil, errors.Join(err, l.Unlock())
}

// Unlock releases the lock and removes its file. It does nothing if l is nil or
// already unlocked.
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

// readPID returns the process ID in a lock file, or 0.
func readPID(path string) int {
	content, _ := ReadFile(path, 64) // empty if it fails
	pid, err := strconv.Atoi(strings.TrimSpace(string(content)))
	if err != nil {
		return 0
	}
	return pid
}
