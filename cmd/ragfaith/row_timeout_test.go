package main

import (
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"
)

// TestRowTimeoutFailsOneRow checks that a slow row fails after --row-timeout while the
// other rows are scored.
func TestRowTimeoutFailsOneRow(t *testing.T) {
	t.Parallel()
	skipShort(t)
	var long strings.Builder
	for i := range 90_000 { // fewer than the claims that an answer may have
		fmt.Fprintf(&long, "Sensor %d reported %d degrees. ", i, i%97)
	}
	data := filepath.Join(t.TempDir(), "rows.jsonl")
	file, err := os.Create(data)
	if err != nil {
		t.Fatal(err)
	}
	enc := json.NewEncoder(file)
	for _, text := range []string{"It is so.", long.String(), "It is so."} {
		if err := enc.Encode(map[string]any{"question": "?", "answer": text, "contexts": []string{text}}); err != nil {
			t.Fatal(err)
		}
	}
	if err := file.Close(); err != nil {
		t.Fatal(err)
	}
	out := filepath.Join(t.TempDir(), "o.jsonl")
	got := runInProcess(t, "", nil, "score", data, "--to", "none", "-o", out, "--concurrency", "2", "--row-timeout", "2s")
	want := "timed out after 2s (--row-timeout)"
	if got.code != exitFailedRows || strings.Count(got.stderr, want) != 1 {
		t.Errorf("exit code: got %d, want %d with %q once; stderr: %s", got.code, exitFailedRows, want, got.stderr)
	}
	content, err := os.ReadFile(out)
	if err != nil || strings.Count(string(content), `"status":"scored"`) != 2 {
		t.Errorf("got results %.500s (error %v), want two scored rows", content, err)
	}
}
