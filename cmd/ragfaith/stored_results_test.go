package main

import (
	"bytes"
	"encoding/json"
	"fmt"
	"hash/fnv"
	"io"
	"maps"
	"math/rand/v2"
	"net/http"
	"net/http/httptest"
	"path/filepath"
	"slices"
	"strings"
	"testing"
)

// messyRows returns n rows with text that is hard to segment, some invalid and some
// without claims.
func messyRows(seed uint64, n int) []byte {
	r := rand.New(rand.NewPCG(seed, 1))
	pieces := []string{
		"The tower is 300 m tall. ", "It opened in 1889. ", "Größe zählt nicht. ", "東京は日本の首都です。", "🌕 rises. ", "**Paris** is _the_ capital. ",
		"| a | b |\n|---|---|\n| 1 | two words |\n", "- low cost\n- [a link](http://x.y/z(1)) here\n", "## A heading\n", "`code` and <b>bold</b> text. ",
		"I don't know. ", "Hello! ", "What else? ", "=1+1 is no formula. ", "\t", "\n\n", "\u2028", "\x00 zero. ", "A footnote[^1] stands here. ", "e\u0301 is two points. ",
	}
	text := func(limit int) string {
		var b strings.Builder
		for range r.IntN(limit + 1) {
			b.WriteString(pieces[r.IntN(len(pieces))])
		}
		return b.String()
	}
	var b []byte
	for i := range n {
		row := map[string]any{"id": fmt.Sprint("r", i), "question": text(1), "answer": text(6), "label": r.IntN(2), "n": map[string]any{"a": []int{i}}}
		contexts := []string{text(4) + "The tower is 300 m tall."}
		for range r.IntN(4) {
			contexts = append(contexts, text(5))
		}
		row["contexts"] = contexts
		if r.IntN(12) == 0 {
			row["contexts"] = 7
		}
		line, err := json.Marshal(row)
		if err != nil {
			panic(err)
		}
		b = append(append(b, line...), '\n')
	}
	return b
}

// newRandomServer starts a language model with random replies, some of them invalid.
// Equal requests get equal replies.
func newRandomServer(t *testing.T, writesJSON bool) *httptest.Server {
	s := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		body, _ := io.ReadAll(r.Body)
		var q struct {
			Messages []struct{ Content string }
			Format   struct {
				Schema struct {
					Name   string
					Schema struct {
						Properties struct {
							Verdicts struct{ Properties map[string]any }
						}
					}
				} `json:"json_schema"`
			} `json:"response_format"`
		}
		if json.Unmarshal(body, &q) != nil || len(q.Messages) == 0 {
			w.WriteHeader(http.StatusBadRequest)
			return
		}
		h := fnv.New64a()
		_, _ = h.Write(body)
		random := rand.New(rand.NewPCG(h.Sum64(), 2))
		user := []rune(q.Messages[len(q.Messages)-1].Content)
		from := random.IntN(len(user))
		quote := string(user[from:min(from+random.IntN(30), len(user))])
		verdict := func() map[string]any {
			return map[string]any{
				"chunk_ids": []int{random.IntN(5), random.IntN(5)}, "quote": quote, "reason": "as\nit is",
				"verdict": []string{"supported", "contradicted", "not_mentioned"}[random.IntN(3)],
			}
		}
		if strings.HasPrefix(q.Format.Schema.Name, "binary") {
			verdict = func() map[string]any { return map[string]any{"reason": "r", "verdict": random.IntN(2)} }
		}
		byID := map[string]any{}
		for _, id := range slices.Sorted(maps.Keys(q.Format.Schema.Schema.Properties.Verdicts.Properties)) {
			byID[id] = verdict()
		}
		first := verdict()
		first["claim_id"], first["statement_id"] = 0, 0
		var reply any
		switch name := q.Format.Schema.Name; {
		case strings.HasSuffix(name, "by_id"):
			reply = map[string]any{"verdicts": byID}
		case strings.HasSuffix(name, "verdicts"):
			reply = map[string]any{"verdicts": []any{first}}
		case name == "statements":
			reply = map[string]any{"statements": []any{map[string]any{"sentence_id": 0, "statement": quote + " is."}}}
		case name == "answer_statements":
			reply = map[string]any{"statements": []string{quote + " is.", "It opened in 1889."}[:random.IntN(3)]}
		case name == "checked_statements":
			reply = map[string]any{"statements": []any{map[string]any{
				"sentence_id": 0, "text": quote + " is.", "reasoning": "r", "chunk_ids": []int{0, 9}, "is_supported": random.IntN(2) == 0,
			}}}
		}
		text, _ := json.Marshal(reply)
		switch {
		case reply == nil:
			text = []byte([]string{"Yes.", "No"}[random.IntN(2)])
			if random.IntN(30) == 0 {
				text = []byte("perhaps")
			}
		case !writesJSON || random.IntN(10) == 0:
			text = []byte("I would say so")
		}
		answer, _ := json.Marshal(string(text))
		w.Header().Set("Content-Type", "application/json")
		fmt.Fprintf(w, `{"object":"chat.completion","choices":[{"index":0,"finish_reason":"stop","message":{"role":"assistant","content":%s}}],`+
			`"usage":{"prompt_tokens":%d,"completion_tokens":10,"total_tokens":110}}`, answer, uint64(1)<<random.IntN(63))
	}))
	t.Cleanup(s.Close)
	return s
}

// TestResultsOfEveryModeAreReadable checks an invariant: report, compare, calibrate and
// score --resume accept what score writes in any mode, with the summary next to it.
func TestResultsOfEveryModeAreReadable(t *testing.T) {
	t.Parallel()
	skipShort(t)
	real := []byte(readFile(t, "../../testdata/rows.jsonl"))
	short := bytes.Join(bytes.SplitAfterN(real, []byte("\n"), 9)[:8], nil)
	json, words := newRandomServer(t, true), newRandomServer(t, false)
	for i, tt := range []struct {
		flags string
		rows  []byte
	}{
		{"", real},
		{"--threshold 0 --no-claims 1 --keep all", short},
		{"--threshold 1 --no-claims 0 --evidence joined", short},
		{"--threshold 0.123456789 --lang en --cluster question", short},
		{"--judge llm", short},
		{"--judge llm --votes 3 --evidence joined --no-claims 1", short},
		{"--claims llm --judge llm --votes 3 --max-context-tokens 2000", short},
		{"--judge llm --semantic-cache --concurrency 1", short},
		{"--profile ragas", short},
		{"--profile rag-evals --max-context-tokens 2000", short},
		{"--judge llm --words", short},
		{"--profile ragas --claims sentence --words", short},
	} {
		t.Run(tt.flags, func(t *testing.T) {
			server := json
			flags := strings.Fields(strings.TrimSuffix(tt.flags, "--words"))
			if strings.HasSuffix(tt.flags, "--words") {
				server = words
			}
			flags = append(flags, "--to", "none", "-q", "--max-failed", "1000", "--keep", "label")
			if strings.Contains(tt.flags, "llm") || strings.Contains(tt.flags, "profile") {
				flags = append(flags, "--base-url", server.URL)
			}
			for name, content := range map[string][]byte{"real": tt.rows, "random": messyRows(uint64(i), 12)} {
				t.Run(name, func(t *testing.T) { checkStored(t, content, flags) })
			}
		})
	}
}

// checkStored scores rows and reads the results with the other commands.
func checkStored(t *testing.T, rows []byte, flags []string) {
	dir := t.TempDir()
	in := func(name string) string { return filepath.Join(dir, name) }
	run := func(want int, args ...string) commandResult {
		t.Helper()
		return mustExit(t, runInProcess(t, dir, nil, args...), want)
	}
	lines := bytes.Split(bytes.TrimSpace(rows), []byte("\n"))
	array := append(append([]byte("[\n"), bytes.Join(lines, []byte(",\n"))...), "\n]\n"...)
	write := func(content []byte) {
		writeFile(t, in("rows.json"), string(content))
	}

	// A truncated dataset leaves results to resume from.
	score := append([]string{"score", in("rows.json"), "-o", in("r.jsonl"), "--summary", in("r.summary.json")}, flags...)
	write(array[:len(array)-len(lines[len(lines)-1])])
	run(exitFailure, score...)
	write(array)
	if c := run(exitOK, append(score, "--resume")...); strings.Contains(c.stderr, "rescored") {
		t.Errorf("stored rows were rescored: %s", c.stderr)
	}

	written := []string{in("r.jsonl")}
	outputs := []string{"report", in("r.jsonl"), "--to", "none", "-q", "--max-failed", "1000"}
	for _, ext := range []string{".json", ".csv", ".tsv", ".parquet"} {
		written = append(written, in("r"+ext))
		outputs = append(outputs, "-o", in("r"+ext))
	}
	run(exitOK, outputs...)
	for _, path := range written {
		run(exitOK, "report", path, "--to", "none", "-q", "--max-failed", "1000")
		if c := runInProcess(t, dir, nil, "calibrate", path, "--label", "label", "-q", "--to", "none"); c.code != exitOK && !strings.Contains(c.stderr, "no row has both a label and a score") {
			t.Errorf("calibrate: exit code: got %d, want %d: %.600s", c.code, exitOK, c.stderr)
		}
	}
	// If the server fails every row, there is nothing to gate.
	if c := runInProcess(t, dir, nil, "compare", in("r.jsonl"), in("r.parquet"), "-q", "--to", "none", "--max-drop", "0"); c.code != exitOK && !strings.Contains(c.stderr, "no row has a score in both runs") {
		t.Errorf("compare: exit code: got %d, want %d: %.600s", c.code, exitOK, c.stderr)
	}
}
