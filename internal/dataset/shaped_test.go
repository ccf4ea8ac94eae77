package dataset

import (
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
)

// wantRow is the row of most fixtures in this file. See rowTexts.
const wantRow = "Where is the Eiffel Tower?|It is in Paris.|The tower stands in Paris.|It opened in 1889."

// An exportFixture is a file with one row: wantRow.
type exportFixture struct {
	name, file, text string
	note             string // part of the note
}

func exportFixtures() []exportFixture {
	const (
		q = `"Where is the Eiffel Tower?"`
		a = `"It is in Paris."`
		// Text of the two contexts, and documents with them.
		c1, c2 = `"The tower stands in Paris."`, `"It opened in 1889."`
		docs   = `[{"page_content":` + c1 + `,"metadata":{"source":"a.md"}},{"page_content":` + c2 + `,"metadata":{}}]`
	)
	return []exportFixture{
		{"deepeval test case", "x.json", `[{"input":` + q + `,"actualOutput":` + a + `,"expectedOutput":"gold","context":["gold"],"retrievalContext":[` + c1 + `,` + c2 + `]}]`, "DeepEval"},
		{"deepeval test run", "x.json", `{"testFile":"t.py","testCases":[{"name":"t","input":` + q + `,"actualOutput":` + a + `,"retrievalContext":[` + c1 + `,` + c2 + `],"metricsData":[{"name":"Faithfulness","score":1}]}]}`, "DeepEval"},
		{"deepeval csv", "x.csv", "input,actual_output,expected_output,retrieval_context\nWhere is the Eiffel Tower?,It is in Paris.,gold,The tower stands in Paris.|It opened in 1889.\n", ""},
		{"langsmith run with children", "x.jsonl", `{"id":"r1","run_type":"chain","inputs":{"question":` + q + `},"outputs":{"output":` + a + `},"child_runs":[{"id":"r2","run_type":"retriever","inputs":{"query":"tower"},"outputs":{"documents":` + docs + `}}]}`, "LangSmith"},
		{"langsmith flat runs", "x.jsonl", `{"id":"r1","trace_id":"t","parent_run_id":null,"run_type":"chain","inputs":{"input":` + q + `},"outputs":{"answer":` + a + `}}
{"id":"r2","trace_id":"t","parent_run_id":"r1","run_type":"retriever","inputs":{},"outputs":{"documents":[{"lc":1,"type":"constructor","id":["langchain","Document"],"kwargs":{"page_content":` + c1 + `}},{"lc":1,"type":"constructor","id":["langchain","Document"],"kwargs":{"page_content":` + c2 + `}}]}}`, "LangSmith"},
		{"langfuse trace", "x.json", `{"id":"t","name":"rag","input":{"query":` + q + `},"output":` + a + `,"observations":[{"id":"o1","type":"RETRIEVER","name":"search","parentObservationId":null,"input":"tower","output":` + docs + `},{"id":"o2","type":"GENERATION","input":[{"role":"user","content":"prompt"}],"output":{"role":"assistant","content":` + a + `}}]}`, "Langfuse"},
		{"langfuse trace named after retrieval", "x.json", `{"id":"t","name":"ConversationalRetrievalQA","input":` + q + `,"output":` + a + `,"observations":[{"id":"o1","type":"SPAN","name":"RetrievalQA","input":` + q + `,"output":` + a + `},{"id":"o2","type":"RETRIEVER","parentObservationId":"o1","output":` + docs + `}]}`, "Langfuse"},
		{"langfuse retriever by name", "x.json", `{"id":"t","name":"retrieval chat","input":` + q + `,"output":` + a + `,"observations":[{"id":"o1","type":"SPAN","name":"retrieve","output":` + docs + `}]}`, "Langfuse"},
		{"langfuse observations", "x.jsonl", `{"id":"o2","traceId":"t","type":"RETRIEVER","parentObservationId":"o1","startTime":"2025-01-01T00:00:01Z","output":[` + c1 + `,` + c2 + `]}
{"id":"o1","traceId":"t","type":"SPAN","parentObservationId":null,"startTime":"2025-01-01T00:00:00Z","input":{"question":` + q + `},"output":{"answer":` + a + `}}`, "Langfuse"},
		{"phoenix spans", "x.jsonl", `{"name":"chain","context":{"trace_id":"t","span_id":"s1"},"parent_id":null,"attributes":{"openinference.span.kind":"CHAIN","input.value":` + q + `,"output.value":` + a + `}}
{"name":"retrieve","context":{"trace_id":"t","span_id":"s2"},"parent_id":"s1","attributes":{"openinference.span.kind":"RETRIEVER","input.value":"tower","retrieval.documents.0.document.content":` + c1 + `,"retrieval.documents.1.document.content":` + c2 + `}}`, "Phoenix"},
		{"phoenix dataframe", "x.csv", `context.span_id,context.trace_id,parent_id,span_kind,attributes.input.value,attributes.output.value,attributes.retrieval.documents
s1,t,,CHAIN,Where is the Eiffel Tower?,It is in Paris.,
s2,t,s1,RETRIEVER,tower,,"[{'document.content': 'The tower stands in Paris.', 'document.score': 0.9}, {'document.content': 'It opened in 1889.'}]"
`, "Phoenix"},
		{"otlp", "x.json", `{"resourceSpans":[{"resource":{"attributes":[]},"scopeSpans":[{"spans":[
{"traceId":"t","spanId":"1","name":"chat","attributes":[{"key":"gen_ai.operation.name","value":{"stringValue":"invoke_agent"}},{"key":"gen_ai.input.messages","value":{"stringValue":"[{\"role\":\"user\",\"parts\":[{\"type\":\"text\",\"content\":\"Where is the Eiffel Tower?\"}]}]"}},{"key":"gen_ai.output.messages","value":{"stringValue":"[{\"role\":\"assistant\",\"parts\":[{\"type\":\"text\",\"content\":\"It is in Paris.\"}]}]"}}]},
{"traceId":"t","spanId":"2","parentSpanId":"1","attributes":[{"key":"gen_ai.operation.name","value":{"stringValue":"retrieval"}},{"key":"gen_ai.retrieval.documents","value":{"stringValue":"[{\"id\":\"1\",\"score\":0.8,\"content\":\"The tower stands in Paris.\"},{\"id\":\"2\",\"score\":0.7,\"content\":\"It opened in 1889.\"}]"}}]}]}]}]}`, "OpenTelemetry"},
		{"otlp batches", "x.json", `{"batches":[{"scopeSpans":[{"spans":[
{"traceId":"t","spanId":"1","attributes":[{"key":"openinference.span.kind","value":{"stringValue":"CHAIN"}},{"key":"input.value","value":{"stringValue":` + q + `}},{"key":"output.value","value":{"stringValue":` + a + `}}]},
{"traceId":"t","spanId":"2","parentSpanId":"1","attributes":[{"key":"openinference.span.kind","value":{"stringValue":"RETRIEVER"}},{"key":"retrieval.documents.0.document.content","value":{"stringValue":` + c1 + `}},{"key":"retrieval.documents.1.document.content","value":{"stringValue":` + c2 + `}}]}]}]}]}`, ""},
		{"promptfoo", "x.json", `{"evalId":"e","results":{"version":3,"results":[{"promptIdx":0,"vars":{"query":` + q + `,"context":[` + c1 + `,` + c2 + `]},"response":{"output":` + a + `,"tokenUsage":{"total":10}},"success":true,"score":1}],"stats":{"successes":1}},"config":{"tests":[{"vars":{"query":"x"}}]}}`, "promptfoo"},
		{"trulens spans", "x.jsonl", `{"trace_id":"t","span_id":"1","parent_id":null,"attributes":{"ai.observability.span_type":"record_root","ai.observability.record_root.input":` + q + `,"ai.observability.record_root.output":` + a + `}}
{"trace_id":"t","span_id":"2","parent_id":"1","attributes":{"ai.observability.span_type":"retrieval","ai.observability.retrieval.query_text":"tower","ai.observability.retrieval.retrieved_contexts":[` + c1 + `,` + c2 + `]}}`, "TruLens"},
		{"trulens events", "x.csv", "RECORD_ATTRIBUTES,TRACE\n" +
			`"{""ai.observability.record_id"":""r"",""ai.observability.span_type"":""record_root"",""ai.observability.record_root.input"":""Where is the Eiffel Tower?"",""ai.observability.record_root.output"":""It is in Paris.""}","{""trace_id"":""t"",""span_id"":""1"",""parent_id"":""""}"` + "\n" +
			`"{""ai.observability.record_id"":""r"",""ai.observability.span_type"":""retrieval"",""ai.observability.retrieval.retrieved_contexts"":[""The tower stands in Paris."",""It opened in 1889.""]}","{""trace_id"":""t"",""span_id"":""2"",""parent_id"":""1""}"` + "\n", "TruLens"},
		{"llamaindex response", "x.jsonl", `{"query":` + q + `,"response":` + a + `,"source_nodes":[{"node":{"id_":"n1","text":` + c1 + `},"score":0.8},{"node":{"id_":"n2","text_resource":{"text":` + c2 + `}},"score":0.7}],"metadata":{}}`, "LlamaIndex"},
		{"langchain chain", "x.jsonl", `{"query":` + q + `,"result":` + a + `,"source_documents":` + docs + `}`, "LangChain"},
		{"haystack answer", "x.jsonl", `{"data":` + a + `,"query":` + q + `,"documents":[{"id":"d","content":` + c1 + `},{"content":` + c2 + `}],"meta":{}}`, "Haystack"},
		{"haystack pipeline", "x.jsonl", `{"answer_builder":{"answers":[{"type":"haystack.dataclasses.answer.GeneratedAnswer","init_parameters":{"data":` + a + `,"query":` + q + `,"documents":[{"content":` + c1 + `},{"content":` + c2 + `}]}}]}}`, "Haystack"},
		{"ragchecker", "x.json", `{"results":[{"query_id":"1","query":` + q + `,"gt_answer":"gold","response":` + a + `,"retrieved_context":[{"doc_id":"1","text":` + c1 + `},{"doc_id":"2","text":` + c2 + `}]}]}`, "RAGChecker"},
		{"azure results", "x.json", `{"rows":[{"inputs.query":` + q + `,"inputs.response":` + a + `,"inputs.context":"[\"The tower stands in Paris.\",\"It opened in 1889.\"]","outputs.groundedness.groundedness":5}],"metrics":{}}`, "Azure"},
		{"azure conversation", "x.jsonl", `{"conversation":{"messages":[{"role":"user","content":` + q + `},{"role":"assistant","content":` + a + `,"context":[` + c1 + `,` + c2 + `]}]}}`, "Azure"},
		{"mlflow trace", "x.json", `{"info":{"trace_id":"t"},"data":{"spans":[{"trace_id":"t","span_id":"1","parent_span_id":null,"attributes":{"mlflow.spanType":"\"CHAIN\"","mlflow.spanInputs":"{\"question\": \"Where is the Eiffel Tower?\"}","mlflow.spanOutputs":"\"It is in Paris.\""}},{"trace_id":"t","span_id":"2","parent_span_id":"1","attributes":{"mlflow.spanType":"\"RETRIEVER\"","mlflow.spanOutputs":"[{\"page_content\": \"The tower stands in Paris.\"}, {\"page_content\": \"It opened in 1889.\"}]"}}]}}`, "MLflow"},
		{"mlflow table", "x.json", `{"columns":["request","response","retrieved_context"],"data":[[` + q + `,` + a + `,[{"content":` + c1 + `},{"content":` + c2 + `}]]]}`, "MLflow"},

		{"nested columns", "x.jsonl", `{"run":7,"inputs":{"question":` + q + `},"reference":{"answer":"gold"},"outputs":{"answer":` + a + `,"documents":[{"body":` + c1 + `},{"body":` + c2 + `}]}}`, "answer from outputs.answer, contexts from outputs.documents"},
		{"names in other cases", "x.csv", "Question,LLM Response,Retrieved Docs,Ground Truth\nWhere is the Eiffel Tower?,It is in Paris.,\"[\"\"The tower stands in Paris.\"\", \"\"It opened in 1889.\"\"]\",gold\n", "answer from LLM Response"},
		{"camel case", "x.jsonl", `{"userQuery":` + q + `,"generatedAnswer":` + a + `,"retrievedChunks":[{"chunkText":` + c1 + `},{"chunkText":` + c2 + `}],"expectedAnswer":"gold"}`, "contexts from retrievedChunks"},
		{"chat", "x.jsonl", `{"messages":[{"role":"system","content":"Be brief."},{"role":"user","content":` + q + `},{"role":"assistant","content":null,"tool_calls":[{"id":"1"}]},{"role":"tool","content":"[{\"text\":\"The tower stands in Paris.\"},{\"text\":\"It opened in 1889.\"}]"},{"role":"assistant","content":` + a + `}]}`, "answer from messages"},
		{"numbered columns", "x.csv", "question,answer,context_1,context_2,context_3\nWhere is the Eiffel Tower?,It is in Paris.,The tower stands in Paris.,It opened in 1889.,\n", ""},
		{"contexts by id", "x.jsonl", `{"question":` + q + `,"answer":` + a + `,"contexts":{"d1":` + c1 + `,"d2":` + c2 + `}}`, ""},
		{"search hits", "x.jsonl", `{"question":` + q + `,"answer":` + a + `,"hits":{"total":2,"hits":[{"_id":"1","_source":{"passage_text":` + c1 + `}},{"_id":"2","_source":{"passage_text":` + c2 + `}}]}}`, "contexts from hits"},
		{"bedrock", "x.jsonl", `{"input":{"text":` + q + `},"output":{"text":` + a + `},"citations":[{"retrievedReferences":[{"content":{"text":` + c1 + `}}]},{"retrievedReferences":[{"content":{"text":` + c2 + `}}]}]}`, "contexts from citations[*].retrievedReferences"},
		{"null column", "x.jsonl", `{"question":` + q + `,"answer":` + a + `,"contexts":null,"documents":[` + c1 + `,` + c2 + `]}`, ""},
		{"gold context", "x.jsonl", `{"input":` + q + `,"actual_output":` + a + `,"context":["gold"],"retrieval_context":[` + c1 + `,` + c2 + `]}`, ""},
		{"pandas columns", "x.json", `{"question":{"0":` + q + `},"answer":{"0":` + a + `},"contexts":{"0":[` + c1 + `,` + c2 + `]}}`, ""},
		{"pandas index", "x.json", `{"0":{"question":` + q + `,"answer":` + a + `,"contexts":[` + c1 + `,` + c2 + `]}}`, ""},
		{"pandas split", "x.json", `{"columns":["question","answer","contexts"],"index":[0],"data":[[` + q + `,` + a + `,[` + c1 + `,` + c2 + `]]]}`, ""},
		{"pandas table", "x.json", `{"schema":{"fields":[{"name":"index"}]},"data":[{"index":0,"question":` + q + `,"answer":` + a + `,"contexts":[` + c1 + `,` + c2 + `]}]}`, ""},
		{"pandas lists", "x.json", `{"question":[` + q + `],"answer":[` + a + `],"contexts":[[` + c1 + `,` + c2 + `]]}`, ""},
		{"arrays below a header", "x.json", `[["question","answer","contexts"],[` + q + `,` + a + `,[` + c1 + `,` + c2 + `]]]`, ""},
		{"datasets viewer", "x.json", `{"features":[],"rows":[{"row_idx":0,"row":{"question":` + q + `,"answer":` + a + `,"contexts":[` + c1 + `,` + c2 + `]},"truncated_cells":[]}]}`, "answer from row.answer"},
	}
}

func TestRowsReadsExports(t *testing.T) {
	for _, tt := range exportFixtures() {
		t.Run(tt.name, func(t *testing.T) {
			var notes []string
			got := rowTexts(read(t, tt.file, tt.text, Options{Note: func(note string) { notes = append(notes, note) }}))
			if d := cmp.Diff([]string{wantRow}, got); d != "" {
				t.Errorf("(-want +got):\n%s", d)
			}
			if all := strings.Join(notes, "\n"); !strings.Contains(all, tt.note) {
				t.Errorf("got note %q, want %q in it", all, tt.note)
			}
		})
	}
}

func TestRowsReadsMappedPaths(t *testing.T) {
	nested := `{"id":1,"io":{"in":[{"q":"Where is the Eiffel Tower?"}],"raw":"{\"text\":\"It is in Paris.\",\"found\":[{\"t\":\"The tower stands in Paris.\"},{\"t\":\"It opened in 1889.\"}]}"},"a.b":"It is in Paris.","meta":{"topic":"towers"}}`
	for _, tt := range []struct {
		name, file, text string
		mapped           map[Field]string
	}{
		{"json text", "x.jsonl", nested, map[Field]string{FieldQuestion: "io.in[0].q", FieldAnswer: "io.raw.text", FieldContexts: "io.raw.found[*].t"}},
		{"negative index, elements without [*]", "x.jsonl", nested, map[Field]string{FieldQuestion: "$.io.in[-1].q", FieldAnswer: "IO.raw.text", FieldContexts: "io.raw.found.t"}},
		{"dotted column", "x.jsonl", nested, map[Field]string{FieldQuestion: `io["in"][*].q`, FieldAnswer: "a.b", FieldContexts: "io.raw.found[*].t"}},
		{"dotted members, quotes", "x.jsonl", strings.NewReplacer(`\"t\"`, `\"t.x\"`, `"q"`, `"the \"q\""`).Replace(nested), map[Field]string{FieldQuestion: `io.in[0]["the \"q\""]`, FieldAnswer: "a.b", FieldContexts: `io.raw.found[*]["t.x"]`}},
		{"csv cell", "x.csv", "q,out\nWhere is the Eiffel Tower?,\"{'text': 'It is in Paris.', 'docs': [{'c': 'The tower stands in Paris.'}, {'c': 'It opened in 1889.'}]}\"\n", map[Field]string{FieldQuestion: "q", FieldAnswer: "out.text", FieldContexts: "out.docs[*].c"}},
	} {
		opts := Options{Map: tt.mapped}
		var kept []Column
		if tt.file == "x.jsonl" {
			opts.Keep, kept = []string{"meta.topic"}, []Column{{"meta.topic", []byte(`"towers"`)}}
		}
		rows, last := read(t, tt.file, tt.text, opts)
		if d := cmp.Diff([]string{wantRow}, rowTexts(rows, last)); d != "" {
			t.Errorf("%s (-want +got):\n%s", tt.name, d)
		} else if d := cmp.Diff(kept, rows[0].Row.Kept); d != "" {
			t.Errorf("%s: kept columns (-want +got):\n%s", tt.name, d)
		}
	}
}

func TestRowsOfTracesInAnyOrder(t *testing.T) {
	text := `{"id":"b2","trace_id":"b","parent_run_id":"b1","run_type":"retriever","outputs":{"documents":[{"page_content":"context b"}]}}
{"id":"a1","trace_id":"a","run_type":"chain","parent_run_id":null,"inputs":{"q":"qa"},"outputs":{"a":"answer a"}}
{"id":"b1","trace_id":"b","run_type":"chain","parent_run_id":null,"inputs":{"q":"qb"},"outputs":{"a":"answer b"}}
{"id":"a2","trace_id":"a","parent_run_id":"a1","run_type":"retriever","outputs":{"documents":[{"page_content":"context a"}]}}
{"id":"c1","trace_id":"c","run_type":"chain","parent_run_id":null,"inputs":{"q":"qc"},"outputs":{"a":"answer c"}}
`
	rows, last := read(t, "x.jsonl", text, Options{})
	want := []string{
		"qb|answer b|context b",
		"qa|answer a|context a",
		"!x.jsonl:5: no contexts found in an export of LangSmith; found id, trace_id, run_type, parent_run_id, inputs.q, outputs.a; choose one with --map contexts=PATH",
	}
	if d := cmp.Diff(want, rowTexts(rows, last)); d != "" {
		t.Errorf("(-want +got):\n%s", d)
	}
	for i, want := range []string{"b1", "a1", "c1"} {
		if i < len(rows) && rows[i].Row.ID != want {
			t.Errorf("row %d: got id %q, want %q", i, rows[i].Row.ID, want)
		}
	}
}

func TestRowsDetectsLayoutOfStreams(t *testing.T) {
	line := `{"Question":"q","Completion":"a","Chunks":["some text"]}` + "\n"
	for name, data := range map[string]string{
		"plain": strings.Repeat(line, 5000),
		"gzip":  string(compress(t, "gzip", strings.NewReader(strings.Repeat(line, 5000)))),
	} {
		rows, err := readFiles(t, Options{Stdin: strings.NewReader(data)}, "-")
		if err != nil || len(rows) != 5000 || rows[4999].Row.Answer != "a" || rows[0].Row.Answer != "a" {
			t.Errorf("%s: got %d rows, error %v, want 5000", name, len(rows), err)
		}
	}
}

// A row whose answer is one of its contexts is always supported.
func TestOpenRefusesOneColumnForTwoFields(t *testing.T) {
	const (
		row    = `{"question":"q","answer":"The fee is $40.","contexts":["c"]}` + "\n"
		nested = `{"in":"q","out":{"answer":"The fee is $40.","docs":["The fee is $30."]}}` + "\n"
	)
	for _, tt := range []struct {
		text, want string
		columns    map[Field]string
	}{
		{row, `contexts and answer are both read from "answer"`, map[Field]string{FieldContexts: "answer"}},
		{row, `contexts and answer are both read from "$.answer"`, map[Field]string{FieldContexts: "$.answer", FieldAnswer: "answer"}},
		{row, `question and answer are both read from "answer"`, map[Field]string{FieldQuestion: "answer"}},
		{row, `contexts and answer are both read from "contexts"`, map[Field]string{FieldAnswer: "contexts"}},
		{nested, `contexts and answer are both read from "out.answer"`, map[Field]string{FieldContexts: "out.answer"}},
		{nested, `contexts and answer are both read from "out"`, map[Field]string{FieldContexts: "out"}},
		{"answer,question\na b,c\n", `contexts and answer are both read from "answer"`, map[Field]string{FieldContexts: "answer"}},
		{row, "", map[Field]string{FieldContexts: "answer", FieldAnswer: "question"}},
		{nested, "", map[Field]string{FieldContexts: "out.docs", FieldQuestion: "in"}},
	} {
		name := "x.jsonl"
		if tt.text[0] != '{' {
			name = "x.csv"
		}
		rows, last := read(t, name, tt.text, Options{Map: tt.columns})
		if tt.want == "" && (len(rows) != 1 || last != "" || rows[0].Err != "") || !strings.Contains(last, tt.want) {
			t.Errorf("%s with %v: got rows %+v, last error %q, want %q", tt.text, tt.columns, rows, last, tt.want)
		}
	}
}

func TestRowsReadsNumberedColumns(t *testing.T) {
	want := []string{"|a|Text one.|two|three"}
	var tests []toolFixture
	for _, names := range []string{
		"contexts,contexts.1,contexts.2", "context,context_2,context_3", "context,context2,context3", "documents,documents_2,documents_10",
		"retrieved_contexts,retrieved_contexts.1,retrieved_contexts.2", "Context,Context 2,Context 3", "context_1,context_2,context_3",
	} {
		n := strings.Split(names, ",")
		tests = append(tests,
			toolFixture{names, "x.csv", "answer," + names + "\na,Text one.,two,three\n", "", want},
			toolFixture{names, "x.jsonl", `{"answer":"a","` + n[0] + `":"Text one.","` + n[1] + `":"two","` + n[2] + `":"three"}`, "", want})
	}
	for _, names := range []string{"contexts,context_1", "contexts,contexts_y", "retrieved_contexts,retrieved_contexts_y", "contexts_x,contexts_y", "context_a,context_b"} {
		tests = append(tests, toolFixture{names, "x.csv", "answer," + names + "\na,one,two\n", "", []string{"!contexts: ambiguous: both "}})
	}
	checkFixtures(t, append(tests,
		toolFixture{"lists", "x.jsonl", `{"answer":"a","contexts":["one."],"contexts_2":["two."]}`, "", []string{`!both "contexts" and "contexts_2" match`}},
		toolFixture{"blank cells keep their positions", "x.csv", "answer,context_1,context_2,context_3\na,one.,,three.\na,,NA,three.\na,one.,,\na,,,\n", "", []string{
			"|a|one.||three.", "|a|||three.", "|a|one.", "!no contexts: ",
		}},
	))
	for _, column := range []string{"contexts", "contexts.1"} {
		rows, last := read(t, "x.csv", "answer,contexts,contexts.1\na,one.,two.\n", Options{Map: map[Field]string{FieldContexts: column}})
		if len(rows) != 1 || len(rows[0].Row.Contexts) != 1 {
			t.Errorf("--map contexts=%s: got rows %+v, last error %q, want one context", column, rows, last)
		}
	}
}
