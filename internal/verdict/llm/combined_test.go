package llm

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/ragfaith/ragfaith/internal/extract"
	"github.com/ragfaith/ragfaith/internal/llm"
	"github.com/ragfaith/ragfaith/internal/verdict"
)

func newCombined(t testing.TB, answer func(int, input) (string, error), opts Options) (*Combined, *fakeModel) {
	t.Helper()
	m := &fakeModel{answer: answer}
	opts.Model, opts.Prompts = m, loadPrompts(t)
	return NewCombined(opts, "en"), m
}

func TestCombinedSendsOneRequest(t *testing.T) {
	c, model := newCombined(t, func(_ int, in input) (string, error) {
		if len(in.Sentences) != 2 || in.Sentences[1].Text != "He had 3 dogs." || in.Question != "Einstein?" || len(in.Chunks) != 2 {
			t.Errorf("got input %+v, want 2 sentences, the question and 2 chunks", in)
		}
		return `{"statements":[
			{"sentence_id":0,"text":"Einstein was born in Ulm.","reasoning":"chunk 1\nsays so","chunk_ids":[1,7,1],"is_supported":true},
			{"sentence_id":1,"text":"He had 3 dogs.","reasoning":"not there","chunk_ids":[0],"is_supported":false},
			{"sentence_id":1,"text":"Einstein had 4 dogs.","reasoning":"","chunk_ids":[],"is_supported":false}]}`, nil
	}, Options{})
	e, j, err := c.Evaluate(t.Context(), "Einstein?", "Hello! He was born in Ulm. He had 3 dogs.", []string{"x", "Born in Ulm."})
	if err != nil {
		t.Fatal(err)
	}
	wantClaims := []extract.Claim{
		{ID: 0, Text: "Einstein was born in Ulm.", Start: -1, End: -1, From: &extract.Span{Start: 7, End: 26}},
		{ID: 1, Text: "He had 3 dogs.", Start: 27, End: 41},
		{ID: 2, Text: "Einstein had 4 dogs.", Start: -1, End: -1, From: &extract.Span{Start: 27, End: 41}, Invented: true},
	}
	if d := cmp.Diff(wantClaims, e.Claims); d != "" {
		t.Errorf("claims (-want +got):\n%s", d)
	}
	want := []verdict.Verdict{
		{ClaimID: 0, Label: verdict.Supported, Score: 1, Reason: "chunk 1 says so", ChunkIDs: []int{1}},
		{ClaimID: 1, Reason: "not there"},
		{ClaimID: 2, Reason: "the model gave no reason"},
	}
	if d := cmp.Diff(want, j.Verdicts); d != "" {
		t.Errorf("verdicts (-want +got):\n%s", d)
	}
	if len(model.requests) != 1 || j.Usage.Requests+e.Usage.Requests != 1 || model.requests[0].Prompt != "rag-evals/1" || !json.Valid(model.requests[0].Schema.JSON) {
		t.Errorf("got %d requests, usage %+v; want 1 with a schema", len(model.requests), j.Usage)
	}
	if len(e.Skipped) != 1 || e.Skipped[0].Kind != extract.Greeting {
		t.Errorf("got skipped %+v, want a greeting", e.Skipped)
	}
}

func TestCombinedJudgesNothingWithoutContexts(t *testing.T) {
	c, model := newCombined(t, func(int, input) (string, error) {
		return `{"statements":[{"sentence_id":0,"text":"Mars is red.","reasoning":"r","chunk_ids":[],"is_supported":false}]}`, nil
	}, Options{})
	e, j, err := c.Evaluate(t.Context(), "q", "Mars is red. Venus is bright.", nil)
	if err != nil || len(e.Claims) != 2 || len(j.Verdicts) != 2 {
		t.Fatalf("got %+v, %+v, %v; want 2 claims", e, j, err)
	}
	for _, r := range model.requests {
		if r.Prompt != "rag-evals/1" {
			t.Errorf("got a request with prompt %s, want only requests for claims", r.Prompt)
		}
	}
}

func TestCombinedRetriesInvalidReplies(t *testing.T) {
	one := `{"sentence_id":0,"text":"Mars is red.","reasoning":"r","chunk_ids":[0],"is_supported":true}`
	two := `{"sentence_id":1,"text":"Venus is bright.","reasoning":"r","chunk_ids":[0],"is_supported":true}`
	list := func(es ...string) string { return `{"statements":[` + strings.Join(es, ",") + `]}` }
	good := list(one, two)
	for name, tt := range map[string]struct {
		replies []string
		judged  int // sentences that become verbatim claims
	}{
		"complete":          {[]string{good}, 0},
		"no verdict":        {[]string{list(one, `{"sentence_id":1,"text":"Venus is bright.","reasoning":"r","chunk_ids":[0]}`), good}, 0},
		"verdict of 2":      {[]string{list(one, `{"sentence_id":1,"text":"Venus is bright.","chunk_ids":[0],"is_supported":2}`), good}, 0},
		"no text":           {[]string{list(one, `{"sentence_id":1,"text":" ","chunk_ids":[0],"is_supported":true}`), good}, 0},
		"unknown sentence":  {[]string{list(one, two, `{"sentence_id":2,"text":"Venus is bright.","chunk_ids":[0],"is_supported":true}`), good}, 0},
		"no statements":     {[]string{list(), good}, 0},
		"one missing":       {[]string{list(two), list(one)}, 0},
		"one missing twice": {[]string{list(two), list()}, 1},
		"always empty":      {[]string{`null`, `{}`}, 2},
	} {
		t.Run(name, func(t *testing.T) {
			c, model := newCombined(t, func(n int, in input) (string, error) {
				if in.Claims != nil {
					if len(in.Claims) != tt.judged {
						t.Errorf("got %d claims judged separately, want %d", len(in.Claims), tt.judged)
					}
					return verdictsOn(in.Claims, func(string) string { return "supported" }), nil
				}
				return tt.replies[n], nil
			}, Options{})
			e, j, err := c.Evaluate(t.Context(), "q", "Mars is red. Venus is bright.", []string{"Mars is red. Venus is bright."})
			if err != nil || labels(j) != "supported supported" {
				t.Fatalf("got %s, %v; want %s, nil", labels(j), err, "supported supported")
			}
			if e.Claims[0].Text != "Mars is red." || e.Claims[1].Text != "Venus is bright." || e.Claims[1].ID != 1 || e.Claims[1].Start != 13 {
				t.Errorf("got claims %+v, want both sentences", e.Claims)
			}
			if want := len(tt.replies) + min(tt.judged, 1); len(model.requests) != want {
				t.Errorf("%d requests, want %d", len(model.requests), want)
			}
		})
	}
}

// echoSentences returns each sentence of the answer ("A. B.") as a statement, with the
// verdict of judgeByKeys.
func echoSentences(in input) (string, error) {
	if in.Claims != nil {
		return judgeByKeys(in)
	}
	var list []string
	for _, sentence := range in.Sentences {
		s := sentence.Text[:1]
		ids, ok := []int{}, false
		for _, ch := range in.Chunks {
			if strings.Contains(ch.Text, s+"=yes") {
				ids, ok = append(ids, ch.ID), true
			}
		}
		b, _ := json.Marshal(map[string]any{"sentence_id": sentence.ID, "text": s, "reasoning": "r", "chunk_ids": ids, "is_supported": ok})
		list = append(list, string(b))
	}
	return `{"statements":[` + strings.Join(list, ",") + `]}`, nil
}

func TestCombinedFitsTheWindow(t *testing.T) {
	task := longTask()
	const want = "supported supported not_mentioned supported not_mentioned"
	tokens := func(s string) int { return (len(s) + 3) / 4 }
	for name, opts := range map[string]Options{"found": {}, "known": {MaxContextTokens: 3800, Tokens: tokens}} {
		c, model := newCombined(t, func(_ int, in input) (string, error) {
			if len(in.r.Messages[1].Text) > 6500 {
				return "", &llm.ContextLengthError{}
			}
			return echoSentences(in)
		}, opts)
		e, j, err := c.Evaluate(t.Context(), "q", "Alpha is it. Beta is it.", []string{"A=yes"})
		if err != nil || labels(j) != "supported not_mentioned" || len(model.requests) != 1 {
			t.Errorf("%s, short: got %s, %v in %d requests; want %s, nil in 1", name, labels(j), err, len(model.requests), "supported not_mentioned")
		}
		e, j, err = c.Evaluate(t.Context(), "q", "Alpha is it. Beta is it. C3 is it. Delta is it. Epsilon is it.", task.Contexts)
		if err != nil || labels(j) != want || len(e.Claims) != 5 {
			t.Errorf("%s: got %s, %v, %d claims; want %s, nil, 5", name, labels(j), err, len(e.Claims), want)
		}
		task.Claims = e.Claims
		if err == nil {
			checkVerdicts(t, task, j.Verdicts)
		}
		if len(model.requests) < 3 {
			t.Errorf("%s: got %d requests, want at least 3", name, len(model.requests))
		}
	}
}

// supportSentences returns each sentence as a supported statement.
func supportSentences(in input) (string, error) {
	var list []string
	for _, s := range in.Sentences {
		list = append(list, fmt.Sprintf(`{"sentence_id":%d,"text":%q,"reasoning":"r","chunk_ids":[],"is_supported":true}`, s.ID, s.Text))
	}
	return `{"statements":[` + strings.Join(list, ",") + `]}`, nil
}

func TestCombinedSplitsLongAnswers(t *testing.T) {
	answer := "Mercury is hot. Venus is bright. Earth is wet. Mars is red. Jupiter is big."
	c, model := newCombined(t, func(_ int, in input) (string, error) {
		if len(in.Sentences) > 2 {
			return "", &llm.LengthError{}
		}
		return supportSentences(in)
	}, Options{})
	e, j, err := c.Evaluate(t.Context(), "q", answer, []string{"c"})
	if err != nil || len(e.Claims) != 5 || len(j.Verdicts) != 5 || len(model.requests) != 5 {
		t.Errorf("got %d claims, %d verdicts, %d requests, %v; want 5, 5, 5, nil", len(e.Claims), len(j.Verdicts), len(model.requests), err)
	}
	for i, c := range e.Claims {
		if c.ID != i || c.Start < 0 || answer[c.Start:c.End] != c.Text {
			t.Errorf("got claim %+v, want ID %d and the text at its offsets", c, i)
		}
	}
}

// If the second attempt for a sentence exceeds the context window, halved chunks get two
// attempts of their own.
func TestCombinedHasTwoAttemptsAfterHalving(t *testing.T) {
	var sizes []int
	c, _ := newCombined(t, func(n int, in input) (string, error) {
		if in.Claims != nil {
			return judgeByKeys(in)
		}
		sizes = append(sizes, len(in.Sentences))
		switch n {
		case 0:
			in.Sentences = in.Sentences[:1] // omits the second sentence
		case 1:
			return "", &llm.ContextLengthError{}
		case 2:
			return `{"statements":[]}`, nil
		}
		return supportSentences(in)
	}, Options{})
	e, j, err := c.Evaluate(t.Context(), "q", "Mars is red. Venus is bright.", longTask().Contexts)
	if err != nil || len(e.Claims) != 2 || labels(j) != "supported supported" {
		t.Errorf("got %d claims, %s, %v; want 2, supported supported, nil", len(e.Claims), labels(j), err)
	}
	if diff := cmp.Diff([]int{2, 1, 1, 1}, sizes); diff != "" {
		t.Errorf("sentences per request (-want +got):\n%s", diff)
	}
}

func TestCombinedErrors(t *testing.T) {
	refusal := &llm.RefusalError{Reason: "content_filter"}
	c, _ := newCombined(t, func(int, input) (string, error) { return "", refusal }, Options{})
	if e, j, err := c.Evaluate(t.Context(), "q", "A is B.", []string{"c"}); !errors.Is(err, refusal) || e.Claims != nil || j.Verdicts != nil {
		t.Errorf("got %v, want %v and no results", err, refusal)
	}
	c, _ = newCombined(t, func(int, input) (string, error) { return "", &llm.ContextLengthError{} }, Options{})
	if _, _, err := c.Evaluate(t.Context(), "q", "A is B.", []string{strings.Repeat("c ", 500)}); err == nil {
		t.Error("got a result for a window without room")
	}
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	if _, _, err := c.Evaluate(ctx, "q", "A is B.", []string{"c"}); !errors.Is(err, context.Canceled) {
		t.Errorf("got %v, want %v", err, context.Canceled)
	}
}

// A fragment is sent with its heading, and a reply that repeats both is the fragment.
func TestCombinedSendsHeadings(t *testing.T) {
	c, model := newCombined(t, func(_ int, in input) (string, error) { return supportSentences(in) }, Options{})
	e, _, err := c.Evaluate(t.Context(), "", "Advantages of zinc:\n- low cost\n- long life\n", []string{"x"})
	if err != nil || len(e.Claims) != 2 || e.Claims[0].Start < 0 || e.Claims[0].Invented {
		t.Errorf("got claims %+v, error %v, want two verbatim ones", e.Claims, err)
	}
	if text := model.requests[0].Messages[1].Text; !strings.Contains(text, `"Advantages of zinc: low cost"`) {
		t.Errorf("got request %s, want the heading before the fragment", text)
	}
}
