package main

import (
	"bytes"
	"errors"
	"flag"
	"fmt"
	"net/http"
	"net/http/httptest"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"testing"

	"github.com/rogpeppe/go-internal/testscript"
)

var update = flag.Bool("update", false, "rewrite the expected output in the scripts")

// startDir is the directory of this package, for tests that change the working directory.
var startDir string

func TestMain(m *testing.M) {
	startDir, _ = os.Getwd() // "" is the directory of the package as well, at first
	testscript.Main(withBinary{m}, map[string]func(){"ragfaith-killed": killed})
}

// withBinary runs the tests with ragfaith in PATH, built once without the race detector.
type withBinary struct{ *testing.M }

func (m withBinary) Run() int {
	dir, err := os.MkdirTemp("", "ragfaith-test")
	if err != nil {
		panic(err)
	}
	defer os.RemoveAll(dir)
	build := exec.Command("go", "build", "-trimpath", "-buildvcs=false", "-ldflags=-s", "-o", dir, ".")
	build.Env = append(os.Environ(), "CGO_ENABLED=0")
	if out, err := build.CombinedOutput(); err != nil {
		fmt.Fprintf(os.Stderr, "go build: %v\n%s", err, out)
		return 1
	}
	if err := os.Setenv("PATH", dir+string(os.PathListSeparator)+os.Getenv("PATH")); err != nil {
		panic(err)
	}
	return m.M.Run()
}

// skipShort skips a slow test with -short.
func skipShort(t *testing.T) {
	t.Helper()
	if testing.Short() {
		t.Skip("slow, skipped with -short")
	}
}

func TestScripts(t *testing.T) {
	testscript.Run(t, testscript.Params{
		Dir:                 "testdata/script",
		UpdateScripts:       *update,
		RequireExplicitExec: true,
		RequireUniqueNames:  true,
		Setup: func(env *testscript.Env) error {
			env.Setenv("COLUMNS", "100")
			env.Setenv("TESTDATA", filepath.Join(startDir, testdataDir))
			env.Setenv("MODELS", filepath.Join(startDir, goldenModels))
			env.Setenv("XDG_CACHE_HOME", env.WorkDir+"/.cache")
			return nil
		},
		Condition: func(name string) (bool, error) {
			switch name {
			case "root": // root may write to read-only directories
				return os.Geteuid() == 0, nil
			case "devfull":
				_, err := os.Stat("/dev/full")
				return err == nil, nil
			}
			return false, fmt.Errorf("unknown condition %s", name)
		},
		Cmds: map[string]func(*testscript.TestScript, bool, []string){
			"exits":  exits,
			"head":   head,
			"repeat": repeat,
			"hub":    startHub,
			"serve":  serve,
		},
	})
}

// exits runs a command that must exit with a code: exits CODE COMMAND...
func exits(ts *testscript.TestScript, _ bool, args []string) {
	code := 0
	err := ts.Exec(args[1], args[2:]...)
	var exit *exec.ExitError
	switch {
	case errors.As(err, &exit):
		code = exit.ExitCode()
	case err != nil:
		ts.Fatalf("%v", err)
	}
	if strconv.Itoa(code) != args[0] {
		ts.Fatalf("exit code %d, want %s", code, args[0])
	}
}

// head truncates a file: head PERCENT IN OUT
func head(ts *testscript.TestScript, _ bool, args []string) {
	content := ts.ReadFile(args[1])
	percent, err := strconv.Atoi(args[0])
	ts.Check(err)
	ts.Check(os.WriteFile(ts.MkAbs(args[2]), []byte(content[:len(content)*percent/100]), 0o644))
}

// serve starts a server of the files below a directory and sets URL: serve DIR
func serve(ts *testscript.TestScript, _ bool, args []string) {
	s := httptest.NewServer(http.FileServer(http.Dir(args[0])))
	ts.Defer(s.Close)
	ts.Setenv("URL", s.URL)
}

// repeat writes a file N times: repeat N IN OUT
func repeat(ts *testscript.TestScript, _ bool, args []string) {
	n, err := strconv.Atoi(args[0])
	ts.Check(err)
	ts.Check(os.WriteFile(ts.MkAbs(args[2]), bytes.Repeat([]byte(ts.ReadFile(args[1])), n), 0o644))
}
