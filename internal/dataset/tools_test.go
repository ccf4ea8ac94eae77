package dataset

import (
	"encoding/json"
	"fmt"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
)

// A toolFixture is a file as a tool writes it, with its rows: question, answer and contexts,
// separated by |, or a part of the error of the row after "!". See rowTexts.
type toolFixture struct {
	name, file, text string
	from             string // read it with --from too
	want             []string
}

func toolFixtures() []toolFixture {
	const question, answer, context, context2 = `"Where is it?"`, `"It is in Paris."`, `"The tower stands in Paris."`, `"It opened in 1889."`
	const question2, answer2 = `"How high?"`, `"I don't know."`
	want := []string{"Where is it?|It is in Paris.|The tower stands in Paris.|It opened in 1889.", "How high?|I don't know."}
	message := func(role, text string) string { return `{"role":"` + role + `","content":` + text + `}` }
	passages := func(texts ...string) string {
		return `{"retrievalResults":[` + strings.Join(texts, ",") + `]}`
	}
	passage := func(text string) string { return `{"content":{"text":` + text + `},"metadata":{"source":"a.md"}}` }
	turn := func(q, a, p string) string {
		return `{"conversationTurns":[{"inputRecord":{"prompt":{"content":[{"text":` + q + `}]},"referenceResponses":[{"content":[{"text":"gold"}]}]},"output":{"text":` + a +
			`,"modelIdentifier":"m","retrievedPassages":` + p + `},"results":[{"metricName":"Builtin.Faithfulness","result":1}]}]}` + "\n"
	}
	evaluation := func(q, a, c string) string {
		return `{"query":` + q + `,"contexts":` + c + `,"response":` + a + `,"passing":true,"feedback":"YES","score":1}`
	}
	evaluations := `[` + evaluation(question, answer, "["+context+","+context2+"]") + `,` + evaluation(question2, answer2, "[]") + `]`
	span := func(id, parent, attributes string) string {
		return "{\n  \"name\": \"x\",\n  \"context\": {\"trace_id\": \"t\", \"span_id\": \"" + id + "\"},\n  \"parent_id\": " + parent + ",\n  \"attributes\": {" + attributes + "}\n}\n"
	}
	return []toolFixture{
		{"haystack results, with the expected answer", "x.json", `{"question":[` + question + `,` + question2 + `],"contexts":[[` + context + `,` + context2 + `],[]],"answer":["gold","gold"],"predicted_answer":[` + answer + `,` + answer2 + `],"faithfulness":[1,0]}`, "haystack", want},
		{"haystack results with plural names", "x.jsonl", `{"questions":` + question + `,"contexts":[` + context + `,` + context2 + `],"predicted_answers":` + answer + `,"ground_truth_answers":"gold"}
{"questions":` + question2 + `,"contexts":[],"predicted_answers":` + answer2 + `,"ground_truth_answers":"gold"}`, "haystack", want},
		{"haystack result with its inputs", "x.json", `{"run_name":"r","inputs":{"questions":[` + question + `,` + question2 + `],"contexts":[[` + context + `,` + context2 + `],[]],"predicted_answers":[` + answer + `,` + answer2 + `]},"results":{"faithfulness":{"score":0.5,"individual_scores":[1,0]}}}`, "haystack", want},
		{"deepeval jsonl", "x.jsonl", `{"input":` + question + `,"actual_output":` + answer + `,"expected_output":"gold","retrieval_context":"The tower stands in Paris.|It opened in 1889.","context":"gold","source_file":null}
{"input":` + question2 + `,"actual_output":` + answer2 + `,"expected_output":"gold","retrieval_context":"","context":"gold","source_file":null}`, "deepeval", []string{want[0], "!no text to judge against"}},
		{"deepeval conversation", "x.json", `[{"turns":[` + message("user", `"Hi"`) + `,` + message("assistant", `"Hello!"`) + `,` + message("user", question) + `,{"role":"assistant","content":` + answer + `,"retrieval_context":[` + context + `,` + context2 + `]}],"scenario":null,"context":null,"chatbot_role":null}]`, "deepeval", want[:1]},
		{"anthropic messages", "x.jsonl", `{"messages":[` + message("user", question) + `,{"role":"assistant","content":[{"type":"text","text":"I look."},{"type":"tool_use","id":"t","name":"search","input":{}}]},{"role":"user","content":[{"type":"tool_result","tool_use_id":"t","content":[{"type":"text","text":` + context + `}]},{"type":"tool_result","tool_use_id":"u","content":` + context2 + `}]},` + message("assistant", answer) + `]}`, "", want[:1]},
		{"anthropic messages with a text beside the result", "x.jsonl", `{"messages":[` + message("user", question) + `,{"role":"user","content":[{"type":"tool_result","content":` + context + `}]},{"role":"user","content":[{"type":"tool_result","content":` + context2 + `},{"type":"text","text":"Be brief."}]},` + message("assistant", answer) + `]}`, "", want[:1]},
		{"Hugging Face viewer rows with a truncated cell", "x.json", `{"features":[],"rows":[{"row_idx":0,"row":{"question":` + question + `,"answer":` + answer + `,"contexts":["The to"]},"truncated_cells":["contexts"]},{"row_idx":1,"row":{"question":` + question + `,"answer":` + answer + `,"contexts":[` + context + `]},"truncated_cells":[]}]}`, "", []string{"!the file has only a part of", "Where is it?|It is in Paris.|The tower stands in Paris."}},
		{"answer split into parts by citations", "x.jsonl", `{"messages":[` + message("user", question) + `,{"role":"tool","content":` + context + `},{"role":"assistant","content":[{"type":"text","text":"It is "},{"type":"text","text":"in Paris"},{"type":"text","text":", since 1,"},{"type":"text","text":"889."},{"type":"text","text":"It is tall."}]}]}`, "", []string{"Where is it?|It is in Paris, since 1,889.\nIt is tall.|The tower stands in Paris."}},
		{"openai responses with a function", "x.jsonl", `{"input":[` + message("user", question) + `,{"type":"function_call","call_id":"c","name":"search","arguments":"{}"},{"type":"function_call_output","call_id":"c","output":` + context + `},{"type":"function_call_output","call_id":"d","output":` + context2 + `}],"output":[{"type":"message","role":"assistant","content":[{"type":"output_text","text":` + answer + `}]}]}`, "", want[:1]},
		{"openai responses with file search", "x.jsonl", `{"input":` + question + `,"output":[{"type":"reasoning","summary":[]},{"type":"file_search_call","queries":["tower"],"results":[{"filename":"a.md","score":0.9,"text":` + context + `},{"filename":"b.md","score":0.4,"text":` + context2 + `}]},{"type":"message","role":"assistant","content":[{"type":"output_text","text":` + answer + `}]}]}`, "", want[:1]},
		{"deepeval table", "x.csv", "input,actual_output,retrieval_context\n" +
			"q,a,One two.|Three four.\nq,a,\"One two.\n|Three four.\"\nq,a,a || b\n" +
			"q,a,\"| Year | Event |\n|---|---|\n| 1937 | It opened |\"\nq,a,\"Year | Event\n--- | :---\n1937 | It opened\"\n", "deepeval", []string{
			"q|a|One two.|Three four.", "q|a|One two.|Three four.", "q|a|a || b",
			"q|a|| Year | Event |\n|---|---|\n| 1937 | It opened |", "q|a|Year | Event\n--- | :---\n1937 | It opened",
		}},
		{"text with | is one context", "x.jsonl", `{"input":` + question + `,"actual_output":` + answer + `,"retrieval_context":"a b|c d"}`, "", []string{"Where is it?|It is in Paris.|a b|c d"}},
		{"bedrock results", "x.jsonl", turn(question, answer, passages(passage(context), passage(context2))) + turn(question2, answer2, passages()), "bedrock", want},
		{"tonic run", "x.json", `{"overall_scores":{"a":1},"run_data":[{"scores":{"a":1},"reference_question":` + question + `,"reference_answer":"gold","llm_answer":` + answer + `,"llm_context":[` + context + `,` + context2 + `]},{"scores":{"a":1},"reference_question":` + question2 + `,"reference_answer":"gold","llm_answer":` + answer2 + `,"llm_context":[]}]}`, "tonic", want},
		{"opik trace", "x.jsonl", `{"trace":{"id":"t","input":{"question":` + question + `},"output":{"output":` + answer + `}},"spans":[{"id":"s","trace_id":"t","parent_span_id":null,"name":"retrieve","type":"general","input":{"query":"x"},"output":{"output":[` + context + `,` + context2 + `]}},{"id":"l","trace_id":"t","parent_span_id":null,"name":"llm","type":"llm","input":{},"output":{"choices":[{"message":` + message("assistant", answer) + `}]}}]}
{"trace":{"id":"u","input":{"question":` + question2 + `},"output":{"output":` + answer2 + `}},"spans":[{"id":"v","trace_id":"u","parent_span_id":null,"name":"retrieve","type":"general","output":{"output":[]}}]}`, "opik", want},
		{"azure results in one line", "x.jsonl", `{"rows":[{"inputs.query":` + question + `,"inputs.response":` + answer + `,"inputs.context":` + context + `,"outputs.f1.score":1}],"metrics":{}}`, "azure", []string{"Where is it?|It is in Paris.|The tower stands in Paris."}},
		{"llamaindex metrics of the same rows", "x.json", `{"faithfulness":` + evaluations + `,"relevancy":` + evaluations + `}`, "llamaindex", want},
		{"llamaindex predictions without queries", "x.csv", "response,contexts\nIt is in Paris.,\"['The tower stands in Paris.', 'It opened in 1889.']\"\n", "llamaindex", []string{"|It is in Paris.|The tower stands in Paris.|It opened in 1889."}},
		{"langsmith root with empty contexts", "x.jsonl", `{"id":"r","trace_id":"t","parent_run_id":null,"run_type":"chain","inputs":{"question":` + question2 + `},"outputs":{"answer":` + answer2 + `,"context":[]}}`, "langsmith", want[1:]},
		{"weave call with the answer as context", "x.jsonl", `{"id":"r","trace_id":"t","parent_id":null,"op_name":"predict","inputs":{"question":` + question + `},"output":{"answer":` + answer + `,"context":[` + answer + `]}}`, "", []string{"Where is it?|It is in Paris.|It is in Paris."}},
		{"tool of an agent, in spans after each other", "x.json", span("2", `"1"`, `"gen_ai.operation.name": "execute_tool", "gen_ai.tool.call.result": "[{\"content\": \"The tower stands in Paris.\", \"source\": \"a.md\"}, {\"content\": \"It opened in 1889.\"}]"`) +
			span("1", "null", `"gen_ai.operation.name": "invoke_agent", "gen_ai.input.messages": "[{\"role\": \"user\", \"parts\": [{\"type\": \"text\", \"content\": \"Where is it?\"}]}]", "gen_ai.output.messages": "[{\"role\": \"assistant\", \"parts\": [{\"type\": \"text\", \"content\": \"It is in Paris.\"}]}]"`), "otel", want[:1]},
		{"langchain printed documents", "x.jsonl", `{"input":` + question + `,"answer":` + answer + `,"context":["page_content='It's in Paris.\nYes.' metadata={'source': 'a.md'}","page_content=\"It's in\\nFrance.\" metadata={}","Document(metadata={}, page_content='It is.')"]}`, "langchain", []string{"Where is it?|It is in Paris.|It's in Paris.\nYes.|It's in\nFrance.|It is."}},
		{"langchain printed messages", "x.jsonl", `{"answer":"content='It\\'s.' additional_kwargs={} response_metadata={'n': <E.STOP: 1>}","contexts":["c d"]}
{"answer":"AIMessage(content=\"It's.\", additional_kwargs={}, id='r')","contexts":["c d"]}
{"answer":"content='a' is a keyword","contexts":["c d"]}`, "", []string{"|It's.|c d", "|It's.|c d", "|content='a' is a keyword|c d"}},
		{"printed documents that may be shortened", "x.jsonl", `{"input":` + question + `,"answer":` + answer + `,"context":["One."]}
{"input":` + question + `,"answer":` + answer + `,"context":["page_content='It\\'s' metadata={}"]}
{"input":` + question + `,"answer":` + answer + `,"context":["page_content='a' metadata={}\npage_content='b' metadata={}"]}
{"input":` + question + `,"answer":` + answer + `,"context":["Document(id=abc, content: 'one two...')"]}
{"input":` + question + `,"answer":` + answer + `,"context":["Node ID: 1-2\nText: one two...\nScore:  0.8"]}`, "", []string{"Where is it?|It is in Paris.|One.", "!contexts[0]: page_content is escaped", "!contexts[0]: the printed form", "!contexts[0]: the printed form", "!contexts[0]: the printed form"}},
		{"phoenix table with groups of attributes", "x.csv", `,name,span_kind,parent_id,context.trace_id,context.span_id,attributes.retrieval,attributes.input,attributes.output
0,retrieve,RETRIEVER,s1,t,s2,"{'documents': array([{'document': {'content': 'The tower stands in Paris.'}},
       {'document': {'content': 'It opened in 1889.'}}],
      dtype=object)}",{'value': 'x'},
1,rag,CHAIN,,t,s1,,"{'value': 'Where is it?', 'mime_type': 'text/plain'}",{'value': 'It is in Paris.'}
`, "phoenix", want[:1]},
		{"llamaindex nested responses", "x.jsonl", `{"query":` + question + `,"response":{"response":` + answer + `,"source_nodes":[{"node":{"id_":"1","text":` + context + `},"score":0.5},{"node":{"id_":"2","text":` + context2 + `},"score":0.4}],"metadata":null}}`, "llamaindex", want[:1]},
		{"plain rows under the name of a tool", "x.jsonl", `{"question":` + question2 + `,"answer":` + answer2 + `,"contexts":[]}`, "langfuse", want[1:]},
		{"rows of another tool", "x.jsonl", `{"query":` + question + `,"response":` + answer + `,"retrieved_context":[{"doc_id":"1","text":` + context + `}],"gt_answer":"gold"}`, "", []string{"Where is it?|It is in Paris.|The tower stands in Paris."}},
		{"objects after each other without contexts", "x.json", "{\n  \"question\": \"q\",\n  \"answer\": \"a\"\n}\n{\n  \"question\": \"q\",\n  \"answer\": \"b\"\n}\n", "", []string{"!no contexts: looked for"}},
		{"promptfoo table", "x.csv", `query,context,reply,[m] Answer {{query}},Status,Score,Named Scores,Metric: x,Grader Reason,Comment,[n] P2,Status,Score,Named Scores,Grader Reason,Comment
Where is it?,It is in Paris.,gold,'- In Paris.,PASS,1.00,,1,,,In Rome.,FAIL,0.00,,,
How high?,It is 330 m.,gold,timeout,ERROR,0.00,,,,,330 m,PASS,1.00,,,
damaged,It is
Why?,It is art.,gold,,,,,,,,Art.,PASS,1.00,,,
`, "promptfoo", []string{"Where is it?|- In Paris.|It is in Paris.", "Where is it?|In Rome.|It is in Paris.", "!no output: its status is ERROR", "How high?|330 m|It is 330 m.", "!want 16 fields, got 2", "Why?|Art.|It is art."}},
		{"promptfoo table with contexts joined by commas", "x.csv", "query,context,[m] P,Status,Score,Named Scores,Grader Reason,Comment\nq,\"It is one.,The second.\",a,PASS,1.00,,,\n", "promptfoo", []string{"!contexts: a list joined with commas"}},
		{"inspect log", "x.json", `{"samples":[` + strings.Join([]string{
			`{"id":"1","epoch":1,"input":` + question + `,"target":"gold","messages":[` + message("user", question) + `,` + message("assistant", `"attachment://a"`) + `],"output":{"completion":"attachment://a","choices":[{"message":` + message("assistant", `"attachment://a"`) + `}]},"metadata":{"context":["attachment://b",` + context2 + `]},"events":[{"output":{"completion":"other"}}],"attachments":{"a":` + answer + `,"b":` + context + `}}`,
			`{"id":"2","epoch":1,"input":` + question2 + `,"target":"gold","messages":[],"output":{"completion":"attachment://lost"},"metadata":{"context":[]},"attachments":{}}`,
			`{"id":"3","epoch":1,"input":` + question2 + `,"target":"gold","messages":[],"output":{"completion":""},"metadata":{"context":[]},"error":{"message":"x"},"attachments":{}}`,
			`{"id":"4","epoch":1,"input":[` + message("user", question2) + `],"target":"gold","messages":[],"output":{"completion":` + answer2 + `},"metadata":{"context":[]},"attachments":{}}`,
		}, ",") + `]}`, "inspect", []string{want[0], "!no answer: output.completion is missing or null", "!no answer: output.completion is missing or null", want[1]}},
	}
}

func TestRowsReadsWhatToolsWrite(t *testing.T) { checkFixtures(t, toolFixtures()) }

func checkFixtures(t *testing.T, fixtures []toolFixture) {
	t.Helper()
	for _, tt := range fixtures {
		for _, from := range slices.Compact([]string{"", tt.from}) {
			got := rowTexts(read(t, tt.file, tt.text, Options{From: from}))
			for i := range min(len(got), len(tt.want)) {
				if text, isErr := strings.CutPrefix(got[i], "!"); isErr && strings.HasPrefix(tt.want[i], "!") && strings.Contains(text, tt.want[i][1:]) {
					got[i] = tt.want[i]
				}
			}
			if d := cmp.Diff(tt.want, got); d != "" {
				t.Errorf("%s, from %q (-want +got):\n%s", tt.name, from, d)
			}
		}
	}
}

// rowTexts returns the question, answer and contexts of each row, separated by |, or its error
// after "!", and the last error.
func rowTexts(rows []result, last string) []string {
	var texts []string
	for _, r := range rows {
		if r.Err != "" {
			texts = append(texts, "!"+r.Err)
			continue
		}
		texts = append(texts, strings.Join(append([]string{r.Row.Question, r.Row.Answer}, r.Row.Contexts...), "|"))
	}
	if last != "" {
		texts = append(texts, "!"+last)
	}
	return texts
}

// Each answered turn is a row, with the earlier turns in its question and what was retrieved
// for it and before it as contexts.
func TestRowsOfTurns(t *testing.T) {
	t.Parallel()
	const (
		first  = "user: Hi\nassistant: Hello!\n"
		second = first + "user: Where?\nassistant: In Paris.\n"
	)
	want := []string{"Hi|Hello!", first + "\nWhere?|In Paris.|It is in Paris.", second + "\nHow high?|300 m.|It is 300 m high.|It is in Paris.", second + "user: How high?\nassistant: 300 m.\n\nThanks|Bye.|It is 300 m high.|It is in Paris."}
	chat := `{"role":"system","content":"s"},{"role":"user","content":"Hi"},{"role":"assistant","content":"Hello!"},{"role":"user","content":"Where?"},{"role":"assistant","content":null,"tool_calls":[{"id":"1"}]},{"role":"tool","content":"It is in Paris."},{"role":"assistant","content":"In Paris."},{"role":"user","content":"How high?"},{"role":"tool","content":"It is 300 m high."},{"role":"assistant","content":"300 m."},{"role":"user","content":"Thanks"},{"role":"assistant","content":"Bye."},{"role":"user","content":"No answer"}`
	turns := `{"role":"user","content":"Hi"},{"role":"assistant","content":"Hello!"},{"role":"user","content":"Where?"},{"role":"assistant","content":"In Paris.","retrieval_context":["It is in Paris."]},{"role":"user","content":"How high?"},{"role":"assistant","content":"300 m.","retrieval_context":["It is 300 m high."]},{"role":"user","content":"Thanks"},{"role":"assistant","content":"Bye.","retrieval_context":[]}`
	passages := func(q, a, text string) string {
		return `{"prompt":{"content":[{"text":"` + q + `"}]},"output":{"text":"` + a + `","retrievedPassages":{"retrievalResults":[` + text + `]}}}`
	}
	bedrock := passages("Hi", "Hello!", "") + "," + passages("Where?", "In Paris.", `{"content":{"text":"It is in Paris."}}`) + "," + passages("How high?", "300 m.", `{"content":{"text":"It is 300 m high."}}`) + "," + passages("Thanks", "Bye.", "")
	quoted, _ := json.Marshal("[" + chat + "]")
	for name, text := range map[string]string{
		"messages":        `{"id":"c","messages":[` + chat + `]}`,
		"messages inside": `{"id":"c","outputs":{"messages":[` + chat + `]}}`,
		"JSON in a text":  `{"id":"c","messages":` + string(quoted) + `}`,
		"DeepEval":        `{"id":"c","turns":[` + turns + `],"scenario":"s","chatbot_role":null}`,
		"Bedrock":         `{"id":"c","conversationTurns":[` + bedrock + `]}`,
	} {
		rows, last := read(t, "x.jsonl", text+"\n"+strings.Replace(text, `"id":"c",`, "", 1), Options{AllTurns: true})
		if diff := cmp.Diff(slices.Concat(want, want), rowTexts(rows, last)); diff != "" {
			t.Errorf("%s (-want +got):\n%s", name, diff)
		}
		for i, r := range rows {
			if id := fmt.Sprintf("%c#%d", "c1"[i/len(want)], i%len(want)+1); r.Row.ID != id {
				t.Errorf("%s: got id %s, want %s", name, r.Row.ID, id)
			}
		}
	}
}

func TestLastTurnWithoutRetrieval(t *testing.T) {
	t.Parallel()
	const (
		first = `{"role":"user","content":"Where?"},{"role":"tool","content":"It is in Paris."},{"role":"assistant","content":"In Paris."}`
		last  = `{"role":"user","content":"Sorry?"},{"role":"assistant","content":"In Paris."}`
	)
	rows, err := read(t, "x.jsonl", `{"messages":[`+first+"]}\n"+`{"messages":[`+first+","+last+"]}", Options{})
	if len(rows) != 2 || rows[0].Err != "" || !strings.Contains(rows[1].Err, "--turns all scores it") || err != "" {
		t.Errorf("got rows %v and error %q, want an error of the second row that names --turns all", rows, err)
	}
}

func TestQuestionsOfTurnsAreLimited(t *testing.T) {
	const turn = `{"role":"user","content":"q"},{"role":"tool","content":"context one"},{"role":"assistant","content":"a"}`
	text := `{"messages":[` + strings.Repeat(turn+",", 80) + turn + "]}"
	rows, last := read(t, "x.jsonl", text, Options{AllTurns: true, MaxRowBytes: len(text)})
	if n := len(rows); last != "" || n < 3 || n > 80 || !strings.Contains(rows[n-1].Err, "each with all that was said before") || rows[n-2].Err != "" {
		t.Errorf("got %d rows, last error %q, want an error for the last row only, which replaces those of several turns", n, last)
	}
}

// The files of testdata/agents are written by agent frameworks, see gen.py there.
func TestRowsOfAgents(t *testing.T) {
	t.Parallel()
	const opening, length = "The Marlow footbridge opened to the public on 14 May 2003. It replaced a ferry.", "The Marlow footbridge is 212 metres long and 3 metres wide."
	turns := []string{
		"When did the Marlow footbridge open?|It opened on 14 May 2003.|" + opening,
		"user: When did the Marlow footbridge open?\nassistant: It opened on 14 May 2003.\n\nAnd how long is it?|It is 212 metres long.|" + length + "|" + opening,
	}
	files, err := filepath.Glob("testdata/agents/*.json")
	if err != nil || len(files) < 4 {
		t.Fatalf("got %d files, %v", len(files), err)
	}
	for _, file := range files {
		last := []string{"And how long is it?|It is 212 metres long.|" + length}
		for all, want := range map[bool][]string{false: last, true: turns} {
			rows, err := readFiles(t, Options{AllTurns: all}, file)
			if diff := cmp.Diff(want, rowTexts(rows, "")); diff != "" || err != nil {
				t.Errorf("%s, all turns %v: last error %v (-want +got):\n%s", file, all, err, diff)
			}
		}
	}
}

// A question under another name is read as well, and the note says so.
func TestRowsFindsTheQuestion(t *testing.T) {
	for file, text := range map[string]string{
		"x.csv":   "prompt,context,response\nq,It is.,a\n",
		"x.jsonl": `{"prompt":"q","context":"It is.","response":"a","model":"m"}` + "\n" + `{"prompt":"q","context":"It is.","response":"a"}`,
		"x.json":  `[{"id":1,"Question":"q","contexts":["It is."],"answer":"a"}]`,
	} {
		var note string
		for _, row := range rowTexts(read(t, file, text, Options{Note: func(text string) { note = text }})) {
			if row != "q|a|It is." || !strings.Contains(note, "question from ") {
				t.Errorf("%s: got row %q and note %q, want the question q", file, row, note)
			}
		}
	}
}
