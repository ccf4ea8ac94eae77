//go:build !windows

package hub

import (
	"errors"
	"syscall"
)

// isFull reports whether err says that there is no room on a disk, or no more of
// it for this user.
func isFull(err error) bool {
	return errors.Is(err, syscall.ENOSPC) || errors.Is(err, syscall.EDQUOT)
}
