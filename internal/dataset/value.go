package dataset

import (
	"bytes"
	"cmp"
	"encoding/base64"
	"errors"
	"fmt"
	"io"
	"strings"

	"github.com/go-json-experiment/json/jsontext"

	"github.com/ragfaith/ragfaith/internal/dataset/shape"
)

// A value is what readers of all formats make of a column: from JSON, a text cell with a JSON
// or Python list, YAML, or Parquet.
type value = shape.Value

// maxValues limits the number of values of a row. A value uses about 100 bytes of
// memory but can be as short as 2 bytes in a file.
const maxValues = 4 << 20

// errTooMany reports a row that exceeds maxValues.
var errTooMany = fmt.Errorf("%w: more than %d values", ErrTooLong, maxValues)

// A valueReader reads values from JSON.
type valueReader struct {
	dec   *jsontext.Decoder
	count int // of values so far
}

// read returns the next value.
func (r *valueReader) read() (*value, error) {
	if r.count++; r.count > maxValues {
		return nil, errTooMany
	}
	if r.dec.PeekKind() == '"' {
		raw, err := r.dec.ReadValue()
		if err != nil {
			return nil, err
		}
		return &value{Kind: shape.Text, Text: string(unquote(raw))}, nil
	}
	tok, err := r.dec.ReadToken()
	if err != nil {
		return nil, err
	}
	switch byte(tok.Kind()) {
	case 't', 'f':
		return &value{Kind: shape.Bool, Text: tok.String()}, nil
	case '0':
		return &value{Kind: shape.Number, Text: tok.String()}, nil
	case '[':
		return r.items(shape.List, ']')
	case '{':
		return r.items(shape.Object, '}')
	}
	return &value{Kind: shape.Null}, nil
}

// items reads the rest of a list or an object.
func (r *valueReader) items(kind shape.Kind, end jsontext.Kind) (*value, error) {
	v := &value{Kind: kind}
	for r.dec.PeekKind() != end {
		name := ""
		if kind == shape.Object {
			tok, err := r.dec.ReadToken()
			if err != nil {
				return nil, err
			}
			name = tok.String()
		}
		item, err := r.read()
		if err != nil {
			return nil, err
		}
		item.Name = name
		v.Items = append(v.Items, item)
	}
	_, err := r.dec.ReadToken()
	return v, err
}

// readJSON returns the next value of dec.
func readJSON(dec *jsontext.Decoder) (*value, error) { return (&valueReader{dec: dec}).read() }

// readJSONText returns the value of a text, which must be a single JSON value.
func readJSONText(text []byte) (*value, error) {
	dec := jsontext.NewDecoder(bytes.NewBuffer(text))
	v, err := readJSON(dec)
	if err != nil {
		return nil, err
	}
	if _, err := dec.ReadToken(); !errors.Is(err, io.EOF) {
		return nil, &jsontext.SyntacticError{ByteOffset: dec.InputOffset(), Err: errors.New("text after the end")}
	}
	return v, nil
}

// parseJSON is readJSONText of a text in which Python floats are null, with a short error.
func parseJSON(text []byte) (*value, error) {
	v, err := readJSONText(text)
	if err != nil {
		v, err = readJSONText(replacePythonFloats(text))
	}
	if err != nil {
		return nil, syntaxError(err)
	}
	return v, nil
}

// kindOf returns the kind of a JSON value with its article, for error messages.
func kindOf(k jsontext.Kind) string {
	kinds := map[jsontext.Kind]string{'n': "null", 't': "a boolean", 'f': "a boolean", '"': "a string", '0': "a number", '{': "an object", '[': "an array"}
	return cmp.Or(kinds[k], "something else")
}

// A badJSON is a syntax error with its position.
type badJSON string

func (e badJSON) Error() string { return "invalid JSON: " + string(e) }

// syntaxError shortens an error of the JSON decoder and adds its one-based column.
func syntaxError(err error) error {
	syntactic, ok := errors.AsType[*jsontext.SyntacticError](err)
	if !ok {
		if errors.Is(err, io.EOF) || errors.Is(err, io.ErrUnexpectedEOF) {
			return badJSON("unexpected end of input")
		}
		return err
	}
	what := strings.TrimPrefix(syntactic.Err.Error(), "jsontext: ")
	switch {
	case errors.Is(syntactic.Err, io.ErrUnexpectedEOF):
		what = "unexpected end of input"
	case errors.Is(syntactic.Err, jsontext.ErrDuplicateName):
		what = "duplicate name " + shape.Quote(syntactic.JSONPointer.LastToken())
	case strings.HasPrefix(what, "invalid surrogate pair"):
		what = "unpaired surrogate"
	}
	return badJSON(fmt.Sprintf("%s, at column %d", what, syntactic.ByteOffset+1))
}

// unquote returns the content of a valid JSON string.
func unquote(raw jsontext.Value) []byte {
	if bytes.IndexByte(raw, '\\') < 0 {
		return raw[1 : len(raw)-1]
	}
	text, _ := jsontext.AppendUnquote(nil, raw) // the decoder has checked raw
	return text
}

// memberNames returns the names of the members of an object.
func memberNames(v *value) []string {
	names := make([]string, len(v.Items))
	for i, m := range v.Items {
		names[i] = m.Name
	}
	return names
}

// size returns the length of all names and texts in a value.
func size(v *value) int {
	n := len(v.Name) + len(v.Text)
	for _, item := range v.Items {
		n += size(item)
	}
	return n
}

// appendJSON appends the JSON form of a value to dst.
func appendJSON(dst []byte, v *value) []byte {
	open, end := byte('['), byte(']')
	switch v.Kind {
	case shape.Null:
		return append(dst, "null"...)
	case shape.Bool:
		return append(dst, v.Text...)
	case shape.Number: // Python text such as [.5, 2024-01-01] has others than JSON
		if isNumber(v.Text) {
			return append(dst, v.Text...)
		}
		return AppendText(dst, v.Text)
	case shape.Text:
		return AppendText(dst, v.Text)
	case shape.Bytes:
		dst = append(dst, '"')
		dst = base64.StdEncoding.AppendEncode(dst, []byte(v.Text))
		return append(dst, '"')
	case shape.Object:
		open, end = '{', '}'
	case shape.List:
	}
	dst = append(dst, open)
	for i, item := range v.Items {
		if i > 0 {
			dst = append(dst, ',')
		}
		if v.Kind == shape.Object {
			dst = append(AppendText(dst, item.Name), ':')
		}
		dst = appendJSON(dst, item)
	}
	return append(dst, end)
}

// AppendText appends s as a JSON string. It replaces invalid UTF-8 with
// U+FFFD, so that the results are always valid.
func AppendText(dst []byte, s string) []byte {
	dst, _ = jsontext.AppendQuote(dst, s) // the error reports invalid UTF-8
	return dst
}

// isNumber reports whether s is a valid JSON number. For example, "007" and "1." are not.
func isNumber(s string) bool {
	if s == "" || s[0] != '-' && (s[0] < '0' || s[0] > '9') { // without copying large cells
		return false
	}
	v := jsontext.Value(s)
	return v.Kind() == '0' && v.IsValid() && trim(s) == s
}
