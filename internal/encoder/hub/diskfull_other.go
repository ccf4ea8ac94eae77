//go:build !windows

package hub

import (
	"errors"
	"syscall"
)

// isFull reports whether err means that a disk is full or a quota exceeded.
func isFull(err error) bool {
	return errors.Is(err, syscall.ENOSPC) || errors.Is(err, syscall.EDQUOT)
}
