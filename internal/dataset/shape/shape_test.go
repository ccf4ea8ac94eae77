package shape

import (
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
)

func TestWords(t *testing.T) {
	for in, want := range map[string]string{
		"retrieved_contexts": "retrieved contexts",
		"retrievedContexts":  "retrieved contexts",
		"Retrieved Contexts": "retrieved contexts",
		"LLMResponse":        "llm response",
		"gpt4_answer":        "gpt 4 answer",
		"context_12":         "context 12",
		"output/text":        "output text",
		"":                   "",
		"_id":                "id",
	} {
		if got := strings.Join(words(in), " "); got != want {
			t.Errorf("words(%q): got %q, want %q", in, got, want)
		}
	}
}

func TestRank(t *testing.T) {
	const none = -1
	for _, tt := range []struct {
		field Field
		name  string
		want  int
	}{
		{Question, "user_input", 0},
		{Question, "Query", 0},
		{Question, "input", 1},
		{Question, "prompt", 1},
		{Question, "user_message", 1},
		{Question, "question_id", none},
		{Question, "query_time", none},
		{Question, "message", none},
		{Answer, "answer", 0},
		{Answer, "modelResponse", 0},
		{Answer, "actual_output", 0},
		{Answer, "completion", 1},
		{Answer, "gpt4_answer", 0},
		{Answer, "result", 2},
		{Answer, "assistant_message", 1},
		{Answer, "expected_answer", none},
		{Answer, "ground_truth_answer", none},
		{Answer, "answer_relevancy", none},
		{Answer, "student_answer", none},
		{Answer, "human_answer", none},
		{Answer, "output_tokens", none},
		{Contexts, "contexts", 0},
		{Contexts, "retrievedDocs", 0},
		{Contexts, "source_documents", 0},
		{Contexts, "chunks", 1},
		{Contexts, "search_results", 1},
		{Contexts, "top_k_passages", 1},
		{Contexts, "sources", 2},
		{Contexts, "contexts_2", 0},
		{Contexts, "context_y", 1},
		{Contexts, "additional_context", 1},
		{Contexts, "y", none},
		{Contexts, "reference_contexts", none},
		{Contexts, "context_precision", none},
		{Contexts, "source", none},
		{Contexts, "results", none},
	} {
		rank, ok := NewNames().Rank(tt.field, tt.name)
		if !ok {
			rank = none
		}
		if rank != tt.want {
			t.Errorf("field %s, %s: got rank %d, want %d", tt.field, tt.name, rank, tt.want)
		}
	}
}

func TestContentRank(t *testing.T) {
	for name, want := range map[string]bool{
		"text": true, "chunk_text": true, "pageContent": true, "passage": true, "document_content": true,
		"chunk_id": false, "text_length": false, "title": false, "": false,
	} {
		if _, got := ContentRank(name); got != want {
			t.Errorf("ContentRank(%q): got %t, want %t", name, got, want)
		}
	}
}

func TestParsePath(t *testing.T) {
	for in, want := range map[string][]step{
		"a":                {{key: "a"}},
		"a.b[*].c":         {{key: "a"}, {key: "b"}, {kind: allElements}, {key: "c"}},
		"$.a[0][-1]":       {{key: "a"}, {index: 0, kind: byIndex}, {index: -1, kind: byIndex}},
		`a["b.c"]['d]']`:   {{key: "a"}, {key: "b.c"}, {key: "d]"}},
		`a["b\"]\\"]`:      {{key: "a"}, {key: `b"]\`}},
		`a["b\"]`:          {{key: "a"}, {key: `b\`}},
		"a.*.b":            {{key: "a"}, {kind: allElements}, {key: "b"}},
		"Retrieved Docs[]": {{key: "Retrieved Docs"}, {kind: allElements}},
	} {
		p, err := ParsePath(in)
		if err != nil {
			t.Errorf("ParsePath(%q): got error %v", in, err)
			continue
		}
		if d := cmp.Diff(want, p.steps, cmp.AllowUnexported(step{})); d != "" {
			t.Errorf("ParsePath(%q) (-want +got):\n%s", in, d)
		}
	}
	for _, in := range []string{"", "$", "a[", "a[x]", "a..b", "a.", "a[0]b", `a["b]`} {
		if p, err := ParsePath(in); err == nil {
			t.Errorf("ParsePath(%q): got %v, want an error", in, p.steps)
		}
	}
}

func TestToolsMatchNoPlainRow(t *testing.T) {
	plain := &Value{Kind: Object, Items: []*Value{{Name: "question", Kind: Text}, {Name: "answer", Kind: Text}, {Name: "contexts", Kind: List}}}
	for _, tool := range Tools() {
		if tool.matches(plain) {
			t.Errorf("%s matches a row with question, answer and contexts", tool.Name)
		}
		for field, paths := range tool.Paths {
			for _, path := range paths {
				if _, err := ParsePath(path); err != nil {
					t.Errorf("%s, field %s: %v", tool.Name, field, err)
				}
			}
		}
	}
}
