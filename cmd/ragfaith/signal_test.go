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
			for range 3 { // a row is printed while the next one is awaited
				if line, err := stdout.ReadString('\n'); err != nil {
					t.Fatal(line, err)
				}
			}
			if err := cmd.Process.Signal(signal); err != nil {
				t.Fatal(err)
			}
			rest, _ := io.ReadAll(stdout)
			msg, _ := io.ReadAll(stderr)
			if code := exitCode(t, cmd); code != exitInterrupted {
				t.Errorf("exit code %d: %s", code, msg)
			}
			if len(rest) > 0 {
				t.Errorf("got more rows than were sent: %s", rest)
			}
			if want := "ragfaith: interrupted: 3 rows finished; finished rows are kept in " + out + ".part; continue with --resume\n"; !bytes.HasSuffix(msg, []byte(want)) {
				t.Errorf("%s", msg)
			}
			part, err := os.ReadFile(out + ".part")
			if err != nil || bytes.Count(part, []byte("\n")) != 3 {
				t.Errorf("%v: %s", err, part)
			}
			for _, path := range []string{out, table, table + ".part"} {
				if _, err := os.Stat(path); err == nil {
					t.Errorf("%s exists", path)
				}
			}
		})
	}
}

func TestInterruptBeforeFirstRowLeavesNoFile(t *testing.T) {
	t.Parallel()
	out := filepath.Join(t.TempDir(), "out.jsonl")
	cmd, stdin, stdout, stderr := start(t, "score", "-", "-o", out, "-v")
	// The options are logged after all setup for the first row.
	if line, err := stderr.ReadString('\n'); err != nil || !strings.Contains(line, "claims sentence") {
		t.Fatal(line, err)
	}
	if err := cmd.Process.Signal(os.Interrupt); err != nil {
		t.Fatal(err)
	}
	table, _ := io.ReadAll(stdout)
	msg, _ := io.ReadAll(stderr)
	if code := exitCode(t, cmd); code != exitInterrupted {
		t.Errorf("exit code %d: %s", code, msg)
	}
	if len(table) > 0 || !strings.HasSuffix(string(msg), "ragfaith: interrupted: 0 rows finished; no file is kept\n") {
		t.Errorf("%s%s", table, msg)
	}
	if names, _ := filepath.Glob(out + "*"); names != nil {
		t.Errorf("got files %v, want none", names)
	}
	_ = stdin.Close()
}

// forcedExit is in the line of a process that ended without its command.
const forcedExit = "without waiting for rows in progress"

// startBlocked starts a run that blocks while it writes to a full pipe.
func startBlocked(t *testing.T) (signal func(os.Signal), end func() (int, string)) {
	t.Helper()
	rows := filepath.Join(t.TempDir(), "rows.jsonl")
	const rowCount = 20_000 // more than fit in a pipe
	writeFile(t, rows, strings.Repeat(skyRow, rowCount))
	cmd, _, stdout, stderr := start(t, "score", rows, "--to", "jsonl", "--no-progress")
	if line, err := stdout.ReadString('\n'); err != nil { // and nothing more
		t.Fatal(line, err)
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

func TestSecondInterruptEndsAtOnce(t *testing.T) {
	t.Parallel()
	signal, end := startBlocked(t)
	signal(os.Interrupt)
	signal(syscall.SIGTERM) // a different signal, because equal pending signals are merged
	if code, msg := end(); code != exitInterrupted || strings.Contains(msg, forcedExit) {
		t.Errorf("exit %d, want %d without waiting: %s", code, exitInterrupted, msg)
	}
}
