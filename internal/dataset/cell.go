package dataset

import (
	"bytes"
	"errors"
	"io"
	"strings"

	"github.com/go-json-experiment/json/jsontext"
)

// A certainty says whether a cell is a list that was written as text.
type certainty uint8

const (
	plain certainty = iota // it is a text
	maybe                  // it is a list if the whole of it reads as one
	sure                   // it is a list, or a broken one
)

// judgeCell tells a list that was written into a cell from a text that begins
// with a bracket, such as "[1] According to" and "[[Wikipedia]]". A list's
// bracket is followed by a quote, by another such list, or by nothing.
func judgeCell(s string) certainty {
	s = trim(s)
	if s == "" {
		return plain
	}
	inner := trim(s[1:])
	closed := false
	switch s[0] {
	case '[':
		closed = strings.HasSuffix(s, "]")
		if quoted(inner) || inner == "]" || isDocument(inner) {
			return sure
		}
		if quoted(strings.TrimLeft(inner, "[({ \t\r\n")) {
			return sure
		}
	case '{':
		closed = strings.HasSuffix(s, "}")
		if quoted(inner) || inner == "}" {
			return sure
		}
	case '(':
		// A text may well begin with a quoted word in brackets.
		closed = strings.HasSuffix(s, ")")
	default:
		return plain
	}
	if closed {
		return maybe
	}
	return plain
}

func trim(s string) string { return strings.TrimLeft(strings.TrimRight(s, " \t\r\n"), " \t\r\n") }

// quoted reports whether s begins with a string of JSON or Python.
func quoted(s string) bool {
	for range 2 {
		if s == "" || strings.IndexByte("uUbBrRfF", s[0]) < 0 {
			break
		}
		s = s[1:]
	}
	return s != "" && (s[0] == '"' || s[0] == '\'')
}

// isDocument reports whether s begins with a document as LangChain prints it.
func isDocument(s string) bool {
	s, ok := strings.CutPrefix(s, "Document(")
	n := 0
	for n < len(s) && isWord(s[n]) {
		n++
	}
	return ok && n > 0 && n < len(s) && s[n] == '='
}

// readCell reads a cell that is a list or an object as JSON or Python write it.
// It reports false for one that is a text: one that is neither, or that holds
// nothing that could be a context, as the output of a tool. What can only be
// such a list and does not read is an error.
func readCell(t *tree, s string) (bool, error) {
	is := judgeCell(s)
	if is == plain {
		return false, nil
	}
	jsonErr := readJSONText(t, s)
	if jsonErr == nil {
		return !isData(t, s), nil
	}
	t.reset()
	pyErr := readPython(t, s)
	if pyErr == nil && (is == sure || len(t.nodes) > 1) {
		return !isData(t, s), nil
	}
	var p *pythonError
	if is == maybe || !errors.As(pyErr, &p) || !p.list && !endsAsList(s) {
		t.reset()
		return false, nil
	}
	// JSON has no single quotes; beyond that, whichever reading came further is
	// what the writer meant.
	var j *jsontext.SyntacticError
	if q := strings.IndexAny(s, "'\""); q >= 0 && s[q] == '"' &&
		errors.As(jsonErr, &j) && j.ByteOffset > int64(p.at) {
		return false, syntaxError(jsonErr)
	}
	return false, pyErr
}

// isData reports whether a cell that reads as a list or an object has values,
// but none where a context's text is looked for: "(1914, 1918)" and
// {"price": 3} are texts. One that is empty, or holds nothing but null, was
// meant to hold contexts.
func isData(t *tree, s string) bool {
	has := reach(t, 0)
	if has.text {
		// Round brackets with a number in them are rather a reference.
		return trim(s)[0] == '(' && has.number
	}
	return has.number || has.object
}

// reached is what lies where contexts are looked for.
type reached struct {
	text   bool // a string, or an object with a member that should be one
	number bool // or a boolean
	object bool // with members of other names
}

func reach(t *tree, i int) (has reached) {
	n := t.nodes[i]
	switch n.kind {
	case kindText, kindBytes:
		has.text = true
	case kindNumber, kindBool:
		has.number = true
	case kindObject:
		has.object = n.end > i+1
		for _, key := range contextKeys() {
			has.text = has.text || t.member(i, key) >= 0
		}
	case kindList:
		for j := i + 1; j < n.end; j = t.nodes[j].end {
			in := reach(t, j)
			has = reached{has.text || in.text, has.number || in.number, has.object || in.object}
		}
	case kindNull:
	}
	return has
}

// endsAsList reports whether a cell that begins as a list but does not read as
// one also ends as one. "["Hello" he said]" does not, nor does a text that goes
// on after the bracket.
func endsAsList(s string) bool {
	s = trim(s)
	if last := s[len(s)-1]; last != ']' && last != '}' || (last == '}') != (s[0] == '{') {
		return false
	}
	if s[0] == '{' {
		// An object without a text would be no contexts even if it read.
		for _, key := range contextKeys() {
			if strings.Contains(s, `"`+key+`"`) || strings.Contains(s, "'"+key+"'") {
				return true
			}
		}
		return false
	}
	inner := strings.TrimRight(s, "]}), \t\r\n")
	if inner == "" || strings.HasSuffix(inner, "'") || strings.HasSuffix(inner, `"`) {
		return true
	}
	p := &python{s: strings.TrimLeft(s, "[({ \t\r\n"), t: &tree{}}
	if !quoted(p.s) {
		return true // Document(...
	}
	if _, err := p.str(); err != nil {
		return true
	}
	c := p.peek()
	return c == ',' || c == ':'
}

// readJSONText reads s, which must be one JSON value.
func readJSONText(t *tree, s string) error {
	t.scan.start([]byte(s), t)
	t.scan.space()
	if t.scan.value(true, 0) {
		if t.scan.space(); t.scan.at == len(s) {
			t.scan.finish()
			return nil
		}
	}
	t.reset()
	dec := jsontext.NewDecoder(bytes.NewBufferString(s))
	if err := t.readJSON(dec, ""); err != nil {
		return err
	}
	if _, err := dec.ReadToken(); !errors.Is(err, io.EOF) {
		return &jsontext.SyntacticError{ByteOffset: dec.InputOffset(), Err: errors.New("text after the end")}
	}
	return nil
}
