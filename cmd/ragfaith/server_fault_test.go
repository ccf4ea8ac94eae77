package main

import (
	"bytes"
	"compress/gzip"
	"errors"
	"fmt"
	"io"
	"log/slog"
	"net/http"
	"net/http/httptest"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
)

// TestMaliciousServerFailsRows checks that invalid, huge and redirected replies fail
// rows or end the run, and that a redirect target receives neither the key nor rows.
func TestMaliciousServerFailsRows(t *testing.T) {
	t.Parallel()
	spaces := bytes.Repeat([]byte(" "), 1<<20)
	flood := func(w io.Writer) {
		for range 100 {
			if _, err := w.Write(spaces); err != nil {
				return
			}
		}
	}
	other := newTestServer(t)
	for name, tt := range map[string]struct {
		answer http.HandlerFunc
		tls    bool
		code   int
		want   string
	}{
		"100 MB": {func(w http.ResponseWriter, _ *http.Request) { flood(w) }, false, exitFailedRows, "the reply is larger than 1"},
		"gzip bomb": {func(w http.ResponseWriter, _ *http.Request) {
			w.Header().Set("Content-Encoding", "gzip")
			z := gzip.NewWriter(w)
			defer z.Close()
			flood(z)
		}, false, exitFailedRows, "the reply is larger than 1"},
		"redirect to another host": {func(w http.ResponseWriter, r *http.Request) {
			http.Redirect(w, r, other.URL+r.URL.Path, http.StatusTemporaryRedirect)
		}, false, exitFailure, "which is not followed"},
		"self-signed certificate": {nil, true, exitFailure, "the server's certificate can't be trusted"},
	} {
		t.Run(name, func(t *testing.T) {
			s := httptest.NewUnstartedServer(tt.answer)
			s.Config.ErrorLog = slog.NewLogLogger(slog.DiscardHandler, slog.LevelInfo)
			if tt.tls {
				s.StartTLS()
			} else {
				s.Start()
			}
			defer s.Close()
			got := runInProcess(t, t.TempDir(), nil, "score", "-", "--to", "jsonl", "--judge", "llm", "--concurrency", "1", "--base-url", s.URL)
			if got.code != tt.code || !strings.Contains(got.stderr, tt.want) || strings.Contains(got.stderr+got.stdout, testKey) {
				t.Errorf("exit code: got %d, want %d; stderr: %s", got.code, tt.code, got.stderr)
			}
			if n := strings.Count(got.stdout, `"status":"failed","reason":"verdict"`); n != map[int]int{exitFailure: 0, exitFailedRows: 2}[tt.code] || strings.Contains(got.stdout, `"status":"scored"`) {
				t.Errorf("got %d failed rows: %s", n, got.stdout)
			}
		})
	}
	if n := other.calls.Load(); n > 0 {
		t.Errorf("got %d requests to the other host, want 0", n)
	}
}

// unprivilegedCommand returns a command that is subject to file permissions, even if the
// test runs as root.
func unprivilegedCommand(t *testing.T, args ...string) *exec.Cmd {
	t.Helper()
	if os.Geteuid() != 0 {
		return exec.Command("ragfaith", args...)
	}
	drop := []string{"--bounding-set", "-all", "--inh-caps", "-all"}
	if err := exec.Command("setpriv", append(drop, "true")...).Run(); err != nil {
		t.Skipf("cannot drop capabilities: %v", err)
	}
	return exec.Command("setpriv", append(append(drop, "ragfaith"), args...)...)
}

func TestReadOnlyCacheIsWarning(t *testing.T) {
	t.Parallel()
	data := batchRows(t, 28)
	want := onlineRun(t, data, "--judge", "llm")
	for name, subdir := range map[string]string{"with replies": "", "missing": "cache"} {
		t.Run(name, func(t *testing.T) {
			s, dir := newTestServer(t), t.TempDir()
			args := []string{"score", data, "--to", "jsonl", "--judge", "llm", "--base-url", s.URL, "--cache", filepath.Join(dir, subdir)}
			if subdir == "" {
				if msg, err := exec.Command("ragfaith", args...).CombinedOutput(); err != nil {
					t.Fatalf("%v: %s", err, msg)
				}
			}
			if err := os.Chmod(dir, 0o500); err != nil {
				t.Fatal(err)
			}
			defer func() { _ = os.Chmod(dir, 0o700) }() // allow cleanup
			replies := filepath.Join(dir, "replies.sqlite")
			if err := os.Chmod(replies, 0o400); err != nil && subdir == "" {
				t.Fatal(err)
			}
			cmd := unprivilegedCommand(t, args...)
			var msg bytes.Buffer
			cmd.Stderr = &msg
			got, err := cmd.Output()
			if err != nil || string(got) != want || !strings.Contains(msg.String(), "ragfaith: warning: cache "+dir) {
				t.Errorf("%v: %s", err, &msg)
			}
		})
	}
}

// TestFileDescriptorLimitLosesNoRow checks that a run with too few file descriptors
// reports it, leaves no partial file, and can be resumed with more. Go programs need at
// least 8 to start.
func TestFileDescriptorLimitLosesNoRow(t *testing.T) {
	t.Parallel()
	skipShort(t)
	data := batchRows(t, 28)
	s := newTestServer(t)
	for _, tt := range []struct {
		args  []string
		files []int
	}{
		{[]string{"--judge", "lexical"}, []int{8, 9, 10, 11, 12}},
		{[]string{"--judge", "llm", "--base-url", s.URL, "--retries", "1", "--no-cache"}, []int{8, 10, 12, 14, 16, 20}},
	} {
		run := func(out string) []string {
			return append([]string{"score", data, "--to", "none", "-o", out, "-o", out + ".csv", "--resume"}, tt.args...)
		}
		uninterrupted, short := filepath.Join(t.TempDir(), "out.jsonl"), 0
		mustExit(t, runCommand(t, unlimitedCommand(t, filepath.Dir(uninterrupted), run(uninterrupted)...)), exitOK)
		for _, n := range tt.files {
			out := filepath.Join(t.TempDir(), "out.jsonl")
			got := runCommand(t, limitedCommand(t, filepath.Dir(out), "-n", n, run(out)...))
			if got.code != exitOK {
				short++
				if got.code != exitFailedRows {
					checkExit(t, got, exitFailure)
				}
				checkExit(t, got, got.code, "too many open files")
			}
			if _, err := os.Stat(out); got.code == exitFailure && err == nil {
				t.Errorf("%v with %d files: the output file exists", tt.args, n)
			}
			checkExit(t, runCommand(t, unlimitedCommand(t, filepath.Dir(out), run(out)...)), exitOK)
			if withoutRequestCounts(readFile(t, out)) != readFile(t, uninterrupted) {
				t.Errorf("%v after %d files: results differ", tt.args, n)
			}
		}
		if short == 0 {
			t.Errorf("%v: no limit was too low", tt.args)
		}
	}
}

// TestFailedOutputKeepsResultsResumable checks that if one output cannot be completed,
// the results remain resumable and no row is scored again.
func TestFailedOutputKeepsResultsResumable(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	out, table := filepath.Join(dir, "out.jsonl"), filepath.Join(dir, "out.csv")
	args := []string{"score", "-", "--to", "jsonl", "-o", out, "-o", table}
	p := start(t, args...)
	p.score(t, 1)
	// Occupy the path during the run.
	if err := errors.Join(os.MkdirAll(filepath.Join(table, "taken"), 0o700), p.stdin.Close()); err != nil {
		t.Fatal(err)
	}
	checkExit(t, p.wait(t), exitFailure, "finished rows saved in "+out+".part")
	if _, err := os.Stat(out); err == nil {
		t.Error("the output file exists, so --resume would start again")
	}
	if err := os.RemoveAll(table); err != nil {
		t.Fatal(err)
	}
	cmd := exec.Command("ragfaith", append(args, "--resume")...)
	cmd.Stdin = strings.NewReader(skyRow)
	checkExit(t, runCommand(t, cmd), exitOK, fmt.Sprintf("ragfaith: resuming %s.part: 1 row is finished\n", out))
	if !strings.Contains(readFile(t, out), `"status":"scored"`) || !strings.HasPrefix(readFile(t, table), "index,") {
		t.Error("an output file is incomplete")
	}
	if left, _ := filepath.Glob(filepath.Join(dir, "*.part*")); left != nil {
		t.Errorf("got temporary files %v, want none", left)
	}
}
