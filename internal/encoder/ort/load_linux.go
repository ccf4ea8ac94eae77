//go:build ort

package ort

import "github.com/ebitengine/purego"

const canLoad = true // whether libraries can be loaded

func loadLibrary(path string) (uintptr, error) {
	return purego.Dlopen(path, purego.RTLD_NOW|purego.RTLD_LOCAL)
}

func findSymbol(library uintptr, name string) (uintptr, error) {
	return purego.Dlsym(library, name)
}

// callC calls a C function with integer or pointer arguments and result.
func callC(f uintptr, args ...uintptr) uintptr {
	result, _, _ := purego.SyscallN(f, args...)
	return result
}
