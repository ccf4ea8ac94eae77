package main

import (
	"bytes"
	"os"
	"path/filepath"
	"strings"
	"testing"
)

func TestResultsAndSummariesMatchSchemas(t *testing.T) {
	server := newTestServer(t)
	folder := t.TempDir()
	rows := filepath.Join(folder, "rows.jsonl")
	writeFile(t, rows, skyRows+"{\"id\":\"hole\",\n")
	const secret = "hidden-secret"
	url := strings.Replace(server.URL, "http://", "http://user:"+secret+"@", 1) + "/v1"
	for name, args := range map[string][]string{
		"lexical": nil,
		"llm":     {"--judge", "llm", "--base-url", url, "--model", "m", "--price", "1,2"},
		"ragas":   {"--profile", "ragas", "--base-url", url, "--model", "m", "--keep", "all"},
		"real":    {"../../testdata/rows.jsonl", "--no-claims", "0"},
	} {
		t.Run(name, func(t *testing.T) {
			summary, results := filepath.Join(folder, name+".json"), filepath.Join(folder, name+".jsonl")
			args = append([]string{"score", rows, "-q", "--to", "none", "--max-failed", "1", "--summary", summary, "-o", results}, args...)
			if c := call(t, folder, nil, args...); c.code != 0 {
				t.Fatalf("%+v", c)
			}
			said, err := os.ReadFile(summary)
			if err != nil {
				t.Fatal(err)
			}
			lines, err := os.ReadFile(results)
			if err != nil {
				t.Fatal(err)
			}
			checkSchema(t, "summary.schema.json", string(said))
			checkSchema(t, "result.schema.json", strings.Split(strings.TrimSpace(string(lines)), "\n")...)
			for _, hidden := range []string{secret, testKey} {
				if bytes.Contains(said, []byte(hidden)) || bytes.Contains(lines, []byte(hidden)) {
					t.Errorf("%s is told: %s", hidden, said)
				}
			}
			if asked := !bytes.Contains(said, []byte(`"spent": null`)); asked != (name == "llm" || name == "ragas") {
				t.Errorf("%s", said)
			}
			if name == "llm" && !bytes.Contains(said, []byte(`"usd": 0.`)) {
				t.Errorf("%s", said)
			}
		})
	}
}
