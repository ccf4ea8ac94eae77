package dataset

import (
	"errors"
	"fmt"
	"slices"
	"strconv"
	"strings"

	"github.com/ragfaith/ragfaith/internal/dataset/shape"
)

// maxNesting limits the nesting of lists and objects in contexts.
const maxNesting = 16

var errNoContexts = errors.New("contexts: no text to judge against")

// contextKeys returns the usual names of object members with the text of a
// context, in order of precedence. They cover the documents of common
// retrievers and Hugging Face datasets with lists of sentences.
func contextKeys() []string {
	return []string{"text", "content", "page_content", "sentences", "pageContent", "chunk", "passage", "body", "snippet"}
}

// containerKeys returns the names of object members that contain a document or a
// list of documents, in order of precedence.
func containerKeys() []string {
	return []string{
		"node", "document", "doc", "payload", "_source", "kwargs", "text_resource", "item", "entity", "properties", "fields",
		"documents", "hits", "matches", "results", "result", "points", "nodes", "chunks", "passages", "items", "value", "data",
		"retrievedReferences", "retrievalResults", "metadata",
	}
}

// content returns the member with the text of the document at i, or with documents,
// and -1 if there is none.
func (t *tree) content(i, depth int) int {
	if depth > maxNesting {
		return -1
	}
	first, blank := -1, -1
	for _, key := range contextKeys() {
		j := t.member(i, key)
		switch {
		case j >= 0 && t.nodes[j].kind == kindText && isBlank(t.nodes[j].text):
			if blank < 0 {
				blank = j
			}
		case j >= 0 && t.nodes[j].kind != kindNull:
			return j
		case first < 0:
			first = j
		}
	}
	if blank >= 0 {
		return blank
	}
	best, bestRank := -1, 0
	for j := i + 1; j < t.nodes[i].end; j = t.nodes[j].end {
		if k := t.nodes[j].kind; k != kindText {
			continue
		}
		if rank, ok := shape.ContentRank(t.nodes[j].name); ok && (best < 0 || rank < bestRank) {
			best, bestRank = j, rank
		}
	}
	if best >= 0 {
		return best
	}
	for _, key := range containerKeys() {
		if j := t.member(i, key); j >= 0 && t.isDocument(j, depth+1) {
			return j
		}
	}
	return first
}

// isDocument reports whether node i is a document, or a list of documents.
func (t *tree) isDocument(i, depth int) bool {
	n := t.nodes[i]
	if n.kind == kindObject {
		return t.content(i, depth) >= 0
	}
	if n.kind != kindList || n.end == i+1 {
		return false
	}
	leaf := i + 1 // of texts, in the lists for each query that Chroma returns
	for t.nodes[leaf].kind == kindList && t.nodes[leaf].end > leaf+1 {
		leaf++
	}
	return t.isDocument(i+1, depth+1) || n.name == "documents" && (t.nodes[leaf].kind == kindText || t.nodes[leaf].kind == kindList)
}

// isTextByID reports whether an object maps ids to texts.
func (t *tree) isTextByID(i int) bool {
	prose := false
	for j := i + 1; j < t.nodes[i].end; j = t.nodes[j].end {
		n := t.nodes[j]
		if n.kind != kindText || (&Source{}).field(n.name) != nil {
			return false
		}
		prose = prose || strings.Contains(strings.TrimSpace(n.text), " ")
	}
	return prose
}

// contexts returns the contexts in node i of t. The node can be a string, an
// object with a text member, or a list of these, possibly nested. Nested lists
// are concatenated. A string can also contain the JSON or Python form of such a
// value.
func contexts(t *tree, i int) ([]string, error) {
	n := t.nodes[i]
	if n.kind == kindList || n.kind == kindObject {
		return treeContexts(t, i)
	}
	if n.kind != kindText {
		return nil, fmt.Errorf("contexts: want a list of strings, got %s", n.kind)
	}
	cell := &tree{}
	out, err := textContexts(cell, n.text)
	t.sources = cell.sources
	return out, err
}

// textContexts returns the contexts in a text cell. It overwrites t.
func textContexts(t *tree, cell string) ([]string, error) {
	t.reset()
	ok, err := readCell(t, cell)
	if err != nil {
		return nil, fmt.Errorf("contexts: %w", err)
	}
	if ok {
		return treeContexts(t, 0)
	}
	switch {
	case isBlank(cell):
		return nil, errNoContexts
	case shape.IsMissing(cell):
		return nil, fmt.Errorf("contexts: want text, got %s, which stands for a missing value", quote(trim(cell)))
	case isNumber(trim(cell)):
		return nil, fmt.Errorf("contexts: want text, got the number %s", quote(trim(cell)))
	}
	t.reset()
	t.add(kindText, "", cell)
	return treeContexts(t, 0)
}

func treeContexts(t *tree, i int) ([]string, error) {
	texts := 0
	for _, n := range t.nodes[i:t.nodes[i].end] {
		if n.kind == kindText {
			texts++
		}
	}
	t.sources = nil
	out, err := collect(make([]string, 0, texts), t, i, 0)
	if err != nil {
		return nil, errors.New("contexts" + err.path + ": " + err.what)
	}
	if onlyNames(out) {
		return nil, fmt.Errorf("contexts: want texts, got only names of their sources, such as %s", quote(trim(out[0])))
	}
	if t.sources != nil {
		t.fillSources(len(out))
	}
	return out, nil
}

// onlyNames reports whether all contexts are names of files and URLs instead of texts.
func onlyNames(contexts []string) bool {
	return len(contexts) > 0 && !slices.ContainsFunc(contexts, func(text string) bool { return !shape.IsSourceNames(text) })
}

// HasText reports whether one of the contexts is not blank. If none is, nothing was
// retrieved.
func HasText(contexts []string) bool {
	return slices.ContainsFunc(contexts, func(text string) bool { return !isBlank(text) })
}

// A contextError describes an invalid context and its path.
type contextError struct {
	path string
	what string
}

// collect appends the contexts in node i to out.
func collect(out []string, t *tree, i, depth int) ([]string, *contextError) {
	n := t.nodes[i]
	if depth > maxNesting {
		return nil, &contextError{what: fmt.Sprintf("nested more than %d deep", maxNesting)}
	}
	var err *contextError
	switch n.kind {
	case kindText:
		doc, damage := reprContext(n.text)
		if damage != nil {
			return nil, &contextError{what: damage.Error()}
		}
		if doc == nil {
			return append(out, n.text), nil
		}
		start := len(out)
		if out, err = collect(out, doc, 0, depth); err == nil && doc.sources != nil {
			t.fillSources(start)
			t.sources = append(t.sources[:start], doc.sources[start:]...)
		}
		return out, err
	case kindList:
		k := 0
		for j := i + 1; j < n.end; j = t.nodes[j].end {
			if out, err = collect(out, t, j, depth+1); err != nil {
				err.path = "[" + strconv.Itoa(k) + "]" + err.path
				return nil, err
			}
			k++
		}
		return out, nil
	case kindObject:
		start := len(out)
		if j := t.content(i, depth); j >= 0 {
			if out, err = collect(out, t, j, depth+1); err != nil {
				err.path = "." + t.nodes[j].name + err.path
			} else {
				t.source(i, start, len(out))
			}
			return out, err
		}
		if depth == 0 && t.isTextByID(i) {
			for j := i + 1; j < n.end; j = t.nodes[j].end {
				out = append(out, t.nodes[j].text)
				t.fillSources(len(out))
				t.sources[len(out)-1].ID = t.nodes[j].name
			}
			return out, nil
		}
		return nil, &contextError{what: "want a string, got an object without " + strings.Join(contextKeys()[:3], ", ")}
	case kindNull, kindBool, kindNumber, kindBytes:
	}
	return nil, &contextError{what: "want a string, got " + n.kind.String()}
}

func isBlank(s string) bool { return strings.TrimSpace(s) == "" }

// A Source identifies the origin of a context. Unknown fields are empty. An
// answer can cite a context by any field of its source.
type Source struct {
	ID    string // document id
	Part  string // chunk id
	Title string
	File  string // file name or path
	URL   string
}

// maxSource limits the length of each field of a Source. Longer values are
// ignored.
const maxSource = 1 << 10

// field returns the field of s for an object member with the given name, or
// nil.
func (s *Source) field(name string) *string {
	switch name {
	case "id", "_id", "id_", "doc_id", "docId", "docid", "document_id", "documentId", "source_id", "uuid", "key":
		return &s.ID
	case "chunk_id", "chunkId", "node_id", "nodeId", "passage_id", "passageId", "pid":
		return &s.Part
	case "title", "name", "doc_title", "document_title", "heading":
		return &s.Title
	case "file", "filename", "fileName", "file_name", "file_path", "filePath", "path", "doc_name", "document_name":
		return &s.File
	case "url", "uri", "link", "source", "source_url", "href":
		return &s.URL
	}
	return nil
}

// source sets the source of contexts [start, end), which come from the object
// at i. Sources of nested objects take precedence.
func (t *tree) source(i, start, end int) {
	var s Source
	t.describe(&s, i)
	for j := i + 1; j < t.nodes[i].end; j = t.nodes[j].end {
		if n := t.nodes[j]; n.kind == kindObject && (n.name == "metadata" || n.name == "meta") {
			t.describe(&s, j)
		}
	}
	t.sourceLists(i, start, end)
	if s == (Source{}) {
		return
	}
	t.fillSources(end)
	for k := start; k < end; k++ {
		if t.sources[k] == (Source{}) {
			t.sources[k] = s
		}
	}
}

// describe sets empty fields of s from the members of the object at i.
func (t *tree) describe(s *Source, i int) {
	for j := i + 1; j < t.nodes[i].end; j = t.nodes[j].end {
		n := &t.nodes[j]
		if n.kind != kindText && n.kind != kindNumber || n.text == "" || len(n.text) > maxSource {
			continue
		}
		if field := s.field(n.name); field != nil && *field == "" {
			*field = n.text
		} else if field == &s.ID && s.Part == "" {
			s.Part = n.text // use a second id as the chunk id
		}
	}
}

// sourceLists handles the layout of Hugging Face datasets, in which an object
// contains a list of texts and parallel lists of titles or ids. A list of
// sentences counts as one text.
func (t *tree) sourceLists(i, start, end int) {
	texts := -1
	for _, key := range contextKeys() {
		if texts = t.member(i, key); texts >= 0 {
			break
		}
	}
	if texts < 0 || t.nodes[texts].kind != kindList {
		return
	}
	for j := i + 1; j < t.nodes[i].end; j = t.nodes[j].end {
		if j == texts || t.nodes[j].kind != kindList || (&Source{}).field(t.nodes[j].name) == nil || t.children(j) != t.children(texts) {
			continue
		}
		k, name := start, j+1
		for c := texts + 1; c < t.nodes[texts].end && k < end; c, name = t.nodes[c].end, t.nodes[name].end {
			n := t.nodes[name]
			for leaves := t.texts(c); leaves > 0 && k < end; leaves, k = leaves-1, k+1 {
				if n.kind != kindText && n.kind != kindNumber || n.text == "" || len(n.text) > maxSource {
					continue
				}
				t.fillSources(end)
				if field := t.sources[k].field(t.nodes[j].name); *field == "" {
					*field = n.text
				}
			}
		}
	}
}

// fillSources extends the list of sources to n elements.
func (t *tree) fillSources(n int) {
	t.sources = append(t.sources, make([]Source, max(n-len(t.sources), 0))...)
}

// children returns the number of elements of the list at i.
func (t *tree) children(i int) int {
	n := 0
	for j := i + 1; j < t.nodes[i].end; j = t.nodes[j].end {
		n++
	}
	return n
}

// texts returns the number of contexts in node i.
func (t *tree) texts(i int) int {
	if t.nodes[i].kind != kindList {
		return 1
	}
	n := 0
	for j := i + 1; j < t.nodes[i].end; j = t.nodes[j].end {
		n += t.texts(j)
	}
	return n
}
