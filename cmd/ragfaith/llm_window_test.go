package main

import (
	"encoding/json"
	"fmt"
	"net/http/httptest"
	"path/filepath"
	"regexp"
	"strconv"
	"strings"
	"sync/atomic"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/ragfaith/ragfaith/internal/llm/llmtest"
)

// A truncatingServer is a chat server that silently truncates prompts longer than its
// window, counted in tokens of four bytes, and reports only the tokens that it read.
type truncatingServer struct {
	window     int  // 0 for unlimited
	halfWindow bool // reads half a window and two tokens, like Ollama
	keepFirst  bool // reads the beginning of a prompt instead of the end
	usage      string
	calls      atomic.Int64
	truncated  atomic.Int64
}

func (s *truncatingServer) start(t *testing.T) string {
	server := httptest.NewServer(llmtest.New(s.truncate(), splitStatements()))
	t.Cleanup(server.Close)
	return server.URL
}

// truncate returns a quirk that hides the facts of factRows outside of the window.
func (s *truncatingServer) truncate() llmtest.Quirk {
	fact := regexp.MustCompile(`(Mount Alpha|Lake Omega) \d+ is in \w+`)
	claims := regexp.MustCompile(`"(claims|statements|sentences|answer)": `)
	return func(c *llmtest.Call, next llmtest.Handler) *llmtest.Answer {
		s.calls.Add(1)
		from, to := 0, len(c.System)+len(c.User)
		if s.window > 0 && to/4 > s.window {
			s.truncated.Add(1)
			keep := 4 * s.window
			if s.halfWindow {
				keep = 4 * (s.window/2 + 2)
			}
			if from = to - keep; s.keepFirst {
				from, to = 0, keep
			}
		}
		end := 0 // of the contexts
		if found := claims.FindStringIndex(c.User); found != nil {
			end = found[0]
		}
		user := []byte(c.User)
		for _, at := range fact.FindAllStringIndex(c.User[:end], -1) {
			if len(c.System)+at[0] < from || len(c.System)+at[1] > to {
				copy(user[at[0]:at[1]], strings.Repeat("x", at[1]-at[0]))
			}
		}
		c.User = string(user)
		a := next(c)
		a.PromptTokens = (to - from) / 4
		if s.usage != "" {
			a.Body = fmt.Sprintf(`{"choices":[{"finish_reason":"stop","message":{"content":%q}}],%s}`, a.Content, s.usage)
		}
		return a
	}
}

// factRows writes rows with two supported claims out of three, one at the beginning of
// the contexts and one at their end, with the given number of bytes in between.
func factRows(t *testing.T, sizes ...int) string {
	t.Helper()
	var b strings.Builder
	for i, size := range sizes {
		first, last := fmt.Sprintf("Mount Alpha %d is in Norway.", i), fmt.Sprintf("Lake Omega %d is in Chile.", i)
		var filler strings.Builder
		for k := 0; filler.Len() < size; k++ {
			fmt.Fprintf(&filler, "The river of place %d runs past an old mill in the north. ", k)
		}
		row, err := json.Marshal(map[string]any{
			"id": strconv.Itoa(i), "question": "Where are they?", "answer": first + " " + last + fmt.Sprintf(" The castle %d is in Spain.", i),
			"contexts": []string{first + " " + filler.String()[:filler.Len()/2], filler.String()[filler.Len()/2:], "The end. " + last},
		})
		if err != nil {
			t.Fatal(err)
		}
		b.Write(append(row, '\n'))
	}
	return tempFile(t, "rows.jsonl", b.String())
}

// TestSilentTruncationChangesNoScore checks that the window of a server that silently
// truncates prompts is found, and that rows that do not fit are judged in parts.
func TestSilentTruncationChangesNoScore(t *testing.T) {
	t.Parallel()
	data := factRows(t, 200, 9000, 600, 30000, 17000)
	for _, args := range []string{"--judge llm", "--profile rag-evals"} {
		unlimited := &truncatingServer{}
		score := func(s *truncatingServer) (commandResult, string) {
			summary := filepath.Join(t.TempDir(), "summary.json")
			got := runInProcess(t, "", nil, append([]string{
				"score", data, "--to", "jsonl", "--no-cache", "--model", "local", "--base-url", s.start(t), "--summary", summary,
			}, strings.Fields(args)...)...)
			return mustExit(t, got, exitOK), readFile(t, summary)
		}
		want, _ := score(unlimited)
		for id, f := range scoresIn(t, want.stdout) {
			if f == nil || *f < 0.66 || *f > 0.67 {
				t.Fatalf("row %s: got score %v, want 2/3", id, f)
			}
		}
		for name, s := range map[string]*truncatingServer{
			"beginning": {window: 4096, keepFirst: true},
			"half":      {window: 4096, halfWindow: true},
			"not round": {window: 2601},
		} {
			t.Run(args+" "+name, func(t *testing.T) {
				got, summary := score(s)
				if d := cmp.Diff(scoresIn(t, want.stdout), scoresIn(t, got.stdout)); d != "" {
					t.Errorf("scores differ: %s", d)
				}
				if n := strings.Count(got.stderr, "silently drops the rest"); n != 1 {
					t.Errorf("got %d warnings, want 1; stderr: %s", n, got.stderr)
				}
				checkSchema(t, "summary.schema.json", summary)
				if limit := regexp.MustCompile(`"prompt_limit": (\d+)`).FindStringSubmatch(summary); limit == nil {
					t.Errorf("got no prompt limit in summary %s", summary)
				} else if n, _ := strconv.Atoi(limit[1]); n > s.window || n < s.window/2 {
					t.Errorf("got limit %d for a window of %d, want at least half of it", n, s.window)
				}
				t.Logf("%d requests, %d of them truncated; %d without a window", s.calls.Load(), s.truncated.Load(), unlimited.calls.Load())
			})
		}
	}
}

// TestTokenCountMismatchCostsNoRequest checks that rows that fit are sent once,
// regardless of the token counts that the server reports.
func TestTokenCountMismatchCostsNoRequest(t *testing.T) {
	t.Parallel()
	data := factRows(t, 400, 3000, 5000, 9000, 2000)
	for name, s := range map[string]*truncatingServer{
		"correct":   {},
		"negative":  {usage: `"usage":{"prompt_tokens":-7,"completion_tokens":-7}`},
		"too large": {usage: `"usage":{"prompt_tokens":9000000000000000000,"completion_tokens":9000000000000000000}`},
	} {
		t.Run(name, func(t *testing.T) {
			url, summary := s.start(t), filepath.Join(t.TempDir(), "summary.json")
			args := []string{"score", data, "--to", "jsonl", "--no-cache", "--model", "local", "--price", "1,1", "--judge", "llm", "--base-url", url}
			got := runInProcess(t, "", nil, append(args, "--summary", summary)...)
			if got.code != 0 || s.calls.Load() != 5 {
				t.Fatalf("exit code: got %d, want %d, with %d requests; stderr: %s", got.code, exitOK, s.calls.Load(), got.stderr)
			}
			estimated := s.usage != ""
			checkSchema(t, "result.schema.json", strings.Split(strings.TrimSpace(got.stdout), "\n")...)
			checkSchema(t, "summary.schema.json", readFile(t, summary))
			if n := strings.Count(got.stdout, `,"estimated":true}`); n > 0 != estimated || estimated && n != 5 {
				t.Errorf("got %d estimated rows, want estimates: %t; stdout: %s", n, estimated, got.stdout)
			}
			if n := strings.Count(readFile(t, summary), `"estimated": true`); n > 0 != estimated || estimated && n != 2 {
				t.Errorf("got summary %s, want estimates: %t", readFile(t, summary), estimated)
			}
			if strings.Contains(got.stderr, "estimated") != estimated {
				t.Errorf("stderr: got %q, want a note about estimates: %t", got.stderr, estimated)
			}
		})
	}
}
