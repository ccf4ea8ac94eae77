package llm

import (
	"errors"
	"os"

	"golang.org/x/sys/windows"
)

// lock takes the byte at offset at of f, or reports that another handle has it.
// The lock ends with f, so also with a process that is killed.
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
