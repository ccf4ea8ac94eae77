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

// TestPlantedLinksAreNotFollowed plants a link to a user's file at each path that a
// command writes, as in a shared directory. The command must replace the link or name it
// in an error, and leave the file unchanged.
func TestPlantedLinksAreNotFollowed(t *testing.T) {
	rows, results := writeLabelledRows(t)
	asking := batchRows(t, 28)
	online, batches := newTestServer(t), newBatchServer(t, nil)
	hub := newTestHub(func(h *testHub) {
		h.files = func(string) map[string]string {
			return map[string]string{"config.json": `{"model_type":"bert"}`, "tokenizer.json": `{}`, "model.safetensors": "weights"}
		}
	})
	t.Cleanup(hub.close)
	score, ask := "score "+rows+" -q --to none ", "score "+asking+" --to none --judge llm --no-cache "
	const every = "symbolic hard dangling"
	resumed := score + "-o out.jsonl --resume"
	for name, tt := range map[string]struct {
		args string
		fine string // kinds of links that are replaced; others are rejected
		warn bool   // reported as a warning instead
	}{
		"out.jsonl":                              {args: score + "-o out.jsonl", fine: "hard"},
		"out.csv":                                {args: score + "-o out.csv", fine: "hard"},
		"s.json":                                 {args: score + "--summary s.json", fine: "hard"},
		"report.html":                            {args: "report " + results + " -q --to none -o report.html", fine: "hard"},
		"c.json":                                 {args: "calibrate " + results + " -q --label label --to none -o c.json", fine: "hard"},
		"page.html":                              {args: "compare " + results + " " + results + " --to none -o page.html", fine: "hard"},
		"out.jsonl.part":                         {args: resumed},
		"out.jsonl.part.new":                     {args: resumed},
		"out.jsonl.part.settings":                {args: score + "-o out.jsonl", fine: every},
		"out.jsonl.part.lock":                    {args: score + "-o out.jsonl"},
		"out.csv.part":                           {args: score + "-o out.csv", fine: every},
		"out.csv.part.lock":                      {args: score + "-o out.csv"},
		"s.json.part":                            {args: score + "--summary s.json", fine: every},
		"s.json.part.lock":                       {args: score + "--summary s.json"},
		"report.html.part":                       {args: "report " + results + " -q --to none -o report.html", fine: every},
		"report.html.part.lock":                  {args: "report " + results + " -q --to none -o report.html"},
		"c.json.part":                            {args: "calibrate " + results + " -q --label label --to none -o c.json", fine: every},
		"c.json.part.lock":                       {args: "calibrate " + results + " -q --label label --to none -o c.json"},
		"page.html.part":                         {args: "compare " + results + " " + results + " --to none -o page.html", fine: every},
		"page.html.part.lock":                    {args: "compare " + results + " " + results + " --to none -o page.html"},
		"new.yaml":                               {args: "config init new.yaml"},
		"man/ragfaith.1":                         {args: "man man", fine: every},
		"prompts/judge.tmpl":                     {args: "prompts export prompts", fine: "dangling"}, // read before it is written
		"summary.md":                             {args: score, warn: true},
		"outputs":                                {args: score, warn: true},
		"cache/replies.sqlite":                   {args: "score " + asking + " --to none --judge llm --cache cache --base-url " + online.URL, warn: true},
		"cache/replies.sqlite-wal":               {args: "score " + asking + " --to none --judge llm --cache cache --base-url " + online.URL, warn: true},
		"cache/replies.sqlite-shm":               {args: "score " + asking + " --to none --judge llm --cache cache --base-url " + online.URL, warn: true},
		"cache/replies.sqlite-journal":           {args: "score " + asking + " --to none --judge llm --cache cache --base-url " + online.URL, warn: true},
		"cache/replies.turns":                    {args: "score " + asking + " --to none --judge llm --cache cache --base-url " + online.URL, fine: every}, // continues without the file
		"b.jsonl.part.batch/state.json":          {args: ask + "--batch --batch-poll 5ms -o b.jsonl --base-url " + batches.url, fine: "dangling"},
		"b.jsonl.part.batch/state.json.new":      {args: ask + "--batch --batch-poll 5ms -o b.jsonl --base-url " + batches.url, fine: every},
		"b.jsonl.part.batch/requests.sqlite":     {args: ask + "--batch --batch-poll 5ms -o b.jsonl --base-url " + batches.url},
		"b.jsonl.part.batch/requests.sqlite-wal": {args: ask + "--batch --batch-poll 5ms -o b.jsonl --base-url " + batches.url},
		"b.jsonl.part.batch/requests-1.1.jsonl":  {args: ask + "--batch --batch-poll 5ms -o b.jsonl --base-url " + batches.url, fine: every},
		"m/.locks/org--plain.lock":               {args: "models pull org/plain --retries 0 --models m"},
		"m/org--plain/." + hubCommit + ".part/config.json.part":         {args: "models pull org/plain --retries 0 --models m"},
		"m/org--plain/." + hubCommit + ".part/ragfaith-model.json.part": {args: "models pull org/plain --retries 0 --models m", fine: every},
		"m/org--plain/." + hubCommit + ".part/model.safetensors":        {args: "models pull org/plain --retries 0 --models m", fine: every},
	} {
		for kind, link := range map[string]func(target, path string) error{"symbolic": os.Symlink, "hard": os.Link, "dangling": func(target, path string) error {
			return os.Symlink(target+".absent", path)
		}} {
			t.Run(name+" "+kind, func(t *testing.T) {
				dir := t.TempDir()
				t.Chdir(dir)
				victim := filepath.Join(dir, "victim")
				const precious = "precious\n" // a complete line, like a row
				if err := errors.Join(os.MkdirAll(filepath.Dir(name), 0o700), os.WriteFile(victim, []byte(precious), 0o600), link(victim, name)); err != nil {
					t.Fatal(err)
				}
				got := call(t, dir, map[string]string{
					"HF_ENDPOINT": hub.hub.URL, "HF_HOME": filepath.Join(dir, "none"),
					"GITHUB_ACTIONS": "true", "GITHUB_STEP_SUMMARY": "summary.md", "GITHUB_OUTPUT": "outputs",
				}, strings.Fields(tt.args)...)
				named := strings.Contains(got.stderr, filepath.Base(name)) || strings.Contains(got.stderr, filepath.Base(filepath.Dir(name)))
				fine := strings.Contains(tt.fine, kind)
				switch {
				case (got.code == exitOK) != (fine || tt.warn):
					t.Errorf("exit %d, want success: %t: %s", got.code, fine || tt.warn, got.stderr)
				case !fine && !named:
					t.Errorf("link is not reported: %s", got.stderr)
				}
				if content := readFile(t, victim); content != precious {
					t.Errorf("target of the link changed to %q", content)
				}
				if _, err := os.Lstat(victim + ".absent"); !errors.Is(err, fs.ErrNotExist) {
					t.Errorf("dangling link was followed: %v", err)
				}
			})
		}
	}
}
