package ort

import (
	"cmp"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"runtime"
	"strconv"
	"strings"
	"unsafe"
)

// Open loads the library at path: the file, or a directory that contains it, such
// as onnxruntime/capi of the Python package.
func Open(path string) (*Library, error) {
	if !canLoad {
		return nil, ErrStatic
	}
	name, err := libraryFile(path)
	if err != nil {
		return nil, fmt.Errorf("ONNX Runtime: %w", err)
	}
	handle, err := loadLibrary(name)
	if err != nil {
		return nil, fmt.Errorf("cannot load library %s: %w", name, err)
	}
	base, err := findSymbol(handle, "OrtGetApiBase")
	if err != nil {
		return nil, fmt.Errorf("%s: not ONNX Runtime: %w", name, err)
	}
	l := &Library{name: name}
	// OrtApiBase has two functions: GetApi and GetVersionString.
	getters := wordsAt(callC(base), 2)
	l.version = goString(callC(getters[1]))
	table := callC(getters[0], apiVersion)
	if table == 0 {
		return nil, fmt.Errorf("%s is ONNX Runtime %s; want 1.%d or newer", name, l.version, apiVersion)
	}
	l.table = wordsAt(table, numFunctions)
	var pins runtime.Pinner
	defer pins.Unpin()
	if l.env, err = l.create(createEnv, logFatal, cString(&pins, "ragfaith")); err != nil {
		return nil, fmt.Errorf("%s: %w", name, err)
	}
	return l, nil
}

// Version returns the version, such as 1.22.1.
func (l *Library) Version() string { return l.version }

// Close releases the environment after all sessions are closed. The library stays
// loaded, as its threads may still be running.
func (l *Library) Close() {
	l.release(releaseEnv, l.env)
	l.env = 0
}

// libraryFile returns the absolute path of the library, because the loader would search for
// a name without a directory elsewhere.
func libraryFile(path string) (string, error) {
	if path == "" {
		return "", errors.New("missing library; install it (pip install onnxruntime-gpu)" +
			" and set --onnxruntime or RAGFAITH_ONNXRUNTIME to the library or to onnxruntime/capi of the package")
	}
	info, err := os.Stat(path)
	if err != nil {
		return "", err
	}
	if !info.IsDir() {
		return filepath.Abs(path)
	}
	files, err := os.ReadDir(path)
	if err != nil {
		return "", err
	}
	for _, f := range files {
		// In Python packages, the name ends with the version.
		if strings.HasPrefix(f.Name(), "libonnxruntime.") {
			return filepath.Abs(filepath.Join(path, f.Name()))
		}
	}
	return "", fmt.Errorf("no libonnxruntime.* in %s", path)
}

// A Device is a processor that computes a graph: None, CPU, or cuda:N, an Nvidia GPU, which
// needs onnxruntime-gpu.
type Device string

const (
	// None means that ONNX Runtime is not used.
	None Device = ""
	// CPU is for tests of graphs: the kernels of this program are faster.
	CPU Device = "ort-cpu"

	cudaPrefix = "cuda:"
)

// ParseDevice parses a device name: cpu (ONNX Runtime is not used), cuda (the first GPU) or cuda:N.
func ParseDevice(name string) (Device, error) {
	switch name {
	case "cpu":
		return None, nil
	case "cuda":
		return cudaPrefix + "0", nil
	}
	number, ok := strings.CutPrefix(name, cudaPrefix)
	n, err := strconv.ParseUint(number, 10, 8)
	if !ok || err != nil {
		return None, errors.New("want cpu, cuda or cuda:N")
	}
	return Device(cudaPrefix + strconv.FormatUint(n, 10)), nil
}

// IsGPU reports whether d is a GPU.
func (d Device) IsGPU() bool { return strings.HasPrefix(string(d), cudaPrefix) }

// String returns the name that ParseDevice accepts, or ort-cpu.
func (d Device) String() string { return cmp.Or(string(d), "cpu") }

// ErrStatic reports that the program was built without support for loading libraries.
var ErrStatic = errors.New("this build of ragfaith is static and cannot load libraries: run the same command with ragfaith-ort (built by make build-ort, on Linux)")

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

// A Library is a loaded ONNX Runtime. Its methods except Close are safe for concurrent use.
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
