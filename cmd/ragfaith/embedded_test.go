package main

import (
	"encoding/json"
	"os"
	"path/filepath"
	"strings"
	"testing"
)

// tinyGrounding is a model file with random weights.
const tinyGrounding = "../../internal/encoder/testdata/grounding/int8.safetensors"

func TestEmbeddedJudgeScoresRows(t *testing.T) {
	t.Parallel()
	run := func(args ...string) string {
		t.Helper()
		got := runInProcess(t, t.TempDir(), nil, append([]string{"score", "../../testdata/rows.jsonl", "--judge", "embedded", "--model-file", tinyGrounding, "--to", "jsonl", "--no-progress"}, args...)...)
		if got.code != 0 {
			t.Fatalf("exit code: got %d, want %d; stderr: %s", got.code, 0, got.stderr)
		}
		return got.stdout
	}
	serial := run("--concurrency", "1")
	if parallel := run("--concurrency", "16"); parallel != serial {
		t.Error("results depend on --concurrency")
	}
	float := run("--precision", "float32")
	if float == serial {
		t.Error("--precision does not change the results")
	}
	file := filepath.Join(t.TempDir(), "settings.yaml")
	writeFile(t, file, "precision: float32\n")
	if run("--config", file) != float {
		t.Error("precision from a config file and --precision give different results")
	}
	rows := 0
	for line := range strings.Lines(serial) {
		var r struct {
			Claims []struct {
				Text, Verdict string
				Reason        string
				Unsupported   []struct{ Start, End int }
				Score         float64
			}
		}
		if err := json.Unmarshal([]byte(line), &r); err != nil {
			t.Fatal(err)
		}
		rows++
		for _, c := range r.Claims {
			if c.Reason == "" || (c.Verdict == "supported") != (c.Score >= 0.5) || c.Verdict == "supported" && c.Unsupported != nil {
				t.Errorf("got inconsistent claim %+v", c)
			}
			for _, s := range c.Unsupported {
				if s.Start < 0 || s.End <= s.Start || s.End > len([]rune(c.Text)) {
					t.Errorf("got invalid span %+v in claim %+v", s, c)
				}
			}
		}
	}
	if rows != 60 {
		t.Errorf("got %d rows, want 60", rows)
	}
}

func TestEmbeddedJudgeFlagErrors(t *testing.T) {
	t.Parallel()
	damaged := filepath.Join(t.TempDir(), "damaged.safetensors")
	data, err := os.ReadFile(tinyGrounding)
	if err != nil {
		t.Fatal(err)
	}
	data[len(data)-1] ^= 1
	writeFile(t, damaged, string(data))
	for _, tt := range []struct {
		code int
		want string
		args []string
	}{
		{2, "--model-file has no effect without --judge embedded", []string{"--judge", "hhem", "--model-file", tinyGrounding}},
		{2, "--label-map has no effect on --judge embedded", []string{"--judge", "embedded", "--model-file", tinyGrounding, "--label-map", "a=supported"}},
		{2, "--judge embedded runs on --device cpu", []string{"--judge", "embedded", "--model-file", tinyGrounding, "--device", "cuda"}},
		{1, "none.safetensors", []string{"--judge", "embedded", "--model-file", "none.safetensors"}},
		{1, "damaged", []string{"--judge", "embedded", "--model-file", damaged}},
	} {
		got := runInProcess(t, t.TempDir(), nil, append([]string{"score", "../../testdata/rows.jsonl", "--no-progress"}, tt.args...)...)
		if got.code != tt.code || !strings.Contains(got.stderr, tt.want) {
			t.Errorf("%v: exit code: got %d, want %d, %s", tt.args, got.code, tt.code, got.stderr)
		}
	}
}
