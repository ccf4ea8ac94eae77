package shape

import (
	"fmt"
	"slices"
	"strings"
	"unicode"
)

// search collects the candidates in a normalized record.
func (f *Finder) search(record *Value) *search {
	s := &search{Finder: f, found: map[Field][]*candidate{}, nulls: map[Field][]*candidate{}, byPath: map[[2]string]*candidate{}}
	s.walk(record, "", 0, 0)
	return s
}

// Plan finds the answer, the contexts and the question in a normalized record. Fields in preset are
// taken as they are. The error is an [*Ambiguous] error or names the missing field.
func (f *Finder) Plan(record *Value, preset Plan) (Plan, error) {
	s, plan := f.search(record), Plan{}
	for _, field := range fields() {
		if path := preset[field]; path != nil {
			plan[field] = path
			continue
		}
		c, err := s.best(field)
		if err == nil && s.isNull(field, c) {
			continue
		}
		if err == nil && c == nil {
			c, err = s.fallback(field, record)
		}
		if err == nil && c != nil {
			plan[field], err = ParsePath(c.pattern)
		}
		if err != nil {
			return nil, err
		}
	}
	return plan, f.shared(plan, record)
}

// shared returns an error if two fields are read from one place, or the contexts from a
// value with the answer. A chat holds several fields.
func (f *Finder) shared(p Plan, record *Value) error {
	for _, pair := range [][2]Field{{Contexts, Answer}, {Question, Answer}, {Question, Contexts}} {
		a, b := p[pair[0]], p[pair[1]]
		if a == nil || b == nil || !a.covers(b) || pair[0] == Question && len(a.steps) < len(b.steps) {
			continue
		}
		if !slices.ContainsFunc(f.Expand.find(a, record), func(v *Value) bool { return isChat(f.Expand.expand(v)) }) {
			return &UsageError{Err: fmt.Errorf("%s and %s are both read from %s; choose another column with --map %s=COLUMN or --map %s=COLUMN",
				pair[0], pair[1], Quote(a.text), pair[0], pair[1])}
		}
	}
	return nil
}

// Rival returns an [*Ambiguous] error if a record has two answers or two lists of contexts.
func (f *Finder) Rival(record *Value, field Field) error {
	_, err := f.search(f.Normalize(record)).best(field)
	return err
}

func (s *search) walk(v *Value, pattern string, depth, penalty int) {
	if depth > maxDepth {
		return
	}
	switch v.Kind {
	case Object:
		for _, m := range v.Items {
			if s.skips(v, m, depth) {
				continue
			}
			at := join(pattern, m.Name)
			s.visit(m, at, depth, penalty)
			inner := s.Expand.expand(m)
			p := penalty
			if s.Names.isAside(m.Name) || slices.Contains(words(m.Name), "test") {
				p++
			}
			if inner.isNested() {
				s.walk(inner, at, depth+1, p)
			}
		}
	case List:
		c := &candidate{pattern: pattern, values: []*Value{v}, depth: depth, penalty: penalty}
		if isChat(v) {
			s.chats = append(s.chats, c)
			return
		}
		if v.isObjects() && v.Name != "citations" && s.isDocuments(v) {
			s.docs = s.add(s.docs, "", c)
			return
		}
		for _, item := range v.Items {
			if !item.isNested() {
				return
			}
			s.walk(item, pattern+"[*]", depth+1, penalty) // other records can have more elements
		}
	case Null, Bool, Number, Text, Bytes:
	}
}

// isDocuments reports whether the elements of a list look like retrieved documents,
// whatever the name of the list: they contain text, and what only retrievers add to it.
func (s *search) isDocuments(v *Value) bool {
	return s.IsContexts(v) && !slices.ContainsFunc(v.Items, func(item *Value) bool {
		return role(item) != "" || item.first(
			"page_content", "pageContent", "_source", "payload", "node", "document", "metadata", "meta", "score", "_score", "similarity",
			"distance", "relevance_score", "rerank_score", "doc_id", "docId", "document_id", "documentId", "chunk_id", "chunkId",
			"node_id", "url", "uri", "kwargs",
		) == nil || item.first("label", "verdict", "claim", "question", "answer", "start", "end") != nil
	})
}

// visit records a member as a candidate for the fields that its name fits.
func (s *search) visit(m *Value, pattern string, depth, penalty int) {
	for _, field := range fields() {
		rank, ok := s.Names.Rank(field, m.Name)
		if !ok && (field != Answer || !s.Names.isSomeAnswer(m.Name) && !s.Names.isSystemAnswer(m.Name)) {
			continue
		}
		c := &candidate{pattern: pattern, values: []*Value{m}, rank: rank, depth: depth, penalty: penalty}
		text, isText := s.Expand.textOf(m, field)
		switch {
		case !ok:
			if c.rank = rankWeak; isText {
				s.rest = append(s.rest, c)
			}
		case m.Kind == Null:
			if rank < rankWeak {
				s.nulls[field] = append(s.nulls[field], c)
			}
		case field == Contexts:
			if s.IsContexts(m) && (rank != rankWeak || hasSentence(m)) && (hasProse(m) || isContextName(m.Name)) {
				s.found[field] = s.add(s.found[field], field, c)
			}
		case !isText:
		case field == Answer && rank > rankExact && s.Names.IsVerdict(text):
			s.rest = append(s.rest, c)
		default:
			if s.Expand.expand(m) != m {
				c.rank += 2 // JSON text: prefer what it contains
			}
			s.found[field] = s.add(s.found[field], field, c)
		}
	}
}

// hasSentence reports whether v contains documents or a sentence, unlike a list of titles.
func hasSentence(v *Value) bool {
	if v.Kind == Text {
		return len(v.Text) > 80 || strings.ContainsAny(v.Text, ".!?。！？।")
	}
	return v.Kind == Object || slices.ContainsFunc(v.Items, hasSentence) || len(v.Items) == 0
}

// skips reports whether the member m of v does not contain fields of the row.
func (s *search) skips(v, m *Value, depth int) bool {
	return m.inSeries || s.Names.isOther(m.Name) || depth == 0 && m.Name == "outputs" && isExample(v)
}

// isExample reports whether a record is an example of a LangSmith dataset, whose
// outputs are those that are expected.
func isExample(v *Value) bool {
	return v.has("dataset_id") && !v.has("run_type") && !v.has("reference_outputs") && !v.has("reference_example_id")
}

// hasProse reports whether a string in v contains a space or a letter of a script without
// spaces, unlike names and ids.
func hasProse(v *Value) bool {
	if v.Kind == Text {
		return strings.ContainsFunc(strings.TrimSpace(v.Text), func(c rune) bool { return c == ' ' || c >= 0x0E00 && unicode.Is(unicode.Lo, c) })
	}
	return slices.ContainsFunc(v.Items, hasProse) || v.isNested() && len(v.Items) == 0
}

// fallback returns a candidate that is recognized by its value instead of its name: a chat, the
// only text of an input or output, or a list of documents. It returns nil if there is none.
func (s *search) fallback(field Field, record *Value) (*candidate, error) {
	lists := [][]*candidate{s.chats}
	if field == Contexts {
		lists = [][]*candidate{s.docs, s.chats}
	}
	for _, list := range lists {
		list = slices.DeleteFunc(slices.Clone(list), func(c *candidate) bool {
			v := c.values[0]
			if field == Contexts {
				return isChat(v) && s.toolResults(s.Expand.answered(v)) == nil && s.toolResults(s.Expand.open(v.Items)) == nil || len(c.values) > 1 && s.ofTurns(c)
			}
			_, ok := s.Expand.textOf(v, field)
			return !ok
		})
		equal := func(_ Field, c, best *candidate) bool { return c != best && c.compare(best) == 0 }
		if best, err := s.unrivaled(field, list, equal); best != nil || err != nil {
			return best, err
		}
	}
	if field == Contexts {
		return nil, nil
	}
	return s.onlyText(field, record, "", 0), nil
}

// onlyText returns the only string in an object that is named as an input or output.
func (s *search) onlyText(field Field, v *Value, pattern string, depth int) *candidate {
	for _, m := range v.Items {
		inner := s.Expand.expand(m)
		if inner.Kind != Object || depth > 3 || s.skips(v, m, depth) {
			continue
		}
		at := join(pattern, m.Name)
		if _, ok := s.Names.Rank(field, m.Name); ok || field == Question && m.Name == "vars" {
			var texts []*Value
			for _, t := range inner.Items {
				if t.Kind == Text && !s.Names.isOther(t.Name) {
					texts = append(texts, t)
				}
			}
			if len(texts) == 1 && (field == Question || !hasAny(words(texts[0].Name), s.Names.labels) && !s.Names.IsVerdict(texts[0].Text)) {
				return &candidate{pattern: join(at, texts[0].Name), values: texts}
			}
		}
		if c := s.onlyText(field, inner, at, depth+1); c != nil {
			return c
		}
	}
	return nil
}

// NewFinder returns a Finder. isContexts reports whether a value can be read as contexts.
func NewFinder(expand Expander, isContexts func(*Value) bool) *Finder {
	return &Finder{Names: NewNames(), Expand: expand, IsContexts: isContexts, tools: Tools()}
}

// guess returns the tool that wrote a normalized record, or nil.
func (f *Finder) guess(v *Value) *Tool {
	if i := slices.IndexFunc(f.tools, func(t Tool) bool { return t.matches(v) }); i >= 0 {
		return &f.tools[i]
	}
	return nil
}

// Column returns the column that a field is read from without a path, or "".
func (p Plan) Column(f Field) string {
	if path := p[f]; path != nil && len(path.steps) == 1 && path.steps[0].kind == byKey {
		return path.steps[0].key
	}
	return ""
}
