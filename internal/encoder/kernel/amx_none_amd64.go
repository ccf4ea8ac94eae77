//go:build !linux

package kernel

func hasAMX() bool { return false }
