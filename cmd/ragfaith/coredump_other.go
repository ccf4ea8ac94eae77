//go:build !unix

package main

// disableCoreDumps does nothing: without a debugger, these systems write none.
func disableCoreDumps() {}
