package main

import (
	"bytes"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"
)

// A file that came with a repository can't have a key sent to the server that it
// names, nor the value of any other variable: whoever runs it says so.
func TestAFileThatWasFoundSendsNoKeyToItsServer(t *testing.T) {
	server := newTestServer(t)
	var sent []string
	server.fault = func(_ int64, _ http.ResponseWriter, r *http.Request) bool {
		sent = append(sent, r.Header.Get("Authorization"))
		return false
	}
	folder := t.TempDir()
	t.Chdir(folder)
	variables := map[string]string{}
	sys := bare()
	sys.Now, sys.WorkDir = time.Now, os.Getwd
	sys.LookupEnv = func(name string) (string, bool) { v, ok := variables[name]; return v, ok }
	sys.ConfigDir = func() (string, error) { return filepath.Join(folder, "user"), nil }
	if err := os.MkdirAll(filepath.Join("user", "ragfaith"), 0o700); err != nil {
		t.Fatal(err)
	}
	const (
		local  = "judge: llm\nmodel: m\nno-cache: true\nconcurrency: 1\nbase-url: SERVER/v1\n"
		embeds = local + "semantic-cache: true\nembed-model: e\nembed-api-key-env: DEPLOY_SECRET\nembed-base-url: SERVER/v2\n"
	)
	keys := map[string]string{"OPENAI_API_KEY": "sk-own", "DEPLOY_SECRET": "deploy"}
	for _, tt := range []struct {
		name, project, user string
		env                 map[string]string
		args                []string
		code                int
		sent, told          string
	}{
		{"the usual key", local, "", keys, nil, 2, "", "ragfaith.yaml:5 names the server, and was not named itself: say with --api-key-env OPENAI_API_KEY or RAGFAITH_API_KEY_ENV that the key in OPENAI_API_KEY goes there"},
		{"another variable", local + "api-key-env: DEPLOY_SECRET\n", "", keys, nil, 2, "", "the key in DEPLOY_SECRET"},
		{"there is no key", local, "", nil, nil, 0, "", ""},
		{"by a flag", local, "", keys, []string{"--api-key-env", "OPENAI_API_KEY"}, 0, "Bearer sk-own", ""},
		{"by a flag, none", local, "", keys, []string{"--api-key-env", ""}, 0, "", ""},
		{"by the user's own file", local, "api-key-env: OPENAI_API_KEY\n", keys, nil, 0, "Bearer sk-own", ""},
		{"a file that was named", local, "", keys, []string{"--config", "ragfaith.yaml"}, 0, "Bearer sk-own", ""},
		{"a server that was named", local, "", keys, []string{"--base-url", server.URL + "/v1"}, 0, "Bearer sk-own", ""},
		{"of vectors", embeds, "", keys, []string{"--api-key-env", ""}, 2, "", "ragfaith.yaml:9 names the server, and was not named itself: say with --embed-api-key-env DEPLOY_SECRET"},
	} {
		t.Run(tt.name, func(t *testing.T) {
			sent, variables = nil, tt.env
			for name, content := range map[string]string{
				"rows.jsonl": skyRows, "ragfaith.yaml": strings.ReplaceAll(tt.project, "SERVER", server.URL), "user/ragfaith/ragfaith.yaml": tt.user,
			} {
				if err := os.WriteFile(name, []byte(content), 0o600); err != nil {
					t.Fatal(err)
				}
			}
			var out, errs bytes.Buffer
			code := run(t.Context(), append([]string{"score", "rows.jsonl", "--to", "none", "--no-progress"}, tt.args...), nil, &out, &errs, sys)
			sent = slices.Compact(sent)
			if code != tt.code || strings.Join(sent, " ") != tt.sent || !strings.Contains(errs.String(), tt.told) {
				t.Errorf("exit %d, sent %q: %s", code, sent, &errs)
			}
			if code == 0 && sent == nil {
				t.Error("nothing was asked")
			}
		})
	}
}

// The same holds for the token of a hub.
func TestAFileThatWasFoundSendsNoTokenToItsHub(t *testing.T) {
	var asked, token int
	hub := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		asked++
		if r.Header.Get("Authorization") != "" {
			token++
		}
		http.NotFound(w, r)
	}))
	t.Cleanup(hub.Close)
	t.Chdir(t.TempDir())
	if err := os.WriteFile("ragfaith.yaml", []byte("endpoint: "+hub.URL+"\nmodels: models\nretries: 0\n"), 0o600); err != nil {
		t.Fatal(err)
	}
	sys := bare()
	sys.Now, sys.WorkDir = time.Now, os.Getwd
	sys.LookupEnv = func(name string) (string, bool) { return "hf_secret", name == "HF_TOKEN" }
	for _, tt := range []struct {
		args []string
		code int
		sent bool
	}{{nil, exitUsage, false}, {[]string{"--endpoint", hub.URL}, exitFailure, true}} {
		var out, errs bytes.Buffer
		code := run(t.Context(), append([]string{"models", "pull", "minilm-l6"}, tt.args...), nil, &out, &errs, sys)
		if code != tt.code || token > 0 != tt.sent || asked > 0 != tt.sent {
			t.Errorf("exit %d, asked %d times, %d with the token: %s", code, asked, token, &errs)
		}
	}
}

// A password in a URL and a key in the environment are shown by no command, and
// are in no file.
func TestNoSecretOfTheEnvironmentIsShown(t *testing.T) {
	const password = "hunter2-hunter2"
	t.Chdir(t.TempDir())
	if err := os.WriteFile("rows.jsonl", []byte(skyRows), 0o600); err != nil {
		t.Fatal(err)
	}
	env := map[string]string{"RAGFAITH_BASE_URL": "http://user:" + password + "@localhost:1/v1", "HF_TOKEN": password}
	for _, args := range [][]string{
		{"config", "show"},
		{"config", "show", "--to", "json"},
		{"score", "rows.jsonl", "--judge", "llm", "-v", "--retries", "0", "--to", "none", "-o", "o.jsonl", "--summary", "s.json"},
		{"score", "rows.jsonl", "--judge", "llm", "--dry-run"},
		{"score", "rows.jsonl", "--judge", "llm", "--base-url", "ftp://user:" + password + "@localhost"},
		{"score", "rows.jsonl", "--judge", "llm", "--base-url", "http://user:" + password + "@local host/"},
		{"score", "rows.jsonl", "--judge", "llm", "--base-url", "http://localhost:1?key=" + password},
		{"models", "list"},
	} {
		got := call(t, ".", env, args...)
		for what, text := range map[string]string{"standard output": got.stdout, "standard error": got.stderr} {
			if strings.Contains(text, password) || strings.Contains(text, testKey) {
				t.Errorf("%q: %s: %s", args, what, text)
			}
		}
	}
	for _, secret := range []string{password, testKey} {
		if files := holding(t, ".", secret); files != nil {
			t.Error(files)
		}
	}
}

// Vectors of another server are others, so that a run that asks it does not go on
// from what one left that asked the first.
func TestAnotherServerOfVectorsIsNotGoneOnWith(t *testing.T) {
	s, one, other, folder := newTestServer(t), newTestServer(t), newTestServer(t), t.TempDir()
	s.fault = func(n int64, w http.ResponseWriter, _ *http.Request) bool {
		if n > 1 {
			http.Error(w, `{"error":{"message":"no"}}`, http.StatusUnauthorized)
		}
		return n > 1
	}
	score := func(embeds string, more ...string) called {
		return call(t, folder, nil, append([]string{
			"score", "-", "--to", "none", "--judge", "llm", "--base-url", s.URL, "--concurrency", "1",
			"--semantic-cache", "--embed-model", "e", "--embed-base-url", embeds, "-o", filepath.Join(folder, "o.jsonl"),
		}, more...)...)
	}
	if got := score(one.URL); got.code != exitFailure || !strings.Contains(got.stderr, "--resume goes on from there") {
		t.Fatalf("exit %d: %s", got.code, got.stderr)
	}
	got := score(other.URL, "--resume")
	if want := "--embed-base-url was " + one.URL + ", is " + other.URL; got.code != exitUsage || !strings.Contains(got.stderr, want) {
		t.Errorf("exit %d: %s", got.code, got.stderr)
	}
	s.fault = nil
	if got := score(one.URL, "--resume"); got.code != exitOK {
		t.Errorf("exit %d: %s", got.code, got.stderr)
	}
}
