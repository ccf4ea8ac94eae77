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
		if quoted(inner) || inner == "]" || strings.HasPrefix(inner, "Document(") {
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

// readCell reads a cell that is a list or an object as JSON or Python write it.
// It reports false for one that is a text.
func readCell(t *tree, s string) (bool, error) {
	is := judgeCell(s)
	if is == plain {
		return false, nil
	}
	jsonErr := readJSONText(t, s)
	if jsonErr == nil {
		return true, nil
	}
	t.reset()
	pyErr := readPython(t, s)
	if pyErr == nil && (is == sure || len(t.nodes) > 1) {
		return true, nil
	}
	if is == maybe {
		t.reset()
		return false, nil
	}
	// JSON has no single quotes; beyond that, whichever reading came further is
	// what the writer meant.
	var j *jsontext.SyntacticError
	var p *pythonError
	if q := strings.IndexAny(s, "'\""); q >= 0 && s[q] == '"' &&
		errors.As(jsonErr, &j) && errors.As(pyErr, &p) && j.ByteOffset > int64(p.at) {
		return false, syntaxError(jsonErr)
	}
	return false, pyErr
}

// readJSONText reads s, which must be one JSON value.
func readJSONText(t *tree, s string) error {
	dec := jsontext.NewDecoder(bytes.NewBufferString(s))
	if err := t.readJSON(dec, ""); err != nil {
		return err
	}
	if _, err := dec.ReadToken(); !errors.Is(err, io.EOF) {
		return &jsontext.SyntacticError{ByteOffset: dec.InputOffset(), Err: errors.New("text after the end")}
	}
	return nil
}
