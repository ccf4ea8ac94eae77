//go:build unix

// Package coredump disables core dumps, which would contain keys and rows.
package coredump

import "golang.org/x/sys/unix"

// Disable disables core dumps of this process.
func Disable() {
	_ = unix.Setrlimit(unix.RLIMIT_CORE, &unix.Rlimit{}) // lowering a limit never fails
}
