package main

import (
	"context"
	"fmt"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"github.com/ragfaith/ragfaith/internal/llm"
)

// autoSystem returns a system with the given environment, on which the servers run.
func autoSystem(dir string, env map[string]string, found ...llm.FoundServer) system {
	sys := systemWith(env)
	sys.CacheDir = func() (string, error) { return dir, nil }
	sys.FindServers = func(context.Context) []llm.FoundServer { return found }
	return sys
}

func foundOllama(url, model string) llm.FoundServer {
	s, _, _ := llm.ParseLocal("ollama")
	return llm.FoundServer{LocalServer: s, URL: url, Model: model}
}

// writeHubModel writes a tiny model to a Hugging Face cache, as that of repo.
func writeHubModel(t *testing.T, cache, repo string) {
	t.Helper()
	dir := filepath.Join(cache, "models--"+strings.Replace(repo, "/", "--", 1), "snapshots", hubCommit)
	if err := os.MkdirAll(dir, 0o700); err != nil {
		t.Fatal(err)
	}
	writeModel(t, dir, "LABEL_0", "LABEL_1")
}

// TestAutoJudgeEqualsExplicitJudge checks that --judge auto chooses the best free judge, and
// then stores what that judge stores when it is named.
func TestAutoJudgeEqualsExplicitJudge(t *testing.T) {
	t.Parallel()
	s, _ := newLocalServer(t, 8192, "qwen3:4b", "other")
	hub, weak := t.TempDir(), t.TempDir()
	writeHubModel(t, hub, "KRLabsOrg/lettucedect-base-modernbert-en-v1")
	writeHubModel(t, hub, "lytang/MiniCheck-RoBERTa-Large")
	writeHubModel(t, hub, "cross-encoder/nli-deberta-v3-large")
	writeHubModel(t, weak, "cross-encoder/nli-deberta-v3-large")
	// A server that costs money, from the options of other runs.
	paid := map[string]string{"OPENAI_API_KEY": testKey, "RAGFAITH_BASE_URL": "http://127.0.0.1:1/v1", "RAGFAITH_MODEL": "gpt-4o"}
	ollama := foundOllama(s.URL, "qwen3:4b")
	for _, tt := range []struct {
		name  string
		env   map[string]string
		found []llm.FoundServer
		want  string
		why   string
	}{
		{"server", map[string]string{"HF_HUB_CACHE": hub}, []llm.FoundServer{ollama}, "ollama/qwen3:4b", "Ollama is running at " + s.URL},
		{"server and key", paid, []llm.FoundServer{ollama}, "ollama/qwen3:4b", "Ollama is running at " + s.URL},
		{"model", map[string]string{"HF_HUB_CACHE": hub}, nil, "minicheck-roberta-large", "it is downloaded; published accuracy: LLM-AggreFact 73.5"},
		{"key", paid, nil, "embedded", "no model server is running, and no judge is downloaded; --judge llm can use OPENAI_API_KEY, but costs money"},
		{"model without published accuracy", map[string]string{"HF_HUB_CACHE": weak}, nil, "embedded", "no model server is running, and no judge is downloaded"},
	} {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			dir := t.TempDir()
			env := map[string]string{"OLLAMA_HOST": s.URL}
			for name, value := range tt.env {
				env[name] = value
			}
			score := func(judge string, args ...string) (results, stderr string) {
				path := filepath.Join(dir, strings.ReplaceAll(judge, "/", "_")+".jsonl")
				args = append([]string{"score", "-", "--to", "none", "--no-progress", "-o", path, "--summary", path + ".json", "--judge", judge}, args...)
				got := mustExit(t, runSystem(t, autoSystem(dir, env, tt.found...), strings.NewReader(skyRows), args...), exitOK)
				return readFile(t, path) + fmt.Sprint(readJSON[map[string]any](t, path+".json")["settings"]), got.stdout + got.stderr
			}
			want, _ := score(tt.want)
			got, stderr := score(judgeAuto)
			if got != want {
				t.Errorf("got results and settings\n%s\nwant\n%s", got, want)
			}
			if line, _, _ := strings.Cut(stderr, "\n"); line != "ragfaith: --judge auto: "+tt.want+" ("+tt.why+")" {
				t.Errorf("got %q, want %s because %s", line, tt.want, tt.why)
			}
			if _, stderr := score(judgeAuto, "-q"); stderr != "" {
				t.Errorf("--quiet: got %q, want nothing", stderr)
			}
		})
	}
}

func TestAutoJudgeInDryRunSendsNoText(t *testing.T) {
	t.Parallel()
	s, requests := newLocalServer(t, 8192, "qwen3:4b")
	sys := autoSystem(t.TempDir(), map[string]string{"OLLAMA_HOST": s.URL, "RAGFAITH_JUDGE": "auto"}, foundOllama(s.URL, "qwen3:4b"))
	got := mustExit(t, runSystem(t, sys, strings.NewReader(skyRows), "score", "-", "--dry-run"), exitOK)
	if len(requests()) > 0 || !regexp.MustCompile(`(?m)^requests +2$`).MatchString(got.stdout) {
		t.Errorf("got requests %q and\n%s\nwant an estimate of 2 requests and none sent", requests(), got.stdout)
	}
}
