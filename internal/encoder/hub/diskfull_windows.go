package hub

import (
	"errors"
	"syscall"
)

// isFull reports whether err means that a disk is full.
func isFull(err error) bool {
	const handleDiskFull, diskFull = syscall.Errno(39), syscall.Errno(112)
	return errors.Is(err, handleDiskFull) || errors.Is(err, diskFull)
}
