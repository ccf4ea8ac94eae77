package main

import (
	"encoding/json"
	"errors"
	"math"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"testing"
)

// goldenModels contains tiny models with random weights: their scores are meaningless but
// deterministic.
const goldenModels = "../../internal/encoder/testdata/models/"

// writeModel copies a tiny classifier to dir, with other names for its labels, of which there
// are two or three.
func writeModel(t *testing.T, dir string, labels ...string) string {
	t.Helper()
	golden := map[int]string{2: "roberta", 3: "bert"}[len(labels)]
	if err := errors.Join(os.RemoveAll(dir), os.CopyFS(dir, os.DirFS(filepath.Join(startDir, goldenModels, golden)))); err != nil {
		t.Fatal(err)
	}
	path := filepath.Join(dir, "config.json")
	config := readJSON[map[string]any](t, path)
	names := map[string]string{}
	for i, label := range labels {
		names[strconv.Itoa(i)] = label
	}
	config["id2label"] = names
	text := must(json.Marshal(config))
	writeFile(t, path, string(text))
	return dir
}

var nli = []string{"entailment", "neutral", "contradiction"}

func TestLocalModelJudges(t *testing.T) {
	t.Parallel()
	dir := writeModel(t, t.TempDir(), nli...)
	long := strings.Repeat("the sky is blue today . ", 60)
	rows := skyRows + `{"id":"long","question":"q","answer":"The sky is blue today. Elephants migrate.","contexts":["` + long + `","elephants"]}` + "\n"
	data := tempFile(t, "rows.jsonl", rows)
	var first string
	for _, extraArgs := range [][]string{nil, {"--concurrency", "1"}, {"--model-batch-size", "1"}, {"--model-batch-size", "64", "--concurrency", "3"}} {
		got := mustRun(t, t.TempDir(), nil, append([]string{"score", data, "--judge", dir, "--to", "jsonl", "-q"}, extraArgs...)...)
		if first == "" {
			first = got.stdout
		}
		if got.stdout != first {
			t.Errorf("%v: results differ from those with default options", extraArgs)
		}
	}
	results := decodeLines[resultRow](t, first)
	if len(results) != 4 {
		t.Fatalf("got %d rows, want 4", len(results))
	}
	for i, row := range results {
		if want := []string{"scored", "scored", "no_claims", "scored"}[i]; row.Status != want {
			t.Errorf("row %d: got status %s, want %s", i, row.Status, want)
		}
		for _, c := range row.Claims {
			if (c.Score >= 0.5) != (c.Verdict == "supported") || c.Score <= 0 || c.Score >= 1 || len(c.ChunkIDs) > 0 != (c.Verdict == "supported") {
				t.Errorf("row %d: got inconsistent verdict, score or chunk ids: %+v", i, c)
			}
		}
	}
}

// A judgeReference is the output of the inference code of published judges for small
// random weights, see internal/verdict/local/testdata.
type judgeReference struct {
	Texts  [][2]string
	Judges []struct {
		Repo, Model   string
		Probabilities [][][]float64
	}
}

func readJudgeReference(t *testing.T) judgeReference {
	t.Helper()
	r := readJSON[judgeReference](t, "../../internal/verdict/local/testdata/parity.json")
	if len(r.Judges) < 7 {
		t.Fatalf("got %d judges, want at least 7", len(r.Judges))
	}
	return r
}

// scoreFirst returns the score of a judge for the first text of the reference.
func (r *judgeReference) scoreFirst(t *testing.T, judge ...string) float64 {
	t.Helper()
	row := must(json.Marshal(map[string]any{"question": "q", "answer": r.Texts[0][1], "contexts": []string{r.Texts[0][0]}}))
	data := tempFile(t, "rows.jsonl", string(row)+"\n")
	got := runInProcess(t, t.TempDir(), nil, append([]string{"score", data, "--to", "jsonl", "-q", "--judge"}, judge...)...)
	rows := decodeLines[resultRow](t, got.stdout)
	if len(rows) != 1 || len(rows[0].Claims) != 1 {
		t.Fatalf("%s: got %s, want one claim; stderr: %s", judge, got.stdout, got.stderr)
	}
	return rows[0].Claims[0].Score
}

// A directory named after a published judge is read with the layout of that judge.
func TestLocalModelHasLayoutOfItsName(t *testing.T) {
	t.Parallel()
	reference := readJudgeReference(t)
	for _, g := range reference.Judges {
		name := filepath.Base(g.Repo)
		if g.Model == "alignscore" { // one of the models in its repository
			name = "alignscore-base"
		}
		dir := filepath.Join(t.TempDir(), name)
		if err := os.CopyFS(dir, os.DirFS(goldenModels+g.Model)); err != nil {
			t.Fatal(err)
		}
		if got, want := reference.scoreFirst(t, dir), g.Probabilities[0][0][0]; math.Abs(got-want) > 1e-5 {
			t.Errorf("%s: got score %v, want %v as in the reference", name, got, want)
		}
	}
}

// A token classifier marks the unsupported parts of claims.
func TestTokenClassifierMarksUnsupportedParts(t *testing.T) {
	t.Parallel()
	dir := filepath.Join(t.TempDir(), "lettucedetect-base")
	if err := os.CopyFS(dir, os.DirFS(goldenModels+"modernbert-tokens")); err != nil {
		t.Fatal(err)
	}
	data := tempFile(t, "rows.jsonl", skyRows)
	got := mustRun(t, t.TempDir(), nil, "score", data, "--judge", dir, "--to", "jsonl", "-q")
	unsupported := 0
	for _, row := range decodeLines[resultRow](t, got.stdout) {
		for _, c := range row.Claims {
			if (c.Verdict == "supported") != (c.Score >= 0.5) || (c.Verdict == "supported") != (len(c.Unsupported) == 0) {
				t.Errorf("got %+v, want unsupported parts exactly if the score is below 0.5", c)
			}
			unsupported += len(c.Unsupported)
		}
	}
	if unsupported == 0 {
		t.Error("got no unsupported parts, want some: the model is random")
	}
	// With several groups of contexts, LettuceDetect takes the highest probability that a token is unsupported.
	long := tempFile(t, "long.jsonl", `{"question":"q","answer":"The sky is blue. Grass is green.","contexts":["`+strings.Repeat("The sky is blue. ", 600)+`","`+strings.Repeat("Grass is green. ", 600)+`"]}`)
	var scores []float64
	for _, args := range [][]string{{"--claims", "answer"}, {"--profile", "lettucedetect"}} {
		got := runInProcess(t, t.TempDir(), nil, append([]string{"score", long, "--judge", dir, "--to", "jsonl", "-q"}, args...)...)
		rows := decodeLines[resultRow](t, got.stdout)
		if len(rows) != 1 || len(rows[0].Claims) != 1 || rows[0].Claims[0].Text != "The sky is blue. Grass is green." {
			t.Fatalf("%v: got %s, want the answer as one claim; stderr: %s", args, got.stdout, got.stderr)
		}
		scores = append(scores, rows[0].Claims[0].Score)
	}
	if scores[0] <= scores[1] {
		t.Errorf("got score %v if any group supports, %v if all must, want the second to be lower", scores[0], scores[1])
	}
}
