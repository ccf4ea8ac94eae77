package kernel

import (
	"syscall"

	"golang.org/x/sys/cpu"
)

// hasAMX reports whether the processor has AMX int8 and Linux permits its use. It requests the
// permission.
func hasAMX() bool {
	const (
		requestPermission = 0x1023 // ARCH_REQ_XCOMP_PERM of arch_prctl(2)
		tileData          = 18
	)
	if !cpu.X86.HasAMXTile || !cpu.X86.HasAMXInt8 {
		return false
	}
	_, _, errno := syscall.RawSyscall(syscall.SYS_ARCH_PRCTL, requestPermission, tileData, 0)
	return errno == 0
}
