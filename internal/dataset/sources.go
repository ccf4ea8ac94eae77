package dataset

// A Source is what a context says of where it is from, besides its text. A field
// that it does not have is empty. An answer may cite the context by any of them.
type Source struct {
	ID    string // of the document
	Part  string // of the chunk, where it has an id of its own
	Title string
	File  string // name or path
	URL   string
}

// maxSource is the longest field of a Source, in bytes. A longer one names nothing.
const maxSource = 1 << 10

// field returns the field of s that a member of a context sets, nil if it sets none.
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

// source records the source of the texts from begin up to end, which the object at
// i holds. An object within it that names its own source takes precedence.
func (t *tree) source(i, begin, end int) {
	var s Source
	t.describe(&s, i)
	for j := i + 1; j < t.nodes[i].end; j = t.nodes[j].end {
		if n := t.nodes[j]; n.kind == kindObject && (n.name == "metadata" || n.name == "meta") {
			t.describe(&s, j)
		}
	}
	t.sourceLists(i, begin, end)
	if s == (Source{}) {
		return
	}
	t.fillSources(end)
	for k := begin; k < end; k++ {
		if t.sources[k] == (Source{}) {
			t.sources[k] = s
		}
	}
}

// describe sets the fields of s that are still empty from the members of the object
// at i.
func (t *tree) describe(s *Source, i int) {
	for j := i + 1; j < t.nodes[i].end; j = t.nodes[j].end {
		n := &t.nodes[j]
		if n.kind != kindText && n.kind != kindNumber || n.text == "" || len(n.text) > maxSource {
			continue
		}
		if field := s.field(n.name); field != nil && *field == "" {
			*field = n.text
		} else if field == &s.ID && s.Part == "" {
			s.Part = n.text // a second id
		}
	}
}

// sourceLists reads the layout of Hugging Face, in which an object has a list of
// texts and beside it a list of as many titles or ids. A list of sentences counts
// as one text.
func (t *tree) sourceLists(i, begin, end int) {
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
		k, name := begin, j+1
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

func (t *tree) fillSources(n int) {
	for len(t.sources) < n {
		t.sources = append(t.sources, Source{})
	}
}

// children counts the elements of the list at i.
func (t *tree) children(i int) int {
	n := 0
	for j := i + 1; j < t.nodes[i].end; j = t.nodes[j].end {
		n++
	}
	return n
}

// texts counts the contexts that the value at i makes.
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
