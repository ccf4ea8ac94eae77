//go:build unix

package main

import (
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"testing"
)

// TestPlantedLinksAreNotFollowed places a link at each path that a command writes, as an
// attacker could in a shared directory. The command must replace the link or report it,
// and must not change its target.
func TestPlantedLinksAreNotFollowed(t *testing.T) {
	rows, _ := writeLabelledRows(t)
	llmRows := batchRows(t, 28)
	online, batches := newTestServer(t), newBatchServer(t, nil)
	const bertConfig = `{"model_type":"bert","architectures":["BertForSequenceClassification"]}`
	hub := newTestHub(func(h *testHub) {
		h.files = func(string) map[string]string {
			return map[string]string{"config.json": bertConfig, "tokenizer.json": `{}`, "model.safetensors": "weights"}
		}
	})
	t.Cleanup(hub.close)
	score, scoreLLM := "score "+rows+" -q --to none ", "score "+llmRows+" --to none --judge llm --no-cache "
	const allKinds = "symbolic hard dangling"
	const pull = "models pull org/plain --retries 0 --models m"
	config := gitHash(bertConfig)
	resumed := score + "-o out.jsonl --resume"
	for name, tt := range map[string]struct {
		args     string
		replaced string // kinds of links that are replaced; others are rejected
		warn     bool   // rejected links only cause a warning
	}{
		"out.jsonl":                          {args: score + "-o out.jsonl", replaced: "hard"},
		"out.csv":                            {args: score + "-o out.csv", replaced: "hard"},
		"out.jsonl.part":                     {args: resumed},
		"out.jsonl.part.new":                 {args: resumed},
		"out.jsonl.part.settings":            {args: score + "-o out.jsonl", replaced: allKinds},
		"out.jsonl.part.lock":                {args: score + "-o out.jsonl"},
		"out.csv.part":                       {args: score + "-o out.csv", replaced: allKinds},
		"out.csv.part.lock":                  {args: score + "-o out.csv"},
		"new.yaml":                           {args: "config init new.yaml"},
		"man/ragfaith.1":                     {args: "man man", replaced: allKinds},
		"prompts/judge.tmpl":                 {args: "prompts export prompts", replaced: "dangling"}, // read before it is written
		"summary.md":                         {args: score, warn: true},
		"outputs":                            {args: score, warn: true},
		"cache/replies.sqlite":               {args: "score " + llmRows + " --to none --judge llm --cache cache --base-url " + online.URL, warn: true},
		"cache/replies.sqlite-wal":           {args: "score " + llmRows + " --to none --judge llm --cache cache --base-url " + online.URL, warn: true},
		"cache/replies.sqlite-shm":           {args: "score " + llmRows + " --to none --judge llm --cache cache --base-url " + online.URL, warn: true},
		"cache/replies.sqlite-journal":       {args: "score " + llmRows + " --to none --judge llm --cache cache --base-url " + online.URL, warn: true},
		"b.jsonl.part.batch/requests.sqlite": {args: scoreLLM + "--batch --batch-poll 5ms -o b.jsonl --base-url " + batches.url},
		"b.jsonl.part.batch/requests.sqlite-journal":                   {args: scoreLLM + "--batch --batch-poll 5ms -o b.jsonl --base-url " + batches.url},
		"b.jsonl.part.batch/requests.sqlite-wal":                       {args: scoreLLM + "--batch --batch-poll 5ms -o b.jsonl --base-url " + batches.url},
		"m/.locks/models--org--plain/" + config + ".lock":              {args: pull},
		"m/models--org--plain/blobs/" + config + ".incomplete":         {args: pull},
		"m/models--org--plain/blobs/" + config:                         {args: pull, replaced: allKinds},
		"m/models--org--plain/snapshots/" + hubCommit + "/config.json": {args: pull, replaced: allKinds},
		"m/models--org--plain/refs/main":                               {args: pull, replaced: allKinds},
		"m/models--org--plain/refs/main.new":                           {args: pull, replaced: allKinds},
	} {
		for kind, link := range map[string]func(target, path string) error{"symbolic": os.Symlink, "hard": os.Link, "dangling": func(target, path string) error {
			return os.Symlink(target+".absent", path)
		}} {
			t.Run(name+" "+kind, func(t *testing.T) {
				dir := t.TempDir()
				t.Chdir(dir)
				target := filepath.Join(dir, "target")
				const content = "content\n" // a complete line, like a row
				if err := errors.Join(os.MkdirAll(filepath.Dir(name), 0o700), os.WriteFile(target, []byte(content), 0o600), link(target, name)); err != nil {
					t.Fatal(err)
				}
				got := runInProcess(t, dir, map[string]string{
					"HF_ENDPOINT": hub.hub.URL, "HF_HOME": filepath.Join(dir, "none"),
					"GITHUB_ACTIONS": "true", "GITHUB_STEP_SUMMARY": "summary.md", "GITHUB_OUTPUT": "outputs",
				}, strings.Fields(tt.args)...)
				// Some errors name only the directory, such as that of a database.
				reported := strings.Contains(got.stderr, filepath.Base(name))
				if parent := filepath.Dir(name); parent != "." {
					reported = reported || strings.Contains(got.stderr, filepath.Base(parent))
				}
				replaced := strings.Contains(tt.replaced, kind)
				if success := replaced || tt.warn; (got.code == exitOK) != success {
					t.Errorf("exit code: got %d, want success %t; stderr: %s", got.code, success, got.stderr)
				} else if !replaced && !reported {
					t.Errorf("link is not reported; stderr: %s", got.stderr)
				}
				if got := readFile(t, target); got != content {
					t.Errorf("target of the link: got %q, want %q", got, content)
				}
				if _, err := os.Lstat(target + ".absent"); !errors.Is(err, fs.ErrNotExist) {
					t.Errorf("dangling link was followed: %v", err)
				}
			})
		}
	}
}
