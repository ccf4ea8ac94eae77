package main

import (
	"bytes"
	"fmt"
	"io"
	"net/http"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"sync/atomic"
	"testing"
)

// batchCommand returns a command that scores data in a batch.
func batchCommand(s *batchServer, data, out string, extraArgs ...string) *exec.Cmd {
	cmd := exec.Command("ragfaith", append([]string{
		"score", data, "--to", "none", "-o", out, "--base-url", s.url,
		"--no-cache", "--batch", "--batch-poll", "5ms",
	}, extraArgs...)...)
	cmd.Env = append(os.Environ(), "OPENAI_API_KEY="+testKey)
	return cmd
}

// TestKilledBatchRunResumesWithoutResubmitting kills the process at the steps of a batch,
// before or after the server has handled the request. The resumed run must not submit
// anything twice and must write the same results.
func TestKilledBatchRunResumesWithoutResubmitting(t *testing.T) {
	t.Parallel()
	skipShort(t)
	data := batchRows(t, 28)
	wants := map[string]string{}
	for _, tt := range []struct {
		args          string
		batches       int
		endpoint      string
		afterResponse bool
	}{
		{"--judge llm", 1, "POST /v1/files", false},
		{"--judge llm", 1, "POST /v1/files", true},
		{"--judge llm", 1, "POST /v1/batches", false},
		{"--judge llm", 1, "POST /v1/batches", true},
		{"--judge llm", 1, "GET /v1/batches/", true},
		{"--judge llm", 1, "/content", false},
		{"--profile ragas", 2, "/content", true},
	} {
		judgeArgs := strings.Fields(tt.args)
		want := wants[tt.args]
		if want == "" {
			want = onlineRun(t, data, judgeArgs...)
			wants[tt.args] = want
		}
		t.Run(fmt.Sprintf("%s %s after=%t", tt.args, strings.ReplaceAll(tt.endpoint, "/", "-"), tt.afterResponse), func(t *testing.T) {
			out := filepath.Join(t.TempDir(), "out.jsonl")
			const killed = -1 // the exit code of a process that a signal ends
			s, first := signalBatchRun(t, os.Kill, tt.endpoint, tt.afterResponse, data, out, judgeArgs...)
			mustExit(t, first, killed)
			got := mustExit(t, runCommand(t, batchCommand(s, data, out, append(judgeArgs, "--resume")...)), exitOK)
			uploads := tt.batches
			if tt.endpoint == "POST /v1/files" && tt.afterResponse {
				uploads++ // the killed process did not record the id of its upload
			}
			if seen := s.Seen(); seen.Batches != tt.batches || seen.Online != 0 || seen.Uploads != uploads || seen.Batched != 24*tt.batches {
				t.Errorf("server saw %+v, want %d batches and uploads %d; stderr: %s", seen, tt.batches, uploads, got.stderr)
			}
			if readFile(t, out) != want {
				t.Errorf("results differ from an online run; stderr: %s", got.stderr)
			}
			if files := tempFiles(t, out); files != nil {
				t.Errorf("got temporary files %v, want none", files)
			}
		})
	}
}

// signalBatchRun starts a batch run and signals it at the first request to endpoint, before
// or after the server responds. It returns the server and the outcome.
func signalBatchRun(t *testing.T, signal os.Signal, endpoint string, afterResponse bool, data, out string, args ...string) (*batchServer, commandResult) {
	t.Helper()
	var process atomic.Pointer[os.Process] // nil once signaled
	started := make(chan struct{})
	reached := func(r *http.Request) bool {
		if !strings.Contains(r.Method+" "+r.URL.Path, endpoint) {
			return false
		}
		p := process.Swap(nil)
		if p != nil {
			_ = p.Signal(signal)
		}
		return p != nil
	}
	s := newBatchServer(t, func(s *batchServer) {
		s.Polls = 2
		s.Before = func(_ http.ResponseWriter, r *http.Request) bool {
			<-started
			if !afterResponse && reached(r) {
				panic(http.ErrAbortHandler)
			}
			return false
		}
		if afterResponse {
			s.After = func(_ http.ResponseWriter, r *http.Request) { reached(r) }
		}
	})
	cmd := batchCommand(s, data, out, args...)
	var stderr bytes.Buffer
	cmd.Stderr = &stderr
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	process.Store(cmd.Process)
	close(started)
	_ = cmd.Wait()
	return s, commandResult{args: cmd.Args, code: cmd.ProcessState.ExitCode(), stderr: stderr.String()}
}

func TestInterruptKeepsSubmittedBatch(t *testing.T) {
	t.Parallel()
	data := batchRows(t, 28)
	want := onlineRun(t, data, "--judge", "llm")
	out := filepath.Join(t.TempDir(), "out.jsonl")
	s, interrupted := signalBatchRun(t, os.Interrupt, "GET /v1/batches/", true, data, out, "--judge", "llm", "--batch-poll", "200ms")
	dir := out + ".part.batch"
	checkExit(t, interrupted, exitInterrupted, "ragfaith: interrupted: 0 rows finished; batch saved in "+dir+"; use --batch --resume to continue\n")
	for _, tt := range []struct {
		args []string
		code int
		want string
	}{
		{[]string{"--judge", "llm"}, exitFailure, dir + " may have a submitted batch: collect it with --batch --resume, or remove the directory"},
		{[]string{"--judge", "llm", "--resume", "--strict"}, exitUsage, "cannot resume " + dir + " with different settings: --strict was false, is true"},
	} {
		checkExit(t, runCommand(t, batchCommand(s, data, out, tt.args...)), tt.code, tt.want)
	}
	// A run without --batch must not send the requests again either.
	got := runInProcess(t, t.TempDir(), nil, "score", data, "--to", "none", "-o", out, "--judge", "llm", "--resume", "--base-url", s.url)
	checkExit(t, got, exitFailure, "may have a submitted batch")
	// A changed dataset does not match the submitted batch.
	rows := readFile(t, data)
	writeFile(t, data, strings.Replace(rows, "What of 3?", "What?", 1))
	checkExit(t, runCommand(t, batchCommand(s, data, out, "--judge", "llm", "--resume")), exitFailure, "the dataset has changed since the batch in "+dir+" was submitted")
	writeFile(t, data, rows)
	got = runCommand(t, batchCommand(s, data, out, "--judge", "llm", "--resume"))
	if checkExit(t, got, exitOK); readFile(t, out) != want {
		t.Errorf("results differ from an online run; stderr: %s", got.stderr)
	}
	if seen := s.Seen(); seen.Batches != 1 || seen.Online != 0 || seen.Uploads != 1 || strings.Contains(got.stderr, "nothing to resume") {
		t.Errorf("server saw %+v, want 1 upload and 1 batch; stderr: %s", seen, got.stderr)
	}
}

// TestBatchResumesOnlineRun checks that a batch does not repeat the finished rows of an
// online run.
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
	mustExit(t, runInProcess(t, t.TempDir(), nil, args...), exitFailure)
	got := runInProcess(t, t.TempDir(), nil, append(args, "--resume", "--batch", "--batch-poll", "1ms")...)
	if seen := s.Seen(); got.code != 0 || seen.Batched != 16 || seen.Online != 9 || readFile(t, out) != want {
		t.Errorf("exit code: got %d, want %d, server saw %+v; stderr: %s", got.code, exitOK, seen, got.stderr)
	}
}
