package hub

import (
	"errors"
	"syscall"
)

// isFull reports whether err says that there is no room on a disk.
func isFull(err error) bool {
	const handleDiskFull, diskFull = syscall.Errno(39), syscall.Errno(112)
	return errors.Is(err, handleDiskFull) || errors.Is(err, diskFull)
}
