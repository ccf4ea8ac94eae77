package ort

import (
	"errors"
	"runtime"
	"unsafe"
)

// apiVersion is the state of the table of functions that is asked for: that of
// ONNX Runtime 1.18, the first whose CUDA can be told to multiply in float32.
const apiVersion = 18

// A function is a place in the table OrtApi of onnxruntime_c_api.h, whose order
// never changes.
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

// Values of enums in onnxruntime_c_api.h.
const (
	logFatal       = 4 // what is wrong comes back as a status, and need not be logged too
	arenaAllocator = 1
	memTypeDefault = 0
)

// call calls a function that returns a status, and makes an error of it.
func (l *Library) call(f function, args ...uintptr) error {
	status := callC(l.table[f], args...)
	if status == 0 {
		return nil
	}
	message := textAt(callC(l.table[getErrorMessage], status))
	l.drop(releaseStatus, status)
	return errors.New("ONNX Runtime: " + message)
}

// create calls a function whose last argument is where it puts an object.
func (l *Library) create(f function, args ...uintptr) (uintptr, error) {
	var pins runtime.Pinner
	defer pins.Unpin()
	out := make([]uintptr, 1)
	err := l.call(f, append(args, address(&pins, out))...)
	return out[0], err
}

// drop calls a function that releases an object, which may be 0.
func (l *Library) drop(f function, object uintptr) {
	if object != 0 {
		callC(l.table[f], object)
	}
}

// address returns where a slice lies, and pins it there. It is 0 where there are
// no elements.
func address[T any](pins *runtime.Pinner, s []T) uintptr {
	if len(s) == 0 {
		return 0
	}
	at := unsafe.SliceData(s)
	pins.Pin(at)
	return uintptr(unsafe.Pointer(at))
}

// text returns where a string lies for C, pinned.
func text(pins *runtime.Pinner, s string) uintptr {
	return address(pins, append([]byte(s), 0))
}

// texts returns where an array of such strings lies, pinned.
func texts(pins *runtime.Pinner, list []string) uintptr {
	all := make([]uintptr, len(list))
	for i, s := range list {
		all[i] = text(pins, s)
	}
	return address(pins, all)
}

// pointer makes a pointer of an address outside of Go's memory.
func pointer(at uintptr) unsafe.Pointer { return *(*unsafe.Pointer)(unsafe.Pointer(&at)) }

// wordsAt returns a copy of n words of memory.
func wordsAt(at uintptr, n int) []uintptr {
	return append([]uintptr(nil), unsafe.Slice((*uintptr)(pointer(at)), n)...)
}

// textAt returns a copy of a string of C.
func textAt(at uintptr) string {
	if at == 0 {
		return ""
	}
	n := 0
	for *(*byte)(pointer(at + uintptr(n))) != 0 {
		n++
	}
	return string(unsafe.Slice((*byte)(pointer(at)), n))
}
