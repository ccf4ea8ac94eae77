package main

import (
	"net/http"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
)

// writeFiles writes files relative to the working directory.
func writeFiles(t *testing.T, files map[string]string) {
	t.Helper()
	for name, content := range files {
		if err := os.MkdirAll(filepath.Dir(name), 0o700); err != nil {
			t.Fatal(err)
		}
		writeFile(t, name, content)
	}
}

// TestHarmlessFlagsAreListed checks which flags a config file may set that was not named:
// none that names a file, a server, a model or a variable, costs money, selects rows or
// lets a gate pass.
func TestHarmlessFlagsAreListed(t *testing.T) {
	t.Parallel()
	var got []string
	for _, cmd := range configurableCommands(newRoot(emptySystem())) {
		for _, flag := range flagsOf(cmd) {
			if isHarmless(flag) && !slices.Contains(got, flag.Name) {
				got = append(got, flag.Name)
			}
		}
	}
	slices.Sort(got)
	want := strings.Fields(`by color github keep keep-as max-drop max-no-claims max-uncertain max-unjudged
		min-citation-precision min-citation-recall min-lower min-mean min-mean-by no-progress quiet show sort verbose`)
	if !slices.Equal(got, want) {
		t.Errorf("got %v, want %v", got, want)
	}
}

// TestFoundConfigAttacksAreRejected checks that a malicious ragfaith.yaml in a repository
// can neither write files nor send requests, even to a server that the user named, nor
// weaken a gate.
func TestFoundConfigAttacksAreRejected(t *testing.T) {
	server := newTestServer(t)
	var sent []string
	server.fault = func(_ int64, _ http.ResponseWriter, r *http.Request) bool {
		sent = append(sent, r.Header.Get("Authorization"))
		return false
	}
	t.Chdir(t.TempDir())
	sys := systemWith(map[string]string{"OPENAI_API_KEY": "sk-own", "AWS_SECRET": "aws", "HF_TOKEN": "hf_secret"})
	llmArgs := []string{"--judge", "llm", "--model", "m", "--no-cache", "--base-url", server.URL + "/v1"}
	originals := map[string]string{"home/.bashrc": "alias ls=ls\n", "model": "weights"}
	for _, tt := range []struct {
		name, file string
		args       []string
		want       string // in the error
	}{
		{"a dotfile", "summary: home/.bashrc\n", nil, "ragfaith.yaml:1: summary:"},
		{"in the section of the command", "score:\n  output: [out.jsonl]\n", nil, "ragfaith.yaml:2: output:"},
		{"a directory of models", "judge: ./models\n", nil, "ragfaith.yaml:1: judge:"},
		{"a server", "judge: llm\nmodel: m\nbase-url: " + server.URL + "/v1\n", nil, "ragfaith.yaml:3: base-url:"},
		{"a secret", "api-key-env: AWS_SECRET\n", llmArgs, "ragfaith.yaml:1: api-key-env:"},
		{"a secret in a header", "header: ['X-Token: $AWS_SECRET']\n", llmArgs, "ragfaith.yaml:1: header:"},
		{"a dry run, which skips gates", "dry-run: true\n", nil, "ragfaith.yaml:1: dry-run:"},
		{"quiet", "quiet: true\nsummary: s.json\n", nil, "ragfaith.yaml:2: summary:"},
		{"a threshold of 0", "threshold: 0\n", []string{"--min-mean", "0.9"}, "ragfaith.yaml:1: threshold:"},
		{"failed rows", "max-failed: 100%\n", nil, "ragfaith.yaml:1: max-failed:"},
	} {
		t.Run(tt.name, func(t *testing.T) {
			writeFiles(t, originals)
			writeFiles(t, map[string]string{"rows.jsonl": skyRows, "ragfaith.yaml": tt.file})
			got := runSystem(t, sys, nil, append([]string{"score", "rows.jsonl"}, tt.args...)...)
			checkExit(t, got, exitUsage, tt.want, `use --config ragfaith.yaml`)
			for name, want := range originals {
				if got, err := os.ReadFile(name); err != nil || string(got) != want {
					t.Errorf("%s: got %q, %v; want %q", name, got, err, want)
				}
			}
			for _, name := range []string{"out.jsonl", "s.json"} {
				if _, err := os.Lstat(name); err == nil {
					t.Errorf("%s was written", name)
				}
			}
			if sent != nil {
				t.Errorf("got requests %q, want none", sent)
			}
		})
	}
	writeFiles(t, map[string]string{"ragfaith.yaml": "endpoint: " + server.URL + "\n"})
	checkExit(t, runSystem(t, sys, nil, "models", "pull", "minilm-l6", "--models", "m"), exitUsage)
	if sent != nil {
		t.Errorf("hub: got requests %q, want none", sent)
	}
}

// TestSecretsFromEnvironmentAreNeverPrinted checks that no output or file contains the
// password of a URL or a key.
func TestSecretsFromEnvironmentAreNeverPrinted(t *testing.T) {
	const password = "hunter2-hunter2"
	t.Chdir(t.TempDir())
	writeFile(t, "rows.jsonl", skyRows)
	env := map[string]string{"RAGFAITH_BASE_URL": "http://user:" + password + "@localhost:1/v1", "HF_TOKEN": password}
	for _, args := range [][]string{
		{"config", "show"},
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
