package ort

import (
	"errors"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
)

// runtimeAt returns where ONNX Runtime is, and skips the test where that isn't
// known or no library can be loaded.
func runtimeAt(t *testing.T) string {
	t.Helper()
	path := os.Getenv("RAGFAITH_ONNXRUNTIME")
	switch {
	case !loads:
		t.Skip("built without the tag ort")
	case path == "":
		t.Skip("RAGFAITH_ONNXRUNTIME names no ONNX Runtime: scripts/fetch-onnxruntime.sh fetches it")
	}
	return path
}

func openLibrary(t *testing.T) *Library {
	t.Helper()
	l, err := Open(runtimeAt(t))
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(l.Close)
	return l
}

func TestAStaticBuildSaysWhatToRun(t *testing.T) {
	if loads {
		t.Skip("built with the tag ort")
	}
	_, err := Open("")
	if !errors.Is(err, ErrStatic) || !strings.Contains(err.Error(), "ragfaith-ort") {
		t.Errorf("error %v", err)
	}
}

func TestLibrariesThatCannotBeUsed(t *testing.T) {
	if !loads {
		t.Skip("built without the tag ort")
	}
	folder := t.TempDir()
	text := filepath.Join(folder, "libonnxruntime.so")
	if err := os.WriteFile(text, []byte("this is no library"), 0o600); err != nil {
		t.Fatal(err)
	}
	for name, tt := range map[string]struct{ path, want string }{
		"no file":                {filepath.Join(folder, "none.so"), "none.so"},
		"a folder without it":    {t.TempDir(), "holds neither libonnxruntime"},
		"a text":                 {text, "no library that can be loaded"},
		"a folder with a text":   {folder, "libonnxruntime.so"},
		"another library":        {compiled(t, "int other(void) { return 0; }"), "not ONNX Runtime"},
		"a version before times": {compiled(t, oldRuntime), "is ONNX Runtime 1.14.1; want 1.18 or newer"},
	} {
		t.Run(name, func(t *testing.T) {
			if tt.path == "" {
				t.Skip("there is no C compiler")
			}
			l, err := Open(tt.path)
			if err == nil {
				l.Close()
			}
			if err == nil || !strings.Contains(err.Error(), tt.want) {
				t.Errorf("error %v, want one with %q", err, tt.want)
			}
		})
	}
}

// oldRuntime knows no version of the table but 14.
const oldRuntime = `
static const void *get(unsigned version) { return version == 14 ? (void *)get : 0; }
static const char *version(void) { return "1.14.1"; }
static const struct { const void *get, *version; } base = { get, version };
const void *OrtGetApiBase(void) { return &base; }
`

// compiled makes a library of C, and returns "" where there is no compiler.
func compiled(t *testing.T, source string) string {
	t.Helper()
	cc, err := exec.LookPath("cc")
	if err != nil {
		return ""
	}
	folder := t.TempDir()
	from, to := filepath.Join(folder, "source.c"), filepath.Join(folder, "library.so")
	if err := os.WriteFile(from, []byte(source), 0o600); err != nil {
		t.Fatal(err)
	}
	if out, err := exec.Command(cc, "-shared", "-fPIC", "-o", to, from).CombinedOutput(); err != nil {
		t.Fatalf("%v: %s", err, out)
	}
	return to
}

func TestAFolderMayNameTheLibrary(t *testing.T) {
	path := runtimeAt(t)
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
		t.Errorf("version %q", l.Version())
	}
}

func TestNamesOfDevices(t *testing.T) {
	for name, want := range map[string]Device{
		"cpu": {}, "ort-cpu": {Provider: CPU}, "cuda": {Provider: CUDA}, "cuda:0": {Provider: CUDA}, "cuda:3": {CUDA, 3},
	} {
		got, err := ParseDevice(name)
		if err != nil || got != want {
			t.Errorf("%s is %+v, %v", name, got, err)
		}
		if again, err := ParseDevice(got.String()); err != nil || again != got {
			t.Errorf("%s comes back as %+v, %v", got, again, err)
		}
	}
	for _, name := range []string{"", "gpu", "cuda:", "cuda:-1", "cuda:256", "cuda:1x", "CPU"} {
		if d, err := ParseDevice(name); err == nil {
			t.Errorf("%q is %v", name, d)
		}
	}
}
