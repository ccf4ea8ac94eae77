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

// TestKilledRunRepeatsNoRequest kills a run several times and finally terminates it,
// each time with requests in flight. The resumed run must write the same bytes and
// repeat no requests but those in flight.
func TestKilledRunRepeatsNoRequest(t *testing.T) {
	t.Parallel()
	skipShort(t)
	const rows, kills, inFlight = 200, 6, 8
	dir := t.TempDir()
	data := filepath.Join(dir, "rows.jsonl")
	var b bytes.Buffer
	for i := range rows {
		fmt.Fprintf(&b, `{"id":%d,"question":"Who wanders %d?","answer":"%s","contexts":["The sky is blue today.","%d"]}`+"\n",
			i, i, []string{"The sky is blue today.", "Elephants migrate through Kenya."}[i%2], i)
	}
	writeFile(t, data, b.String())
	var at atomic.Int64 // number of the call that kills; 0 for none
	var process atomic.Pointer[os.Process]
	var signal atomic.Int64
	s := &testServer{fault: func(n int64, _ http.ResponseWriter, _ *http.Request) bool {
		if n == at.Load() {
			_ = process.Load().Signal(syscall.Signal(signal.Load()))
		}
		return false
	}}
	s.Server = httptest.NewServer(http.HandlerFunc(s.answer))
	t.Cleanup(s.Close)
	ragfaith := func(name string) (*exec.Cmd, *bytes.Buffer) {
		cmd := exec.Command("ragfaith", "score", data, "--judge", "llm", "--base-url", s.URL, "--concurrency", strconv.Itoa(inFlight),
			"--cache", filepath.Join(dir, name), "-o", filepath.Join(dir, name+".jsonl"), "--to", "none", "-q", "--resume")
		msg := &bytes.Buffer{}
		cmd.Stderr = msg
		return cmd, msg
	}
	cmd, msg := ragfaith("uninterrupted")
	if err := cmd.Run(); err != nil {
		t.Fatalf("%v: %s", err, msg)
	}
	if n := s.calls.Swap(0); n != rows {
		t.Fatalf("got %d calls for %d rows", n, rows)
	}
	random := rand.New(rand.NewPCG(7, 7))
	for i := range int64(kills) {
		signal.Store(int64(syscall.SIGKILL))
		if i == kills-1 {
			signal.Store(int64(syscall.SIGTERM))
		}
		at.Store(s.calls.Load() + 1 + random.Int64N(rows/kills-inFlight))
		cmd, msg := ragfaith("killed")
		if err := cmd.Start(); err != nil {
			t.Fatal(err)
		}
		process.Store(cmd.Process)
		if err := cmd.Wait(); err == nil || msg.Len() > 0 && i == 0 {
			t.Fatalf("kill %d: %v: %s", i, err, msg)
		}
		if code := cmd.ProcessState.ExitCode(); i == kills-1 && (code != exitInterrupted || !strings.Contains(msg.String(), "continue with --resume")) {
			t.Errorf("terminated: got exit code %d, want %d: %s", code, exitInterrupted, msg)
		}
	}
	at.Store(0)
	cmd, msg = ragfaith("killed")
	if err := cmd.Run(); err != nil {
		t.Fatalf("%v: %s", err, msg)
	}
	if n := s.calls.Load(); n > rows+kills*inFlight {
		t.Errorf("got %d calls for %d rows and %d kills with %d in flight", n, rows, kills, inFlight)
	}
	if want := readFile(t, filepath.Join(dir, "uninterrupted.jsonl")); readFile(t, filepath.Join(dir, "killed.jsonl")) != want {
		t.Error("results differ after resuming")
	}
	if left, _ := filepath.Glob(filepath.Join(dir, "*.part*")); left != nil {
		t.Errorf("got leftover files %v", left)
	}
}
