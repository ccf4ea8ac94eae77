package main

import (
	"bytes"
	"os"
	"strings"
	"testing"
	"time"
)

// A file that came with a repository may say where texts are sent; a run that it
// makes ask a server says so.
func TestARunSaysWhichFileMakesItAsk(t *testing.T) {
	server := newTestServer(t)
	t.Chdir(t.TempDir())
	for name, content := range map[string]string{
		"rows.jsonl": skyRows, "ragfaith.yaml": "judge: llm\nmodel: m\nno-cache: true\nbase-url: " + server.URL + "/v1\n",
	} {
		if err := os.WriteFile(name, []byte(content), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	sys := bare()
	sys.Now, sys.WorkDir = time.Now, os.Getwd
	for _, tt := range []struct {
		args []string
		told bool
	}{
		{nil, true},
		{[]string{"-q"}, false},
		{[]string{"--config", "ragfaith.yaml"}, false}, // it was named
		{[]string{"--config", "none", "--judge", "llm", "--model", "m", "--no-cache", "--base-url", server.URL + "/v1"}, false},
		{[]string{"--judge", "lexical"}, false},
	} {
		var out, errs bytes.Buffer
		code := run(t.Context(), append([]string{"score", "rows.jsonl", "--to", "none", "--no-progress"}, tt.args...), nil, &out, &errs, sys)
		if code != 0 {
			t.Fatalf("%v: exit %d: %s", tt.args, code, &errs)
		}
		if told := strings.Contains(errs.String(), "ragfaith: ragfaith.yaml:4 makes this run ask "+server.URL+"/v1\n"); told != tt.told {
			t.Errorf("%v: %s", tt.args, &errs)
		}
	}
}

// Nor can such a file keep that quiet, and each server is named for what is sent
// there.
func TestAFileCantHushWhereTextsAreSent(t *testing.T) {
	asks, embeds := newTestServer(t), newTestServer(t)
	t.Chdir(t.TempDir())
	for name, content := range map[string]string{
		"rows.jsonl":    skyRows,
		"ragfaith.yaml": "quiet: true\nsemantic-cache: true\nembed-base-url: " + embeds.URL + "/v1\nembed-model: e\nprofile: ragas\n",
	} {
		if err := os.WriteFile(name, []byte(content), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	sys := bare()
	sys.Now, sys.WorkDir = time.Now, os.Getwd
	var out, errs bytes.Buffer
	args := []string{"score", "rows.jsonl", "--to", "none", "--judge", "llm", "--claims", "sentence", "--model", "m", "--cache", "replies", "--base-url", asks.URL + "/v1"}
	if code := run(t.Context(), args, nil, &out, &errs, sys); code != 0 {
		t.Fatalf("exit %d: %s", code, &errs)
	}
	want := "ragfaith: ragfaith.yaml:5 makes this run ask " + asks.URL + "/v1\nragfaith: ragfaith.yaml:3 makes this run ask " + embeds.URL + "/v1\n"
	if errs.String() != want {
		t.Errorf("%s, want %s", &errs, want)
	}
}
