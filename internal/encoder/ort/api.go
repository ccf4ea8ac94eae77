package ort

import (
	"errors"
	"runtime"
	"unsafe"
)

// apiVersion is the API version that the package requires. It corresponds to ONNX
// Runtime 1.18, the first release whose CUDA provider can multiply in float32.
const apiVersion = 18

// A function is an index into the function table OrtApi of onnxruntime_c_api.h. New
// versions only append functions.
type function int

const (
	getErrorMessage                function = 2
	createEnv                      function = 3
	createSessionFromArray         function = 8
	runSession                     function = 9
	createSessionOptions           function = 10
	disableMemPattern              function = 17
	setIntraOpNumThreads           function = 24
	createTensorWithDataAsOrtValue function = 49
	createCPUMemoryInfo            function = 69
	releaseEnv                     function = 92
	releaseStatus                  function = 93
	releaseMemoryInfo              function = 94
	releaseSession                 function = 95
	releaseValue                   function = 96
	releaseSessionOptions          function = 100
	appendCUDA                     function = 204
	createCUDAOptions              function = 205
	updateCUDAOptions              function = 206
	releaseCUDAOptions             function = 208
	addExternalInitializers        function = 210

	numFunctions = int(addExternalInitializers) + 1
)

// Enum values of onnxruntime_c_api.h.
const (
	logFatal       = 4 // errors are returned as a status
	arenaAllocator = 1
	memTypeDefault = 0
)

// A Library is a loaded ONNX Runtime. Its methods except Close are safe for
// concurrent use.
type Library struct {
	name    string
	version string
	table   []uintptr // OrtApi
	env     uintptr
}

// call calls a function that returns a status and converts it to an error.
func (l *Library) call(f function, args ...uintptr) error {
	status := callC(l.table[f], args...)
	if status == 0 {
		return nil
	}
	message := goString(callC(l.table[getErrorMessage], status))
	l.release(releaseStatus, status)
	return errors.New("ONNX Runtime: " + message)
}

// create calls a function that stores a new object through its last argument.
func (l *Library) create(f function, args ...uintptr) (uintptr, error) {
	var pins runtime.Pinner
	defer pins.Unpin()
	out := make([]uintptr, 1)
	err := l.call(f, append(args, address(&pins, out))...)
	return out[0], err
}

// release calls a function that releases an object. It does nothing if object is 0.
func (l *Library) release(f function, object uintptr) {
	if object != 0 {
		callC(l.table[f], object)
	}
}

// address pins a slice and returns its address, or 0 if it is empty.
func address[T any](pins *runtime.Pinner, s []T) uintptr {
	if len(s) == 0 {
		return 0
	}
	p := unsafe.SliceData(s)
	pins.Pin(p)
	return uintptr(unsafe.Pointer(p))
}

// cString returns the address of a pinned C string.
func cString(pins *runtime.Pinner, s string) uintptr {
	return address(pins, append([]byte(s), 0))
}

// cStrings returns the address of a pinned array of C strings.
func cStrings(pins *runtime.Pinner, list []string) uintptr {
	all := make([]uintptr, len(list))
	for i, s := range list {
		all[i] = cString(pins, s)
	}
	return address(pins, all)
}

// pointer converts an address outside of the Go heap to a pointer.
func pointer(addr uintptr) unsafe.Pointer { return *(*unsafe.Pointer)(unsafe.Pointer(&addr)) }

// wordsAt returns n words of memory.
func wordsAt(addr uintptr, n int) []uintptr { return unsafe.Slice((*uintptr)(pointer(addr)), n) }

// goString returns a copy of a C string.
func goString(addr uintptr) string {
	if addr == 0 {
		return ""
	}
	n := 0
	for *(*byte)(pointer(addr + uintptr(n))) != 0 {
		n++
	}
	return string(unsafe.Slice((*byte)(pointer(addr)), n))
}
