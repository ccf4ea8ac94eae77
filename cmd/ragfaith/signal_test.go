package main

import (
	"bufio"
	"bytes"
	"context"
	"errors"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"syscall"
	"testing"
	"time"
)

const skyRow = `{"answer":"The sky is blue today.","contexts":["The sky is blue today."]}` + "\n"

// start runs ragfaith as a process of its own.
func start(t *testing.T, args ...string) (cmd *exec.Cmd, stdin io.WriteCloser, stdout, stderr *bufio.Reader) {
	t.Helper()
	return startIn(t, "", args...)
}

// startIn does so in a folder.
func startIn(t *testing.T, folder string, args ...string) (cmd *exec.Cmd, stdin io.WriteCloser, stdout, stderr *bufio.Reader) {
	t.Helper()
	// What ought to end and doesn't is killed, so that the test fails and says why.
	ctx, cancel := context.WithTimeout(t.Context(), time.Minute)
	t.Cleanup(cancel)
	cmd = exec.CommandContext(ctx, "ragfaith", args...)
	cmd.Dir = folder
	stdin, err := cmd.StdinPipe()
	out, err2 := cmd.StdoutPipe()
	errs, err3 := cmd.StderrPipe()
	if err := errors.Join(err, err2, err3, cmd.Start()); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = cmd.Process.Kill() })
	return cmd, stdin, bufio.NewReader(out), bufio.NewReader(errs)
}

func exitCode(t *testing.T, cmd *exec.Cmd) int {
	t.Helper()
	var exit *exec.ExitError
	if err := cmd.Wait(); err != nil && !errors.As(err, &exit) {
		t.Fatal(err)
	}
	return cmd.ProcessState.ExitCode()
}

func TestASignalKeepsWhatWasFinished(t *testing.T) {
	for _, signal := range []os.Signal{os.Interrupt, syscall.SIGTERM} {
		t.Run(signal.String(), func(t *testing.T) {
			out, table := filepath.Join(t.TempDir(), "out.jsonl"), filepath.Join(t.TempDir(), "out.csv")
			cmd, stdin, stdout, stderr := start(t, "score", "-", "--to", "jsonl", "-o", out, "-o", table)
			if _, err := io.WriteString(stdin, strings.Repeat(skyRow, 3)); err != nil {
				t.Fatal(err)
			}
			for range 3 { // a row is seen while the next one is waited for
				if line, err := stdout.ReadString('\n'); err != nil {
					t.Fatal(line, err)
				}
			}
			if err := cmd.Process.Signal(signal); err != nil {
				t.Fatal(err)
			}
			rest, _ := io.ReadAll(stdout)
			said, _ := io.ReadAll(stderr)
			if code := exitCode(t, cmd); code != exitInterrupted {
				t.Errorf("exit code %d: %s", code, said)
			}
			if len(rest) > 0 {
				t.Errorf("more rows than came in: %s", rest)
			}
			if want := "ragfaith: interrupted: 3 rows were finished; what was finished is kept in " + out + ".part, and --resume goes on from there\n"; !bytes.HasSuffix(said, []byte(want)) {
				t.Errorf("%s", said)
			}
			part, err := os.ReadFile(out + ".part")
			if err != nil || bytes.Count(part, []byte("\n")) != 3 {
				t.Errorf("%v: %s", err, part)
			}
			for _, path := range []string{out, table, table + ".part"} {
				if _, err := os.Stat(path); err == nil {
					t.Errorf("%s is there", path)
				}
			}
		})
	}
}

func TestAnInterruptBeforeTheFirstRowLeavesNothing(t *testing.T) {
	out := filepath.Join(t.TempDir(), "out.jsonl")
	cmd, stdin, stdout, stderr := start(t, "score", "-", "-o", out, "-v")
	// The settings are told when all that comes before the first row is done.
	if line, err := stderr.ReadString('\n'); err != nil || !strings.Contains(line, "claims sentence") {
		t.Fatal(line, err)
	}
	if err := cmd.Process.Signal(os.Interrupt); err != nil {
		t.Fatal(err)
	}
	table, _ := io.ReadAll(stdout)
	said, _ := io.ReadAll(stderr)
	if code := exitCode(t, cmd); code != exitInterrupted {
		t.Errorf("exit code %d: %s", code, said)
	}
	if len(table) > 0 || !strings.HasSuffix(string(said), "ragfaith: interrupted: 0 rows were finished; no file is kept\n") {
		t.Errorf("%s%s", table, said)
	}
	if names, _ := filepath.Glob(out + "*"); names != nil {
		t.Error(names)
	}
	_ = stdin.Close()
}

func TestASecondInterruptEndsAtOnce(t *testing.T) {
	// A named pipe holds the run up where no cancellation reaches it.
	pipe := filepath.Join(t.TempDir(), "rows.jsonl")
	if said, err := exec.Command("mkfifo", pipe).CombinedOutput(); err != nil {
		t.Skipf("this system makes no named pipe: %v %s", err, said)
	}
	cmd, _, stdout, stderr := start(t, "score", pipe, "--input-format", "jsonl", "--to", "jsonl")
	w, err := os.OpenFile(pipe, os.O_WRONLY, 0) // returns when it is opened for reading
	if err != nil {
		t.Fatal(err)
	}
	defer w.Close()
	if _, err := w.WriteString(skyRow); err != nil {
		t.Fatal(err)
	}
	if line, err := stdout.ReadString('\n'); err != nil { // the next row is waited for
		t.Fatal(line, err)
	}
	for {
		if err := cmd.Process.Signal(os.Interrupt); err != nil {
			break // it has ended
		}
		line, err := stderr.ReadString('\n')
		if err != nil {
			break
		}
		if !strings.Contains(line, "interrupt") {
			t.Error(line)
		}
	}
	if code := exitCode(t, cmd); code != exitInterrupted {
		t.Errorf("exit code %d", code)
	}
}
