package app

import (
	"bytes"
	"context"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"testing"

	"github.com/ragfaith/ragfaith/internal/console"
	"github.com/ragfaith/ragfaith/internal/llm"
	"github.com/ragfaith/ragfaith/internal/output"
	"github.com/ragfaith/ragfaith/internal/report"
)

func TestRankedModelsFollowPublishedAccuracy(t *testing.T) {
	t.Parallel()
	form := regexp.MustCompile(`^[^ ]+ [0-9]{2}\.[0-9]$`)
	var got []string
	for _, n := range rankedModels() {
		got = append(got, n.Short)
		if !form.MatchString(n.Card.Accuracy) {
			t.Errorf("%s: got accuracy %q, want a benchmark and a figure such as 75.6", n.Short, n.Card.Accuracy)
		}
	}
	want := []string{
		"factcg-deberta-v3-large", "minicheck-flan-t5-large", "minicheck-roberta-large", "minicheck-deberta-v3-large", "hhem-2.1-open", "alignscore-large",
		"lettucedetect-large", "lettucedetect-base", "tinylettuce-68m", "lettucedetect-v2-mmbert-base", "tinylettuce-32m", "tinylettuce-17m",
	}
	if !slices.Equal(got, want) {
		t.Errorf("got %q, want %q", got, want)
	}
}

func TestSuggestJudgeNamesBestJudge(t *testing.T) {
	t.Parallel()
	hub := t.TempDir()
	model := filepath.Join(hub, "models--lytang--MiniCheck-RoBERTa-Large", "snapshots", "0123456789abcdef0123456789abcdef01234567")
	if err := os.CopyFS(model, os.DirFS("../encoder/testdata/models/roberta")); err != nil {
		t.Fatal(err)
	}
	key := map[string]string{"OPENAI_API_KEY": "sk-test"}
	server, _, _ := llm.ParseLocal("ollama")
	ollama := []llm.FoundServer{{LocalServer: server, URL: "http://localhost:11434", Model: "llama3.1:8b"}}
	lexical := Options{Judge: JudgeLexical}
	quiet := lexical
	quiet.Quiet = true
	for _, tt := range []struct {
		name      string
		env       map[string]string
		found     []llm.FoundServer
		uncertain float64
		options   Options
		want      string
	}{
		{"server", key, ollama, 0.4, lexical, "ragfaith: note: a model is at hand: use --judge ollama/llama3.1:8b\n"},
		{"model", map[string]string{"HF_HUB_CACHE": hub}, nil, 0.4, lexical, "ragfaith: note: a model is at hand: use --judge minicheck-roberta-large\n"},
		{"key", key, nil, 0.4, lexical, "ragfaith: note: a model is at hand and costs money (--dry-run estimates it): use --judge llm\n"},
		{"nothing", nil, nil, 0.4, lexical, "ragfaith: note: the embedded judge also reads the claims: use --judge embedded\n"},
		{"nothing better", nil, nil, 0.4, Options{Judge: JudgeEmbedded}, "ragfaith: note: no model is at hand: docs/judges.md lists the other judges\n"},
		{"certain", key, ollama, 0.3, lexical, ""},
		{"quiet", key, ollama, 0.4, quiet, ""},
		{"another judge", key, ollama, 0.4, Options{Judge: JudgeHHEM}, ""},
	} {
		o := tt.options
		o.Datasets, o.LLM.KeyVariable = []string{"rows.jsonl"}, "OPENAI_API_KEY"
		sys := &System{
			LookupEnv:   func(name string) (string, bool) { v, ok := tt.env[name]; return v, ok },
			CacheDir:    func() (string, error) { return t.TempDir(), nil },
			FindServers: func(context.Context) []llm.FoundServer { return tt.found },
		}
		if tt.want == "" {
			sys.FindServers = func(context.Context) []llm.FoundServer { t.Errorf("%s: servers were looked for", tt.name); return nil }
		}
		var errs bytes.Buffer
		newRun(&o, &output.Streams{Console: console.New(&errs, report.Palette{})}, sys).suggestJudge(t.Context(), tt.uncertain)
		if got := errs.String(); got != tt.want {
			t.Errorf("%s: got %q, want %q", tt.name, got, tt.want)
		}
	}
}
