package shape

import (
	"fmt"
	"slices"
	"strconv"
	"strings"
	"unicode"
)

// A Finder finds the fields of rows in records.
type Finder struct {
	Names  *Names
	Expand Expander
	// IsContexts reports whether a value can be read as contexts.
	IsContexts func(*Value) bool

	tools []Tool
}

// NewFinder returns a Finder. isContexts reports whether a value can be read as
// contexts.
func NewFinder(expand Expander, isContexts func(*Value) bool) *Finder {
	return &Finder{Names: NewNames(), Expand: expand, IsContexts: isContexts, tools: Tools()}
}

// Normalize returns a record with the encodings of serializers undone, and with
// numbered columns such as context_1 and context_2 collected in a list.
func (f *Finder) Normalize(record *Value) *Value {
	v := f.Expand.normalize(record)
	if v.Kind == Object && !slices.ContainsFunc(v.Items, func(m *Value) bool { return m.Name != strings.ToUpper(m.Name) }) {
		for i, m := range v.Items { // columns of databases that ignore case
			v.Items[i] = m.renamed(strings.ToLower(m.Name))
		}
	}
	f.collectNumbered(v)
	return v
}

// collectNumbered replaces the numbered columns of contexts by a list.
func (f *Finder) collectNumbered(v *Value) {
	if v.Kind != Object {
		return
	}
	type column struct {
		number int
		value  *Value
	}
	columns := map[string][]column{}
	var bases []string
	for _, m := range v.Items {
		base := strings.TrimRight(m.Name, "0123456789")
		number, err := strconv.Atoi(m.Name[len(base):])
		if _, ok := f.Names.Rank(Contexts, base); err != nil || !ok || m.Kind != Text && m.Kind != Null && m.Kind != Object {
			continue
		}
		if columns[base] == nil {
			bases = append(bases, base)
		}
		columns[base] = append(columns[base], column{number, m})
	}
	for _, base := range bases {
		list := columns[base]
		slices.SortStableFunc(list, func(a, b column) int { return a.number - b.number })
		all := &Value{Kind: List, Name: base + "*"}
		for _, c := range list {
			if c.value.Kind == Object || strings.TrimSpace(c.value.Text) != "" {
				all.Items = append(all.Items, c.value)
			}
		}
		v.Items = append(v.Items, all)
	}
}

// A Plan says where the fields of a row are.
type Plan struct {
	paths [fieldCount]*Path // nil if the field is missing
}

// Path returns the path of a field, or nil.
func (p *Plan) Path(f Field) *Path { return p.paths[f] }

// Column returns the column that a field is read from without a path, or "".
func (p *Plan) Column(f Field) string {
	if path := p.paths[f]; path != nil && len(path.steps) == 1 && path.steps[0].kind == byKey {
		return path.steps[0].key
	}
	return ""
}

// An Ambiguous error reports two equally good sources of a field.
type Ambiguous struct {
	Field Field
	Paths [2]string
}

func (e *Ambiguous) Error() string {
	return fmt.Sprintf("both %s and %s match", e.Paths[0], e.Paths[1])
}

// A candidate is a possible source of a field.
type candidate struct {
	pattern string
	values  []*Value
	rank    int // of the name
	penalty int // of the objects that contain it
	depth   int
}

func (c *candidate) compare(d *candidate) int {
	if c.penalty != d.penalty {
		return c.penalty - d.penalty
	}
	if c.rank != d.rank {
		return c.rank - d.rank
	}
	return c.depth - d.depth
}

// A search collects the candidates in one record.
type search struct {
	*Finder
	found  [fieldCount][]*candidate
	chats  []*candidate
	docs   []*candidate                          // lists of documents under any name
	nulls  [fieldCount][]*candidate              // members without a value
	turns  map[string]bool                       // lists with several answers
	byPath [fieldCount + 1]map[string]*candidate // elements of found, and of docs
}

// Plan finds the answer, the contexts and the question in a normalized record.
// Fields in preset are taken as they are. The error is an [*Ambiguous] error or
// names the missing field.
func (f *Finder) Plan(record *Value, preset map[Field]*Path) (*Plan, error) {
	s := &search{Finder: f}
	s.walk(record, "", 0, 0)
	plan := &Plan{}
	for field := range fieldCount {
		if path := preset[field]; path != nil {
			plan.paths[field] = path
			continue
		}
		c, err := s.best(field)
		if err != nil {
			return nil, err
		}
		if s.isNull(field, c) {
			continue
		}
		if c == nil {
			if c, err = s.fallback(field, record); err != nil {
				return nil, err
			}
		}
		if c == nil {
			continue
		}
		path, err := ParsePath(c.pattern)
		if err != nil {
			return nil, err
		}
		plan.paths[field] = path
	}
	return plan, nil
}

// join appends a member name to a path.
func join(pattern, name string) string {
	if name == "" || strings.ContainsAny(name, ".[]*\"'") {
		return pattern + "[" + strconv.Quote(name) + "]"
	}
	if pattern == "" {
		return name
	}
	return pattern + "." + name
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
			if s.Names.isAside(m.Name) {
				p++
			}
			if inner.isNested() {
				s.walk(inner, at, depth+1, p)
			}
		}
	case List:
		if isChat(v) {
			s.chats = append(s.chats, &candidate{pattern: pattern, values: []*Value{v}, penalty: penalty, depth: depth})
			return
		}
		if v.isObjects() && v.Name != "citations" && s.isDocuments(v) {
			s.docs = s.add(s.docs, fieldCount, pattern, v, 0, depth, penalty)
			return
		}
		for _, item := range v.Items {
			if !item.isNested() {
				return
			}
			s.walk(item, pattern+"[*]", depth+1, penalty) // other records can have more elements
		}
	case Null, Bool, Number, Text:
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
	for field := range fieldCount {
		rank, ok := s.Names.Rank(field, m.Name)
		if !ok {
			continue
		}
		if m.Kind == Null {
			if rank < rankWeak {
				s.nulls[field] = append(s.nulls[field], &candidate{rank: rank, penalty: penalty})
			}
			continue
		}
		if field == Contexts {
			if !s.IsContexts(m) || rank == rankWeak && !hasSentence(m) || !hasProse(m) && !slices.Contains([]string{"contexts", "context", "ctxs"}, m.Name) {
				continue
			}
		} else {
			text, ok := s.Expand.textOf(m, field)
			if !ok || field == Answer && rank > rankExact && s.Names.isVerdict(text) {
				continue
			}
			if s.Expand.expand(m) != m {
				rank += 2 // JSON text: prefer what it contains
			}
		}
		s.found[field] = s.add(s.found[field], field, pattern, m, rank, depth, penalty)
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
	return s.Names.isOther(m.Name) || depth == 0 && m.Name == "outputs" && isExample(v)
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

// add adds a value to the candidate with the same path, or to the list.
func (s *search) add(list []*candidate, kind Field, pattern string, v *Value, rank, depth, penalty int) []*candidate {
	if c := s.byPath[kind][pattern]; c != nil {
		c.values = append(c.values, v)
		c.rank = min(c.rank, rank)
		return list
	}
	c := &candidate{pattern: pattern, values: []*Value{v}, rank: rank, depth: depth, penalty: penalty}
	if s.byPath[kind] == nil {
		s.byPath[kind] = map[string]*candidate{}
	}
	s.byPath[kind][pattern] = c
	return append(list, c)
}

// best returns the best candidate by name, or nil. It is an error if another one is
// equally good and has another value.
func (s *search) best(field Field) (*candidate, error) {
	list := slices.DeleteFunc(slices.Clone(s.found[field]), func(c *candidate) bool {
		return len(c.values) > 1 && (field != Contexts || s.ofTurns(c))
	})
	best := shallowest(list)
	if best == nil {
		return nil, nil
	}
	for _, c := range list {
		if s.rivals(field, c, best) && !s.same(field, c, best) {
			return nil, &Ambiguous{field, [2]string{best.pattern, c.pattern}}
		}
	}
	return best, nil
}

// rivals reports whether c can be the field as well as the best candidate. An answer near
// the top of a record can be the expected one, and one below it the answer of a system.
func (s *search) rivals(field Field, c, best *candidate) bool {
	if field != Answer || c.penalty != best.penalty {
		return c != best && c.compare(best) == 0
	}
	return c != best && c.rank == best.rank && (c.depth == best.depth || c.rank == rankExact) ||
		c.rank <= rankUsual && isGenerated(c.pattern) && !isGenerated(best.pattern)
}

// ofTurns reports whether the contexts of a candidate with several values belong to
// several answers: those of turns.
func (s *search) ofTurns(contexts *candidate) bool {
	if s.turns == nil {
		s.turns = map[string]bool{}
		for _, c := range s.found[Answer] {
			for list := c.pattern; len(c.values) > 1 && list != ""; {
				list, _ = cutLast(list)
				s.turns[list] = true
			}
		}
	}
	list, ok := cutLast(contexts.pattern)
	return !ok || s.turns[list]
}

// cutLast returns the path of the last list in a path.
func cutLast(pattern string) (list string, ok bool) {
	i := strings.LastIndex(pattern, "[*]")
	return pattern[:max(i, 0)], i >= 0
}

// isNull reports whether a member without a value has a better name than a candidate,
// which can be nil. Another record will show where the field is.
func (s *search) isNull(field Field, c *candidate) bool {
	return field != Question && slices.ContainsFunc(s.nulls[field], func(null *candidate) bool {
		if c == nil {
			return null.penalty == 0 && null.rank == rankExact
		}
		return null.penalty <= c.penalty && null.rank < c.rank
	})
}

// same reports whether two candidates have the same value.
func (s *search) same(field Field, a, b *candidate) bool {
	if field == Contexts {
		return len(a.values) == len(b.values) && slices.EqualFunc(a.values, b.values, equal)
	}
	x, _ := s.Expand.textOf(a.values[0], field)
	y, _ := s.Expand.textOf(b.values[0], field)
	return x == y
}

func equal(a, b *Value) bool { return a.key() == b.key() }

// fallback returns a candidate that is recognized by its value instead of its name: a
// chat, the only text of an input or output, or a list of documents. It returns nil
// if there is none.
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
		best := shallowest(list)
		for _, c := range list {
			if c != best && c.compare(best) == 0 && !s.same(field, c, best) {
				return nil, &Ambiguous{field, [2]string{best.pattern, c.pattern}}
			}
		}
		if best != nil {
			return best, nil
		}
	}
	if field == Contexts {
		return nil, nil
	}
	return s.onlyText(field, record, "", 0), nil
}

func shallowest(list []*candidate) *candidate {
	if len(list) == 0 {
		return nil
	}
	return slices.MinFunc(list, (*candidate).compare)
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
			if len(texts) == 1 && (field == Question || !s.Names.describes(texts[0].Name) && !s.Names.isVerdict(texts[0].Text)) {
				return &candidate{pattern: join(at, texts[0].Name), values: texts}
			}
		}
		if c := s.onlyText(field, inner, at, depth+1); c != nil {
			return c
		}
	}
	return nil
}

// textOf returns the text of a question or answer: a string, a chat or chat message,
// or the parts of one.
func (x Expander) textOf(v *Value, field Field) (string, bool) {
	inner := x.expand(v)
	switch {
	case inner.Kind == List && isChat(inner):
		text := x.open(inner.Items).question
		if field == Answer {
			text = x.answered(inner).answer
		}
		return text, text != ""
	case inner.Kind == List && len(inner.Items) == 1:
		return x.textOf(inner.Items[0], field)
	case inner.Kind == List && isParts(inner), inner.Kind == Object && isMessage(inner):
		text := x.messageText(inner)
		return text, text != ""
	case v.Kind == Text:
		return v.Text, true
	}
	return "", false
}

// isParts reports whether a list holds the parts of a message.
func isParts(v *Value) bool {
	return v.isObjects() && !slices.ContainsFunc(v.Items, func(m *Value) bool { return m.first("text", "content") == nil || !m.has("type") })
}

// isMessage reports whether an object is a chat message or the content of one.
func isMessage(v *Value) bool {
	if role(v) != "" {
		return true
	}
	// A text with nothing else but what describes it.
	return v.text("text", "content", "value") != "" && !slices.ContainsFunc(v.Items, func(m *Value) bool { return m.isNested() && len(m.Items) > 0 && m.Name != "metadata" })
}

// A Row holds the fields of a row. Missing fields are nil.
type Row struct {
	Question, Answer *string
	Contexts         *Value
}

// Row returns the fields of a normalized record.
func (f *Finder) Row(plan *Plan, record *Value) (Row, error) {
	var row Row
	for field := range fieldCount {
		path := plan.paths[field]
		if path == nil {
			continue
		}
		values := f.Expand.find(path, record)
		values = slices.DeleteFunc(values, func(v *Value) bool { return v.Kind == Null })
		if field == Contexts {
			switch {
			case len(values) == 1 && isChat(f.Expand.expand(values[0])):
				row.Contexts = f.toolResults(f.turn(plan, field, f.Expand.expand(values[0])))
			case len(values) == 1 && (!path.multiple() || values[0].Kind == List):
				row.Contexts = values[0]
			case len(values) > 0 || path.multiple() && f.exists(path, record):
				row.Contexts = newList(values)
			}
			continue
		}
		if len(values) == 0 {
			continue
		}
		text, ok := f.Expand.textOf(values[0], field)
		if len(values) > 1 || !ok {
			return row, fmt.Errorf("%s: want a string, got %s", path, describe(values))
		}
		if chat := f.Expand.expand(values[0]); field == Question && isChat(chat) {
			text = f.turn(plan, field, chat).question
		}
		if field == Question {
			row.Question = &text
		} else {
			row.Answer = &text
		}
	}
	return row, nil
}

// turn returns the turn of a chat that a field is read from. If the answer is elsewhere,
// it is the answer to the last question.
func (f *Finder) turn(plan *Plan, field Field, chat *Value) turn {
	if answer := plan.paths[Answer]; answer != nil && answer.text == plan.paths[field].text {
		return f.Expand.answered(chat)
	}
	return f.Expand.open(chat.Items)
}

// toolResults returns the documents that tools returned, or nil.
func (f *Finder) toolResults(t turn) *Value {
	docs := slices.DeleteFunc(t.results, func(v *Value) bool { return v.Kind != Text && !f.IsContexts(v) })
	if len(docs) == 0 {
		return nil
	}
	return newList(docs)
}

// exists reports whether a path ends in a list, which can be empty.
func (f *Finder) exists(p *Path, record *Value) bool {
	for i, s := range p.steps {
		if s.kind == allElements {
			lists := f.Expand.follow(nil, p.steps[:i], record)
			return slices.ContainsFunc(lists, func(v *Value) bool {
				inner := f.Expand.expand(v)
				return inner.Kind == List && len(inner.Items) == 0
			})
		}
	}
	return false
}

func describe(values []*Value) string {
	if len(values) > 1 {
		return fmt.Sprintf("%d values", len(values))
	}
	return [...]string{"null", "a boolean", "a number", "a string", "a list", "an object"}[values[0].Kind]
}
