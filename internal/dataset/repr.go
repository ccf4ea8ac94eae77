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
func reprContext(text string) (*tree, error) {
	text = trim(text)
	t := &tree{}
	switch rest, ok := strings.CutPrefix(text, "page_content="); {
	case ok && strings.HasPrefix(rest, "'"):
		return t, t.langChainDocument(rest)
	case ok && strings.HasPrefix(rest, `"`): // before LangChain 0.2
		text = "Document(" + strings.Replace(text, `" metadata={`, `", metadata={`, 1) + ")"
	case isDocument(text), strings.HasPrefix(text, "TextNode("), strings.HasPrefix(text, "NodeWithScore("):
	case isDefaultRepr(text):
		return nil, errRepr
	case strings.HasPrefix(text, "Node ID: ") && strings.Contains(text, "\nText: "): // LlamaIndex shortens the text
		return nil, errRepr
	default:
		return nil, nil
	}
	if readPython(t, text) != nil || t.content(0, 0) < 0 { // Haystack shortens the text
		return nil, errRepr
	}
	return t, nil
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

// langChainDocument appends the object in 'CONTENT' metadata={...}. LangChain does not
// escape the content, but did before 0.2: it is an error if that makes a difference.
func (t *tree) langChainDocument(s string) error {
	const next = "' metadata={"
	at := t.open(kindObject, "")
	content, isLast := strings.CutSuffix(s[1:], "'")
	if i := strings.LastIndex(s, next); i > 0 {
		meta := &tree{}
		if readPython(meta, s[i+len(next)-1:]) != nil {
			return errRepr
		}
		content, isLast = s[1:i], true
		meta.nodes[0].name = "metadata"
		t.addValue(meta.value(0))
	}
	if !isLast || strings.Contains(content, next) {
		return errRepr
	}
	t.add(kindText, "page_content", content)
	t.close(at)
	p := &pythonParser{s: s, t: &tree{}}
	if escaped, err := p.str(); err == nil && escaped != content && p.i == len(content)+2 {
		return errors.New("page_content is escaped, or contains backslashes: write the text of the document instead")
	}
	return nil
}
