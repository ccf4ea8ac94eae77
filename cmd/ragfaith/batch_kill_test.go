package main

import (
	"bytes"
	"io"
	"net/http"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"sync/atomic"
	"syscall"
	"testing"
)

// batchCommand returns a command that scores data in a batch.
func batchCommand(s *batchServer, data, out string, more ...string) (*exec.Cmd, *bytes.Buffer) {
	cmd := exec.Command("ragfaith", append([]string{
		"score", data, "--to", "none", "-o", out, "--base-url", s.url,
		"--no-cache", "--batch", "--batch-poll", "5ms",
	}, more...)...)
	cmd.Env = append(os.Environ(), "OPENAI_API_KEY="+testKey)
	msg := &bytes.Buffer{}
	cmd.Stderr = msg
	return cmd, msg
}

// TestKilledBatchRunResumesWithoutResubmitting kills the process at every step of a
// batch, before and after the server has acted on the request. The resumed run must
// submit nothing twice and write the same bytes.
func TestKilledBatchRunResumesWithoutResubmitting(t *testing.T) {
	t.Parallel()
	skipShort(t)
	data := batchRows(t, 28)
	for _, mode := range [][]string{{"--judge", "llm"}, {"--profile", "ragas"}} {
		want := onlineRun(t, data, mode...)
		batches := map[string]int{"--judge": 1, "--profile": 2}[mode[0]]
		for _, at := range []string{"POST /v1/files", "GET /v1/files/", "POST /v1/batches", "GET /v1/batches/", "/content"} {
			for _, done := range []bool{false, true} {
				if batches > 1 && !done {
					continue
				}
				name := mode[1] + " " + strings.ReplaceAll(at, "/", "-") + map[bool]string{false: " before", true: " after"}[done]
				t.Run(name, func(t *testing.T) {
					out := filepath.Join(t.TempDir(), "out.jsonl")
					var process atomic.Pointer[os.Process]
					kill := func(r *http.Request, here bool) bool {
						if p := process.Load(); p != nil && here == done && strings.Contains(r.Method+" "+r.URL.Path, at) {
							process.Store(nil)
							_ = p.Signal(syscall.SIGKILL)
							return true
						}
						return false
					}
					started := make(chan struct{})
					s := newBatchServer(t, func(s *batchServer) {
						s.Before = func(_ http.ResponseWriter, r *http.Request) bool {
							<-started
							if kill(r, false) {
								panic(http.ErrAbortHandler)
							}
							return false
						}
						s.After = func(_ http.ResponseWriter, r *http.Request) { kill(r, true) }
					})
					cmd, msg := batchCommand(s, data, out, mode...)
					if err := cmd.Start(); err != nil {
						t.Fatal(err)
					}
					process.Store(cmd.Process)
					close(started)
					_ = cmd.Wait()
					if status, ok := cmd.ProcessState.Sys().(syscall.WaitStatus); !ok || status.Signal() != syscall.SIGKILL {
						t.Fatalf("not killed: %v: %s", cmd.ProcessState, msg)
					}
					cmd, msg = batchCommand(s, data, out, append(mode, "--resume")...)
					if err := cmd.Run(); err != nil {
						t.Fatalf("%v: %s", err, msg)
					}
					seen := s.Seen()
					uploads := batches
					if at == "POST /v1/files" && done {
						uploads++ // the first one's id nobody has
					}
					if seen.Batches != batches || seen.Online != 0 || seen.Uploads != uploads || seen.Batched != 24*batches {
						t.Errorf("the server saw %+v: %s", seen, msg)
					}
					if readFile(t, out) != want {
						t.Errorf("results differ: %s", msg)
					}
					if left := leftovers(t, out); left != nil {
						t.Errorf("got leftover files %v", left)
					}
				})
			}
		}
	}
}

func TestInterruptKeepsSubmittedBatch(t *testing.T) {
	t.Parallel()
	data := batchRows(t, 28)
	want := onlineRun(t, data, "--judge", "llm")
	out := filepath.Join(t.TempDir(), "out.jsonl")
	var process atomic.Pointer[os.Process]
	started := make(chan struct{})
	s := newBatchServer(t, func(s *batchServer) {
		s.Before = func(http.ResponseWriter, *http.Request) bool { <-started; return false }
		s.Polls = 2
		s.After = func(_ http.ResponseWriter, r *http.Request) {
			if p := process.Load(); p != nil && strings.HasPrefix(r.URL.Path, "/v1/batches/") {
				process.Store(nil)
				_ = p.Signal(os.Interrupt)
			}
		}
	})
	cmd, msg := batchCommand(s, data, out, "--judge", "llm", "--batch-poll", "200ms")
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	process.Store(cmd.Process)
	close(started)
	_ = cmd.Wait()
	dir := out + ".part.batch"
	end := "ragfaith: interrupted: 0 rows finished; the batch is kept in " + dir + "; continue with --batch --resume\n"
	if code := cmd.ProcessState.ExitCode(); code != exitInterrupted || !strings.Contains(msg.String(), end) {
		t.Errorf("got exit code %d, want %d: %s", code, exitInterrupted, msg)
	}
	for _, tt := range []struct {
		args []string
		code int
		want string
	}{
		{[]string{"--judge", "llm"}, exitFailure, dir + " has a submitted batch: collect it with --batch --resume, or remove the directory"},
		{[]string{"--judge", "llm", "--resume", "--strict"}, exitUsage, "cannot resume " + dir + " with different settings: --strict was false, is true"},
	} {
		cmd, msg := batchCommand(s, data, out, tt.args...)
		_ = cmd.Run()
		if code := cmd.ProcessState.ExitCode(); code != tt.code || !strings.Contains(msg.String(), tt.want) {
			t.Errorf("%v: got exit code %d, want %d: %s", tt.args, code, tt.code, msg)
		}
	}
	// A run without --batch must not pay again either.
	if got := call(t, t.TempDir(), nil, "score", data, "--to", "none", "-o", out, "--judge", "llm", "--resume", "--base-url", s.url); got.code != exitFailure || !strings.Contains(got.stderr, "has a submitted batch") {
		t.Errorf("got exit code %d, want %d: %s", got.code, exitFailure, got.stderr)
	}
	// A changed dataset does not match the submitted batch.
	rows := readFile(t, data)
	writeFile(t, data, strings.Replace(rows, "What of 3?", "What?", 1))
	cmd, msg = batchCommand(s, data, out, "--judge", "llm", "--resume")
	_ = cmd.Run()
	if code := cmd.ProcessState.ExitCode(); code != exitFailure || !strings.Contains(msg.String(), "the dataset has changed since the batch in "+dir+" was submitted") {
		t.Errorf("got exit code %d, want %d: %s", code, exitFailure, msg)
	}
	writeFile(t, data, rows)
	cmd, msg = batchCommand(s, data, out, "--judge", "llm", "--resume")
	if err := cmd.Run(); err != nil || readFile(t, out) != want {
		t.Errorf("%v: %s", err, msg)
	}
	if seen := s.Seen(); seen.Batches != 1 || seen.Online != 0 || seen.Uploads != 1 || strings.Contains(msg.String(), "nothing to resume") {
		t.Errorf("the server saw %+v: %s", seen, msg)
	}
}

// TestBatchRunKilledWhileWritingResumes checks that replies are kept until all rows are
// written.
func TestBatchRunKilledWhileWritingResumes(t *testing.T) {
	t.Parallel()
	data := batchRows(t, 28)
	want := onlineRun(t, data, "--judge", "llm")
	s, out := newBatchServer(t, nil), filepath.Join(t.TempDir(), "out.jsonl")
	args := []string{"score", data, "--to", "jsonl", "-o", out, "--judge", "llm", "--base-url", s.url, "--no-cache", "--batch", "--batch-poll", "5ms", "--resume", "-q"}
	cmd := exec.Command("ragfaith-killed", append([]string{"3000"}, args...)...)
	cmd.Env = append(os.Environ(), "OPENAI_API_KEY="+testKey)
	msg, _ := cmd.CombinedOutput()
	if status, ok := cmd.ProcessState.Sys().(syscall.WaitStatus); !ok || status.Signal() != syscall.SIGKILL {
		t.Fatalf("not killed: %v: %s", cmd.ProcessState, msg)
	}
	got := call(t, t.TempDir(), nil, args...)
	if seen := s.Seen(); got.code != 0 || seen.Batches != 1 || seen.Online != 0 || readFile(t, out) != want || got.stdout != want {
		t.Errorf("exit %d, the server saw %+v: %s", got.code, seen, got.stderr)
	}
	if left := leftovers(t, out); left != nil {
		t.Errorf("got leftover files %v", left)
	}
}

// TestBatchResumesOnlineRun checks that a batch does not repeat rows that an online run
// finished.
func TestBatchResumesOnlineRun(t *testing.T) {
	t.Parallel()
	data := batchRows(t, 28)
	want := onlineRun(t, data, "--judge", "llm")
	out := filepath.Join(t.TempDir(), "out.jsonl")
	s := newBatchServer(t, func(s *batchServer) {
		s.chat.fault = func(n int64, w http.ResponseWriter, _ *http.Request) bool {
			if n == 9 {
				w.WriteHeader(http.StatusUnauthorized)
				_, _ = io.WriteString(w, `{"error":{"message":"no"}}`)
			}
			return n == 9
		}
	})
	args := []string{"score", data, "--to", "none", "-o", out, "--judge", "llm", "--base-url", s.url, "--no-cache", "--concurrency", "1"}
	if got := call(t, t.TempDir(), nil, args...); got.code != exitFailure {
		t.Fatalf("got exit code %d, want %d: %s", got.code, exitFailure, got.stderr)
	}
	got := call(t, t.TempDir(), nil, append(args, "--resume", "--batch", "--batch-poll", "1ms")...)
	if seen := s.Seen(); got.code != 0 || seen.Batched != 16 || seen.Online != 9 || readFile(t, out) != want {
		t.Errorf("exit %d, the server saw %+v: %s", got.code, seen, got.stderr)
	}
}
