//go:build !unix

// Package coredump disables core dumps, which would contain keys and rows.
package coredump

// Disable does nothing: these systems do not write core dumps by default.
func Disable() {}
