package llm

import (
	"errors"
	"fmt"
	"strings"
	"testing"
	"unicode/utf8"

	"github.com/ragfaith/ragfaith/internal/llm"
	"github.com/ragfaith/ragfaith/internal/verdict"
)

// judgeByKeys judges a claim by the chunks of a request: "KEY=yes" supports the claim
// KEY, and "KEY=no" contradicts it.
func judgeByKeys(in input) (string, error) {
	var list []string
	for _, c := range in.Claims {
		label, id, quote := "not_mentioned", -1, ""
		for _, ch := range in.Chunks {
			if strings.Contains(ch.Text, c.Text+"=no") && label == "not_mentioned" {
				label, id, quote = "contradicted", ch.ID, c.Text+"=no"
			}
			if strings.Contains(ch.Text, c.Text+"=yes") {
				label, id, quote = "supported", ch.ID, c.Text+"=yes"
				break
			}
		}
		list = append(list, fmt.Sprintf(`{"claim_id":%d,"chunk_ids":[%d],"quote":%q,"reason":"r","verdict":%q}`, c.ID, id, quote, label))
	}
	return `{"verdicts":[` + strings.Join(list, ",") + `]}`, nil
}

func rejectAbove(window int) func(int, input) (string, error) {
	return func(_ int, in input) (string, error) {
		if len(in.r.Messages[1].Text) > window {
			return "", &llm.ContextLengthError{Limit: window}
		}
		return judgeByKeys(in)
	}
}

func TestContradictionOfFactsTakesPrecedence(t *testing.T) {
	f := finding{}
	for _, g := range []finding{
		{known: true, ofFacts: true, label: verdict.Supported, score: 1, reason: "neither"},
		{known: true, ofFacts: true, label: verdict.Contradicted, reason: "it says no"},
		{known: true, ofFacts: true, label: verdict.Supported, score: 1},
	} {
		f.add(g)
	}
	if f.label != verdict.Contradicted || f.score != 0 || f.reason != "it says no" {
		t.Errorf("got %+v, want the contradiction", f)
	}
}

func longTask() verdict.Task {
	filler := strings.Repeat("Nothing of note is said in this sentence, äöü. ", 60) // 2,900 bytes
	return newTask([]string{
		filler + "A=no B=yes",
		filler,
		"C=no" + filler + filler + "A=yes" + filler,
		"short D=yes",
		filler + "B=no",
	}, "A", "B", "C", "D", "E")
}

const longWant = "supported supported contradicted supported not_mentioned"

func checkLong(t *testing.T, task verdict.Task, got verdict.Judgement) {
	t.Helper()
	if labels(got) != longWant {
		t.Errorf("got %s, want %s", labels(got), longWant)
	}
	for i, want := range []string{"2", "0", "", "3", ""} {
		if got := strings.Trim(fmt.Sprint(got.Verdicts[i].ChunkIDs), "[]"); got != want {
			t.Errorf("claim %d by chunks %q, want %q", i, got, want)
		}
	}
	checkVerdicts(t, task, got.Verdicts)
}

func TestLongContextsAreJudgedInGroups(t *testing.T) {
	task := longTask()
	for _, window := range []int{1200, 2000, 4000, 9000} {
		j, model := newJudge(t, rejectAbove(window), Options{})
		got := judge(t, j, task)
		checkLong(t, task, got)
		t.Logf("window %d: %d requests", window, len(model.requests))
	}
	j, model := newJudge(t, rejectAbove(1<<20), Options{})
	if got := judge(t, j, task); labels(got) != longWant || len(model.requests) != 1 {
		t.Errorf("got %s in %d requests; want %s in 1", labels(got), len(model.requests), longWant)
	}
}

// Requests stay within a known window, so the server rejects none.
func TestRequestsFitKnownWindow(t *testing.T) {
	tokens := func(s string) int { return (len(s) + 3) / 4 }
	task := longTask()
	for _, window := range []int{4500, 3600, 8000, 100000} {
		j, model := newJudge(t, func(_ int, in input) (string, error) {
			used := in.r.MaxTokens
			for _, m := range in.r.Messages {
				used += tokens(m.Text)
			}
			if used > window {
				t.Errorf("got a request of %d tokens, want at most %d", used, window)
			}
			return judgeByKeys(in)
		}, Options{MaxContextTokens: window, Tokens: tokens})
		checkLong(t, task, judge(t, j, task))
		if window == 100000 && len(model.requests) != 1 {
			t.Errorf("got %d requests, want 1", len(model.requests))
		}
	}
}

func TestClaimsAreSplitToFitWindow(t *testing.T) {
	long := strings.Repeat("x", 900)
	task := newTask([]string{"short A=yes"}, "A", "A"+long, "B"+long, "A")
	j, model := newJudge(t, rejectAbove(1500), Options{})
	if got := judge(t, j, task); labels(got) != "supported not_mentioned not_mentioned supported" {
		t.Errorf("got %s in %d requests; want supported not_mentioned not_mentioned supported", labels(got), len(model.requests))
	}
	j, _ = newJudge(t, rejectAbove(500), Options{})
	_, err := j.Judge(t.Context(), task)
	if _, ok := errors.AsType[*llm.ContextLengthError](err); !ok {
		t.Errorf("got %v, want a *llm.ContextLengthError", err)
	}
	// If the window is known beforehand, no request is wasted.
	j, model = newJudge(t, rejectAbove(1<<20), Options{MaxContextTokens: 500})
	_, err = j.Judge(t.Context(), task)
	if _, ok := errors.AsType[*llm.ContextLengthError](err); !ok || len(model.requests) != 0 {
		t.Errorf("got %v in %d requests; want a *llm.ContextLengthError in 0", err, len(model.requests))
	}
}

func TestWindowsCoverText(t *testing.T) {
	for _, text := range []string{
		strings.Repeat("word ", 500), strings.Repeat("x", 2000), strings.Repeat("日本語の文。", 300), strings.Repeat("\xff", 1000), strings.Repeat("A sentence here. ", 100) + "é",
	} {
		for _, limit := range []int{chunkOverhead + 5, 100, 333, 1000} {
			at := 0
			for i, w := range windows(text, limit, bytesOf) {
				if bytesOf(w) > limit+utf8.UTFMax {
					t.Errorf("got a window of %d bytes, want at most %d", bytesOf(w), limit)
				}
				n := strings.LastIndex(text[:min(len(text), at+len(w))], w)
				if n < 0 || n > at {
					t.Fatalf("window %d (%d bytes) starts after a gap at byte %d", i, len(w), at)
				}
				at = max(at, n+len(w))
			}
			if at < len(text) && !strings.HasSuffix(text, text[at:]) || at == 0 {
				t.Errorf("windows cover %d of %d bytes", at, len(text))
			}
		}
	}
}
