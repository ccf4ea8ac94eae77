//go:build !ort || !(linux || darwin || windows)

package ort

// loads says whether this build can load libraries.
const loads = false

func loadLibrary(string) (uintptr, error) { return 0, ErrStatic }

func findSymbol(uintptr, string) (uintptr, error) { return 0, ErrStatic }

// callC is never reached: there is no library.
func callC(uintptr, ...uintptr) uintptr { return 0 }
