package main

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"math/rand/v2"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/ragfaith/ragfaith/internal/app"
	"github.com/ragfaith/ragfaith/internal/llm"
)

// killed implements "ragfaith-killed N ARGS...": it runs ragfaith and kills the process
// after N bytes of standard output.
func killed() {
	n, err := strconv.Atoi(os.Args[1])
	if err != nil {
		panic(err)
	}
	os.Exit(run(context.Background(), os.Args[2:], os.Stdin, &killWriter{n}, os.Stderr, system{
		System: app.System{LookupEnv: os.LookupEnv, Clock: llm.NewClock(time.Now)}, Terminal: func(io.Writer) int { return 0 },
	}))
}

// A killWriter kills the process after the remaining number of bytes.
type killWriter struct{ remaining int }

func (w *killWriter) Write(p []byte) (int, error) {
	if w.remaining -= len(p); w.remaining <= 0 {
		if self, err := os.FindProcess(os.Getpid()); err == nil {
			_ = self.Kill()
		}
		select {}
	}
	return len(p), nil
}

// randomRows writes n rows of varying length, some invalid and some without claims.
func randomRows(t *testing.T, path string, n int, random *rand.Rand) {
	t.Helper()
	var b bytes.Buffer
	e := json.NewEncoder(&b)
	for i := range n {
		row := map[string]any{
			"id": i, "question": "What is known?", "note": strings.Repeat("ü", random.IntN(50)),
			"answer":   fmt.Sprintf("The bridge was opened in %d. It is %d m long.", 1900+random.IntN(3), random.IntN(9)),
			"contexts": []string{"The bridge was opened in 1901 and is 4 m long.", strings.Repeat("A context of a row. ", random.IntN(40))},
		}
		switch random.IntN(20) {
		case 0:
			row["answer"] = nil
		case 1:
			row["answer"] = "I don't know."
		}
		if err := e.Encode(row); err != nil {
			t.Fatal(err)
		}
	}
	writeFile(t, path, b.String())
}

// countLines counts the lines of a file, which may be missing.
func countLines(t *testing.T, path string) int {
	t.Helper()
	content, err := os.ReadFile(path)
	if err != nil && !errors.Is(err, os.ErrNotExist) {
		t.Fatal(err)
	}
	return bytes.Count(content, []byte("\n"))
}

func TestKilledRunResumesToSameBytes(t *testing.T) {
	t.Parallel()
	skipShort(t)
	const rows, seeds = 200, 3
	for seed := range uint64(seeds) {
		t.Run(strconv.FormatUint(seed, 10), func(t *testing.T) {
			random := rand.New(rand.NewPCG(seed, 2))
			dir := t.TempDir()
			data := filepath.Join(dir, "rows.jsonl")
			randomRows(t, data, rows, random)
			files := func(name string) (jsonl, csv string) {
				return filepath.Join(dir, name, "out.jsonl"), filepath.Join(dir, name, "out.csv")
			}
			args := func(name string, more ...string) []string {
				if err := os.MkdirAll(filepath.Join(dir, name), 0o700); err != nil {
					t.Fatal(err)
				}
				jsonl, csv := files(name)
				return append([]string{"score", data, "--judge", "lexical", "--keep", "note", "--to", "jsonl", "--max-failed", "999", "-o", jsonl, "-o", csv}, more...)
			}
			want, err := exec.Command("ragfaith", args("uninterrupted", "--concurrency", "3")...).Output()
			if err != nil {
				t.Fatal(err)
			}
			jsonl, csv := files("killed")
			part := jsonl + ".part"
			for range 2 {
				at := strconv.Itoa(1 + random.IntN(len(want)))
				cmd := exec.Command("ragfaith-killed", append([]string{at}, args("killed", "--resume", "-q")...)...)
				msg, err := cmd.CombinedOutput()
				if status, ok := cmd.ProcessState.Sys().(syscall.WaitStatus); !ok || status.Signal() != syscall.SIGKILL {
					t.Fatalf("killed at %s: %v: %s", at, err, msg)
				}
				if _, err := os.Stat(jsonl); err == nil {
					t.Fatal("the output file exists before the run is complete")
				}
			}
			finished := max(countLines(t, part), countLines(t, part+".new"))
			cmd := exec.Command("ragfaith", args("killed", "--resume")...)
			var msg bytes.Buffer
			cmd.Stderr = &msg
			got, err := cmd.Output()
			if err != nil {
				t.Fatalf("%v: %s", err, &msg)
			}
			if !bytes.Equal(got, want) {
				t.Error("standard output differs")
			}
			wantMsg := fmt.Sprintf("ragfaith: resuming %s: %d rows are finished\n", part, finished)
			if finished == 0 {
				wantMsg = "ragfaith: nothing to resume: starting from the beginning\n"
			}
			if !strings.Contains(msg.String(), wantMsg) {
				t.Errorf("got %s, want %s", &msg, wantMsg)
			}
			jsonlWant, csvWant := files("uninterrupted")
			for _, pair := range [][2]string{{jsonl, jsonlWant}, {csv, csvWant}} {
				if readFile(t, pair[0]) != readFile(t, pair[1]) {
					t.Errorf("%s differs", pair[0])
				}
			}
			if left := tempFiles(t, jsonl); left != nil {
				t.Errorf("got leftover files %v, want none", left)
			}
		})
	}
}

func TestOutputFileIsLocked(t *testing.T) {
	t.Parallel()
	out := filepath.Join(t.TempDir(), "out.jsonl")
	first := start(t, "score", "-", "--to", "jsonl", "-o", out)
	first.score(t, 1)
	data := tempFile(t, "rows.jsonl", skyRow)
	for _, more := range []string{"--resume", "--quiet"} {
		second := runCommand(t, exec.Command("ragfaith", "score", data, "-o", out, more))
		checkExit(t, second, exitFailure, "ragfaith: "+out+": locked by another run\n")
	}
	if err := first.stdin.Close(); err != nil {
		t.Fatal(err)
	}
	checkExit(t, first.wait(t), exitOK)
}
