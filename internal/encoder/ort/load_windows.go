//go:build ort && windows

package ort

import "syscall"

// loads says whether this build can load libraries.
const loads = true

func loadLibrary(path string) (uintptr, error) {
	h, err := syscall.LoadLibrary(path)
	return uintptr(h), err
}

func findSymbol(library uintptr, name string) (uintptr, error) {
	return syscall.GetProcAddress(syscall.Handle(library), name)
}

// callC calls a C function whose arguments and result are integers or pointers.
func callC(f uintptr, args ...uintptr) uintptr {
	result, _, _ := syscall.SyscallN(f, args...)
	return result
}
