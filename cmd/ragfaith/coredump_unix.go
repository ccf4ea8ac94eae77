//go:build unix

package main

import "golang.org/x/sys/unix"

// disableCoreDumps keeps the system from writing the memory of this process, which
// contains keys and rows, to a file after a crash.
func disableCoreDumps() {
	_ = unix.Setrlimit(unix.RLIMIT_CORE, &unix.Rlimit{}) // lowering a limit is always allowed
}
