package dataset

import (
	"fmt"
	"slices"
	"strconv"
	"strings"
	"testing"
)

// An error is better than a score of the wrong text.
func TestOpenDoesNotGuess(t *testing.T) {
	const docs = `"documents":["The tower stands in Paris."]`
	noAnswer, noContexts := "no answer: ", "no contexts: "
	for _, tt := range []struct{ name, text, want string }{
		{"answers at two depths", `{"answer":"expected","run":{"answer":"generated",` + docs + `}}`, `both "answer" and "run.answer" match`},
		{"answer and prediction", `{"answer":"expected","prediction":"generated","chunks":["some text"]}`, `both "answer" and "prediction" match`},
		{"answer and contexts beside the expected ones", `{"answer":"expected","context":"the ideal text","rag":{"answer":"generated","contexts":["some text"]}}`, `both "answer" and "rag.answer" match`},
		{"answers of two models", `{"a":{"answer":"one"},"b":{"answer":"two"},` + docs + `}`, `both "a.answer" and "b.answer" match`},
		{"second record has a better name", `{"out":{"result":"It passes."},` + docs + "}\n" + `{"out":{"answer":"a","result":"It passes."},` + docs + `}`, `both "out.answer" and "out.result" match`},
		{"verdict", `{"result":"pass",` + docs + `}`, noAnswer},
		{"number", `{"prediction":"1",` + docs + `}`, noAnswer},
		{"status of an output", `{"output":{"status":"done now","n":3},"chunks":["some text"]}`, noAnswer},
		{"error of an output", `{"output":{"error":"Rate limit exceeded"},"chunks":["some text"]}`, noAnswer},
		{"answer of an evaluation", `{"evaluation":{"response":"It is faithful."},` + docs + `}`, noAnswer},
		{"answer of a turn", `{"history":[{"answer":"old"}],` + docs + `}`, noAnswer},
		{"system message", `{"user_message":"q","system_message":"Be kind.","chunks":["some text"]}`, noAnswer},
		{"dataset of LangSmith", `{"dataset_id":"d","inputs":{"question":"q","context":["some text"]},"outputs":{"answer":"expected"}}`, noAnswer},
		{"chat that ends in a call", `{"messages":[{"role":"user","content":"q"},{"role":"assistant","content":"Let me look.","tool_calls":[{"id":"1"}]},{"role":"tool","content":"some text"}]}`, noAnswer},
		{"chat without results in the last turn", `{"messages":[{"role":"user","content":"q"},{"role":"tool","content":"some text"},{"role":"assistant","content":"a"},{"role":"user","content":"q2"},{"role":"assistant","content":"a2"}]}`, noContexts},
		{"messages of an unknown framework", `{"answer":"a","steps":[{"type":"TextMessage","source":"user","content":"q","metadata":{}},{"type":"TextMessage","source":"bot","content":"a","metadata":{}}]}`, noContexts},
		{"contexts of turns", `{"answer":"a","turns":[{"answer":"b","documents":["c d"]},{"answer":"e","documents":["f g"]}]}`, noContexts},
		{"contexts of an evaluation", `{"answer":"a","evaluation":{"contexts":["The judge says so."]}}`, noContexts},
		{"examples", `{"completion":"a","examples":[{"text":"few shots","url":"u"}]}`, noContexts},
		{"quotes", `{"completion":"a","citations":[{"text":"of the answer","url":"u"}]}`, noContexts},
		{"columns of unequal lengths", `{"question":["q1","q2"],"answer":["a"],"contexts":[["some text"],["more text"]]}`, "question: want a string, got a list"},
		{"more lists of contexts than answers", `{"answer":["a"],"contexts":[["some text"],["more text"]]}`, "answer: want a string, got a list"},
		{"ids", `{"answer":"a","retrieved_docs":["doc1","doc2"]}`, noContexts},
		{"titles", `{"answer":"a","sources":["Company handbook 2024"]}`, noContexts},
		{"names in a text", `{"answer":"a","sources":"a.pdf, b.pdf"}`, noContexts},
		{"URLs in a text", `{"answer":"a","sources":"https://example.com/a, https://example.com/b"}`, noContexts},
		{"names of documents", `{"answer":"a","source_documents":["handbook.pdf","faq.pdf"]}`, "no contexts found in an export of LangChain"},
		{"names under a usual name", `{"answer":"a","contexts":["https://example.com/a","docs/b.pdf"]}`, `contexts: want texts, got only names of their sources, such as "https://example.com/a"`},
		{"query of a retriever", `{"answer":"a","retriever_input":"tower location"}`, noContexts},
		{"text of a search", `{"answer":"a","search_text":"tower location"}`, noContexts},
		{"objects of labels", `{"answer":"a","documents":[{"headline":"Company handbook","publisher":"The company"}]}`, "contexts[0]: want a string"},
		{"two lists of documents", `{"answer":"a","first":[{"text":"one two","url":"u"}],"second":[{"text":"three","url":"u"}]}`, `both "first" and "second" match`},
		{"two roots", `{"id":"1","trace_id":"t","parent_run_id":null,"run_type":"llm","inputs":{"input":"q"},"outputs":{"output":"rewritten"}}
{"id":"2","trace_id":"t","parent_run_id":null,"run_type":"llm","inputs":{"input":"q"},"outputs":{"output":"a"}}`, "several spans of the trace have an output and no parent"},
		{"failed root", `{"id":"1","trace_id":"t","parent_run_id":null,"run_type":"chain","level":"ERROR","inputs":{"input":"q"}}
{"id":"2","trace_id":"t","parent_run_id":"1","run_type":"llm","outputs":{"output":"rewritten"}}
{"id":"3","trace_id":"t","parent_run_id":"1","run_type":"retriever","outputs":{"documents":["c d"]}}`, "no answer: "},
		{"failed root of OTLP", `{"resourceSpans":[{"scopeSpans":[{"spans":[
{"traceId":"t","spanId":"1","status":{"code":2},"attributes":[{"key":"input.value","value":{"stringValue":"q"}}]},
{"traceId":"t","spanId":"2","parentSpanId":"1","attributes":[{"key":"output.value","value":{"stringValue":"rewritten"}}]},
{"traceId":"t","spanId":"3","parentSpanId":"1","attributes":[{"key":"openinference.span.kind","value":{"stringValue":"RETRIEVER"}},{"key":"retrieval.documents.0.document.content","value":{"stringValue":"c d"}}]}]}]}]}`, noAnswer},
		{"retriever alone", `{"id":"1","trace_id":"t","parent_run_id":null,"run_type":"retriever","inputs":{"input":"q"},"outputs":{"documents":["c d"],"output":"c d"}}`, noAnswer},
		{"retriever that asks a model", `{"id":"1","trace_id":"t","parent_run_id":null,"run_type":"retriever","inputs":{"input":"q"},"outputs":{"documents":["c d"]}}
{"id":"2","trace_id":"t","parent_run_id":"1","run_type":"llm","outputs":{"output":"rewritten"}}`, noAnswer},
		{"root with an empty output", `{"id":"1","trace_id":"t","parent_run_id":null,"run_type":"chain","output":{},"input":"q"}
{"id":"2","trace_id":"t","parent_run_id":"1","run_type":"llm","output":"rewritten"}
{"id":"3","trace_id":"t","parent_run_id":"1","run_type":"retriever","outputs":{"documents":["c d"]}}`, "no answer found"},
		{"retriever of ids", `{"id":"1","trace_id":"t","parent_run_id":null,"run_type":"chain","inputs":{"input":"q"},"outputs":{"output":"a"}}
{"id":"2","trace_id":"t","parent_run_id":"1","run_type":"retriever","outputs":{"documents":["d1","d2"]}}`, "no contexts found in an export of LangSmith"},
	} {
		rows, last := read(t, "x.jsonl", tt.text+"\n", Options{})
		valid := slices.ContainsFunc(rows, func(r result) bool { return r.Err == "" })
		if got := lastError(rows, last); valid || !strings.Contains(got, tt.want) {
			t.Errorf("%s: got rows %+v, error %q, want only errors, with %q", tt.name, rows, got, tt.want)
		}
	}
}

func TestRowsOfOneTurn(t *testing.T) {
	const (
		user1, user2 = `{"role":"user","content":"q1"}`, `{"role":"user","content":"q2"}`
		bot1, bot2   = `{"role":"assistant","content":"a1"}`, `{"role":"assistant","content":"a2"}`
		tool1, tool2 = `{"role":"tool","content":"context one"}`, `{"role":"tool","content":"context two"}`
	)
	span := func(id, parent, rest string) string {
		return `{"id":"` + id + `","trace_id":"t","parent_run_id":` + parent + `,` + rest + "}\n"
	}
	documents := func(texts []string) string {
		return `[{"score":` + strconv.Itoa(len(texts)) + `,"content":"` + strings.Join(texts, `"},{"content":"`) + `"}]`
	}
	retrieved := func(id string, texts ...string) string {
		return span(id, `"0"`, `"run_type":"retriever","start_time":"`+id+`","outputs":{"documents":`+documents(texts)+`}`)
	}
	ranked := func(id, kept string, from ...string) string {
		return span(id, `"0"`, `"run_type":"reranker","start_time":"`+id+`","inputs":{"query":"q","documents":`+documents(from)+`},"outputs":{"documents":`+documents([]string{kept})+`}`)
	}
	root := span("0", "null", `"run_type":"chain","inputs":{"input":"q"},"outputs":{"output":"a"}`)
	checkFixtures(t, []toolFixture{
		{"last turn", "x.jsonl", `{"messages":[` + user1 + `,` + tool1 + `,` + bot1 + `,` + user2 + `,` + tool2 + `,` + bot2 + `]}`, "", []string{"q2|a2|context two"}},
		{"last answer", "x.jsonl", `{"messages":[` + user1 + `,` + tool1 + `,` + bot1 + `,` + user2 + `]}`, "", []string{"q1|a1|context one"}},
		{"answer outside the chat", "x.jsonl", `{"in":{"messages":[` + user1 + `,` + bot1 + `,` + user2 + `]},"out":{"answer":"a2","documents":["context two"]}}`, "", []string{"q2|a2|context two"}},
		{"chat as the input of a trace", "x.jsonl", span("1", "null", `"run_type":"chain","inputs":{"messages":[`+user1+`,`+bot1+`,`+user2+`]},"outputs":{"answer":"a2"}`) +
			span("2", `"1"`, `"run_type":"retriever","outputs":{"documents":["context two"]}`), "", []string{"q2|a2|context two"}},
		{"grandchildren before their parents, without trace ids", "x.jsonl", strings.ReplaceAll(
			span("3", `"2"`, `"run_type":"llm","outputs":{"output":"no"}`)+
				span("2", `"1"`, `"run_type":"retriever","outputs":{"documents":["context two"]}`)+
				span("1", "null", `"run_type":"chain","inputs":{"input":"q"},"outputs":{"output":"a"}`), `"trace_id":"t",`, ""), "", []string{"q|a|context two"}},
		{"guardrail after the answer", "x.jsonl", span("1", "null", `"run_type":"chain","inputs":{"input":"q"}`) +
			span("2", `"1"`, `"run_type":"retriever","outputs":{"documents":["context two"]}`) +
			span("3", `"1"`, `"run_type":"llm","outputs":{"output":"a"}`) + span("4", `"1"`, `"run_type":"guardrail","outputs":{"output":"It passed."}`), "", []string{"q|a|context two"}},
		{"title after the answer", "x.jsonl", span("0", "null", `"run_type":"server"`) +
			span("1", `"0"`, `"run_type":"chain","inputs":{"input":"q"},"outputs":{"output":"a"}`) +
			span("2", `"1"`, `"run_type":"retriever","outputs":{"documents":["context two"]}`) +
			span("3", `"1"`, `"run_type":"llm","outputs":{"output":"a"}`) + span("4", `"1"`, `"run_type":"llm","outputs":{"output":"More?"}`) +
			span("5", `"0"`, `"run_type":"llm","outputs":{"output":"A title"}`), "", []string{"q|a|context two"}},
		{"root that prints an object", "x.jsonl", span("1", "null", `"run_type":"chain","inputs":{"input":"q"},"outputs":{"output":"<generator object f.<locals>.g at 0x7f>"}`) +
			span("2", `"1"`, `"run_type":"retriever","outputs":{"documents":["context two"]}`) + span("3", `"1"`, `"run_type":"llm","outputs":{"output":"a"}`), "", []string{"q|a|context two"}},
		{"rerankers of two questions", "x.jsonl", root +
			ranked("1", "context two", "context one", "context two") + retrieved("2", "context one", "context no") + ranked("3", "context one", "context one", "context no") +
			retrieved("4", "context two", "context three"), "", []string{"q|a|context two|context one|context three"}},
		{"reranker after a reranker", "x.jsonl", root + retrieved("1", "context no") +
			ranked("2", "context one", "context one", "context no") + ranked("3", "context two", "context one", "context two"), "", []string{"q|a|context two"}},
		{"retriever of an evaluation", "x.jsonl", span("1", "null", `"run_type":"chain","inputs":{"input":"q"},"outputs":{"output":"a"}`) +
			span("2", `"1"`, `"run_type":"retriever","outputs":{"documents":["context two"]}`) +
			span("3", `"1"`, `"run_type":"evaluator","outputs":{"output":"ok"}`) +
			span("4", `"3"`, `"run_type":"retriever","outputs":{"documents":["context one"]}`), "", []string{"q|a|context two"}},
		{"retrievers by time", "x.jsonl", span("1", "null", `"run_type":"chain","start_time":"2025-01-01T00:00:00Z","inputs":{"input":"q"},"outputs":{"output":"a"}`) +
			span("2", `"1"`, `"run_type":"retriever","start_time":"2025-01-01T00:00:01.5Z","outputs":{"documents":["context two"]}`) +
			span("3", `"1"`, `"run_type":"retriever","start_time":"2025-01-01T00:00:01Z","outputs":{"documents":["context one"]}`), "", []string{"q|a|context one|context two"}},
		{"scripts without spaces", "x.jsonl", `{"out":{"answer":"巴黎","documents":["巴黎是法国的首都。"]}}`, "", []string{"|巴黎|巴黎是法国的首都。"}},
		{"the first record may have one element where others have several", "x.jsonl", `{"answer":"a","results":[{"hit":{"chunk":"one two"}}]}
{"answer":"a","results":[{"hit":{"chunk":"one two"}},{"hit":{"chunk":"three four"}}]}`, "", []string{"|a|one two", "|a|one two|three four"}},
		{"layout of the first record", "x.jsonl", `{"out":{"answer":"one","sources":["Some text."]}}
{"out":{"answer":null,"sources":["Some text."]},"answer":"not this"}
{"out":{"answer":"three","sources":[]}}`, "", []string{"|one|Some text.", "!x.jsonl:2: no answer: out.answer is missing or null", "|three"}},
		{"contexts with text", "x.jsonl", `{"answer":"a","contexts":[{"text":"","content":"x"},{"text":"","content":null},{"text":" ","metadata":{"text":"no"}}]}`, "", []string{"|a|x|| "}},
	})
}

// The column context of DeepEval holds the ideal contexts.
func TestRowsDoesNotReadIdealContexts(t *testing.T) {
	want := []string{"q|a|c", "!contexts", "!contexts"}
	checkFixtures(t, []toolFixture{
		{"jsonl", "x.jsonl", `{"input":"q","actual_output":"a","context":["ideal"],"retrieval_context":["c"]}
{"input":"q","actual_output":"a","context":["ideal"],"retrieval_context":null}
{"input":"q","actual_output":"a","retrieval_context":null,"context":["ideal"]}`, "", want},
		{"csv", "x.csv", "input,actual_output,context,retrieval_context\nq,a,ideal,c\nq,a,ideal,\nq,a,ideal,\n", "", want},
		{"json", "x.json", `[{"input":"q","actualOutput":"a","context":["ideal"],"retrievalContext":["c"]},
{"input":"q","actualOutput":"a","context":["ideal"],"retrievalContext":null},{"input":"q","actualOutput":"a","context":["ideal"]}]`, "", want},
	})
}

func TestLaterRowsAreRefused(t *testing.T) {
	const path = "docs[*].page_content"
	spans := strings.Repeat(`{"id":"1","trace_id":"t","parent_run_id":null,"run_type":"retriever","inputs":{"input":"q"},"outputs":{"documents":["c d"]}}`+"\n", 11)
	type refusal struct {
		file, text string
		opts       Options
		want       string // end of the error
	}
	tests := []refusal{
		{"x.jsonl", `{"turns":[{"answer":"a","documents":["one two"]}]}
{"turns":[{"answer":"a","documents":["one two"]},{"answer":"b","documents":["three four"]}]}`, Options{}, "turns[*].answer: want a string, got 2 values"},
		{"x.jsonl", `{"out":{"answer":"a","documents":["c d"]}}
{"out":{"answer":"a","answer":"b","documents":["c d"]}}`, Options{}, `x.jsonl:2: invalid JSON: duplicate name "answer", at column 22`},
		{"x.jsonl", spans + `{"question":"q","answer":"a","contexts":["c d"]}`, Options{From: "langsmith"}, "x.jsonl: want a span of a trace like the first records, got a row"},
		{"x.json", `{"columns":["answer","contexts"],"data":[["a",["x"]],["x","b",["y"]]]}`, Options{}, "x.json: row 2: the number of values is not that of the columns"},
		{"x.json", `{"columns":["answer","contexts"],"data":[["a",["x"]],["b"]]}`, Options{}, "x.json: row 2: the number of values is not that of the columns"},
		{"x.jsonl", `{"question":["q"],"answer":["a"],"contexts":[["c d"]]}
{"question":["q","r"],"answer":["a"],"contexts":[["c d"]]}`, Options{}, "question: want a string, got a list"},
		{"x.jsonl", `{"question":["q"],"answer":["a"],"contexts":[["c d"]]}
{"question":["q"],"answer":["a"],"contexts":[["c d"],["e f"]]}`, Options{}, "want columns of equal lengths, got 1 value in answer and 2 in contexts"},
		{"x.jsonl", `{"outs":[{"answer":"a"},{}],"contexts":["x"]}`, Options{Map: map[Field]string{FieldAnswer: "outs[*].answer"}}, "missing or null in element 1 of its list"},
	}
	// An element without the text is not left out, since the citations of the others would
	// refer to other elements.
	for _, docs := range []string{`{"id":1}`, `{"page_content":null}`, `"plain"`, "null"} {
		for _, mapped := range []string{path, "docs.page_content"} {
			text := `{"answer":"a","docs":[{"page_content":"x"},` + docs + `,{"page_content":"y"}]}`
			tests = append(tests, refusal{"x.jsonl", text, Options{Map: map[Field]string{FieldContexts: mapped}}, mapped + ": missing or null in element 1 of its list"})
		}
	}
	for _, tt := range tests {
		if got := lastError(read(t, tt.file, tt.text+"\n", tt.opts)); !strings.HasSuffix(got, tt.want) {
			t.Errorf("%s: got error %q, want it to end with %q", tt.text, got, tt.want)
		}
	}
}

// The answer of a row can be the expected one if a system's answer is beside it, and
// contexts can be the ideal ones.
func TestOpenRefusesAnotherAnswerOrContexts(t *testing.T) {
	const more = "more" // the name of the other column in texts
	for _, tt := range []struct {
		field Field
		names string // of the other column
		want  bool   // refused
	}{
		{FieldAnswer, "prediction predicted_answer llm_answer model_output generated_answer response output actual_output completion hypothesis result gpt4_answer gpt-4o-mini openai/gpt-4 llama_3.1_8b Claude-Answer ragResponse submitted_answer answer_2 answer_v2 answer_new response_b model_answers grok o3 o4-mini phi-4 cohere/command-r-plus nova_pro sonnet opus-4 haiku kimi-k2 granite answer_c", true},
		{FieldAnswer, "expected_answer gold ground_truth reference answer_relevancy answer_start student_answer human_answer answers tool_output answer_id gpt4_reason command o", false},
		{FieldContexts, "retrieved_docs search_results retrieval_context retrieved_contexts hits reranked_chunks documents docs context contexts_y contexts_b additional_context", true},
		{FieldContexts, "gold_contexts reference_contexts ground_truth_contexts context_recall", false},
	} {
		for name := range strings.FieldsSeq(tt.names) {
			for file, text := range map[string]string{
				"x.jsonl": strings.Repeat(`{"answer":"The fee is $40.","more":"The fee is $90.","contexts":"The fee is $40."}`+"\n", 2),
				"x.csv":   "answer,more,contexts\nThe fee is $40.,The fee is $90.,The fee is $40.\n",
			} {
				text = strings.ReplaceAll(text, more, name)
				rows, last := read(t, file, text, Options{KeepAll: true})
				if refused := strings.HasPrefix(last, file+": "+string(tt.field)+": ambiguous: "); refused != tt.want || !refused && (last != "" || rows[0].Err != "") {
					t.Errorf("%s with %s: got rows %+v, last error %q, want an ambiguous %s = %t", file, name, rows, last, tt.field, tt.want)
				}
				for column, want := range map[string]string{name: "The fee is $90.", string(tt.field): "The fee is $40."} {
					rows, last := read(t, file, text, Options{Map: map[Field]string{tt.field: column}})
					if last != "" || len(rows) == 0 || rows[0].Row.Answer != want && rows[0].Row.Contexts[0] != want {
						t.Errorf("%s with --map %s=%s: got rows %+v, last error %q, want %q", file, tt.field, column, rows, last, want)
					}
				}
			}
		}
	}
}

// Values decide whether another column can be the answer, in every row.
func TestRowsComparesAnotherAnswer(t *testing.T) {
	row := func(answer, prediction string) string {
		return `{"answer":"` + answer + `","prediction":` + prediction + `,"contexts":["The fee is $40."]}` + "\n"
	}
	same := strings.Repeat(row("It is $40.", `"It is $40."`), 12)
	for _, tt := range []struct {
		text string
		want int // row with the first error, or -1
	}{
		{row("It is $40.", "null") + row("It is $40.", "1") + row("It is $40.", `"pass"`), -1},
		{row("It is $40.", `"0.95"`), -1},
		{same, -1},
		{same + row("It is $40.", `"It is $90."`), 12},
		{same + row("It is $40.", `"pass"`), -1},
		{row("It is $40.", `"90"`), 0},
		{row("4", `"5"`), 0},
		{strings.Repeat(row("It is $40.", "null"), 12) + row("It is $40.", `"It is $90."`), 12},
	} {
		rows, last := read(t, "x.jsonl", tt.text, Options{})
		got := slices.IndexFunc(rows, func(r result) bool { return r.Err != "" })
		if got < 0 && last != "" {
			got = len(rows)
		}
		if got != tt.want {
			t.Errorf("%s: got the first error in row %d, last error %q, want row %d", tt.text, got, last, tt.want)
		}
	}
}

func TestOpenRefusesOneOfTwoSystems(t *testing.T) {
	t.Parallel()
	for _, tt := range []struct {
		columns [2]string
		other   string // value of the second column
		want    bool   // refused
	}{
		{[2]string{"answer_claude", "answer_gpt4"}, "In 1950.", true},
		{[2]string{"answer_mistral", "answer_llama3"}, "In 1950.", true},
		{[2]string{"answer_gpt", "answer_finetuned"}, "In 1950.", true},
		{[2]string{"answer_rag", "answer_baseline"}, "In 1950.", true},
		{[2]string{"answer_llm", "answer_rag_v2"}, "In 1950.", true},
		{[2]string{"response_llama", "response_gpt4"}, "In 1950.", true},
		{[2]string{"answer_gpt", "answer_finetuned"}, "In 1937.", false},
		{[2]string{"answer_llm", "answer_id"}, "a-1", false},
		{[2]string{"answer_llm", "answer_words"}, "52", false},
		{[2]string{"answer_llm", "answer_score"}, "0.9", false},
		{[2]string{"answer_llm", "answer_sources"}, "page 7", false},
		{[2]string{"answer_llm", "answer_human"}, "In 1950.", false},
		{[2]string{"response_llm", "response_time"}, "1.5 s", false},
		{[2]string{"response_text", "response_kind"}, "short", false},
		{[2]string{"answer_llm", "response_format"}, "json", false},
	} {
		for file, text := range map[string]string{
			"x.jsonl": strings.Repeat(fmt.Sprintf(`{%q:"In 1937.",%q:%q,"contexts":["In 1937."]}`+"\n", tt.columns[0], tt.columns[1], tt.other), 2),
			"x.csv":   fmt.Sprintf("%s,%s,contexts\nIn 1937.,%s,In 1937.\n", tt.columns[0], tt.columns[1], tt.other),
		} {
			rows, last := read(t, file, text, Options{})
			want := fmt.Sprintf("%s: answer: ambiguous: both %q and %q match", file, tt.columns[0], tt.columns[1])
			if refused := strings.HasPrefix(last, want); refused != tt.want || !refused && (last != "" || rows[0].Err != "" || rows[0].Row.Answer != "In 1937.") {
				t.Errorf("%s with %v: got rows %+v, last error %q, want it ambiguous = %t", file, tt.columns, rows, last, tt.want)
			}
		}
	}
	for other, want := range map[string]bool{`["It is $90."]`: true, `["It is $40."]`: false, `["d1","d2"]`: false} {
		_, last := read(t, "x.jsonl", `{"answer":"a","retrieved_contexts":["It is $40."],"retrieved_documents":`+other+"}\n", Options{})
		if refused := strings.Contains(last, `ambiguous: both "retrieved_contexts" and "retrieved_documents"`); refused != want || !refused && last != "" {
			t.Errorf("%s: got error %q, want it ambiguous = %t", other, last, want)
		}
	}
}
