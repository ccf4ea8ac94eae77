//go:build !windows

package main

import "io"

// takesEscapes reports whether a terminal obeys escape sequences.
func takesEscapes(io.Writer) bool { return true }
