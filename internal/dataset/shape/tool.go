package shape

import (
	"slices"
	"strings"
)

// A Tool describes the export formats of an evaluation or tracing tool.
type Tool struct {
	Name  string // as in --from
	Title string
	// signatures lists sets of keys that identify its records: all keys of one set exist.
	// a|b is either key.
	signatures [][]string
	// paths lists candidate paths of each field in order of preference. Fields without a
	// match are found by name.
	paths map[Field][]string
}

// Tools returns the tools whose exports are known.
func Tools() []Tool {
	return []Tool{
		deepEval(),
		{
			Name: "langsmith", Title: "LangSmith",
			signatures: [][]string{{"run_type", "inputs|outputs"}, {"inputs", "outputs", "reference_outputs|referenceOutputs|reference_example_id|dotted_order"}},
		},
		{
			Name: "langfuse", Title: "Langfuse",
			signatures: [][]string{{"observations", "input|output"}, {"traceId|trace_id", "type", "parentObservationId|parent_observation_id"}, {"trace.id", "observations"}},
		},
		{
			Name: "phoenix", Title: "Phoenix (OpenInference)",
			signatures: [][]string{{"attributes.openinference"}, {"span_kind", "context.span_id|context.trace_id"}, {"attributes.retrieval|attributes.input|attributes.output|attributes.llm", "context|span_id|spanId"}},
		},
		{
			Name: "trulens", Title: "TruLens",
			signatures: [][]string{{"attributes.ai.observability"}, {"record_json"}, {"record_id", "app_id|app_name", "input", "output"}},
		},
		{
			Name: "otel", Title: "OpenTelemetry",
			signatures: [][]string{{"resourceSpans|resource_spans|batches"}, {"attributes.gen_ai"}, {"attributes.traceloop"}},
		},
		{
			Name: "promptfoo", Title: "promptfoo",
			signatures: [][]string{{"vars", "response|testCase|promptIdx|gradingResult|promptId"}},
			paths: map[Field][]string{
				Question: {"vars.question", "vars.query", "vars.user_input", "vars.input"},
				Answer:   {"response.output.answer", "response.output"},
				Contexts: {"vars.contexts", "vars.context", "response.output.contexts", "response.output.context", "response.metadata.context", "metadata.context", "gradingResult.componentResults[*].metadata.context"},
			},
		},
		{
			Name: "llamaindex", Title: "LlamaIndex",
			signatures: [][]string{{"response", "source_nodes|sourceNodes"}, {"query", "response", "contexts", "passing"}},
			paths:      map[Field][]string{Answer: {"response"}, Contexts: {"source_nodes", "sourceNodes", "contexts"}},
		},
		{
			Name: "langchain", Title: "LangChain",
			signatures: [][]string{{"answer|result|output", "source_documents|sourceDocuments"}},
			paths: map[Field][]string{
				Question: {"question", "query", "input"},
				Contexts: {"source_documents", "sourceDocuments", "context"},
			},
		},
		{
			Name: "haystack", Title: "Haystack",
			signatures: [][]string{
				{"data", "query", "documents"},
				{"init_parameters.data", "init_parameters.documents"},
				{"answer_builder.answers"},
				{"answers", "query"},
				{"question|questions|query|queries", "predicted_answer|predicted_answers", "contexts|context|documents|retrieved_documents"},
			}, // an EvaluationRunResult, whose answer is the expected one
			paths: map[Field][]string{
				Question: {"query", "question", "questions", "queries", "init_parameters.query", "answer_builder.answers[0].query", "answers[0].query", "answer_builder.answers[0].init_parameters.query", "answers[0].init_parameters.query"},
				Answer:   {"predicted_answer", "predicted_answers", "data", "init_parameters.data", "answer_builder.answers[0].data", "answers[0].data", "answer_builder.answers[0].init_parameters.data", "answers[0].init_parameters.data"},
				Contexts: {"init_parameters.documents", "answer_builder.answers[0].documents", "answers[0].documents", "answer_builder.answers[0].init_parameters.documents", "answers[0].init_parameters.documents"},
			},
		},
		{
			Name: "ragchecker", Title: "RAGChecker",
			signatures: [][]string{{"query", "response", "retrieved_context", "gt_answer|query_id"}},
			paths:      map[Field][]string{Question: {"query"}, Answer: {"response"}, Contexts: {"retrieved_context"}},
		},
		{
			Name: "azure", Title: "Azure AI Evaluation",
			signatures: [][]string{{"inputs.query|inputs.conversation", "outputs"}, {"conversation.messages"}},
			paths: map[Field][]string{
				Question: {"inputs.query", "query", "conversation.messages", "inputs.conversation.messages"},
				Answer:   {"inputs.response", "response", "outputs.response", "conversation.messages", "inputs.conversation.messages"},
				Contexts: {"inputs.context", "context", "conversation.context", "conversation.messages[-1].context", "conversation.messages[*].context", "inputs.conversation.messages[-1].context", "inputs.conversation.messages[*].context"},
			},
		},
		{
			Name: "bedrock", Title: "Amazon Bedrock evaluations",
			signatures: [][]string{{"conversationTurns"}},
			paths: map[Field][]string{
				Question: {"conversationTurns[-1].prompt.content[0].text", "conversationTurns[-1].inputRecord.prompt.content[0].text"},
				Answer:   {"conversationTurns[-1].output.text"},
				Contexts: {"conversationTurns[-1].output.retrievedPassages.retrievalResults"},
			},
		},
		{
			Name: "tonic", Title: "Tonic Validate",
			signatures: [][]string{{"reference_question", "llm_answer", "llm_context|llm_context_list"}},
			paths:      map[Field][]string{Question: {"reference_question"}, Answer: {"llm_answer"}, Contexts: {"llm_context", "llm_context_list"}},
		},
		{
			Name: "opik", Title: "Opik",
			signatures: [][]string{{"trace.input|trace.output", "spans"}},
		},
		{
			Name: "inspect", Title: "Inspect",
			signatures: [][]string{{"input", "target", "messages", "output.completion|output.choices"}},
			paths: map[Field][]string{
				Question: {"input"}, Answer: {"output.completion", "output.choices[0].message.content"},
			},
		},
		{
			Name: "mlflow", Title: "MLflow",
			signatures: [][]string{{"info.trace_id|info.request_id", "data"}, {"request", "response", "retrieved_context|trace_id|spans"}},
			paths:      map[Field][]string{Contexts: {"retrieved_context", "retrieved_contexts"}},
		},
	}
}

func deepEval() Tool {
	return Tool{
		Name: "deepeval", Title: "DeepEval",
		signatures: [][]string{{"input", "actual_output|actualOutput", "retrieval_context|retrievalContext"}, {"turns", "scenario", "chatbot_role|chatbotRole"}},
		paths: map[Field][]string{
			Question: {"input", "turns"}, Answer: {"actual_output", "actualOutput", "turns"},
			Contexts: {"retrieval_context", "retrievalContext", "turns[-1].retrieval_context", "turns[-1].retrievalContext"},
		},
	}
}

// ContextSeparator returns the separator of contexts in the texts of a table or of a JSON
// record with the given columns, or "" if a text is one context. DeepEval joins contexts in
// tables, and in the JSON records of its goldens.
func ContextSeparator(columns []string, isTable bool) string {
	record := &Value{Kind: Object}
	for _, name := range columns {
		record.Items = append(record.Items, &Value{Name: name})
	}
	tool := deepEval()
	if tool.matches(record) && (isTable || anySignature([][]string{{"source_file|expected_tools|additional_metadata"}}, record)) {
		return "|"
	}
	return ""
}

// matches reports whether a normalized record is an export of the tool.
func (t *Tool) matches(v *Value) bool { return anySignature(t.signatures, v) }

func anySignature(signatures [][]string, v *Value) bool {
	return slices.ContainsFunc(signatures, func(signature []string) bool {
		return !slices.ContainsFunc(signature, func(names string) bool {
			return !slices.ContainsFunc(strings.Split(names, "|"), func(path string) bool { return v.at(path) != nil })
		})
	})
}
