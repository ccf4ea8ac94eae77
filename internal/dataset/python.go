package dataset

import (
	"errors"
	"fmt"
	"strconv"
	"strings"

	"github.com/ragfaith/ragfaith/internal/dataset/shape"
)

// maxPythonDepth limits the nesting of a Python literal.
const maxPythonDepth = 100

// A pythonError is a syntax error in a Python literal.
type pythonError struct {
	offset    int
	what      string
	isLiteral bool // the text is a literal, but truncated, abbreviated or too deeply nested
}

func (e *pythonError) Error() string {
	return fmt.Sprintf("invalid Python literal: %s, at byte %d", e.what, e.offset+1)
}

// readPython returns the value of a Python literal. It accepts the output of repr, str and pandas'
// to_csv: strings, numbers, constants, lists, tuples, sets and dicts. These can contain numpy's
// array(...) and objects with keyword arguments such as Document(...). Adjacent strings without a
// comma, as in the output of numpy, are separate elements. A single value in parentheses without a
// comma is an error, since it is not a tuple.
func readPython(s string) (*value, error) {
	p := newPythonParser(s)
	v, err := p.value(0)
	if err != nil {
		return nil, err
	}
	if p.peek(); p.rest != "" {
		return nil, p.fail("unexpected text after the literal")
	}
	return v, nil
}

type pythonParser struct {
	size  int    // of the whole text
	rest  string // of the text
	count int    // of values so far
}

func newPythonParser(s string) *pythonParser { return &pythonParser{size: len(s), rest: s} }

// fail returns an error at the next byte.
func (p *pythonParser) fail(what string) error {
	return &pythonError{offset: p.size - len(p.rest), what: what, isLiteral: p.rest == ""}
}

// failLiteral returns an error for text that is a literal rather than prose.
func (p *pythonParser) failLiteral(what string) error {
	return &pythonError{offset: p.size - len(p.rest), what: what, isLiteral: true}
}

// peek returns the next byte after white space, or 0 at the end.
func (p *pythonParser) peek() byte {
	if p.rest = strings.TrimLeft(p.rest, " \t\r\n\f"); p.rest == "" {
		return 0
	}
	return p.rest[0]
}

// accept reads a byte after white space if it is the next one.
func (p *pythonParser) accept(c byte) bool {
	found := p.peek() == c
	if found {
		p.rest = p.rest[1:]
	}
	return found
}

func (p *pythonParser) value(depth int) (*value, error) {
	if p.count++; p.count > maxValues {
		return nil, errTooMany
	}
	if depth > maxPythonDepth {
		return nil, p.failLiteral(fmt.Sprintf("nested more than %d levels deep", maxPythonDepth))
	}
	c := p.peek()
	switch {
	case c == 0:
		return nil, p.fail("unexpected end of input")
	case c == '[':
		return p.sequence(']', depth)
	case c == '(':
		return p.sequence(')', depth)
	case c == '{':
		return p.braces(depth)
	case startsWithString(p.rest):
		text, err := p.str()
		return &value{Kind: shape.Text, Text: text}, err
	case p.abbreviated():
		return nil, p.failLiteral("list is abbreviated (...)")
	case isWordChar(rune(c)) || c == '-' || c == '+' || c == '.':
		return p.word(depth)
	}
	return nil, p.fail("expected a value")
}

// sequence reads a list or a tuple.
func (p *pythonParser) sequence(end byte, depth int) (*value, error) {
	p.rest = p.rest[1:]
	v := &value{Kind: shape.List}
	comma := false
	for p.peek() != end {
		item, err := p.value(depth + 1)
		if err != nil {
			return nil, err
		}
		v.Items = append(v.Items, item)
		comma = p.accept(',') // NumPy separates elements with spaces
	}
	if end == ')' && len(v.Items) == 1 && !comma {
		return nil, p.fail("parenthesized value is not a tuple")
	}
	p.rest = p.rest[1:]
	return v, nil
}

// abbreviated reports whether an ellipsis replaces omitted elements of a list.
func (p *pythonParser) abbreviated() bool {
	rest, ok := strings.CutPrefix(p.rest, "...")
	rest = strings.TrimLeft(rest, ", \t\r\n")
	return ok && (rest == "" || startsWithString(rest) || strings.IndexByte("[]({", rest[0]) >= 0)
}

// braces reads a dict into an object, or a set into a list.
func (p *pythonParser) braces(depth int) (*value, error) {
	p.rest = p.rest[1:]
	v := &value{Kind: shape.Object}
	for !p.accept('}') {
		item, err := p.value(depth + 1)
		if err != nil {
			return nil, err
		}
		switch isPair := p.peek() == ':'; {
		case isPair && v.Kind == shape.List:
			return nil, p.fail("key in a set")
		case !isPair && v.Kind == shape.Object && len(v.Items) > 0:
			return nil, p.fail("missing dict value")
		case !isPair:
			v.Kind = shape.List
		default:
			p.rest = p.rest[1:]
			if item.Kind == shape.List || item.Kind == shape.Object {
				return nil, p.fail("unhashable dict key")
			}
			name := item.Text
			if item, err = p.value(depth + 1); err != nil {
				return nil, err
			}
			item.Name = name
		}
		v.Items = append(v.Items, item)
		p.accept(',')
	}
	return v, nil
}

func isWordChar(c rune) bool {
	return c == '_' || c >= '0' && c <= '9' || c >= 'a' && c <= 'z' || c >= 'A' && c <= 'Z' || c >= 0x80
}

// trimWord returns s without the word at its start, which can also contain the given characters.
func trimWord(s, also string) string {
	return strings.TrimLeftFunc(s, func(c rune) bool { return isWordChar(c) || strings.ContainsRune(also, c) })
}

// wordLength returns the length of the word at the start of s.
func wordLength(s string) int {
	return len(s) - len(trimWord(s, ""))
}

// word reads a constant, a number or a call.
func (p *pythonParser) word(depth int) (*value, error) {
	unknown := &pythonError{offset: p.size - len(p.rest)}
	rest := trimWord(p.rest, ".-+")
	w := p.rest[:len(p.rest)-len(rest)]
	p.rest = rest
	switch {
	case w == "None" || w == "nan" || w == "NaN" || w == "null":
		return &value{Kind: shape.Null}, nil
	case w == "True" || w == "False" || w == "true" || w == "false":
		return &value{Kind: shape.Bool, Text: strings.ToLower(w)}, nil
	case w[0] >= '0' && w[0] <= '9' || w[0] == '-' || w[0] == '+' || w[0] == '.':
		if len(strings.TrimLeft(w, "+-.")) == 0 {
			return nil, p.fail("expected a value")
		}
		return &value{Kind: shape.Number, Text: w}, nil
	case w == "set" && strings.HasPrefix(rest, "()"):
		p.rest = rest[len("()"):]
		return &value{Kind: shape.List}, nil
	case p.peek() == '(':
		return p.call(depth)
	}
	unknown.what, unknown.isLiteral = "unknown name "+shape.Quote(w), p.rest == ""
	return nil, unknown
}

// call reads a call. A call with a positional argument becomes the value of that argument, as in
// array([...]). Keyword arguments become an object, as in Document(...).
func (p *pythonParser) call(depth int) (*value, error) {
	p.rest = p.rest[1:]
	v := &value{Kind: shape.Object}
	var positional *value
	for !p.accept(')') {
		key := ""
		if n := wordLength(p.rest); n > 0 && strings.HasPrefix(p.rest[n:], "=") {
			key, p.rest = p.rest[:n], p.rest[n+1:]
		}
		if key == "dtype" && p.peek() != '\'' && p.peek() != '"' {
			p.rest = trimWord(p.rest, ".") // the dtype of an array is a bare name
		} else {
			item, err := p.value(depth + 1)
			switch {
			case err != nil:
				return nil, err
			case key != "":
				item.Name = key
				v.Items = append(v.Items, item)
			case positional != nil || len(v.Items) > 0:
				return nil, p.fail("multiple positional arguments")
			default:
				positional = item
			}
		}
		p.accept(',')
	}
	if positional != nil {
		return positional, nil
	}
	return v, nil
}

// str reads a string literal as repr writes it: without a prefix, in single or double quotes.
func (p *pythonParser) str() (string, error) {
	if strings.HasPrefix(p.rest, "u'") || strings.HasPrefix(p.rest, `u"`) { // of Python 2
		p.rest = p.rest[1:]
	}
	start, mark := p.rest, p.rest[:1]
	switch {
	case mark != "'" && mark != `"`:
		return "", p.fail("a string with the prefix " + mark + " is not supported")
	case strings.HasPrefix(p.rest, strings.Repeat(mark, 3)):
		return "", p.fail("a string in triple quotes is not supported")
	}
	p.rest = p.rest[1:]
	if text, rest, ok := strings.Cut(p.rest, mark); ok && !strings.Contains(text, `\`) {
		p.rest = rest
		return text, nil
	}
	var b strings.Builder
	for {
		n := strings.IndexAny(p.rest, `\`+mark)
		if n < 0 || n == len(p.rest)-1 && p.rest[n] == '\\' {
			p.rest = start
			return "", p.failLiteral("unterminated string literal")
		}
		b.WriteString(p.rest[:n])
		if p.rest = p.rest[n:]; p.accept(mark[0]) {
			return b.String(), nil
		}
		c, _, tail, err := strconv.UnquoteChar(p.rest, p.rest[1]) // any quote can be escaped
		if err != nil {
			return "", p.failLiteral("unknown escape sequence")
		}
		b.WriteRune(c) // also of \xNN, which is not a byte in Python
		p.rest = tail
	}
}

// startsWithString reports whether s starts with a JSON or Python string.
func startsWithString(s string) bool {
	for range 2 {
		if s == "" || strings.IndexByte("uUbBrRfF", s[0]) < 0 {
			break
		}
		s = s[1:]
	}
	return s != "" && (s[0] == '"' || s[0] == '\'')
}

// isPrintedDocument reports whether s starts with the Python repr of a LangChain document.
func isPrintedDocument(s string) bool {
	s, ok := strings.CutPrefix(s, "Document(")
	n := wordLength(s)
	return ok && n > 0 && n < len(s) && s[n] == '='
}

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
	case shape.IsDefaultRepr(text):
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

// printedContent returns the content of a message of a model that LangChain printed, or the text itself.
func printedContent(text string) string {
	rest := strings.TrimPrefix(strings.TrimPrefix(trim(text), "AIMessage("), "AIMessageChunk(")
	if rest, ok := strings.CutPrefix(rest, "content="); ok && startsWithString(rest) {
		p := newPythonParser(rest)
		content, err := p.str()
		if err == nil && strings.HasPrefix(strings.TrimLeft(p.rest, ", "), "additional_kwargs=") {
			return content
		}
	}
	return text
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
	p := newPythonParser(s)
	if escaped, err := p.str(); err == nil && escaped != text && len(s)-len(p.rest) == len(text)+2 {
		return nil, errors.New("page_content is escaped, or contains backslashes: write the text of the document instead")
	}
	return doc, nil
}
