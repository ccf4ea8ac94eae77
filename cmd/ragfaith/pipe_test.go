//go:build unix

package main

import (
	"os"
	"path/filepath"
	"strings"
	"syscall"
	"testing"
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

// TestSignalForcesExitOfBlockedCommand signals a command that is blocked in a write.
func TestSignalForcesExitOfBlockedCommand(t *testing.T) {
	t.Parallel()
	skipShort(t)
	p := startBlocked(t)
	p.signal(t, os.Interrupt)
	checkExit(t, p.wait(t), exitInterrupted, forcedExitMessage+"; rows in a .part file are kept\n")
}
