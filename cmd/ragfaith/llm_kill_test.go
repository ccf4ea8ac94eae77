package main

import (
	"bytes"
	"fmt"
	"math/rand/v2"
	"net/http"
	"net/http/httptest"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"strings"
	"sync/atomic"
	"syscall"
	"testing"
)

// TestKilledRunRepeatsNoRequest kills a run and then sends SIGTERM to the next, both with
// requests in flight. The resumed run must write the same results and repeat
// only the requests in flight.
func TestKilledRunRepeatsNoRequest(t *testing.T) {
	t.Parallel()
	skipShort(t)
	const rows, kills, inFlight = 60, 2, 8
	dir := t.TempDir()
	data := filepath.Join(dir, "rows.jsonl")
	var b bytes.Buffer
	for i := range rows {
		fmt.Fprintf(&b, `{"id":%d,"question":"Who wanders %d?","answer":"%s","contexts":["The sky is blue today.","%d"]}`+"\n",
			i, i, []string{"The sky is blue today.", "Elephants migrate through Kenya."}[i%2], i)
	}
	writeFile(t, data, b.String())
	var killAtCall atomic.Int64 // number of the call that triggers the signal, or 0
	var signal atomic.Int64
	started := make(chan *os.Process, 1) // holds the process to signal
	server := &testServer{fault: func(n int64, _ http.ResponseWriter, _ *http.Request) bool {
		if n == killAtCall.Load() {
			_ = (<-started).Signal(syscall.Signal(signal.Load()))
		}
		return false
	}}
	server.Server = httptest.NewServer(http.HandlerFunc(server.answer))
	t.Cleanup(server.Close)
	newCmd := func(name string) (cmd *exec.Cmd, stderr *bytes.Buffer) {
		cmd = exec.Command("ragfaith", "score", data, "--judge", "llm", "--base-url", server.URL, "--concurrency", strconv.Itoa(inFlight),
			"--cache", filepath.Join(dir, name), "-o", filepath.Join(dir, name+".jsonl"), "--to", "none", "-q", "--resume")
		stderr = &bytes.Buffer{}
		cmd.Stderr = stderr
		return cmd, stderr
	}
	cmd, stderr := newCmd("uninterrupted")
	if err := cmd.Run(); err != nil {
		t.Fatalf("got error %v, want nil; stderr: %s", err, stderr)
	}
	if n := server.calls.Swap(0); n != rows {
		t.Fatalf("got %d calls, want %d", n, rows)
	}
	random := rand.New(rand.NewPCG(7, 7))
	for i := range int64(kills) {
		signal.Store(int64(syscall.SIGKILL))
		if i == kills-1 {
			signal.Store(int64(syscall.SIGTERM))
		}
		// Requests of the previous process may still arrive.
		killAtCall.Store(server.calls.Load() + inFlight + 1 + random.Int64N(rows/kills-2*inFlight))
		cmd, stderr := newCmd("killed")
		if err := cmd.Start(); err != nil {
			t.Fatal(err)
		}
		started <- cmd.Process
		if err := cmd.Wait(); err == nil || stderr.Len() > 0 && i == 0 {
			t.Fatalf("kill %d: got error %v; stderr: %s", i, err, stderr)
		}
		if code := cmd.ProcessState.ExitCode(); i == kills-1 && (code != exitInterrupted || !strings.Contains(stderr.String(), "use --resume to continue")) {
			t.Errorf("after SIGTERM: exit code: got %d, want %d; stderr: %s", code, exitInterrupted, stderr)
		}
	}
	killAtCall.Store(0)
	cmd, stderr = newCmd("killed")
	if err := cmd.Run(); err != nil {
		t.Fatalf("got error %v, want nil; stderr: %s", err, stderr)
	}
	if n := server.calls.Load(); n > rows+kills*inFlight {
		t.Errorf("got %d calls, want at most %d", n, rows+kills*inFlight)
	}
	if want := readFile(t, filepath.Join(dir, "uninterrupted.jsonl")); readFile(t, filepath.Join(dir, "killed.jsonl")) != want {
		t.Error("results differ after resuming")
	}
	if files, _ := filepath.Glob(filepath.Join(dir, "*.part*")); files != nil {
		t.Errorf("got temporary files %v, want none", files)
	}
}
