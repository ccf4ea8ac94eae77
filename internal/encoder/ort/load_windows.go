//go:build ort && windows

package ort

import "syscall"

const canLoad = true // whether libraries can be loaded

func loadLibrary(path string) (uintptr, error) {
	h, err := syscall.LoadLibrary(path)
	return uintptr(h), err
}

func findSymbol(library uintptr, name string) (uintptr, error) {
	return syscall.GetProcAddress(syscall.Handle(library), name)
}

// callC calls a C function with integer or pointer arguments and result.
func callC(f uintptr, args ...uintptr) uintptr {
	result, _, _ := syscall.SyscallN(f, args...)
	return result
}
