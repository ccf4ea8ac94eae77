package dataset

import (
	"cmp"
	"strings"

	"github.com/ragfaith/ragfaith/internal/dataset/shape"
)

// maxNesting limits the nesting of lists and objects in contexts.
const maxNesting = 16

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
			null = cmp.Or(null, m)
		case m.Kind == shape.Text && isBlank(m.Text):
			blank = cmp.Or(blank, m)
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
	if depth > maxNesting {
		return false
	}
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

// maxSource limits the length of each field of a Source. Longer values are ignored.
const maxSource = 1 << 10

// field returns the field of s for an object member with the given name, or nil.
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
