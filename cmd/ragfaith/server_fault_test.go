package main

import (
	"bytes"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
)

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
