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

// content returns the member of a document with its text or with documents, or nil.
func content(v *value, depth int) *value {
	if depth > maxNesting {
		return nil
	}
	var null, blank *value
	for _, key := range contextKeys() {
		m := v.Member(key)
		switch {
		case m == nil:
		case m.Kind == shape.Null:
			if null == nil {
				null = m
			}
		case m.Kind == shape.Text && isBlank(m.Text):
			if blank == nil {
				blank = m
			}
		default:
			return m
		}
	}
	if blank != nil {
		return blank
	}
	var best *value
	bestRank := 0
	for _, m := range v.Items {
		if m.Kind != shape.Text {
			continue
		}
		if rank, ok := shape.ContentRank(m.Name); ok && (best == nil || rank < bestRank) {
			best, bestRank = m, rank
		}
	}
	if best != nil {
		return best
	}
	for _, key := range containerKeys() {
		if m := v.Member(key); m != nil && isDocument(m, depth+1) {
			return m
		}
	}
	return null
}

// isDocument reports whether a value is a document, or a list of documents.
func isDocument(v *value, depth int) bool {
	if v.Kind == shape.Object {
		return content(v, depth) != nil
	}
	if v.Kind != shape.List || len(v.Items) == 0 {
		return false
	}
	if isDocument(v.Items[0], depth+1) {
		return true
	}
	leaf := v.Items[0] // of texts, in the lists for each query that Chroma returns
	for leaf.Kind == shape.List && len(leaf.Items) > 0 {
		leaf = leaf.Items[0]
	}
	return v.Name == "documents" && (leaf.Kind == shape.Text || leaf.Kind == shape.List)
}

// isTextByID reports whether an object maps ids to texts.
func isTextByID(v *value) bool {
	prose := false
	for _, m := range v.Items {
		if m.Kind != shape.Text || (&Source{}).field(m.Name) != nil {
			return false
		}
		prose = prose || strings.Contains(strings.TrimSpace(m.Text), " ")
	}
	return prose
}

// isContexts reports whether a value can be read as contexts. An empty list can.
func isContexts(v *value) bool {
	_, _, err := contexts(v)
	return err == nil || v.Kind == shape.List && len(v.Items) == 0
}

// contexts returns the contexts in a value, and their sources if one is known. The value can
// be a string, an object with a text member, or a list of these, possibly nested. Nested lists
// are concatenated. A string can also contain the JSON or Python form of such a value.
func contexts(v *value) ([]string, []Source, error) {
	switch v.Kind {
	case shape.List, shape.Object:
		return collectContexts(v)
	case shape.Text:
		return textContexts(v.Text)
	case shape.Null, shape.Bool, shape.Number, shape.Bytes:
	}
	return nil, nil, fmt.Errorf("contexts: want a list of strings, got %s", v.Kind)
}

// textContexts returns the contexts in a text cell.
func textContexts(cell string) ([]string, []Source, error) {
	v, err := readCell(cell)
	switch {
	case err != nil:
		return nil, nil, fmt.Errorf("contexts: %w", err)
	case v != nil:
		return collectContexts(v)
	case isBlank(cell):
		return nil, nil, errNoContexts
	case shape.IsMissing(cell):
		return nil, nil, fmt.Errorf("contexts: want text, got %s, which stands for a missing value", quote(trim(cell)))
	case isNumber(trim(cell)):
		return nil, nil, fmt.Errorf("contexts: want text, got the number %s", quote(trim(cell)))
	}
	return collectContexts(&value{Kind: shape.Text, Text: cell})
}

func collectContexts(v *value) ([]string, []Source, error) {
	c := collector{texts: []string{}}
	if err := c.collect(v, 0); err != nil {
		return nil, nil, errors.New("contexts" + err.path + ": " + err.what)
	}
	if onlyNames(c.texts) {
		return nil, nil, fmt.Errorf("contexts: want texts, got only names of their sources, such as %s", quote(trim(c.texts[0])))
	}
	if c.sources != nil {
		c.fillSources(len(c.texts))
	}
	return c.texts, c.sources, nil
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

// A collector collects contexts.
type collector struct {
	texts   []string
	sources []Source // of the first texts, or nil
}

// collect appends the contexts in a value.
func (c *collector) collect(v *value, depth int) *contextError {
	if depth > maxNesting {
		return &contextError{what: fmt.Sprintf("nested more than %d deep", maxNesting)}
	}
	switch v.Kind {
	case shape.Text:
		doc, damage := reprContext(v.Text)
		if damage != nil {
			return &contextError{what: damage.Error()}
		}
		if doc != nil {
			return c.collect(doc, depth)
		}
		c.texts = append(c.texts, v.Text)
		return nil
	case shape.List:
		for i, item := range v.Items {
			if err := c.collect(item, depth+1); err != nil {
				err.path = "[" + strconv.Itoa(i) + "]" + err.path
				return err
			}
		}
		return nil
	case shape.Object:
		start := len(c.texts)
		if m := content(v, depth); m != nil {
			if err := c.collect(m, depth+1); err != nil {
				err.path = "." + m.Name + err.path
				return err
			}
			c.source(v, start)
			return nil
		}
		if depth == 0 && isTextByID(v) {
			for _, m := range v.Items {
				c.texts = append(c.texts, m.Text)
				c.fillSources(len(c.texts))
				c.sources[len(c.texts)-1].ID = m.Name
			}
			return nil
		}
		return &contextError{what: "want a string, got an object without " + strings.Join(contextKeys()[:3], ", ")}
	case shape.Null, shape.Bool, shape.Number, shape.Bytes:
	}
	return &contextError{what: "want a string, got " + v.Kind.String()}
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

// source sets the source of the contexts from start, which come from a document. Sources of
// nested documents take precedence.
func (c *collector) source(doc *value, start int) {
	var s Source
	s.describe(doc)
	for _, m := range doc.Items {
		if m.Kind == shape.Object && (m.Name == "metadata" || m.Name == "meta") {
			s.describe(m)
		}
	}
	c.sourceLists(doc, start)
	if s == (Source{}) {
		return
	}
	c.fillSources(len(c.texts))
	for i := start; i < len(c.texts); i++ {
		if c.sources[i] == (Source{}) {
			c.sources[i] = s
		}
	}
}

// describe sets empty fields of s from the members of an object.
func (s *Source) describe(object *value) {
	for _, m := range object.Items {
		if !isSource(m) {
			continue
		}
		if field := s.field(m.Name); field != nil && *field == "" {
			*field = m.Text
		} else if field == &s.ID && s.Part == "" {
			s.Part = m.Text // use a second id as the chunk id
		}
	}
}

// isSource reports whether a value can be a field of a source.
func isSource(v *value) bool {
	return (v.Kind == shape.Text || v.Kind == shape.Number) && v.Text != "" && len(v.Text) <= maxSource
}

// sourceLists handles the layout of Hugging Face datasets, in which an object
// contains a list of texts and parallel lists of titles or ids. Each sentence of a
// list is a context of its own, with the source of the list.
func (c *collector) sourceLists(object *value, start int) {
	var texts *value
	for _, key := range contextKeys() {
		if texts = object.Member(key); texts != nil {
			break
		}
	}
	if texts == nil || texts.Kind != shape.List {
		return
	}
	for _, m := range object.Items {
		if m == texts || m.Kind != shape.List || (&Source{}).field(m.Name) == nil || len(m.Items) != len(texts.Items) {
			continue
		}
		k := start
		for i, name := range m.Items {
			for range countTexts(texts.Items[i]) {
				if isSource(name) && k < len(c.texts) {
					c.fillSources(len(c.texts))
					if field := c.sources[k].field(m.Name); *field == "" {
						*field = name.Text
					}
				}
				k++
			}
		}
	}
}

// fillSources extends the list of sources to n elements.
func (c *collector) fillSources(n int) {
	c.sources = append(c.sources, make([]Source, max(n-len(c.sources), 0))...)
}

// countTexts returns the number of contexts in a value.
func countTexts(v *value) int {
	if v.Kind != shape.List {
		return 1
	}
	n := 0
	for _, item := range v.Items {
		n += countTexts(item)
	}
	return n
}
