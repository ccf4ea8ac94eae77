package ort

import (
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"runtime"
	"strings"
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
