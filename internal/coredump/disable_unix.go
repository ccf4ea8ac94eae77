//go:build unix

// Package coredump keeps keys and rows out of core dumps.
package coredump

import "golang.org/x/sys/unix"

// Disable keeps the system from writing the memory of this process, which
// contains keys and rows, to a file after a crash.
func Disable() {
	_ = unix.Setrlimit(unix.RLIMIT_CORE, &unix.Rlimit{}) // lowering a limit is always allowed
}
