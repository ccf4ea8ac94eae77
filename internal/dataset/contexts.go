package dataset

import (
	"errors"
	"fmt"
	"slices"
	"strings"

	"github.com/ragfaith/ragfaith/internal/dataset/shape"
)

var errNoContexts = errors.New("contexts: no text to judge against")

// isContexts reports whether a value can be read as contexts. An empty list can.
func isContexts(v *value) bool {
	_, _, err := contexts(v)
	return err == nil || v.Kind == shape.List && len(v.Items) == 0
}

// newFinder returns a Finder that reads cells and contexts as this package does.
func newFinder() *shape.Finder { return shape.NewFinder(expandCell, isContexts) }

// expandCell returns the list or object in a text, or nil.
func expandCell(text string) *value {
	if classifyCell(text) == notList {
		return nil
	}
	v, err := readJSONText([]byte(text))
	if err != nil {
		v, _ = readPython(text) // nil if it is none
	}
	return v
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
		return nil, nil, fmt.Errorf("contexts: want text, got %s, which stands for a missing value", shape.Quote(trim(cell)))
	case isNumber(trim(cell)):
		return nil, nil, fmt.Errorf("contexts: want text, got the number %s", shape.Quote(trim(cell)))
	}
	return collectContexts(&value{Kind: shape.Text, Text: cell})
}

// separatedContexts returns the contexts in a text cell. If a tool can have joined them with
// a separator, it splits the cell and calls note.
func separatedContexts(cell, separator string, note func()) ([]string, []Source, error) {
	if separator == "" || !isJoined(cell, separator) || classifyCell(cell) == definiteList {
		return textContexts(cell)
	}
	note()
	var out []string
	for part := range strings.SplitSeq(cell, separator) {
		out = append(out, strings.TrimSpace(part))
	}
	return out, nil, nil
}

// isJoined reports whether a text consists of texts joined by a separator. It reports false
// for a table and for operators such as ||.
func isJoined(text, separator string) bool {
	last := ""
	for part := range strings.SplitSeq(text, separator) {
		if isBlank(part) || strings.HasSuffix(strings.TrimRight(last, " :"), "-") {
			return false
		}
		last = part
	}
	return last != text
}

func collectContexts(v *value) ([]string, []Source, error) {
	c := collector{texts: []string{}}
	if err := c.collect(v, 0); err != nil {
		return nil, nil, fmt.Errorf("contexts%w", err)
	}
	if len(c.texts) > 0 && !slices.ContainsFunc(c.texts, func(text string) bool { return !shape.IsSourceNames(text) }) {
		return nil, nil, fmt.Errorf("contexts: want texts, got only names of their sources, such as %s", shape.Quote(trim(c.texts[0])))
	}
	if c.sources != nil {
		c.fillSources(len(c.texts))
	}
	return c.texts, c.sources, nil
}

// HasText reports whether one of the contexts is not blank. If none is, nothing was retrieved.
func HasText(contexts []string) bool {
	return slices.ContainsFunc(contexts, func(text string) bool { return !isBlank(text) })
}

// A collector collects contexts.
type collector struct {
	texts   []string
	sources []Source // of the first texts, or nil
}

// collect appends the contexts in a value. The text of an error is the path of an invalid one, and what it is.
func (c *collector) collect(v *value, depth int) error {
	if depth > maxNesting {
		return fmt.Errorf(": nested more than %d deep", maxNesting)
	}
	switch v.Kind {
	case shape.Text:
		doc, damage := reprContext(v.Text)
		if damage != nil {
			return fmt.Errorf(": %w", damage)
		}
		if doc != nil {
			return c.collect(doc, depth)
		}
		c.texts = append(c.texts, v.Text)
		return nil
	case shape.List:
		for i, item := range v.Items {
			if err := c.collect(parsedDocument(item), depth+1); err != nil {
				return fmt.Errorf("[%d]%w", i, err)
			}
		}
		return nil
	case shape.Object:
		start := len(c.texts)
		if m := content(v, depth); m != nil {
			if err := c.collect(m, depth+1); err != nil {
				return fmt.Errorf(".%s%w", m.Name, err)
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
		return errors.New(": want a string, got an object without " + strings.Join(contextKeys()[:3], ", "))
	case shape.Null, shape.Bool, shape.Number, shape.Bytes:
	}
	return fmt.Errorf(": want a string, got %s", v.Kind)
}

// parsedDocument returns the document in an element of a list that is its JSON or Python text, or the element itself.
func parsedDocument(item *value) *value {
	if item.Kind == shape.Text && strings.HasPrefix(trim(item.Text), "{") {
		if doc := expandCell(item.Text); doc != nil && doc.Kind == shape.Object {
			if m := content(doc, 0); m != nil && m.Kind == shape.Text && slices.Contains(contextKeys(), m.Name) {
				return doc
			}
		}
	}
	return item
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
