//go:build ort && (linux || darwin)

package ort

import "github.com/ebitengine/purego"

// loads says whether this build can load libraries.
const loads = true

func loadLibrary(path string) (uintptr, error) {
	return purego.Dlopen(path, purego.RTLD_NOW|purego.RTLD_LOCAL)
}

func findSymbol(library uintptr, name string) (uintptr, error) {
	return purego.Dlsym(library, name)
}

// callC calls a C function whose arguments and result are integers or pointers.
func callC(f uintptr, args ...uintptr) uintptr {
	result, _, _ := purego.SyscallN(f, args...)
	return result
}
