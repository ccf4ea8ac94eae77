package ort

import (
	"errors"
	"os"
	"path/filepath"
	"strings"
	"testing"
)

// libraryPath returns the path of ONNX Runtime, or skips the test.
func libraryPath(t *testing.T) string {
	t.Helper()
	path := os.Getenv("RAGFAITH_ONNXRUNTIME")
	switch {
	case !canLoad:
		t.Skip("built without the tag ort")
	case path == "":
		t.Skip("RAGFAITH_ONNXRUNTIME is not set: scripts/fetch-onnxruntime.sh downloads ONNX Runtime")
	}
	return path
}

func openLibrary(t *testing.T) *Library {
	t.Helper()
	l, err := Open(libraryPath(t))
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(l.Close)
	return l
}

func TestOpenFailsInStaticBuild(t *testing.T) {
	if canLoad {
		t.Skip("built with the tag ort")
	}
	_, err := Open("")
	if !errors.Is(err, ErrStatic) || !strings.Contains(err.Error(), "ragfaith-ort") {
		t.Errorf("got error %v, want %q", err, "ragfaith-ort")
	}
}

func TestOpenRejectsInvalidLibraries(t *testing.T) {
	if !canLoad {
		t.Skip("built without the tag ort")
	}
	dir := t.TempDir()
	text := filepath.Join(dir, "libonnxruntime.so")
	if err := os.WriteFile(text, []byte("not a library"), 0o600); err != nil {
		t.Fatal(err)
	}
	for name, tt := range map[string]struct{ path, want string }{
		"no path":                  {"", "set --onnxruntime"},
		"no file":                  {filepath.Join(dir, "none.so"), "none.so"},
		"empty directory":          {t.TempDir(), "no libonnxruntime"},
		"text file":                {text, "cannot load library"},
		"directory with text file": {dir, "libonnxruntime.so"},
	} {
		t.Run(name, func(t *testing.T) {
			l, err := Open(tt.path)
			if err == nil {
				l.Close()
			}
			if err == nil || !strings.Contains(err.Error(), tt.want) {
				t.Errorf("got error %v, want %q", err, tt.want)
			}
		})
	}
}

func TestOpenAcceptsDirectory(t *testing.T) {
	path := libraryPath(t)
	info, err := os.Stat(path)
	if err != nil {
		t.Fatal(err)
	}
	if !info.IsDir() {
		path = filepath.Dir(path)
	}
	l, err := Open(path)
	if err != nil {
		t.Fatal(err)
	}
	defer l.Close()
	if !strings.HasPrefix(l.Version(), "1.") {
		t.Errorf("got version %q, want 1.x", l.Version())
	}
}

func TestParseDevice(t *testing.T) {
	for name, want := range map[string]Device{
		"cpu": None, "cuda": "cuda:0", "cuda:0": "cuda:0", "cuda:3": "cuda:3",
	} {
		got, err := ParseDevice(name)
		if err != nil || got != want {
			t.Errorf("%s: got %+v, %v; want %+v, nil", name, got, err, want)
		}
		if again, err := ParseDevice(got.String()); err != nil || again != got {
			t.Errorf("%s: round trip: got %+v, %v; want %+v, nil", got, again, err, got)
		}
	}
	for _, name := range []string{"", "gpu", "ort-cpu", "cuda:", "cuda:-1", "cuda:256", "cuda:1x", "CPU"} {
		if d, err := ParseDevice(name); err == nil {
			t.Errorf("ParseDevice(%q): got %v, want an error", name, d)
		}
	}
}
