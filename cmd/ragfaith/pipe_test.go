//go:build unix

package main

import (
	"bytes"
	"context"
	"errors"
	"net"
	"os"
	"path/filepath"
	"runtime/pprof"
	"strconv"
	"strings"
	"syscall"
	"testing"

	"github.com/ragfaith/ragfaith/internal/exit"
)

// pipeCommands returns the arguments of commands that read pipe, by test name.
func pipeCommands(rows, results, pipe string) map[string][]string {
	return map[string][]string{
		"score":              {"score", pipe, "--input-format", "jsonl"},
		"score two datasets": {"score", rows, pipe, "--to", "none", "-q"},
		"score --dry-run":    {"score", pipe, "--dry-run", "--judge", "llm", "--base-url", "http://localhost:1"},
		"report":             {"report", pipe},
		"report two results": {"report", results, pipe},
		"compare baseline":   {"compare", pipe, results},
		"compare candidate":  {"compare", results, pipe},
		"calibrate":          {"calibrate", pipe, "--label", "label"},
		"calibrate --labels": {"calibrate", results, "--label", "label", "--labels", pipe},
		"segment":            {"segment", pipe},
	}
}

// mkfifo creates a named pipe and returns its path.
func mkfifo(t *testing.T, name string) string {
	t.Helper()
	path := filepath.Join(t.TempDir(), name)
	if err := syscall.Mkfifo(path, 0o600); err != nil {
		t.Fatal(err)
	}
	return path
}

// TestSignalInterruptsReadFromPipe sends a signal while the command waits for data.
func TestSignalInterruptsReadFromPipe(t *testing.T) {
	t.Parallel()
	rows, results := writeLabelledRows(t)
	pipe := mkfifo(t, "pipe.jsonl")
	for name, args := range pipeCommands(rows, results, pipe) {
		t.Run(name, func(t *testing.T) {
			p := start(t, args...)
			w, err := os.OpenFile(pipe, os.O_WRONLY, 0) // blocks until the command opens the pipe
			if err != nil {
				t.Fatal(err)
			}
			defer w.Close()
			p.signal(t, os.Interrupt)
			got := p.wait(t)
			if checkExit(t, got, exitInterrupted); strings.Contains(got.stderr, forcedExitMessage) {
				t.Errorf("got a forced exit: %s", got.stderr)
			}
		})
	}
}

// blockedInOpen reports whether a goroutine with the profiler label "test" set to name
// is opening a pipe.
func blockedInOpen(t *testing.T, name string) bool {
	t.Helper()
	var profile bytes.Buffer
	if err := pprof.Lookup("goroutine").WriteTo(&profile, 1); err != nil {
		t.Fatal(err)
	}
	for record := range strings.SplitSeq(profile.String(), "\n\n") {
		if strings.Contains(record, strconv.Quote(name)) && strings.Contains(record, "OpenPipe") && strings.Contains(record, "syscall.Open") {
			return true
		}
	}
	return false
}

// TestSignalInterruptsOpenOfPipe interrupts commands that are blocked opening a pipe
// without a writer.
func TestSignalInterruptsOpenOfPipe(t *testing.T) {
	t.Parallel()
	rows, results := writeLabelledRows(t)
	pipe := mkfifo(t, "pipe.jsonl")
	for name, args := range pipeCommands(rows, results, pipe) {
		t.Run(name, func(t *testing.T) {
			ctx, cancel := context.WithCancelCause(t.Context())
			var out, errs bytes.Buffer
			done := make(chan int, 1)
			sys := emptySystem()
			go pprof.Do(ctx, pprof.Labels("test", t.Name()), func(ctx context.Context) {
				done <- run(ctx, args, nil, &out, &errs, sys)
			})
			waitFor(t, "the command to open the pipe", func() bool { return len(done) > 0 || blockedInOpen(t, t.Name()) })
			if len(done) > 0 {
				t.Fatalf("command exited with code %d before it was interrupted; stderr: %s", <-done, &errs)
			}
			cancel(exit.ErrInterrupted)
			waitFor(t, "the command to exit", func() bool { return len(done) > 0 })
			if code := <-done; code != exitInterrupted {
				t.Errorf("exit code: got %d, want %d; stderr: %s", code, exitInterrupted, &errs)
			}
		})
	}
}

// TestPipeYieldsSameOutputAsFile checks that a pipe with a writer gives the same output as a file.
func TestPipeYieldsSameOutputAsFile(t *testing.T) {
	t.Parallel()
	rows, results := writeLabelledRows(t)
	pipe := mkfifo(t, "pipe.jsonl")
	for name, tt := range map[string]struct{ file, args string }{
		"score":              {rows, "score PIPE --to csv"},
		"report":             {results, "report PIPE --to csv"},
		"calibrate":          {results, "calibrate PIPE --label label --to none"},
		"calibrate --labels": {rows, "calibrate " + results + " --label label --labels PIPE --to none"},
		"segment":            {rows, "segment PIPE"},
	} {
		t.Run(name, func(t *testing.T) {
			want := runInProcess(t, t.TempDir(), nil, strings.Fields(strings.Replace(tt.args, "PIPE", tt.file, 1))...)
			written := make(chan error, 1)
			go func() { written <- os.WriteFile(pipe, []byte(readFile(t, tt.file)), 0) }()
			got := runInProcess(t, t.TempDir(), nil, strings.Fields(strings.Replace(tt.args, "PIPE", pipe, 1))...)
			if got.code != exitOK || got.stdout != want.stdout || got.stdout == "" && strings.Contains(tt.args, "csv") {
				t.Errorf("got exit code %d: %s\n%s\nwant\n%s", got.code, got.stderr, got.stdout, want.stdout)
			}
			if err := <-written; err != nil {
				t.Error(err)
			}
		})
	}
}

// TestOutputMustBeRegularFile checks that pipes, sockets and links are rejected as
// outputs and not replaced.
func TestOutputMustBeRegularFile(t *testing.T) {
	rows, results := writeLabelledRows(t)
	for name, args := range map[string]string{
		"out.jsonl": "score " + rows + " --to none -o out.jsonl", "out.csv": "score " + rows + " --to none -o out.csv",
		"s.json": "score " + rows + " --to none --summary s.json", "r.html": "report " + results + " --to none -o r.html",
		"c.json": "calibrate " + results + " --label label --to none -o c.json", "d.html": "compare " + results + " " + results + " --to none -o d.html",
	} {
		for wantErr, create := range map[string]func(path string) error{
			"is a pipe": func(path string) error { return syscall.Mkfifo(path, 0o600) },
			"is a socket": func(path string) error {
				l, err := net.Listen("unix", path)
				if err == nil {
					t.Cleanup(func() { _ = l.Close() })
				}
				return err
			},
			"is a symbolic link": func(path string) error { return os.Symlink("/dev/zero", path) },
		} {
			t.Run(name+" "+wantErr, func(t *testing.T) {
				t.Chdir(t.TempDir())
				if err := create(name); err != nil {
					t.Skip(err)
				}
				before, err := os.Lstat(name)
				got := runInProcess(t, t.TempDir(), nil, strings.Fields(args)...)
				checkExit(t, got, exitFailure, "ragfaith: "+name+": "+wantErr+", not a regular file")
				after, err2 := os.Lstat(name)
				if err := errors.Join(err, err2); err != nil || !os.SameFile(before, after) {
					t.Errorf("file was replaced: %v", err)
				}
			})
		}
	}
}

// TestSignalForcesExitOfBlockedCommand signals a command that is blocked in a write.
func TestSignalForcesExitOfBlockedCommand(t *testing.T) {
	t.Parallel()
	skipShort(t)
	p := startBlocked(t)
	p.signal(t, os.Interrupt)
	checkExit(t, p.wait(t), exitInterrupted, forcedExitMessage+"; rows in a .part file are kept\n")
}
