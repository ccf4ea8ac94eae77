package dataset

import (
	"errors"
	"strings"

	"github.com/ragfaith/ragfaith/internal/dataset/shape"
)

// errRepr reports a context that is the printed form of an object.
var errRepr = errors.New("the printed form of an object, which can be incomplete: write the text of the object instead")

// reprContext returns the document in a text that Python printed, as
// json.dumps(default=str) does. The document is nil for other texts.
func reprContext(text string) (*value, error) {
	text = trim(text)
	switch rest, ok := strings.CutPrefix(text, "page_content="); {
	case ok && strings.HasPrefix(rest, "'"):
		return langChainDocument(rest)
	case ok && strings.HasPrefix(rest, `"`): // before LangChain 0.2
		text = "Document(" + strings.Replace(text, `" metadata={`, `", metadata={`, 1) + ")"
	case isPrintedDocument(text), strings.HasPrefix(text, "TextNode("), strings.HasPrefix(text, "NodeWithScore("):
	case isDefaultRepr(text):
		return nil, errRepr
	case strings.HasPrefix(text, "Node ID: ") && strings.Contains(text, "\nText: "): // LlamaIndex shortens the text
		return nil, errRepr
	default:
		return nil, nil
	}
	doc, err := readPython(text)
	if err != nil || content(doc, 0) == nil { // Haystack shortens the text
		return nil, errRepr
	}
	return doc, nil
}

// isDefaultRepr reports whether a text is an object without a printed form of its own, or a
// list of such: [object Object] in JavaScript, <a.B object at 0x7f> in Python.
func isDefaultRepr(text string) bool {
	if text == "" || text[0] != '[' && text[0] != '<' {
		return false
	}
	name, _, python := strings.Cut(strings.TrimPrefix(text, "["), " object at 0x")
	return python && strings.HasPrefix(name, "<") && !strings.ContainsAny(name, " >") || strings.HasPrefix(text, "[object Object]")
}

// isMissingAnswer reports whether an answer stands for a missing value. NA, null and the like can be
// answers.
func isMissingAnswer(text string) bool {
	switch text = trim(text); text {
	case "", "NA", "N/A", "None", "null", "NULL", "undefined":
		return false
	}
	return text == "[object Object]" || shape.IsMissing(text)
}

// langChainDocument returns the object in 'CONTENT' metadata={...}. LangChain does not
// escape the content, but did before 0.2: it is an error if that makes a difference.
func langChainDocument(s string) (*value, error) {
	const next = "' metadata={"
	doc := &value{Kind: shape.Object}
	text, isLast := strings.CutSuffix(s[1:], "'")
	if i := strings.LastIndex(s, next); i > 0 {
		meta, err := readPython(s[i+len(next)-1:])
		if err != nil {
			return nil, errRepr
		}
		text, isLast = s[1:i], true
		meta.Name = "metadata"
		doc.Items = append(doc.Items, meta)
	}
	if !isLast || strings.Contains(text, next) {
		return nil, errRepr
	}
	doc.Items = append(doc.Items, &value{Kind: shape.Text, Name: "page_content", Text: text})
	p := &pythonParser{s: s}
	if escaped, err := p.str(); err == nil && escaped != text && p.i == len(text)+2 {
		return nil, errors.New("page_content is escaped, or contains backslashes: write the text of the document instead")
	}
	return doc, nil
}
