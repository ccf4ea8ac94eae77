package main

import (
	"encoding/json"
	"fmt"
	"net/http/httptest"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/ragfaith/ragfaith/internal/llm/llmtest"
)

// A profileCase is a row of the table about profiles in docs/llm-reference.md.
type profileCase struct {
	situation        string // first words of the row
	question, answer string
	contexts         []string               // defaults to profileContexts
	model            func() []llmtest.Quirk // deviations of the model; may be nil
	unsent           []string               // texts that no request may contain
}

const (
	profileBorn  = "Einstein was a physicist who was born in Ulm."
	profileMoved = "Einstein moved from Zurich to Berlin."
	profileBoth  = profileBorn + " " + profileMoved
)

func profileContexts() []string { return []string{profileBorn, "Einstein received the Nobel Prize."} }

func profileCases() []profileCase {
	var many strings.Builder
	for i := range 25 {
		fmt.Fprintf(&many, "Einstein received %s %d. ", []string{"the Nobel Prize", "anonymous telegrams"}[i/20], i)
	}
	return []profileCase{
		{situation: "two claims, one of them supported", answer: profileBoth},
		{
			situation: "and a greeting, a question, a refusal", answer: "Sure! " + profileBoth + " The contexts do not mention his wife. Do you want to know more?",
			unsent: []string{"Sure", "wife", "know more"},
		},
		{situation: "and a heading", answer: "# Life of Einstein\n\n" + profileBoth},
		{situation: "only a greeting, a question or a refusal", answer: "Sure! I don't know. Do you want to know more?"},
		{situation: "an empty answer"},
		{situation: "contexts without text", answer: profileBoth, contexts: []string{" "}},
		{situation: "25 claims, 20 of them supported", answer: many.String()},
		{situation: "one statement for two sentences", answer: profileBoth, model: func() []llmtest.Quirk {
			return []llmtest.Quirk{editList("statements", func(list []any) []any {
				if s, ok := list[0].(map[string]any); ok && len(list) == 2 {
					s["text"], s["is_supported"] = profileBoth, false
				} else if len(list) == 2 {
					list[0] = profileBoth
				}
				return list[:1]
			})}
		}},
		{situation: "no statement for one of two sentences", answer: profileBoth, model: func() []llmtest.Quirk {
			return []llmtest.Quirk{editList("statements", func(list []any) []any {
				return slices.DeleteFunc(list, func(s any) bool { return strings.Contains(fmt.Sprint(s), profileMoved) })
			})}
		}},
		{situation: "no statement at all", answer: profileBoth, model: func() []llmtest.Quirk {
			return []llmtest.Quirk{editList("statements", func([]any) []any { return []any{} })}
		}},
		{situation: "one verdict missing, once", answer: profileBoth, model: func() []llmtest.Quirk {
			return []llmtest.Quirk{loseVerdictOnce("verdicts"), loseVerdictOnce("statements")}
		}},
		{situation: "no verdict, not even as one word", answer: profileBoth, model: func() []llmtest.Quirk {
			return []llmtest.Quirk{verdictsAre(`"partly"`), llmtest.When((*llmtest.Call).Word, func(*llmtest.Call) *llmtest.Answer {
				return &llmtest.Answer{Content: "maybe"}
			})}
		}},
	}
}

func verdictsAre(value string) llmtest.Quirk {
	return otherForms([]string{value}, []string{value})
}

// loseVerdictOnce removes the first verdict from the first reply that has one.
func loseVerdictOnce(key string) llmtest.Quirk {
	lost := false
	return editList(key, func(list []any) []any {
		v, ok := list[0].(map[string]any)
		if ok && !lost && v["verdict"] != nil {
			lost = true
			return list[1:]
		}
		if ok && !lost && v["is_supported"] != nil {
			lost = true
			delete(v, "is_supported")
		}
		return list
	})
}

// splitStatements makes a statement of each sentence of an answer, as a model does.
func splitStatements() llmtest.Quirk {
	return editList("statements", func(list []any) []any {
		answer, ok := list[0].(string)
		if !ok {
			return list
		}
		list = nil
		for _, s := range strings.SplitAfter(answer, ". ") {
			list = append(list, strings.TrimSpace(s[strings.LastIndex(s, "\n")+1:]))
		}
		return list
	})
}

// TestProfilesBehaveAsDocumented checks that the requests and the score in each cell of the
// table are those of a run.
func TestProfilesBehaveAsDocumented(t *testing.T) {
	t.Parallel()
	_, section, _ := strings.Cut(readFile(t, "../../docs/llm-reference.md"), "## What each profile does\n")
	section, _, _ = strings.Cut(section, "\n## ")
	documented := map[string][]string{}
	for line := range strings.Lines(section) {
		if cells := strings.Split(line, " | "); len(cells) == 4 && !strings.HasPrefix(line, "| answer") {
			documented[strings.TrimPrefix(cells[0], "| ")] = append(cells[1:3], strings.TrimSuffix(cells[3], " |\n"))
		}
	}
	for _, c := range profileCases() {
		cells := documented[c.situation]
		delete(documented, c.situation)
		t.Run(c.situation, func(t *testing.T) {
			t.Parallel()
			for i, args := range []string{"--profile ragas", "--profile rag-evals", "--judge llm"} {
				want := "nothing"
				if i < len(cells) {
					want, _, _ = strings.Cut(cells[i], ";")
				}
				if got := runProfileCase(t, c, args); got != want {
					t.Errorf("%s: got %s, documented is %s", args, got, want)
				}
			}
		})
	}
	for situation := range documented {
		t.Errorf("no test of the documented situation %q", situation)
	}
}

// runProfileCase returns the number of requests and the outcome of a row.
func runProfileCase(t *testing.T, c profileCase, args string) string {
	t.Helper()
	var quirks []llmtest.Quirk
	if c.model != nil {
		quirks = c.model()
	}
	server := llmtest.New(append(quirks, splitStatements())...)
	s := httptest.NewServer(server)
	defer s.Close()
	if c.contexts == nil {
		c.contexts = profileContexts()
	}
	dir := t.TempDir()
	row := must(json.Marshal(map[string]any{"question": c.question, "answer": c.answer, "contexts": c.contexts}))
	writeFile(t, filepath.Join(dir, "d.jsonl"), string(row)+"\n")
	got := runInProcess(t, dir, nil, append([]string{
		"score", filepath.Join(dir, "d.jsonl"), "--to", "jsonl", "--max-failed", "1", "--model", "x", "--base-url", s.URL + "/v1",
	}, strings.Fields(args)...)...)
	rows := decodeLines[resultRow](t, got.stdout)
	if len(rows) != 1 {
		t.Fatalf("got %d rows, want 1; stderr: %s", len(rows), got.stderr)
	}
	r := rows[0]
	calls := slices.DeleteFunc(server.Calls(), func(q *llmtest.Call) bool { // probes of the context window
		return !strings.HasPrefix(q.User, "{")
	})
	for _, text := range c.unsent {
		if slices.ContainsFunc(calls, func(q *llmtest.Call) bool { return strings.Contains(q.User, text) }) {
			t.Errorf("%s: a request contains %q", args, text)
		}
	}
	outcome := r.Status
	switch {
	case r.Status == "no_claims" && r.Faithfulness == nil:
		outcome = "no claims"
	case r.Status == "no_claims":
		outcome = fmt.Sprintf("no claims, score %v", *r.Faithfulness)
	case r.Faithfulness != nil:
		outcome = fmt.Sprintf("score %v", *r.Faithfulness)
	}
	plural := "s"
	if len(calls) == 1 {
		plural = ""
	}
	return fmt.Sprintf("%d request%s, %s", len(calls), plural, outcome)
}
