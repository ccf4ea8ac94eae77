//go:build !ort || !linux

package ort

const canLoad = false // whether libraries can be loaded

func loadLibrary(string) (uintptr, error) { return 0, ErrStatic }

func findSymbol(uintptr, string) (uintptr, error) { return 0, ErrStatic }

func callC(uintptr, ...uintptr) uintptr { panic("unreachable: no library") }
