//go:build !linux

package kernel

// hasAMX is false: only on Linux can a process ask for AMX.
func hasAMX() bool { return false }
