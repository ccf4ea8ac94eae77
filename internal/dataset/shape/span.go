package shape

import (
	"cmp"
	"fmt"
	"slices"
	"strings"
)

// A span is a step of a trace: a span of OpenTelemetry, a run of LangSmith, an
// observation of Langfuse.
type span struct {
	trace, id, parent string
	kind              string // lower case, such as retriever
	start             string
	retriever         bool    // see markRetrievers
	above             []*span // spans that it is a step of, from the inside to the root
	value             *Value
}

// asSpan returns the span in a normalized record, or nil if the record is not a span.
func asSpan(v *Value) *span {
	if v.Kind != Object {
		return nil
	}
	s := newSpan(v)
	hasParent := slices.ContainsFunc([]string{"parent_id", "parentId", "parent_span_id", "parentSpanId", "parent_run_id", "parentRunId", "parentObservationId", "parent_observation_id", "child_runs", "observations"}, v.has)
	if s.id == "" || s.trace == "" && !hasParent || s.kind == "" && !v.Member("attributes").isNested() && !hasParent {
		return nil
	}
	return s
}

func newSpan(v *Value) *span {
	s := &span{
		trace:  v.text("attributes.ai.observability.record_id", "context.trace_id", "trace_id", "traceId", "traceID", "trace.id", "context.trace_id"),
		id:     v.text("context.span_id", "span_id", "spanId", "spanID", "span.id", "id", "run_id"),
		parent: v.text("parent_id", "parentId", "parent_span_id", "parentSpanId", "parent_run_id", "parentRunId", "parentObservationId", "parent_observation_id", "parentSpanID"),
		start:  timeKey(v.text("start_time", "startTime", "startTimeUnixNano", "start_time_unix_nano", "start_time_ns", "start_timestamp", "timestamp")),
		value:  v,
	}
	s.kind = strings.ToLower(strings.Trim(v.text(
		"attributes.openinference.span.kind", "attributes.gen_ai.operation.name", "attributes.ai.observability.span_type",
		"attributes.mlflow.spanType", "attributes.traceloop.span.kind", "attributes.langfuse.observation.type",
		"span_kind", "span_type", "run_type", "type", "kind"), `"`))
	return s
}

// timeKey returns a text that sorts like a time: a number of nanoseconds, or a date.
func timeKey(text string) string {
	if text != "" && strings.Trim(text, "0123456789") == "" {
		return fmt.Sprintf("%20s", text)
	}
	return strings.TrimSuffix(text, "Z")
}

// spansOf returns the spans in a normalized record: the record itself, or those below
// it. The first one is the root if the record is a trace.
func (f *Finder) spansOf(v *Value) []*span {
	var out []*span
	add := func(list *Value) {
		if list == nil {
			return
		}
		for _, item := range f.Expand.expand(list).Items {
			if s := asSpan(item); s != nil {
				out = append(out, s)
			}
		}
	}
	for _, resource := range items(v.first("resourceSpans", "resource_spans", "batches", "trace.resourceSpans")) {
		for _, scope := range items(resource.first("scopeSpans", "scope_spans", "instrumentationLibrarySpans")) {
			add(scope.first("spans"))
		}
	}
	trace := v
	if t := v.Member("trace"); t.has("input") || t.has("output") {
		trace = t // of Langfuse or Opik
	}
	if len(out) == 0 && trace == v {
		add(v.first("data.spans", "trace.data.spans", "trace.spans", "spans"))
	}
	if len(out) > 0 {
		return out
	}
	root := asSpan(v)
	if steps := v.first("observations", "spans"); steps != nil && (trace.has("input") || trace.has("output")) {
		root = &span{id: trace.text("id"), trace: trace.text("id"), value: trace}
		for _, item := range f.Expand.expand(steps).Items {
			if item.Kind != Object {
				return nil // ids only
			}
			s := newSpan(item)
			s.trace, s.parent = root.trace, cmp.Or(s.parent, root.id)
			out = append(out, s)
		}
		return append([]*span{root}, out...)
	}
	if root == nil {
		return nil
	}
	return f.runs(nil, root, 0)
}

// runs appends a run and the runs below it.
func (f *Finder) runs(out []*span, s *span, depth int) []*span {
	out = append(out, s)
	for _, child := range items(s.value.first("child_runs", "children")) {
		if child.Kind == Object && depth < maxDepth {
			c := newSpan(child)
			c.trace, c.parent = s.trace, s.id
			out = f.runs(out, c, depth+1)
		}
	}
	return out
}

// markRetrievers finds the spans of a trace that retrieved documents: by their kind or,
// if there are none, by the names of spans without children. A span alone has the answer too.
func markRetrievers(spans []*span) {
	parents := map[string]bool{}
	found := false
	for _, s := range spans {
		parents[s.parent] = true
		s.retriever = strings.HasPrefix(s.kind, "retriev") || strings.HasPrefix(s.kind, "vector") || s.kind == "search"
		found = found || s.retriever
	}
	if found || len(spans) == 1 {
		return
	}
	for _, s := range spans {
		switch s.kind {
		case "", "span", "tool", "function", "internal", "span_kind_internal", "default", "general", "unknown":
			s.retriever = !parents[s.id] && slices.ContainsFunc(words(s.value.text("name", "span_name")), func(w string) bool {
				return strings.HasPrefix(w, "retriev")
			})
		}
	}
}

// canAnswer reports whether the output of a span can be the answer of its trace.
func (s *span) canAnswer() bool {
	others := []string{"evaluator", "guardrail", "embedding", "embeddings", "tool", "execute_tool", "parser", "prompt"}
	return !s.retriever && !s.isReranker() && !slices.Contains(others, s.kind)
}

// hasFailed reports whether a span has an error or an empty output, so that the output of another one is not its answer.
func (s *span) hasFailed() bool {
	switch strings.ToUpper(s.value.text("status_code", "status.status_code", "status.code", "status", "level")) {
	case "ERROR", "STATUS_CODE_ERROR", "2":
		return true
	}
	return slices.ContainsFunc([]string{"output", "outputs"}, func(name string) bool {
		output := s.value.Member(name)
		return output != nil && (output.Kind == Null || output.isNested() && len(output.Items) == 0)
	})
}

// isInner reports whether a span is a step of a retriever or of an evaluation.
func (s *span) isInner() bool {
	return slices.ContainsFunc(s.above, func(p *span) bool { return p.retriever || p.kind == "evaluator" })
}

func (s *span) isReranker() bool { return strings.HasPrefix(s.kind, "rerank") }
