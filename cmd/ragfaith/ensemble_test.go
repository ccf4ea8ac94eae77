package main

import (
	"encoding/json"
	"math"
	"path/filepath"
	"slices"
	"strings"
	"testing"
)

// ensembleRow is the part of a result row that an ensemble determines.
type ensembleRow struct {
	Marks  []string
	Claims []struct {
		Verdict string
		Score   float64
		Reason  string
		Judges  []struct {
			Judge, Verdict string
			Score          float64
		}
	}
}

func readEnsembleRows(t *testing.T, path string) (rows []ensembleRow) {
	t.Helper()
	for line := range strings.Lines(readFile(t, path)) {
		var r ensembleRow
		if err := json.Unmarshal([]byte(line), &r); err != nil {
			t.Fatal(err)
		}
		rows = append(rows, r)
	}
	return rows
}

func TestEnsembleAveragesJudges(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	model := writeModel(t, t.TempDir(), nli...)
	score := func(judge, out string) commandResult {
		out = filepath.Join(dir, out)
		got := runInProcess(t, dir, nil, "score", "-", "--judge", judge, "--to", "none", "-o", out+".jsonl", "-o", out+".html", "--summary", out+".summary.json")
		if got.code != exitOK {
			t.Fatalf("%s: exit code: got %d, want 0; %s", judge, got.code, got.stderr)
		}
		return got
	}
	got := score("lexical,"+model, "both")
	note := "ensemble: mean of the scores of lexical, " + model + ", not calibrated\n"
	if !strings.Contains(got.stderr, note) {
		t.Errorf("got %q, want %q in it", got.stderr, note)
	}
	score(model, "model")
	both, alone := readEnsembleRows(t, filepath.Join(dir, "both.jsonl")), readEnsembleRows(t, filepath.Join(dir, "model.jsonl"))
	disagreements := 0
	for i, r := range both {
		disagrees := false
		for k, c := range r.Claims {
			if len(c.Judges) != 2 || c.Judges[0].Judge != "lexical" || c.Judges[1].Judge != model {
				t.Fatalf("row %d, claim %d: got judges %+v, want lexical and the model", i, k, c.Judges)
			}
			if one := alone[i].Claims[k]; one.Score != c.Judges[1].Score || one.Verdict != c.Judges[1].Verdict {
				t.Errorf("row %d, claim %d: got %+v, want %v %s", i, k, c.Judges[1], one.Score, one.Verdict)
			}
			if mean := (c.Judges[0].Score + c.Judges[1].Score) / 2; math.Abs(c.Score-mean) > 2e-6 {
				t.Errorf("row %d, claim %d: got score %v, want %v", i, k, c.Score, mean)
			}
			differ := (c.Judges[0].Verdict == "supported") != (c.Judges[1].Verdict == "supported")
			if disagrees = disagrees || differ; differ != strings.HasPrefix(c.Reason, "judges disagree (lexical ") {
				t.Errorf("row %d, claim %d: got reason %q for %+v", i, k, c.Reason, c.Judges)
			}
		}
		if disagrees {
			disagreements++
		}
		if slices.Contains(r.Marks, "disagreed") != disagrees {
			t.Errorf("row %d: got marks %v, want disagreed: %t", i, r.Marks, disagrees)
		}
	}
	if disagreements == 0 {
		t.Error("got no disagreement, want at least one")
	}
	if page := readFile(t, filepath.Join(dir, "both.html")); !strings.Contains(page, "<dt>ensemble</dt>") {
		t.Error("the page does not describe the ensemble")
	}
}

func TestEnsembleRejectsOtherJudges(t *testing.T) {
	t.Parallel()
	model := writeModel(t, t.TempDir(), nli...)
	for _, tt := range []struct {
		code int
		args string
		want string
	}{
		{exitUsage, "--judge lexical,llm", "llm can't be combined with other judges"},
		{exitUsage, "--judge ollama/x,lexical", "ollama/x can't be combined"},
		{exitUsage, "--judge lexical,lexical", "lexical is repeated"},
		{exitUsage, "--judge lexical,", "want lexical, llm"},
		{exitUsage, "--judge lexical,minilm-l6", "embeds texts"},
		{exitFailure, "--judge lexical,hhem", "hhem"},
		{exitUsage, "--judge lexical," + model + "," + model + "/.", model + " and " + model + "/. are the same model, " + model},
		{exitOK, "--judge lexical," + model + " --prefilter 3", ""},
	} {
		got := runInProcess(t, t.TempDir(), nil, append([]string{"score", "-", "--to", "none"}, strings.Fields(tt.args)...)...)
		if got.code != tt.code || !strings.Contains(got.stderr, tt.want) {
			t.Errorf("%s: exit code: got %d, want %d; %s", tt.args, got.code, tt.code, got.stderr)
		}
	}
}
