package dataset

import (
	"errors"
	"slices"
	"strings"

	"github.com/go-json-experiment/json/jsontext"

	"github.com/ragfaith/ragfaith/internal/dataset/shape"
)

// A certainty indicates how likely a text cell contains a list.
type certainty uint8

const (
	notList      certainty = iota
	maybeList              // a list if the whole cell can be parsed
	definiteList           // a list even if it cannot be parsed
)

// classifyCell distinguishes a serialized list from a text that starts with a bracket, such as "[1]
// According to" or "[[Wikipedia]]". The opening bracket of a list is followed by a string, even if
// its quotes were escaped twice, another list, or the closing bracket.
func classifyCell(s string) certainty {
	s = trim(s)
	if s == "" {
		return notList
	}
	inner := trim(s[1:])
	closed := false
	switch s[0] {
	case '[':
		closed = strings.HasSuffix(s, "]")
		if startsWithString(strings.TrimPrefix(inner, `\`)) || inner == "]" || isPrintedDocument(inner) {
			return definiteList
		}
		if startsWithString(strings.TrimLeft(inner, "[({ \t\r\n")) {
			return definiteList
		}
	case '{':
		closed = strings.HasSuffix(s, "}")
		if startsWithString(inner) || inner == "}" {
			return definiteList
		}
	case '(':
		// A text may start with a quoted word in parentheses.
		closed = strings.HasSuffix(s, ")")
	case 'a', 's':
		closed = (strings.HasPrefix(s, "array(") || strings.HasPrefix(s, "set(")) && strings.HasSuffix(s, ")")
	default:
		return notList
	}
	if closed {
		return maybeList
	}
	return notList
}

// readCell returns the value of a cell that contains a JSON or Python list or object, or nil
// if the cell is plain text. Lists and objects without possible contexts, such as the output
// of a tool, are also plain text. A definite list that cannot be parsed is an error.
func readCell(s string) (*value, error) {
	if quoted := trim(s); strings.HasPrefix(quoted, `"[`) || strings.HasPrefix(quoted, `"{`) {
		if inner, err := jsontext.AppendUnquote(nil, quoted); err == nil { // encoded twice
			s = string(inner)
		}
	}
	c := classifyCell(s)
	if c == notList {
		return nil, nil
	}
	v, jsonErr := readJSONText([]byte(s))
	var pyErr error
	if jsonErr != nil {
		v, pyErr = readPython(s)
	}
	if pyErr == nil && (jsonErr == nil || c == definiteList || v.Kind == shape.List || len(v.Items) > 0) {
		if isData(v, s) {
			return nil, nil
		}
		return v, nil
	}
	if c == maybeList && isPrintedList(s) {
		return nil, errPrintedList
	}
	py, ok := errors.AsType[*pythonError](pyErr)
	if c == maybeList || !ok || !py.isLiteral && !endsAsList(s) {
		return nil, nil
	}
	// Report the error of the parser that got further. If the first quote is a
	// single quote, the cell cannot be JSON.
	syntactic, ok := errors.AsType[*jsontext.SyntacticError](jsonErr)
	if q := strings.IndexAny(s, "'\""); ok && q >= 0 && s[q] == '"' && syntactic.ByteOffset > int64(py.offset) {
		return nil, syntaxError(jsonErr)
	}
	return nil, pyErr
}

// isData reports whether a parsed list or object contains values but no possible contexts, as
// "(1914, 1918)" and {"price": 3} do. Such cells are plain text. Values that are empty or lists of
// nulls and numbers are not data: they were meant to hold contexts.
func isData(v *value, s string) bool {
	var c cellContents
	c.add(v)
	if trim(s)[0] == '(' && c.number {
		return true // more likely a citation
	}
	return c.object && !c.text
}

// cellContents describes the kinds of values in a list or object.
type cellContents struct {
	text   bool // contains a string, or an object with a text member
	number bool // contains a number or a boolean
	object bool // contains an object with other members
}

func (c *cellContents) add(v *value) {
	switch v.Kind {
	case shape.Text, shape.Bytes:
		c.text = true
	case shape.Number, shape.Bool:
		c.number = true
	case shape.Object:
		c.object = c.object || len(v.Items) > 0
		c.text = c.text || content(v, 0) != nil || isTextByID(v)
	case shape.List:
		for _, item := range v.Items {
			c.add(item)
		}
	case shape.Null:
	}
}

// endsAsList reports whether a cell that starts like a list but cannot be parsed also ends like
// one. It reports false for "["Hello" he said]" and for text that continues after the bracket.
func endsAsList(s string) bool {
	s = trim(s)
	if last := s[len(s)-1]; last != ']' && last != '}' || (last == '}') != (s[0] == '{') {
		return false
	}
	if s[0] == '{' {
		// An object needs a text member to hold contexts.
		return slices.ContainsFunc(contextKeys(), func(key string) bool {
			return strings.Contains(s, `"`+key+`"`) || strings.Contains(s, "'"+key+"'")
		})
	}
	inner := strings.TrimRight(s, "]}), \t\r\n")
	if inner == "" || strings.HasSuffix(inner, "'") || strings.HasSuffix(inner, `"`) {
		return true
	}
	p := newPythonParser(strings.TrimLeft(s, "[({ \t\r\n"))
	if !startsWithString(p.rest) {
		return true // Document(...
	}
	if _, err := p.str(); err != nil {
		return true
	}
	c := p.peek()
	return c == ',' || c == ':'
}

var errPrintedList = errors.New("a list without quotes, whose elements can't be separated: write a JSON list")

// isPrintedList reports whether a text is a list as Java prints it, whose elements have no
// quotes: the bracket that it starts with ends it.
func isPrintedList(s string) bool {
	s = trim(s)
	depth := 0
	for i := range len(s) {
		switch s[i] {
		case '[':
			depth++
		case ']':
			depth--
		}
		if depth == 0 {
			return i > 0 && i == len(s)-1 && strings.Contains(s, ", ")
		}
	}
	return false
}
