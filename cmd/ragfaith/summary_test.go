package main

import (
	"path/filepath"
	"strings"
	"testing"
)

func TestResultsAndSummariesMatchSchemas(t *testing.T) {
	t.Parallel()
	server := newTestServer(t)
	dir := t.TempDir()
	rows := filepath.Join(dir, "rows.jsonl")
	writeFile(t, rows, skyRows+"{\"id\":\"hole\",\n")
	const secret = "hidden-secret"
	url := strings.Replace(server.URL, "http://", "http://user:"+secret+"@", 1) + "/v1"
	for name, args := range map[string][]string{
		"lexical": nil,
		"llm":     {"--judge", "llm", "--base-url", url, "--model", "m", "--price", "1,2"},
		"ragas":   {"--profile", "ragas", "--base-url", url, "--model", "m", "--keep", "all"},
		"real":    {"../../testdata/rows.jsonl", "--no-claims", "0", "--by", "question", "--by", "id"},
	} {
		t.Run(name, func(t *testing.T) {
			summary, results := filepath.Join(dir, name+".json"), filepath.Join(dir, name+".jsonl")
			args = append([]string{"score", rows, "-q", "--to", "none", "--max-failed", "1", "--summary", summary, "-o", results}, args...)
			mustRun(t, dir, nil, args...)
			msg := readFile(t, summary)
			lines := readFile(t, results)
			checkSchema(t, "summary.schema.json", msg)
			checkSchema(t, "result.schema.json", strings.Split(strings.TrimSpace(lines), "\n")...)
			for _, hidden := range []string{secret, testKey} {
				if strings.Contains(msg+lines, hidden) {
					t.Errorf("secret %s in summary or results: %s", hidden, msg)
				}
			}
			usesLLM := name == "llm" || name == "ragas"
			if hasUsage := !strings.Contains(msg, `"spent": null`); hasUsage != usesLLM {
				t.Errorf("got usage in the summary %t, want %t: %s", hasUsage, usesLLM, msg)
			}
			if name == "llm" && !strings.Contains(msg, `"usd": 0.`) {
				t.Errorf("got no cost in %s", msg)
			}
		})
	}
}
