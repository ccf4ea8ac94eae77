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

// edits returns modifications of one field in the results of editedRows, and the error that
// each must cause. Package result tests others.
func edits() map[string]struct{ old, edited, want string } {
	return map[string]struct{ old, edited, want string }{
		"higher row score":      {`"faithfulness":0.5`, `"faithfulness":1.0`, `1: faithfulness: got 1, want 0.5 (1 of 2 claims supported)`},
		"different verdict":     {`"verdict":"supported"`, `"verdict":"contradicted"`, `1: faithfulness: got 0.5, want 0 (0 of 2 claims supported)`},
		"failed row with score": {`"faithfulness":null,"support":null,"confidence":null,"status":"failed"`, `"faithfulness":1.0,"support":null,"confidence":null,"status":"failed"`, `3: faithfulness: got 1, want null, since the status is failed`},
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

			// --resume scores the row and those after it again.
			write("out.jsonl.part", edited)
			write("out.jsonl.part.settings", settings)
			line, msg, _ := strings.Cut(tt.want, ": ")
			c := runInProcess(t, dir, nil, append(score, "--resume")...)
			warning := "line " + line + ": " + msg + ": this row and all later rows are rescored\n"
			if c.code != exitOK || !strings.Contains(c.stderr, warning) {
				t.Errorf("--resume: exit code: got %d, want %d and message %s; stderr: %s", c.code, exitOK, warning, c.stderr)
			}
			if got := readFile(t, in("out.jsonl")); got != part {
				t.Errorf("--resume: got %s, want %s", got, part)
			}
		})
	}
}
