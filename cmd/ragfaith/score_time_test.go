package main

import (
	"os"
	"path/filepath"
	"strings"
	"testing"
)

func TestDryRunEstimatesTimeOfLocalModel(t *testing.T) {
	t.Parallel()
	data := filepath.Join(t.TempDir(), "rows.jsonl")
	writeFile(t, data, `{"question":"q","answer":"The sky is blue. Elephants migrate.","contexts":["The sky is blue.","Elephants migrate through Kenya.","It is today."]}
`)
	classifier := writeModel(t, t.TempDir(), nli...)
	tagger := filepath.Join(t.TempDir(), "lettucedetect-base")
	if err := os.CopyFS(tagger, os.DirFS("../../internal/encoder/testdata/models/modernbert-tokens")); err != nil {
		t.Fatal(err)
	}
	for _, c := range []struct {
		name string
		args []string
		want string
	}{
		{"all passages", []string{"--judge", classifier}, "pairs                      6"},
		{"prefilter", []string{"--judge", classifier, "--prefilter", "1"}, "pairs                      2"},
		{"missing model", []string{"--judge", "hhem"}, "judge time           unknown  (the model is not on this machine)"},
		{"token classifier", []string{"--judge", tagger}, "pairs "},
	} {
		t.Run(c.name, func(t *testing.T) {
			t.Parallel()
			got := runInProcess(t, t.TempDir(), nil, append([]string{"score", data, "--dry-run"}, c.args...)...)
			if got.code != exitOK || !strings.Contains(got.stdout, "\n"+c.want) || strings.Contains(got.stderr, "warning") {
				t.Errorf("got code %d and\n%s%s\nwant a line %q and no warning", got.code, got.stdout, got.stderr, c.want)
			}
		})
	}
}
