package kernel

import "golang.org/x/sys/cpu"

// native returns the paths beside plain Go, the slowest first.
func native() []Kernels {
	var all []Kernels
	x := &cpu.X86
	if x.HasAVX2 && x.HasFMA && x.HasF16C {
		all = append(all, Kernels{"avx2", avx2()})
	}
	if x.HasAVX512F && x.HasAVX512BW && x.HasAVX512DQ && x.HasAVX512VL && x.HasAVX512VNNI && x.HasBMI2 {
		all = append(all, Kernels{"avx512", avx512()})
	}
	return all
}
