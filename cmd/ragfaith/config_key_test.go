package main

import (
	"strings"
	"testing"
)

// TestSecretsFromEnvironmentAreNeverPrinted checks that no output or file contains the
// password of a URL or a key.
func TestSecretsFromEnvironmentAreNeverPrinted(t *testing.T) {
	const password = "hunter2-hunter2"
	t.Chdir(t.TempDir())
	writeFile(t, "rows.jsonl", skyRows)
	env := map[string]string{"RAGFAITH_BASE_URL": "http://user:" + password + "@localhost:1/v1", "HF_TOKEN": password}
	for _, args := range [][]string{
		{"config", "show"},
		{"config", "show", "--to", "json"},
		{"score", "rows.jsonl", "--judge", "llm", "-v", "--retries", "0", "--to", "none", "-o", "o.jsonl", "--summary", "s.json"},
		{"score", "rows.jsonl", "--judge", "llm", "--dry-run"},
		{"score", "rows.jsonl", "--judge", "llm", "--base-url", "ftp://user:" + password + "@localhost"},
		{"score", "rows.jsonl", "--judge", "llm", "--base-url", "http://user:" + password + "@local host/"},
		{"score", "rows.jsonl", "--judge", "llm", "--base-url", "http://localhost:1?key=" + password},
		{"score", "rows.jsonl", "--judge", "llm", "-v", "--retries", "0", "--to", "none", "-o", "h.jsonl", "--summary", "h.json", "--header", "X-Token: $HF_TOKEN", "--header", "Cookie: a=" + password},
		{"score", "rows.jsonl", "--judge", "llm", "--header", "Bearer " + password},
		{"config", "show", "score", "--header", "Authorization: Bearer " + password, "--header", password},
		{"models", "list"},
	} {
		got := runInProcess(t, ".", env, args...)
		for stream, text := range map[string]string{"standard output": got.stdout, "standard error": got.stderr} {
			if strings.Contains(text, password) || strings.Contains(text, testKey) {
				t.Errorf("%q: %s contains a secret: %s", args, stream, text)
			}
		}
	}
	for _, secret := range []string{password, testKey} {
		if files := filesContaining(t, ".", secret); files != nil {
			t.Errorf("files %v contain %s", files, secret)
		}
	}
}
