package ort

import (
	"fmt"
	"os"
	"path/filepath"
	"runtime"
	"strings"
)

// Open loads the library at path: the file, or a directory that contains it, such
// as onnxruntime/capi of the Python package. If path is empty, it searches the
// system's library path.
func Open(path string) (*Library, error) {
	if !canLoad {
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

// find loads the library at path, or searches for it if path is empty.
func find(path string) (handle uintptr, name string, err error) {
	if path == "" {
		for _, name := range libraryNames() {
			if handle, err = loadLibrary(name); err == nil {
				return handle, name, nil
			}
		}
		return 0, "", fmt.Errorf("ONNX Runtime not found: %w; install it (pip install onnxruntime, or onnxruntime-gpu for CUDA)"+
			" and set --onnxruntime or RAGFAITH_ONNXRUNTIME to the library or to onnxruntime/capi of the package", err)
	}
	info, err := os.Stat(path)
	if err != nil {
		return 0, "", fmt.Errorf("ONNX Runtime: %w", err)
	}
	if info.IsDir() {
		if path, err = findInDir(path); err != nil {
			return 0, "", err
		}
	}
	// The loader would search for a name without a directory elsewhere.
	if path, err = filepath.Abs(path); err != nil {
		return 0, "", fmt.Errorf("ONNX Runtime: %w", err)
	}
	if handle, err = loadLibrary(path); err != nil {
		return 0, "", fmt.Errorf("cannot load library %s: %w", path, err)
	}
	return handle, path, nil
}

// libraryNames returns the file names of ONNX Runtime on this system.
func libraryNames() []string {
	switch runtime.GOOS {
	case "windows":
		return []string{"onnxruntime.dll"}
	case "darwin":
		return []string{"libonnxruntime.dylib"}
	default:
		return []string{"libonnxruntime.so.1", "libonnxruntime.so"}
	}
}

// findInDir returns the path of the library in a directory. In Python packages, its
// name ends with the version.
func findInDir(dir string) (string, error) {
	files, err := os.ReadDir(dir) // sorted, so that shorter names come first
	if err != nil {
		return "", fmt.Errorf("ONNX Runtime: %w", err)
	}
	for _, f := range files {
		name := f.Name()
		if strings.HasPrefix(name, "libonnxruntime.") || name == "onnxruntime.dll" {
			return filepath.Join(dir, name), nil
		}
	}
	return "", fmt.Errorf("ONNX Runtime: no libonnxruntime.* or onnxruntime.dll in %s", dir)
}
