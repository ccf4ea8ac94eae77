//go:build !unix

// Package coredump keeps keys and rows out of core dumps.
package coredump

// Disable does nothing: without a debugger, these systems write none.
func Disable() {}
