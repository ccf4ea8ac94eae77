package main

import (
	"bytes"
	"compress/gzip"
	"errors"
	"fmt"
	"math/rand/v2"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"strings"
	"testing"
)

// block is the unit of ulimit -f, in bytes.
const block = 512

// limitedCommand returns a ragfaith command in dir with a resource limit: -f limits the size
// of files in blocks, -n the number of open files.
func limitedCommand(t *testing.T, dir, limit string, n int, args ...string) *exec.Cmd {
	t.Helper()
	if runtime.GOOS == "windows" {
		t.Skip("no resource limits on Windows")
	}
	cmd := exec.Command("sh", append([]string{"-c", fmt.Sprintf(`ulimit %s %d && exec "$@"`, limit, n), "sh", "ragfaith"}, args...)...)
	cmd.Dir = dir
	cmd.Env = append(os.Environ(), "TMPDIR="+dir, "COLUMNS=100", "OPENAI_API_KEY="+testKey)
	return cmd
}

// unlimitedCommand returns a ragfaith command without a limit.
func unlimitedCommand(t *testing.T, dir string, args ...string) *exec.Cmd {
	t.Helper()
	return limitedCommand(t, dir, "-c", 0, args...)
}

// TestFullDiskLeavesNoPartialFile fills the disk at the first byte and at the last block of
// every kind of file that a command writes. The command must report it and
// leave no file that looks complete, and must succeed when run again with enough space.
func TestFullDiskLeavesNoPartialFile(t *testing.T) {
	t.Parallel()
	skipShort(t)
	rows, results := writeLabelledRows(t)
	big, compressed := filepath.Join(t.TempDir(), "big.jsonl"), filepath.Join(t.TempDir(), "rows.parquet.gz")
	note := `,"note":"` + strings.Repeat("x", 8<<10) + `"}`
	writeFile(t, big, strings.Repeat(strings.Replace(skyRow, "}", note, 1), 700))
	var b bytes.Buffer
	z := gzip.NewWriter(&b)
	_, err := z.Write([]byte(readFile(t, "../../testdata/rows.parquet")))
	if err := errors.Join(err, z.Close(), os.WriteFile(compressed, b.Bytes(), 0o600)); err != nil {
		t.Fatal(err)
	}
	score := "score " + rows + " -q --to none "
	for name, tt := range map[string]struct {
		args   string
		blocks []int // limits to test; nil to derive them from the largest file
	}{
		"results as html":                     {score + "-o out.html", nil},
		"results as jsonl and csv":            {score + "-o out.jsonl -o out.csv", nil},
		"report":                              {"report " + results + " -q --to none -o out.csv --summary s.json", nil},
		"calibration":                         {"calibrate " + results + " -q --label label --to none -o c.json -o c.md -o c.html", nil},
		"comparison":                          {"compare " + results + " " + results + " --to none -o c.json -o c.md -o c.html", nil},
		"prompts":                             {"prompts export prompts", nil},
		"config":                              {"config init", nil},
		"manual":                              {"man pages", nil},
		"results spooled to a temporary file": {"score " + big + " -q --to none --keep all -o out.parquet", []int{2 << 20 / block, 5 << 20 / block}},
		"dataset spooled to a temporary file": {"score " + compressed + " -q --to none", []int{0, 1}},
	} {
		t.Run(name, func(t *testing.T) {
			args := strings.Fields(tt.args)
			unlimitedDir := t.TempDir()
			mustExit(t, runCommand(t, unlimitedCommand(t, unlimitedDir, args...)), exitOK)
			want, largest := readTree(t, unlimitedDir), 0
			for _, content := range want {
				largest = max(largest, len(content))
			}
			blocks := tt.blocks
			if blocks == nil {
				blocks = []int{0, (largest - 1) / block}
			}
			for _, n := range blocks {
				dir := t.TempDir()
				checkExit(t, runCommand(t, limitedCommand(t, dir, "-f", n, args...)), exitFailure, "file too large")
				for name, content := range readTree(t, dir) {
					if !strings.Contains(name, ".part") && content != want[name] {
						t.Errorf("%d blocks: %s has %d bytes, want %d", n, name, len(content), len(want[name]))
					}
				}
				retryArgs := args
				if strings.Contains(tt.args, "-o out.jsonl") {
					retryArgs = append(retryArgs, "--resume")
				}
				checkExit(t, runCommand(t, unlimitedCommand(t, dir, retryArgs...)), exitOK)
				got := readTree(t, dir)
				for name, content := range want {
					if got[name] != content {
						t.Errorf("%d blocks: retry: %s differs from a run without a limit", n, name)
					}
					delete(got, name)
				}
				for name := range got {
					t.Errorf("%d blocks: retry: got unexpected file %s", n, name)
				}
			}
		})
	}
}

// TestFullDiskKeepsRowsOfResumedRun checks that a resumed run that cannot copy all stored rows
// keeps them, also after a run that was killed while copying.
func TestFullDiskKeepsRowsOfResumedRun(t *testing.T) {
	t.Parallel()
	skipShort(t)
	dir := t.TempDir()
	randomRows(t, filepath.Join(dir, "rows.jsonl"), 200, rand.New(rand.NewPCG(3, 3)))
	args := []string{"score", "rows.jsonl", "--judge", "lexical", "--to", "none", "--max-failed", "999", "-o", "out.jsonl"}
	mustExit(t, runCommand(t, unlimitedCommand(t, dir, args...)), exitOK)
	out := filepath.Join(dir, "out.jsonl")
	want := readFile(t, out)
	cmd := exec.Command("ragfaith-killed", append([]string{"9000", "score", "rows.jsonl", "--judge", "lexical", "--to", "jsonl"}, args[6:]...)...)
	cmd.Dir = dir
	if err := os.Remove(out); err != nil {
		t.Fatal(err)
	}
	if msg, err := cmd.CombinedOutput(); err == nil {
		t.Fatalf("got exit code 0, want a killed process; output: %s", msg)
	}
	lines := strings.SplitAfter(want, "\n")
	part, newPart := strings.Join(lines[:150], ""), strings.Join(lines[:20], "")
	if err := errors.Join(os.WriteFile(out+".part", []byte(part), 0o600), os.WriteFile(out+".part.new", []byte(newPart), 0o600)); err != nil {
		t.Fatal(err)
	}
	checkExit(t, runCommand(t, limitedCommand(t, dir, "-f", len(part)/block/2, append(args, "--resume")...)), exitFailure, "file too large")
	if readFile(t, out+".part") != part {
		t.Error(".part changed")
	}
	checkExit(t, runCommand(t, unlimitedCommand(t, dir, append(args, "--resume")...)), exitOK, ": 150 rows are finished")
	if readFile(t, out) != want {
		t.Error("results differ after resuming")
	}
}

// TestFullDiskForCacheIsWarning checks that a full disk does not fail a run if it only
// affects the reply cache or the step summary.
func TestFullDiskForCacheIsWarning(t *testing.T) {
	t.Parallel()
	skipShort(t)
	data := batchRows(t, 28)
	want := onlineRun(t, data, "--judge", "llm")
	s := newTestServer(t)
	for _, n := range []int{0, 20, 4000} {
		dir := t.TempDir()
		cmd := limitedCommand(t, dir, "-f", n, "score", data, "--to", "jsonl", "--judge", "llm", "--base-url", s.URL, "--cache", "cache")
		var msg bytes.Buffer
		cmd.Stderr = &msg
		got, err := cmd.Output()
		if err != nil || string(got) != want {
			t.Errorf("%d blocks: got error %v or different results; stderr: %s", n, err, &msg)
		}
		if warned := strings.Contains(msg.String(), "ragfaith: warning: cache "); warned != (n <= 100) {
			t.Errorf("%d blocks: got cache warning %t, want %t; stderr: %s", n, warned, n <= 100, &msg)
		}
	}
	rows, _ := writeLabelledRows(t)
	cmd := limitedCommand(t, t.TempDir(), "-f", 0, "score", rows, "--to", "none")
	cmd.Env = append(cmd.Env, "GITHUB_ACTIONS=true", "GITHUB_STEP_SUMMARY=summary.md", "GITHUB_OUTPUT=output")
	checkExit(t, runCommand(t, cmd), exitOK, "warning: can't write the step summary: ", "warning: can't set the outputs of the step: ")
}

// TestFullDiskResubmitsNoBatch checks that a batch interrupted by a full disk at any step
// can be resumed without submitting anything twice.
func TestFullDiskResubmitsNoBatch(t *testing.T) {
	t.Parallel()
	skipShort(t)
	short := batchRows(t, 28)
	// With long rows, the disk fills up while the batch input file is written.
	long := tempFile(t, "long.jsonl", strings.ReplaceAll(readFile(t, short), `"Page `, `"`+strings.Repeat("A page. ", 6000)))
	var messages strings.Builder
	for data, limits := range map[string][]int{short: {0, 8, 40, 100}, long: {1200}} {
		want := onlineRun(t, data, "--judge", "llm")
		for _, n := range limits {
			messages.WriteString(runBatchOnFullDisk(t, n, data, want))
		}
	}
	for _, file := range []string{"out.jsonl.part.settings", "requests.sqlite"} {
		if !strings.Contains(messages.String(), file) {
			t.Errorf("no run failed writing %s; messages: %s", file, &messages)
		}
	}
}

// runBatchOnFullDisk runs a batch with a limit on file sizes and, if that fails, resumes
// it without the limit. It returns the messages of the first run.
func runBatchOnFullDisk(t *testing.T, blocks int, data, want string) string {
	t.Helper()
	s, out := newBatchServer(t, nil), filepath.Join(t.TempDir(), "out.jsonl")
	args := []string{"score", data, "--to", "none", "-o", out, "--base-url", s.url, "--judge", "llm", "--no-cache", "--batch", "--batch-poll", "5ms", "--resume"}
	first := runCommand(t, limitedCommand(t, filepath.Dir(out), "-f", blocks, args...))
	last := first
	if first.code == exitFailure {
		last = runCommand(t, unlimitedCommand(t, filepath.Dir(out), args...))
	}
	checkExit(t, last, exitOK)
	if seen := s.Seen(); seen.Batches != 1 || seen.Online != 0 || seen.Batched != 24 {
		t.Errorf("%d blocks: server saw %+v; stderr: %s", blocks, seen, last.stderr)
	}
	if readFile(t, out) != want || tempFiles(t, out) != nil {
		t.Errorf("%d blocks: results differ, or temporary files remain: %v", blocks, tempFiles(t, out))
	}
	return first.stderr
}
