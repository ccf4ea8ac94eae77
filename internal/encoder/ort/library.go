package ort

import (
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"runtime"
	"strings"
)

// ErrStatic says that this program was built without the means to load a
// library.
var ErrStatic = errors.New("this build of ragfaith is static and loads no libraries: run the same command with ragfaith-ort, which make build-ort makes")

// A Library is ONNX Runtime, loaded. Its methods may be called by many
// goroutines, but for Close.
type Library struct {
	name    string
	version string
	table   []uintptr // OrtApi
	env     uintptr
}

// Open loads the library at path: the file, or a folder with it, such as
// onnxruntime/capi of the Python package. Where path is empty it is looked for
// under its usual names in the places that the system's loader searches.
func Open(path string) (*Library, error) {
	if !loads {
		return nil, ErrStatic
	}
	handle, name, err := find(path)
	if err != nil {
		return nil, err
	}
	base, err := findSymbol(handle, "OrtGetApiBase")
	if err != nil {
		return nil, fmt.Errorf("%s: not ONNX Runtime: %w", name, err)
	}
	l := &Library{name: name}
	// OrtApiBase has two functions: GetApi and GetVersionString.
	getters := wordsAt(callC(base), 2)
	l.version = textAt(callC(getters[1]))
	table := callC(getters[0], apiVersion)
	if table == 0 {
		return nil, fmt.Errorf("%s is ONNX Runtime %s; want 1.%d or newer", name, l.version, apiVersion)
	}
	l.table = wordsAt(table, functions)
	var pins runtime.Pinner
	defer pins.Unpin()
	if l.env, err = l.create(createEnv, logFatal, text(&pins, "ragfaith")); err != nil {
		return nil, fmt.Errorf("%s: %w", name, err)
	}
	return l, nil
}

// Version returns the library's version, such as 1.22.1.
func (l *Library) Version() string { return l.version }

// Close lets go of what the library holds. It stays loaded, as it has threads
// that may still be about to end. All sessions must be closed before.
func (l *Library) Close() {
	l.drop(releaseEnv, l.env)
	l.env = 0
}

// find loads the library that path names.
func find(path string) (handle uintptr, name string, err error) {
	if path == "" {
		for _, name := range usualNames() {
			if handle, err = loadLibrary(name); err == nil {
				return handle, name, nil
			}
		}
		return 0, "", fmt.Errorf("ONNX Runtime was not found: %w; install it (pip install onnxruntime, or onnxruntime-gpu for CUDA)"+
			" and name the library, or the folder onnxruntime/capi of the package, with --onnxruntime or RAGFAITH_ONNXRUNTIME", err)
	}
	info, err := os.Stat(path)
	if err != nil {
		return 0, "", fmt.Errorf("ONNX Runtime: %w", err)
	}
	if info.IsDir() {
		if path, err = inside(path); err != nil {
			return 0, "", err
		}
	}
	// A name without a folder would be searched for elsewhere.
	if path, err = filepath.Abs(path); err != nil {
		return 0, "", fmt.Errorf("ONNX Runtime: %w", err)
	}
	handle, err = loadLibrary(path)
	switch {
	case err != nil && strings.Contains(err.Error(), path):
		return 0, "", fmt.Errorf("this is no library that can be loaded: %w", err)
	case err != nil:
		return 0, "", fmt.Errorf("%s is no library that can be loaded: %w", path, err)
	}
	return handle, path, nil
}

// usualNames are the library's names for the system's loader.
func usualNames() []string {
	switch runtime.GOOS {
	case "windows":
		return []string{"onnxruntime.dll"}
	case "darwin":
		return []string{"libonnxruntime.dylib"}
	default:
		return []string{"libonnxruntime.so.1", "libonnxruntime.so"}
	}
}

// inside returns the library in a folder. Packages for Python have one whose
// name ends with its version.
func inside(folder string) (string, error) {
	files, err := os.ReadDir(folder) // sorted, so that a shorter name comes first
	if err != nil {
		return "", fmt.Errorf("ONNX Runtime: %w", err)
	}
	for _, f := range files {
		name := f.Name()
		if strings.HasPrefix(name, "libonnxruntime.") || name == "onnxruntime.dll" {
			return filepath.Join(folder, name), nil
		}
	}
	return "", fmt.Errorf("ONNX Runtime: %s holds neither libonnxruntime.* nor onnxruntime.dll", folder)
}

// providers returns the names of the parts that the library was built with.
func (l *Library) providers() ([]string, error) {
	var pins runtime.Pinner
	defer pins.Unpin()
	list, count := make([]uintptr, 1), make([]int32, 1)
	if err := l.call(getAvailableProviders, address(&pins, list), address(&pins, count)); err != nil {
		return nil, err
	}
	var names []string
	for _, at := range wordsAt(list[0], int(count[0])) {
		names = append(names, textAt(at))
	}
	return names, l.call(releaseAvailableProviders, list[0], uintptr(count[0]))
}
