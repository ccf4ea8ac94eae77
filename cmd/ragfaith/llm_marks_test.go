package main

import (
	"fmt"
	"net/http/httptest"
	"path/filepath"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/ragfaith/ragfaith/internal/llm/llmtest"
)

// TestMarks checks the marks of rows, their counts in the summary and in the table, and
// that cached replies have the same marks.
func TestMarks(t *testing.T) {
	t.Parallel()
	noSchema := llmtest.Rejects("schemas")
	noUsage := llmtest.Changed(func(_ *llmtest.Call, a *llmtest.Answer) { a.PromptTokens, a.CompletionTokens = 0, 0 })
	for name, tt := range map[string]struct {
		args   string
		quirks []llmtest.Quirk
		want   string // marks of each row with claims; "" for any
		counts string // in the summary
		line   string // in the table
	}{
		"none":                 {want: "[]", counts: "map[]"},
		"no schemas":           {quirks: []llmtest.Quirk{noSchema}, want: "[downgraded]", counts: "map[downgraded:20]", line: "rows with marks: downgraded 20\n"},
		"no schemas, batch":    {args: "--batch --batch-poll 1ms", quirks: []llmtest.Quirk{noSchema}, want: "[downgraded]", counts: "map[downgraded:20]", line: "rows with marks: downgraded 20\n"},
		"ragas":                {args: "--profile ragas", quirks: []llmtest.Quirk{noSchema}, want: "[downgraded]", counts: "map[downgraded:20]", line: "rows with marks: downgraded 20\n"},
		"free text":            {quirks: []llmtest.Quirk{noSchema, llmtest.Prose()}, want: "[one_word]", counts: "map[one_word:20]", line: "rows with marks: one_word 20\n"},
		"no usage":             {quirks: []llmtest.Quirk{noUsage}, want: "[]", counts: "map[estimated_usage:20]"},
		"small context window": {args: "--max-context-tokens 2500", counts: "map[grouped:16]", line: "rows with marks: grouped 16\n"},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			server := httptest.NewServer(&llmtest.BatchServer{Chat: llmtest.New(tt.quirks...)})
			defer server.Close()
			args := append(strings.Fields(tt.args), "--base-url", server.URL+"/v1")
			dir := t.TempDir()
			marks := scoreWithMarks(t, dir, args, tt.counts, tt.line)
			for id, got := range marks {
				if tt.want != "" && got != tt.want {
					t.Errorf("row %s: got marks %s, want %s", id, got, tt.want)
				}
			}
			if d := cmp.Diff(marks, scoreWithMarks(t, dir, args, tt.counts, tt.line)); d != "" {
				t.Errorf("marks with cached replies differ: %s", d)
			}
		})
	}
}

// scoreWithMarks runs score, checks the counts of marks in the summary and the line of the
// table, and returns the marks of each row with claims.
func scoreWithMarks(t *testing.T, dir string, args []string, counts, line string) map[string]string {
	t.Helper()
	out := t.TempDir()
	got := mustRun(t, dir, nil, append([]string{
		"score", "../../testdata/rows.jsonl", "--limit", "20", "--to", "table", "-o", filepath.Join(out, "r.jsonl"), "--summary", filepath.Join(out, "s.json"),
		"--judge", "llm", "--model", "x",
	}, args...)...)
	type summary struct {
		Rows  struct{ Marks map[string]int }
		Spent struct{ Downgrades []struct{ From, To string } }
	}
	s := readJSON[summary](t, filepath.Join(out, "s.json"))
	if got := fmt.Sprint(s.Rows.Marks); got != counts {
		t.Errorf("marks in the summary: got %s, want %s", got, counts)
	}
	if downgraded := strings.Contains(got.stderr, "refuses response_format"); downgraded != (len(s.Spent.Downgrades) > 0 && s.Spent.Downgrades[0].From == "json_schema") {
		t.Errorf("got downgrades %v in the summary, want some: %t", s.Spent.Downgrades, downgraded)
	}
	if !strings.Contains(got.stdout, line) || strings.Contains(got.stdout, "rows with marks") != (line != "") {
		t.Errorf("got table %s, want the line %q", got.stdout, line)
	}
	marks := map[string]string{}
	for _, r := range decodeLines[resultRow](t, readFile(t, filepath.Join(out, "r.jsonl"))) {
		if len(r.Claims) > 0 {
			marks[r.ID] = fmt.Sprint(r.Marks)
		} else if r.Marks != nil {
			t.Errorf("row %s has marks %v and no claims", r.ID, r.Marks)
		}
	}
	return marks
}
