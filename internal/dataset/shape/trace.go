package shape

import (
	"cmp"
	"errors"
	"maps"
	"slices"
	"strings"
)

// traceRow returns the fields of a trace: question and answer are the input and the
// output of its root, the contexts are what its retrievers returned or, if there are
// rerankers, what these kept. The record is that of the root.
func (f *Finder) traceRow(spans []*span) (row Row, record *Value, err error) {
	slices.SortStableFunc(spans, func(a, b *span) int { return strings.Compare(a.start, b.start) })
	markRetrievers(spans)
	byID := map[string]*span{}
	for _, s := range spans {
		byID[s.id] = s
	}
	for _, s := range spans {
		for p := byID[s.parent]; p != nil && len(s.above) < maxDepth; p = byID[p.parent] {
			s.above = append(s.above, p)
		}
	}
	root := spans[0]
	if i := slices.IndexFunc(spans, func(s *span) bool { return byID[s.parent] == nil }); i >= 0 {
		root = spans[i]
	}
	row.Question = f.side(root.value, Question)
	if root.canAnswer() {
		row.Answer = f.side(root.value, Answer)
	}
	for _, s := range spans {
		if s == root || byID[s.parent] != nil || !s.canAnswer() || row.Answer == nil {
			continue
		}
		if other := f.side(s.value, Answer); other != nil && *other != *row.Answer {
			err = errors.New("answer: ambiguous: several spans of the trace have an output and no parent")
			break
		}
	}
	lost := root.hasFailed()
	for _, s := range spans {
		if row.Question == nil && !s.retriever {
			row.Question = f.side(s.value, Question)
		}
	}
	if row.Answer == nil && !lost {
		row.Answer = f.innerAnswer(spans)
	}
	row.Contexts = f.traceContexts(root, spans, row.Answer)
	return row, root.value, err
}

// innerAnswer returns the output of the topmost span that has one, or nil. Of several, it is that of one
// that retrieved and then generated something, or else the last.
func (f *Finder) innerAnswer(spans []*span) (answer *string) {
	retrieved, generated := map[*span]bool{}, map[*span]bool{}
	for _, s := range spans {
		for _, p := range s.above {
			generated[p] = generated[p] || retrieved[p] && s.canAnswer()
			retrieved[p] = retrieved[p] || s.retriever
		}
	}
	best := 2*maxDepth + 2
	for _, s := range slices.Backward(spans) {
		rank := 2 * len(s.above)
		if !generated[s] {
			rank++
		}
		if rank < best && s.canAnswer() && !s.isInner() {
			if text := f.side(s.value, Answer); text != nil {
				answer, best = text, rank
			}
		}
	}
	return answer
}

// traceContexts returns what the retrievers or rerankers of a trace returned, or nil. The
// answer alone, as a step that is named after retrieval returns it, is no context.
func (f *Finder) traceContexts(root *span, spans []*span, answer *string) *Value {
	isAnswer := func(v *Value) bool { return v.Kind == Text && answer != nil && v.Text == *answer }
	lists, last := f.reranked(spans)
	reranked, key := len(lists) > 0, (*Value).key
	if reranked {
		key = docKey
	}
	for _, s := range spans {
		if !s.retriever || s.isInner() || reranked && s.start <= last {
			continue
		}
		if docs := f.documents(s.value); docs != nil && !isAnswer(docs) {
			lists = append(lists, docs)
		}
	}
	if reranked && len(lists) == 1 {
		return lists[0]
	}
	var all []*Value
	seen := map[string]bool{}
	for _, docs := range lists {
		for _, doc := range listed(docs) {
			if k := key(doc); !seen[k] {
				seen[k] = true
				all = append(all, doc)
			}
		}
	}
	if len(lists) > 0 {
		return newList(all)
	}
	// A root that reports its contexts, or a span that returned documents.
	for _, s := range append([]*span{root}, spans...) {
		for _, path := range outputPaths() {
			if side := s.value.first(path); side != nil {
				if docs := f.contextsIn(side); docs != nil && !isAnswer(docs) {
					return docs
				}
			}
		}
	}
	// Tools of an agent.
	for _, s := range spans {
		result := s.value.first("attributes.gen_ai.tool.call.result")
		if s.kind != "execute_tool" || result == nil {
			continue
		}
		if result = f.Expand.expand(result); f.IsContexts(result) && hasProse(result) {
			all = append(all, result)
		}
	}
	if len(all) > 0 {
		return newList(all)
	}
	return nil
}

// reranked returns what the rerankers of a trace kept, except what a later one ranked again, and
// when the last of them started.
func (f *Finder) reranked(spans []*span) (lists []*Value, last string) {
	later := map[string]bool{} // documents of later rerankers
	for _, s := range slices.Backward(spans) {
		var docs *Value
		if s.isReranker() {
			docs = f.documents(s.value)
		}
		if docs == nil {
			continue
		}
		last = max(last, s.start)
		known := listed(docs)
		if len(lists) == 0 || slices.ContainsFunc(known, func(doc *Value) bool { return !later[docKey(doc)] }) {
			lists = append(lists, docs)
		}
		in := s.value.first(append([]string{"attributes.reranker.input_documents"}, inputPaths()...)...)
		if in != nil {
			if in = f.Expand.expand(in); in.Kind == Object {
				in = f.contextsIn(in)
			}
		}
		for _, doc := range slices.Concat(known, listed(in)) {
			later[docKey(doc)] = true
		}
	}
	slices.Reverse(lists)
	return lists, last
}

// docKey returns the text of a document, which rerankers give other scores, or else its key.
func docKey(doc *Value) string {
	return cmp.Or(doc.text("document.content", "node.text", "page_content", "pageContent", "content", "text"), doc.Text, doc.key())
}

// documents returns the documents of a retriever or reranker, or nil.
func (f *Finder) documents(v *Value) *Value {
	for _, path := range []string{
		"attributes.reranker.output_documents", "attributes.retrieval.documents", "attributes.gen_ai.retrieval.documents",
		"attributes.ai.observability.retrieval.retrieved_contexts", "outputs.documents", "outputs.output", "outputs",
		"output.documents", "output.output",
		"output", "attributes.output.value", "attributes.mlflow.spanOutputs", "attributes.traceloop.entity.output",
		"attributes.ai.observability.call.return", "attributes.langfuse.observation.output",
	} {
		docs := v.first(path)
		if docs == nil {
			continue
		}
		docs = f.Expand.expand(docs)
		if f.IsContexts(docs) && hasProse(docs) {
			return docs
		}
		if docs.isNested() {
			if docs = f.contextsIn(docs); docs != nil {
				return docs
			}
		}
	}
	return nil
}

// contextsIn returns the contexts that are found by their names in an output, or nil.
func (f *Finder) contextsIn(output *Value) *Value {
	row, err := f.rowIn(output.renamed("returned"), fields())
	if err != nil {
		return nil
	}
	return row.Contexts
}

// rowIn returns some fields of a record with one member.
func (f *Finder) rowIn(member *Value, wanted []Field) (Row, error) {
	record := &Value{Kind: Object, Items: []*Value{member}}
	plan, err := f.Plan(record, nil)
	if err != nil {
		return Row{}, err
	}
	maps.DeleteFunc(plan, func(field Field, _ *Path) bool { return !slices.Contains(wanted, field) })
	return f.Row(plan, record)
}

func inputPaths() []string {
	return []string{
		"attributes.ai.observability.record_root.input", "attributes.input.value", "attributes.gen_ai.input.messages",
		"attributes.gen_ai.retrieval.query.text", "attributes.mlflow.spanInputs", "attributes.traceloop.entity.input",
		"attributes.langfuse.observation.input", "attributes.langfuse.trace.input", "attributes.llm.input_messages",
		"attributes.ai.observability.retrieval.query_text", "inputs", "input", "request",
	}
}

func outputPaths() []string {
	return []string{
		"attributes.ai.observability.record_root.output", "attributes.output.value", "attributes.gen_ai.output.messages",
		"attributes.mlflow.spanOutputs", "attributes.traceloop.entity.output", "attributes.langfuse.observation.output",
		"attributes.langfuse.trace.output", "attributes.llm.output_messages", "outputs", "output", "response",
	}
}

// side returns the question in the input of a span, or the answer in its output.
func (f *Finder) side(v *Value, field Field) *string {
	paths, name := inputPaths(), "input"
	if field == Answer {
		paths, name = outputPaths(), "output"
	}
	for _, path := range paths {
		side := v.first(path)
		if side == nil {
			continue
		}
		if side.Kind == Text { // some attributes hold JSON strings
			if inner := f.Expand("[" + side.Text + "]"); strings.HasPrefix(side.Text, `"`) && inner != nil && len(inner.Items) == 1 {
				side = inner.Items[0]
			}
		}
		row, err := f.rowIn(f.Expand.expand(side).renamed(name), []Field{field})
		if text := cmp.Or(row.Question, row.Answer); err == nil && text != nil && !IsPrintedObject(*text) {
			return text
		}
	}
	return nil
}
