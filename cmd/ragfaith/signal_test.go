package main

import (
	"bytes"
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
			p := start(t, "score", "-", "--to", "jsonl", "-o", out, "-o", table)
			p.score(t, 3) // each row is printed without waiting for the next one
			p.signal(t, signal)
			got := p.wait(t)
			checkExit(t, got, exitInterrupted, "ragfaith: interrupted: 3 rows finished; finished rows saved in "+out+".part; use --resume to continue\n")
			if got.stdout != "" {
				t.Errorf("got extra output %q", got.stdout)
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

// startBlocked starts a run that blocks while it writes to a full pipe.
func startBlocked(t *testing.T) *process {
	t.Helper()
	const rowCount = 2_000 // the results exceed the capacity of a pipe
	p := start(t, "score", tempFile(t, "rows.jsonl", strings.Repeat(skyRow, rowCount)), "--to", "jsonl", "--no-progress")
	p.readLine(t)
	p.stdout.Reset(strings.NewReader("")) // the rest is not read, so that the pipe fills up
	return p
}

func TestSecondSignalExitsImmediately(t *testing.T) {
	t.Parallel()
	p := startBlocked(t)
	p.signal(t, os.Interrupt)
	p.signal(t, syscall.SIGTERM) // a different signal, because equal pending signals are merged
	got := p.wait(t)
	if checkExit(t, got, exitInterrupted); strings.Contains(got.stderr, forcedExitMessage) {
		t.Errorf("got a forced exit: %s", got.stderr)
	}
}
