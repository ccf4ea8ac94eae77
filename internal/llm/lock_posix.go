//go:build unix && !linux

package llm

import "golang.org/x/sys/unix"

// setLock is the fcntl command for locks that belong to a process.
const setLock = unix.F_SETLK
