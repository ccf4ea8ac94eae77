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
	// weakSignatures also match records of other tools. They count only if the tool is
	// selected with --from.
	weakSignatures [][]string
	// paths lists candidate paths of each field in order of preference. Fields without a
	// match are found by name.
	paths map[Field][]string
	// contextSeparator separates the contexts in a CSV cell. If it is empty, a cell is one
	// context.
	contextSeparator string
}

// Tools returns the tools whose exports are known.
func Tools() []Tool {
	return []Tool{
		{
			Name: "deepeval", Title: "DeepEval",
			signatures: [][]string{{"input", "actual_output|actualOutput", "retrieval_context|retrievalContext"}},
			paths: map[Field][]string{
				Question: {"input"}, Answer: {"actual_output", "actualOutput"}, Contexts: {"retrieval_context", "retrievalContext"},
			},
			contextSeparator: "|",
		},
		{
			Name: "langsmith", Title: "LangSmith",
			signatures:     [][]string{{"run_type", "inputs|outputs"}, {"inputs", "outputs", "reference_outputs|referenceOutputs|reference_example_id|dotted_order"}},
			weakSignatures: [][]string{{"inputs|input", "outputs|output"}},
		},
		{
			Name: "langfuse", Title: "Langfuse",
			signatures:     [][]string{{"observations", "input|output"}, {"traceId|trace_id", "type", "parentObservationId|parent_observation_id"}, {"trace.id", "observations"}},
			weakSignatures: [][]string{{"input", "output", "metadata|name|timestamp"}},
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
			signatures:     [][]string{{"answer|result|output", "source_documents|sourceDocuments"}},
			weakSignatures: [][]string{{"answer|result|output", "context"}, {"messages"}},
			paths: map[Field][]string{
				Question: {"question", "query", "input"},
				Contexts: {"source_documents", "sourceDocuments", "context"},
			},
		},
		{
			Name: "haystack", Title: "Haystack",
			signatures:     [][]string{{"data", "query", "documents"}, {"init_parameters.data", "init_parameters.documents"}, {"answer_builder.answers"}, {"answers", "query"}},
			weakSignatures: [][]string{{"predicted_answer"}}, // an EvaluationRunResult
			paths: map[Field][]string{
				Question: {"query", "init_parameters.query", "answer_builder.answers[0].query", "answers[0].query", "answer_builder.answers[0].init_parameters.query", "answers[0].init_parameters.query"},
				Answer:   {"predicted_answer", "data", "init_parameters.data", "answer_builder.answers[0].data", "answers[0].data", "answer_builder.answers[0].init_parameters.data", "answers[0].init_parameters.data"},
				Contexts: {"documents", "init_parameters.documents", "answer_builder.answers[0].documents", "answers[0].documents", "answer_builder.answers[0].init_parameters.documents", "answers[0].init_parameters.documents"},
			},
		},
		{
			Name: "ragchecker", Title: "RAGChecker",
			signatures: [][]string{{"query", "response", "retrieved_context", "gt_answer|query_id"}},
			paths:      map[Field][]string{Question: {"query"}, Answer: {"response"}, Contexts: {"retrieved_context"}},
		},
		{
			Name: "azure", Title: "Azure AI Evaluation",
			signatures:     [][]string{{"inputs.query|inputs.conversation", "outputs"}, {"conversation.messages"}},
			weakSignatures: [][]string{{"query", "response"}},
			paths: map[Field][]string{
				Question: {"inputs.query", "query", "conversation.messages", "inputs.conversation.messages"},
				Answer:   {"inputs.response", "response", "outputs.response", "conversation.messages", "inputs.conversation.messages"},
				Contexts: {"inputs.context", "context", "conversation.context", "conversation.messages[-1].context", "conversation.messages[*].context", "inputs.conversation.messages[-1].context", "inputs.conversation.messages[*].context"},
			},
		},
		{
			Name: "mlflow", Title: "MLflow",
			signatures:     [][]string{{"info.trace_id|info.request_id", "data"}, {"request", "response", "retrieved_context|trace_id|spans"}},
			weakSignatures: [][]string{{"inputs|request", "outputs|response|predictions"}},
			paths:          map[Field][]string{Contexts: {"retrieved_context", "retrieved_contexts"}},
		},
	}
}

// ContextSeparator returns the separator of contexts in the cells of a CSV file with the
// given columns, or "" if a cell is one context.
func ContextSeparator(columns []string) string {
	record := &Value{Kind: Object}
	for _, name := range columns {
		record.Items = append(record.Items, &Value{Name: name})
	}
	for _, t := range Tools() {
		if t.contextSeparator != "" && t.matches(record) {
			return t.contextSeparator
		}
	}
	return ""
}

// mayMatch reports whether a normalized record can be an export of the tool.
func (t *Tool) mayMatch(v *Value) bool { return t.matches(v) || anySignature(t.weakSignatures, v) }

// matches reports whether a normalized record is an export of the tool.
func (t *Tool) matches(v *Value) bool { return anySignature(t.signatures, v) }

func anySignature(signatures [][]string, v *Value) bool {
	return slices.ContainsFunc(signatures, func(signature []string) bool {
		return !slices.ContainsFunc(signature, func(names string) bool {
			return !slices.ContainsFunc(strings.Split(names, "|"), func(name string) bool { return v.hasPath(name) })
		})
	})
}

// hasPath reports whether a dotted path exists. Its value can be null.
func (v *Value) hasPath(name string) bool {
	for key := range strings.SplitSeq(name, ".") {
		if v = v.member(key); v == nil {
			return false
		}
	}
	return true
}
