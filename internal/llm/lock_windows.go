package llm

import (
	"errors"
	"os"

	"golang.org/x/sys/windows"
)

// lock locks the byte of f at that offset, or reports that another process holds the
// lock. The lock ends when f is closed, also if the process is killed.
func lock(f *os.File, at int64) (taken bool, err error) {
	err = windows.LockFileEx(windows.Handle(f.Fd()), windows.LOCKFILE_EXCLUSIVE_LOCK|windows.LOCKFILE_FAIL_IMMEDIATELY, 0, 1, 0, byteAt(at))
	if errors.Is(err, windows.ERROR_LOCK_VIOLATION) {
		return false, nil
	}
	return err == nil, err
}

func unlock(f *os.File, at int64) error {
	return windows.UnlockFileEx(windows.Handle(f.Fd()), 0, 1, 0, byteAt(at))
}

func byteAt(at int64) *windows.Overlapped {
	return &windows.Overlapped{Offset: uint32(at), OffsetHigh: uint32(at >> 32)}
}
