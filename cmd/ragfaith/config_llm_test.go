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
