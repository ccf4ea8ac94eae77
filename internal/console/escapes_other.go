//go:build !windows

package console

import "io"

// SupportsEscapes reports whether the terminal behind w interprets escape sequences.
func SupportsEscapes(io.Writer) bool { return true }
