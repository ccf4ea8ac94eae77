package main

import (
	"fmt"
	"path/filepath"
	"strings"
	"testing"
)

// TestRowTimeoutFailsOneRow checks that a slow row fails after --row-timeout while the
// other rows are scored.
func TestRowTimeoutFailsOneRow(t *testing.T) {
	t.Parallel()
	skipShort(t)
	var long, rows strings.Builder
	for i := range 90_000 { // fewer than the claims that an answer may have
		fmt.Fprintf(&long, "Sensor %d reported %d degrees. ", i, i%97)
	}
	for _, text := range []string{"It is so.", long.String(), "It is so."} {
		fmt.Fprintf(&rows, `{"question":"?","answer":"%s","contexts":["%[1]s"]}`+"\n", text)
	}
	out := filepath.Join(t.TempDir(), "o.jsonl")
	got := runInProcess(t, "", nil, "score", tempFile(t, "rows.jsonl", rows.String()), "--to", "none", "-o", out, "--concurrency", "2", "--row-timeout", "2s")
	want := "timed out after 2s (--row-timeout)"
	if checkExit(t, got, exitFailedRows, want); strings.Count(got.stderr, want) != 1 {
		t.Errorf("got %s, want %q once", got.stderr, want)
	}
	if content := readFile(t, out); strings.Count(content, `"status":"scored"`) != 2 {
		t.Errorf("got results %.500s, want two scored rows", content)
	}
}
