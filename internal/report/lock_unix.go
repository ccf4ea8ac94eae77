//go:build darwin || dragonfly || freebsd || linux || netbsd || openbsd

package report

import (
	"errors"
	"os"
	"syscall"

	"github.com/ragfaith/ragfaith/internal/regular"
)

// openLocked opens or creates the file and locks it for this process, or
// returns errHeld. A file system that knows no locks gives a file without one:
// to write there at all is worth more than to be warned of a second run.
func openLocked(path string) (*os.File, error) {
	file, err := regular.OpenFile(path, os.O_RDWR|os.O_CREATE, privateMode)
	if err != nil {
		return nil, err
	}
	for {
		err = syscall.Flock(int(file.Fd()), syscall.LOCK_EX|syscall.LOCK_NB)
		switch {
		case err == nil, errors.Is(err, syscall.ENOTSUP), errors.Is(err, syscall.ENOSYS), errors.Is(err, syscall.ENOLCK):
			return file, nil
		case errors.Is(err, syscall.EINTR):
			continue
		}
		_ = file.Close()
		if errors.Is(err, syscall.EWOULDBLOCK) {
			return nil, errHeld
		}
		return nil, &os.PathError{Op: "lock", Path: path, Err: err}
	}
}
