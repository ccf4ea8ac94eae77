package main

import (
	"bytes"
	"io"
	"os"
	"path/filepath"
	"strings"
	"syscall"
	"testing"
)

func TestSignalKeepsFinishedRows(t *testing.T) {
	t.Parallel()
	for _, signal := range []os.Signal{os.Interrupt, syscall.SIGTERM} {
		t.Run(signal.String(), func(t *testing.T) {
			out, table := filepath.Join(t.TempDir(), "out.jsonl"), filepath.Join(t.TempDir(), "out.csv")
			cmd, stdin, stdout, stderr := start(t, "score", "-", "--to", "jsonl", "-o", out, "-o", table)
			if _, err := io.WriteString(stdin, strings.Repeat(skyRow, 3)); err != nil {
				t.Fatal(err)
			}
			for range 3 { // each row is printed without waiting for the next one
				if line, err := stdout.ReadString('\n'); err != nil {
					t.Fatalf("read line %q: %v", line, err)
				}
			}
			if err := cmd.Process.Signal(signal); err != nil {
				t.Fatal(err)
			}
			rest, _ := io.ReadAll(stdout)
			msg, _ := io.ReadAll(stderr)
			if code := exitCode(t, cmd); code != exitInterrupted {
				t.Errorf("exit code: got %d, want %d; stderr: %s", code, exitInterrupted, msg)
			}
			if len(rest) > 0 {
				t.Errorf("got extra output %q", rest)
			}
			if want := "ragfaith: interrupted: 3 rows finished; finished rows saved in " + out + ".part; use --resume to continue\n"; !bytes.HasSuffix(msg, []byte(want)) {
				t.Errorf("stderr: got %q, want suffix %q", msg, want)
			}
			part, err := os.ReadFile(out + ".part")
			if err != nil || bytes.Count(part, []byte("\n")) != 3 {
				t.Errorf("got %q (error %v) in the .part file, want 3 rows", part, err)
			}
			for _, path := range []string{out, table, table + ".part"} {
				if _, err := os.Stat(path); err == nil {
					t.Errorf("%s exists", path)
				}
			}
		})
	}
}

// forcedExitMessage is part of the message printed when a signal forces an exit.
const forcedExitMessage = "without waiting for rows in progress"

// startBlocked starts a run that blocks while it writes to a full pipe. It returns
// functions that signal the process and wait for its exit code and stderr.
func startBlocked(t *testing.T) (signal func(os.Signal), wait func() (int, string)) {
	t.Helper()
	rows := filepath.Join(t.TempDir(), "rows.jsonl")
	const rowCount = 2_000 // the results exceed the capacity of a pipe
	writeFile(t, rows, strings.Repeat(skyRow, rowCount))
	cmd, _, stdout, stderr := start(t, "score", rows, "--to", "jsonl", "--no-progress")
	if line, err := stdout.ReadString('\n'); err != nil { // read no further, so that the pipe fills up
		t.Fatalf("read line %q: %v", line, err)
	}
	return func(s os.Signal) {
			if err := cmd.Process.Signal(s); err != nil {
				t.Error(err)
			}
		}, func() (int, string) {
			msg, _ := io.ReadAll(stderr)
			return exitCode(t, cmd), string(msg)
		}
}

func TestSecondSignalExitsImmediately(t *testing.T) {
	t.Parallel()
	signal, wait := startBlocked(t)
	signal(os.Interrupt)
	signal(syscall.SIGTERM) // a different signal, because equal pending signals are merged
	if code, msg := wait(); code != exitInterrupted || strings.Contains(msg, forcedExitMessage) {
		t.Errorf("exit code: got %d, want %d without a forced exit; stderr: %s", code, exitInterrupted, msg)
	}
}
