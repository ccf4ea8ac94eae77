package llm

import (
	"errors"
	"os"

	"golang.org/x/sys/windows"
)

// tryLock locks the byte of f at offset. It returns false if another process holds the
// lock. The lock is released when f is closed or the process exits.
func tryLock(f *os.File, offset int64) (ok bool, err error) {
	err = windows.LockFileEx(windows.Handle(f.Fd()), windows.LOCKFILE_EXCLUSIVE_LOCK|windows.LOCKFILE_FAIL_IMMEDIATELY, 0, 1, 0, byteAt(offset))
	if errors.Is(err, windows.ERROR_LOCK_VIOLATION) {
		return false, nil
	}
	return err == nil, err
}

func unlock(f *os.File, offset int64) error {
	return windows.UnlockFileEx(windows.Handle(f.Fd()), 0, 1, 0, byteAt(offset))
}

func byteAt(offset int64) *windows.Overlapped {
	return &windows.Overlapped{Offset: uint32(offset), OffsetHigh: uint32(offset >> 32)}
}
