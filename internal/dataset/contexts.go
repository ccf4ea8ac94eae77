package dataset

import (
	"errors"
	"fmt"
	"strconv"
	"strings"
)

// maxNesting is how deep contexts may lie within lists.
const maxNesting = 16

var errNoContexts = errors.New("contexts: empty: there is nothing to judge against")

// contextKeys returns the members of an object that hold a context's text, the
// first that is there counting: those of documents as retrievers return them,
// and of Hugging Face's lists of sentences.
func contextKeys() []string {
	return []string{"text", "content", "page_content", "sentences"}
}

// contexts reads the value at i of t as contexts: a string; a list of strings,
// of objects with a text, and of such lists, which are joined in order; an
// object whose text is any of these; and a string that is the JSON or the
// Python text of one of them.
func contexts(t *tree, i int) ([]string, error) {
	switch n := t.nodes[i]; n.kind {
	case kindText:
		cell := &tree{}
		out, err := textContexts(cell, n.text)
		t.sources = cell.sources
		return out, err
	case kindList, kindObject:
		return treeContexts(t, i)
	case kindNull, kindBool, kindNumber, kindBytes:
		return nil, fmt.Errorf("contexts: want a list of strings, got %s", n.kind)
	}
	return nil, errNoContexts
}

// textContexts reads contexts from a cell, by way of t.
func textContexts(t *tree, cell string) ([]string, error) {
	t.reset()
	ok, err := readCell(t, cell)
	if err != nil {
		return nil, fmt.Errorf("contexts: %w", err)
	}
	if ok {
		return treeContexts(t, 0)
	}
	if isBlank(cell) {
		return nil, errNoContexts
	}
	return []string{cell}, nil
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
	if t.sources != nil {
		t.fillSources(len(out))
	}
	for _, text := range out {
		if !isBlank(text) {
			return out, nil
		}
	}
	return nil, errNoContexts
}

// A contextFault is what is wrong with a context and where it lies.
type contextFault struct {
	path string
	what string
}

func collect(out []string, t *tree, i, depth int) ([]string, *contextFault) {
	n := t.nodes[i]
	if depth > maxNesting {
		return nil, &contextFault{what: fmt.Sprintf("nested more than %d deep", maxNesting)}
	}
	var err *contextFault
	switch n.kind {
	case kindText:
		return append(out, n.text), nil
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
		for _, key := range contextKeys() {
			j := t.member(i, key)
			if j < 0 {
				continue
			}
			begin := len(out)
			if out, err = collect(out, t, j, depth+1); err != nil {
				err.path = "." + key + err.path
			} else {
				t.source(i, begin, len(out))
			}
			return out, err
		}
		return nil, &contextFault{what: "want a string, got an object without " + strings.Join(contextKeys()[:3], ", ")}
	case kindNull, kindBool, kindNumber, kindBytes:
	}
	return nil, &contextFault{what: "want a string, got " + n.kind.String()}
}

func isBlank(s string) bool { return strings.TrimSpace(s) == "" }
