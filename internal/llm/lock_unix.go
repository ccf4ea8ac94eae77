//go:build unix

package llm

import (
	"errors"
	"io"
	"os"

	"golang.org/x/sys/unix"
)

// tryLock locks the byte of f at offset. It returns false if another process, or on
// Linux another open file, holds the lock. The lock is released when f is closed or the
// process exits.
func tryLock(f *os.File, offset int64) (ok bool, err error) {
	l := unix.Flock_t{Type: unix.F_WRLCK, Whence: io.SeekStart, Start: offset, Len: 1}
	err = unix.FcntlFlock(f.Fd(), setLock, &l)
	if errors.Is(err, unix.EAGAIN) || errors.Is(err, unix.EACCES) {
		return false, nil
	}
	return err == nil, err
}

func unlock(f *os.File, offset int64) error {
	l := unix.Flock_t{Type: unix.F_UNLCK, Whence: io.SeekStart, Start: offset, Len: 1}
	return unix.FcntlFlock(f.Fd(), setLock, &l)
}
