//go:build !unix

package main

// disableCoreDumps does nothing: these systems do not write core dumps by default.
func disableCoreDumps() {}
