package main

import (
	"bytes"
	"encoding/json"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"github.com/parquet-go/parquet-go"
)

// docsServer is the address of a local server in the docs.
const docsServer = "http://localhost:8080"

// writeDocsRows writes the files that the docs call dataset and eval: 40 rows with one
// claim each, of which one is unsupported.
func writeDocsRows(t *testing.T, dir string) {
	t.Helper()
	type row struct {
		ID       string   `json:"id" parquet:"id"`
		Question string   `json:"question" parquet:"question"`
		Answer   string   `json:"answer" parquet:"answer"`
		Contexts []string `json:"contexts" parquet:"contexts,list"`
		Label    int64    `json:"label" parquet:"label"`
		Topic    string   `json:"topic" parquet:"topic"`
	}
	var rows []row
	var lines bytes.Buffer
	var table strings.Builder
	table.WriteString("id,question,answer,contexts,label,topic\n")
	for i := range 40 {
		r := row{
			ID: fmt.Sprintf("row-%d", i), Question: "Which colour is it?", Answer: fmt.Sprintf("The sky is blue today over field %d.", i),
			Contexts: []string{fmt.Sprintf("The sky is blue today over field %d.", i)}, Label: 1, Topic: fmt.Sprintf("field %d", i/8),
		}
		if i == 20 {
			r.Answer, r.Label = "Elephants migrate through Kenya.", 0
		}
		line := must(json.Marshal(r))
		rows = append(rows, r)
		lines.Write(append(line, '\n'))
		fmt.Fprintf(&table, "%s,%s,%s,\"[\"\"%s\"\"]\",%d,%s\n", r.ID, r.Question, r.Answer, r.Contexts[0], r.Label, r.Topic)
	}
	for name, content := range map[string]string{"dataset.jsonl": lines.String(), "eval.jsonl": lines.String(), "dataset.csv": table.String()} {
		writeFile(t, filepath.Join(dir, name), content)
	}
	if err := parquet.WriteFile(filepath.Join(dir, "dataset.parquet"), rows); err != nil {
		t.Fatal(err)
	}
}

// servers starts the servers that a block requires and returns their environment.
func (r *docsRunner) servers(t *testing.T, b *docsBlock) []string {
	t.Helper()
	var env []string
	if b.has("llm") {
		if r.llm == "" {
			r.llm = newBatchServer(t, nil).url
		}
		env = append(env, "OPENAI_API_KEY="+testKey, "RAGFAITH_BASE_URL="+r.llm, "RAGFAITH_BATCH_POLL=1ms")
	}
	if b.has("providers") {
		if r.providers == nil {
			r.providers = newProviders(t)
			r.writeTool(t, "az", "echo token of az")
			r.writeTool(t, "gcloud", "echo token of gcloud")
		}
		env = append(env, r.providers.env...)
	}
	if b.has("hub") {
		if r.hub == "" {
			r.hub = startDocsHub(t, r.dir)
		}
		env = append(env, "HF_ENDPOINT="+r.hub)
	}
	return env
}

// useTestServer replaces the server address in a script with that of the test server.
func (r *docsRunner) useTestServer(t *testing.T, b *docsBlock, script string) string {
	if r.servers(t, b); b.has("llm") {
		script = strings.ReplaceAll(script, docsServer, strings.TrimSuffix(r.llm, "/v1"))
	}
	if b.has("providers") {
		script = r.providers.redirect(script)
	}
	return script
}

// startDocsHub starts a hub with tiny models under the names that the docs use, and
// writes the directory my-model to dir.
func startDocsHub(t *testing.T, dir string) string {
	t.Helper()
	modelDir := filepath.Join(dir, "my-model")
	if err := os.Mkdir(modelDir, 0o755); err != nil {
		t.Fatal(err)
	}
	writeModel(t, modelDir, "LABEL_0", "LABEL_1")
	nli := readTree(t, writeModel(t, t.TempDir(), nli...))
	hhem := readTree(t, goldenModels+"hhem")
	tokenizer := map[string]string{"tokenizer.json": hhem["tokenizer.json"]}
	delete(hhem, "tokenizer.json")
	h := newTestHub(func(h *testHub) {
		h.files = func(repo string) map[string]string {
			switch repo {
			case "vectara/hallucination_evaluation_model":
				return hhem
			case "google/flan-t5-base":
				return tokenizer
			case "cross-encoder/nli-deberta-v3-base":
				return nli
			}
			return hubFiles(repo)
		}
	})
	t.Cleanup(h.close)
	return h.hub.URL
}

// buildEnv returns the environment of blocks that run in the repository. It redirects
// build output to bin.
func buildEnv(t *testing.T, bin string) []string {
	t.Helper()
	out, err := exec.Command("go", "env", "GOCACHE", "GOMODCACHE", "GOPATH").Output()
	values := strings.Split(string(out), "\n")
	if err != nil || len(values) < 3 {
		t.Fatalf("go env: %v", err)
	}
	return []string{
		"PATH=" + os.Getenv("PATH"), "GOCACHE=" + values[0], "GOMODCACHE=" + values[1], "GOPATH=" + values[2], "GOPROXY=off",
		"GOTOOLCHAIN=local", "CGO_ENABLED=0", "GOFLAGS=-trimpath -buildvcs=false", "GOBIN=" + bin, "MAKEFLAGS=BINARY=" + filepath.Join(bin, "built"),
	}
}
