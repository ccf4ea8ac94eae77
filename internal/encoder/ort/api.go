package ort

import (
	"errors"
	"runtime"
	"unsafe"
)

// apiVersion is the version of the function table, that of ONNX Runtime 1.18: the
// first whose CUDA provider can be configured to multiply in float32.
const apiVersion = 18

// A function is an index into the table OrtApi of onnxruntime_c_api.h, which only
// grows.
type function int

const (
	getErrorMessage                function = 2
	createEnv                      function = 3
	createSessionFromArray         function = 8
	runSession                     function = 9
	createSessionOptions           function = 10
	disableMemPattern              function = 17
	setIntraOpNumThreads           function = 24
	createRunOptions               function = 39
	runOptionsSetTerminate         function = 46
	createTensorWithDataAsOrtValue function = 49
	createCPUMemoryInfo            function = 69
	releaseEnv                     function = 92
	releaseStatus                  function = 93
	releaseMemoryInfo              function = 94
	releaseSession                 function = 95
	releaseValue                   function = 96
	releaseRunOptions              function = 97
	releaseSessionOptions          function = 100
	getAvailableProviders          function = 125
	releaseAvailableProviders      function = 126
	addSessionConfigEntry          function = 130
	appendCUDA                     function = 204
	createCUDAOptions              function = 205
	updateCUDAOptions              function = 206
	releaseCUDAOptions             function = 208
	addExternalInitializers        function = 210

	functions = int(addExternalInitializers) + 1
)

// Enum values of onnxruntime_c_api.h.
const (
	logFatal       = 4 // errors are returned as a status
	arenaAllocator = 1
	memTypeDefault = 0
)

// call calls a function that returns a status and converts it to an error.
func (l *Library) call(f function, args ...uintptr) error {
	status := callC(l.table[f], args...)
	if status == 0 {
		return nil
	}
	message := textAt(callC(l.table[getErrorMessage], status))
	l.drop(releaseStatus, status)
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

// drop calls a function that releases an object, unless it is 0.
func (l *Library) drop(f function, object uintptr) {
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

// text returns the address of a pinned C string.
func text(pins *runtime.Pinner, s string) uintptr {
	return address(pins, append([]byte(s), 0))
}

// texts returns the address of a pinned array of C strings.
func texts(pins *runtime.Pinner, list []string) uintptr {
	all := make([]uintptr, len(list))
	for i, s := range list {
		all[i] = text(pins, s)
	}
	return address(pins, all)
}

// pointer converts an address outside of Go's memory.
func pointer(addr uintptr) unsafe.Pointer { return *(*unsafe.Pointer)(unsafe.Pointer(&addr)) }

// wordsAt copies n words of memory.
func wordsAt(addr uintptr, n int) []uintptr {
	return append([]uintptr(nil), unsafe.Slice((*uintptr)(pointer(addr)), n)...)
}

// textAt copies a C string.
func textAt(addr uintptr) string {
	if addr == 0 {
		return ""
	}
	n := 0
	for *(*byte)(pointer(addr + uintptr(n))) != 0 {
		n++
	}
	return string(unsafe.Slice((*byte)(pointer(addr)), n))
}
