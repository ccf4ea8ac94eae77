package main

import (
	"bytes"
	"encoding/json"
	"fmt"
	"hash/fnv"
	"math/rand/v2"
	"net/http/httptest"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"github.com/ragfaith/ragfaith/internal/llm/llmtest"
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

// randomReplies returns a quirk that randomizes verdicts, chunks, quotes and statements, and
// makes some replies invalid. Equal requests get equal replies.
func randomReplies() llmtest.Quirk {
	member := regexp.MustCompile(`"(chunk_ids|quote|reason|statement|verdict|is_supported)":(\[[^\]]*\]|"(?:[^"\\]|\\.)*"|\w+)`)
	return func(c *llmtest.Call, next llmtest.Handler) *llmtest.Answer {
		h := fnv.New64a()
		_, _ = h.Write(c.Raw)
		random := rand.New(rand.NewPCG(h.Sum64(), 2))
		user := []rune(c.User)
		from := random.IntN(len(user))
		quote := string(user[from:min(from+random.IntN(30), len(user))])
		verdict := func(value any) any {
			if _, binary := value.(float64); binary {
				return random.IntN(2)
			}
			return []string{"supported", "contradicted", "not_mentioned"}[random.IntN(3)]
		}
		a := next(c)
		a.PromptTokens <<= random.IntN(50) // not fewer, which looks like a truncated prompt
		a.Content = member.ReplaceAllStringFunc(a.Content, func(text string) string {
			name, old, _ := strings.Cut(text, ":")
			var value any
			_ = json.Unmarshal([]byte(old), &value) // the pattern matches only JSON
			switch name {
			case `"chunk_ids"`:
				value = []int{random.IntN(5), random.IntN(5)}
			case `"quote"`:
				value = quote
			case `"reason"`:
				value = "as\nit is"
			case `"statement"`:
				value = quote + " is."
			case `"verdict"`:
				value = verdict(value)
			case `"is_supported"`:
				value = random.IntN(2) == 0
			}
			return name + ":" + string(must(json.Marshal(value)))
		})
		switch {
		case c.Word() && random.IntN(30) == 0:
			a.Content = "perhaps"
		case c.Word():
			a.Content = []string{"Yes.", "No"}[random.IntN(2)]
		case random.IntN(10) == 0:
			a.Content = "I would say so"
		}
		return a
	}
}

// TestResultsOfEveryModeAreReadable checks an invariant: report, compare, calibrate and
// score --resume accept what score writes in any mode, with the summary next to it.
func TestResultsOfEveryModeAreReadable(t *testing.T) {
	t.Parallel()
	skipShort(t)
	real := []byte(readFile(t, "../../testdata/rows.jsonl"))
	short := bytes.Join(bytes.SplitAfterN(real, []byte("\n"), 9)[:8], nil)
	json, words := httptest.NewServer(llmtest.New(randomReplies())), httptest.NewServer(llmtest.New(randomReplies(), llmtest.Prose()))
	t.Cleanup(json.Close)
	t.Cleanup(words.Close)
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

func TestResultsAndSummariesMatchSchemas(t *testing.T) {
	t.Parallel()
	server := newTestServer(t)
	dir := t.TempDir()
	rows := filepath.Join(dir, "rows.jsonl")
	writeFile(t, rows, skyRows+"{\"id\":\"hole\",\n")
	const secret = "hidden-secret"
	url := strings.Replace(server.URL, "http://", "http://user:"+secret+"@", 1) + "/v1"
	for name, args := range map[string][]string{
		"embedded": nil,
		"lexical":  {"--judge", "lexical"},
		"llm":      {"--judge", "llm", "--base-url", url, "--model", "m", "--price", "1,2"},
		"ragas":    {"--profile", "ragas", "--base-url", url, "--model", "m", "--keep", "all"},
		"real":     {"../../testdata/rows.jsonl", "--no-claims", "0", "--by", "question", "--by", "id"},
	} {
		t.Run(name, func(t *testing.T) {
			summary, results := filepath.Join(dir, name+".json"), filepath.Join(dir, name+".jsonl")
			args = append([]string{"score", rows, "-q", "--to", "none", "--max-failed", "1", "--summary", summary, "-o", results}, args...)
			mustRun(t, dir, nil, args...)
			msg := readFile(t, summary)
			lines := readFile(t, results)
			checkSchema(t, "summary.schema.json", msg)
			checkSchema(t, "result.schema.json", strings.Split(strings.TrimSpace(lines), "\n")...)
			for _, hidden := range []string{secret, testKey} {
				if strings.Contains(msg+lines, hidden) {
					t.Errorf("secret %s in summary or results: %s", hidden, msg)
				}
			}
			usesLLM := name == "llm" || name == "ragas"
			if hasUsage := !strings.Contains(msg, `"spent": null`); hasUsage != usesLLM {
				t.Errorf("got usage in the summary %t, want %t: %s", hasUsage, usesLLM, msg)
			}
			if name == "llm" && !strings.Contains(msg, `"usd": 0.`) {
				t.Errorf("got no cost in %s", msg)
			}
		})
	}
}
