package main

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/ragfaith/ragfaith/internal/app"
	"github.com/ragfaith/ragfaith/internal/extract"
	"github.com/ragfaith/ragfaith/internal/verdict"
)

// TestVerifyComparesPublishedScores runs models with random weights, which can't give
// published scores, only their own.
func TestVerifyComparesPublishedScores(t *testing.T) {
	t.Parallel()
	sys := emptySystem()
	sys.LookupEnv = func(name string) (string, bool) { return t.TempDir(), name == "HF_HOME" }
	for name, golden := range map[string]string{
		app.HHEMModel: "hhem", "minicheck-flan-t5-large": "t5", "factcg-deberta-v3-large": "deberta-judge",
		"lettucedetect-base": "modernbert-tokens", "lettucedetect-v2-mmbert-base": "mmbert-tokens",
	} {
		dir := filepath.Join(t.TempDir(), name)
		if err := os.CopyFS(dir, os.DirFS(goldenModels+golden)); err != nil {
			t.Fatal(err)
		}
		examples := examplesOf(name)
		if err := checkExamples(t.Context(), examples, dir, sys); err == nil || !strings.Contains(err.Error(), ", published: ") {
			t.Errorf("%s with random weights: got error %v, want one that compares scores", name, err)
		}
		j, model, err := app.OpenJudge(&app.Options{Judge: dir}, &sys.System)
		if err != nil {
			t.Fatal(err)
		}
		for i := range examples {
			e := &examples[i]
			got, err := j.Judge(t.Context(), verdict.Task{Question: e.Question, Contexts: []string{e.Text}, Claims: []extract.Claim{{Text: e.Claim}}})
			if err != nil {
				t.Fatal(err)
			}
			e.Score, e.Unsupported = &got.Verdicts[0].Score, got.Verdicts[0].Unsupported
		}
		if err := model.Close(); err != nil {
			t.Fatal(err)
		}
		if err := checkExamples(t.Context(), examples, dir, sys); err != nil {
			t.Errorf("%s: got error %v, want reproduced results", name, err)
		}
		examples[0].Unsupported = []extract.Span{{Start: 1, End: 2}}
		if err := checkExamples(t.Context(), examples, dir, sys); err == nil || !strings.HasPrefix(err.Error(), "unsupported parts ") {
			t.Errorf("%s: got error %v for other spans, want one that names them", name, err)
		}
	}
}

// TestPublishedWeights verifies the models in the directory RAGFAITH_TEST_MODELS.
func TestPublishedWeights(t *testing.T) {
	t.Parallel()
	models := os.Getenv("RAGFAITH_TEST_MODELS")
	if models == "" {
		t.Skip("RAGFAITH_TEST_MODELS, a directory for --models, is not set")
	}
	checkExit(t, runInProcess(t, t.TempDir(), nil, "models", "verify", "--models", models), exitOK)
}
