package main

import (
	"path/filepath"
	"strings"
	"testing"
)

const editedRows = `[
{"id":"a","question":"q","answer":"Hi there! The tower is 300 m tall. It opened in 1920 in Rome.","contexts":["Über Türme: The tower is 300 m tall and stands in Paris.","Nothing else."],"label":1},
{"id":"b","question":"q","answer":"I don't know.","contexts":["c"],"label":1},
{"id":"c","question":"q","answer":"x","contexts":7,"label":0},
{"id":"d","question":"q","answer":"It is dry.","contexts":["It is dry."],"label":0}`

// edits returns modifications of one field in the results of editedRows, and the error
// that each must cause.
func edits() map[string]struct{ old, edited, want string } {
	const second = `"verdict":"not_mentioned","score":0.014656`
	return map[string]struct{ old, edited, want string }{
		"higher row score":          {`"faithfulness":0.5`, `"faithfulness":1.0`, `1: faithfulness: got 1, want 0.5 (1 of 2 claims supported)`},
		"different support":         {`"support":0.507328`, `"support":0.507331`, `1: support: got 0.507331, want 0.507328 (mean of the scores of the claims)`},
		"different verdict":         {`"verdict":"supported"`, `"verdict":"contradicted"`, `1: faithfulness: got 0.5, want 0 (0 of 2 claims supported)`},
		"different claim score":     {`"score":0.014656`, `"score":0.9`, `1: support: got 0.507328, want 0.95 (mean of the scores of the claims)`},
		"missing claim score":       {`"score":0.014656`, `"score":null`, `1: claim 1: score: got null, want a number from 0 to 1`},
		"missing verdict":           {second, `"verdict":null,"score":null`, `1: claims: some have a verdict and some have none`},
		"unknown verdict":           {`"verdict":"not_mentioned"`, `"verdict":"fine"`, `1: claims/1/verdict: unknown "fine"`},
		"no_claims row with claims": {`"status":"scored","reason":null`, `"status":"no_claims","reason":"refusal"`, `1: status: got no_claims, want scored or unjudged if and only if every claim has a verdict`},
		"scored row with error":     {`"error":null`, `"error":"e"`, `1: error: got a text, want null, since the status is scored`},
		"refusal with score":        {`"faithfulness":null,"support":null,"confidence":null,"status":"no_claims"`, `"faithfulness":0.5,"support":null,"confidence":null,"status":"no_claims"`, `2: faithfulness: got 0.5, want null, 0 or 1, the values of --no-claims`},
		"failed row with score":     {`"faithfulness":null,"support":null,"confidence":null,"status":"failed"`, `"faithfulness":1.0,"support":null,"confidence":null,"status":"failed"`, `3: faithfulness: got 1, want null, since the status is failed`},
		"different claim ID":        {`{"id":1,`, `{"id":2,`, `1: claim 1: id: got 2, want 1`},
		"negative index":            {`"index":1`, `"index":-1`, `2: index: got -1, want 0 to 2^53`},
		"negative usage":            {`"prompt_tokens":0`, `"prompt_tokens":-1`, `1: usage: got a negative number, want 0 or more`},
		"usage that overflows":      {`"prompt_tokens":0`, `"prompt_tokens":9223372036854775808`, `1: usage/prompt_tokens: value out of range`},
		"failed row with claims":    {`"claims":[],"skipped":[],"unjudged_share":null,"error":"rows`, `"claims":[{"id":0,"text":"x","start":0,"end":1}],"skipped":[],"unjudged_share":null,"error":"rows`, `3: claims: got 1, want none, since the row is failed (read)`},
	}
}

func TestEditedResultsAreRejected(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	in := func(name string) string { return filepath.Join(dir, name) }
	write := func(name, content string) {
		t.Helper()
		writeFile(t, in(name), content)
	}
	// All runs use one directory, because row errors contain the dataset path.
	score := []string{"score", in("rows.json"), "-o", in("out.jsonl"), "--keep", "label", "--to", "none", "--max-failed", "9"}
	write("rows.json", editedRows)
	mustExit(t, runInProcess(t, dir, nil, score...), exitFailure)
	part, settings := readFile(t, in("out.jsonl.part")), readFile(t, in("out.jsonl.part.settings"))
	write("rows.json", editedRows+"\n]\n")
	read := [][]string{
		{"report", in("edited.jsonl"), "--to", "none", "--max-failed", "9"},
		{"compare", in("original.jsonl"), in("edited.jsonl"), "--to", "none", "--max-drop", "1"},
		{"compare", in("edited.jsonl"), in("original.jsonl"), "--to", "none", "--max-drop", "1"},
		{"calibrate", in("edited.jsonl"), "--label", "label", "--to", "none"},
	}
	write("original.jsonl", part)
	write("edited.jsonl", part)
	for _, args := range read {
		mustRun(t, dir, nil, args...)
	}
	for name, tt := range edits() {
		t.Run(name, func(t *testing.T) {
			old, want := tt.old, "edited.jsonl:"+tt.want+"\n"
			if strings.HasSuffix(old, `"error":"rows`) { // contains the directory
				old, tt.edited = strings.Replace(old, `rows`, in("rows"), 1), strings.Replace(tt.edited, `rows`, in("rows"), 1)
			}
			edited := strings.Replace(part, old, tt.edited, 1)
			if edited == part {
				t.Fatalf("%s not found in %s", old, part)
			}
			write("edited.jsonl", edited)
			commands := read[:1] // the others read results in the same way
			if name == "higher row score" {
				commands = read
			}
			for _, args := range commands {
				if c := runInProcess(t, dir, nil, args...); c.code != exitFailure || !strings.HasSuffix(c.stderr, want) {
					t.Errorf("%s: exit code: got %d, want %d and message %s; stderr: %s", args[0], c.code, exitFailure, want, c.stderr)
				}
			}

			// --resume scores the row again.
			write("out.jsonl.part", edited)
			write("out.jsonl.part.settings", settings)
			line, msg, _ := strings.Cut(tt.want, ": ")
			c := runInProcess(t, dir, nil, append(score, "--resume")...)
			one := "rows with contradictory fields are rescored: 1, the first at line " + line + ": " + msg + "\n"
			all := "line " + line + ": " + msg + ": this row and all later rows are rescored\n"
			if c.code != exitOK || !strings.Contains(c.stderr, one) && !strings.Contains(c.stderr, all) {
				t.Errorf("--resume: exit code: got %d, want %d and message %s; stderr: %s", c.code, exitOK, one, c.stderr)
			}
			if got := readFile(t, in("out.jsonl")); got != part {
				t.Errorf("--resume: got %s, want %s", got, part)
			}
		})
	}
}
