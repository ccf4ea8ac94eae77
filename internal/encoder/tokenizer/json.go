package tokenizer

import (
	"errors"
	"fmt"
	"slices"

	"github.com/go-json-experiment/json"
	"github.com/go-json-experiment/json/jsontext"
)

// decode reads a value into a struct that has a field for every member that there
// may be. Errors begin with the JSON pointer of what they are about.
func decode(raw jsontext.Value, path string, into any) error {
	return describe(json.Unmarshal(raw, into, json.RejectUnknownMembers(true), repeated(path)), path)
}

// repeated lets members be there twice but in the file as a whole: reading that
// refuses them at any depth, and to look again costs as much as all else.
func repeated(path string) json.Options { return jsontext.AllowDuplicateNames(path != "") }

// describe says what is wrong in the words of the file.
func describe(err error, path string) error {
	var semantic *json.SemanticError
	var syntactic *jsontext.SyntacticError
	switch {
	case errors.As(err, &semantic):
		path += string(semantic.JSONPointer)
		switch {
		case errors.Is(semantic.Err, json.ErrUnknownName):
			return fmt.Errorf("%s: isn't supported", path)
		case semantic.Err != nil:
			return fmt.Errorf("%s: %w", path, semantic.Err)
		case semantic.GoType != nil:
			return fmt.Errorf("%s: a %s can't be read as %s", path, kindName(semantic.JSONKind), semantic.GoType.Kind())
		}
		return fmt.Errorf("%s: %w", path, err)
	case errors.As(err, &syntactic):
		return fmt.Errorf("%s%s: byte %d: %w", path, syntactic.JSONPointer, syntactic.ByteOffset, syntactic.Err)
	case err != nil:
		return fmt.Errorf("%s: %w", path, err)
	}
	return nil
}

func kindName(k jsontext.Kind) string {
	switch k {
	case 'n':
		return "null"
	case 't', 'f':
		return "boolean"
	case '"':
		return "string"
	case '0':
		return "number"
	case '{':
		return "object"
	case '[':
		return "list"
	case '}', ']', 0:
		return "end"
	}
	return "value"
}

// typeOf returns the member "type" of an object, "" where there is none.
func typeOf(raw jsontext.Value, path string) (string, error) {
	var v struct {
		Type string `json:"type"`
	}
	err := describe(json.Unmarshal(raw, &v, repeated(path)), path)
	return v.Type, err
}

func isNull(raw jsontext.Value) bool { return len(raw) == 0 || raw.Kind() == 'n' }

// A missing member is an error where the reference has no default for it.
func missing(path, name string) error { return fmt.Errorf("%s/%s: is missing", path, name) }

// vocabMap reads an object of tokens and their ids.
type vocabMap struct{ vocabulary }

// UnmarshalJSONFrom reads an object.
func (v *vocabMap) UnmarshalJSONFrom(dec *jsontext.Decoder) error {
	if err := expect(dec, '{'); err != nil {
		return err
	}
	for dec.PeekKind() != '}' {
		name, err := dec.ReadToken()
		if err != nil {
			return err
		}
		token := name.String()
		value, err := dec.ReadToken()
		if err != nil {
			return err
		}
		if value.Kind() != '0' {
			return fmt.Errorf("token %q: a %s can't be an id", token, kindName(value.Kind()))
		}
		id, err := idOf(value)
		if err != nil {
			return fmt.Errorf("token %q: %w", token, err)
		}
		v.tokens = append(v.tokens, token)
		v.ids = append(v.ids, id)
	}
	if _, err := dec.ReadToken(); err != nil {
		return err
	}
	return v.finish()
}

// finish makes the index and refuses an id that two tokens have.
func (v *vocabulary) finish() error {
	v.index = make(map[string]int32, len(v.tokens))
	for i, t := range v.tokens {
		v.index[t] = int32(i)
	}
	order := slices.Clone(v.ids)
	slices.Sort(order)
	for i := 1; i < len(order); i++ {
		if order[i] == order[i-1] {
			return fmt.Errorf("two tokens have the id %d", order[i])
		}
	}
	return nil
}

func expect(dec *jsontext.Decoder, kind jsontext.Kind) error {
	t, err := dec.ReadToken()
	if err == nil && t.Kind() != kind {
		err = fmt.Errorf("want a %s, got a %s", kindName(kind), kindName(t.Kind()))
	}
	return err
}

// maxID leaves room for the ids of added tokens.
const maxID = 1<<31 - 1<<20

func idOf(t jsontext.Token) (int32, error) {
	n, err := t.Int()
	if err != nil || n < 0 || n > maxID {
		return 0, fmt.Errorf("%s is no id", t)
	}
	return int32(n), nil
}

// scoreList reads the pairs of a token and its score.
type scoreList struct {
	vocabulary
	scores []float64
}

// UnmarshalJSONFrom reads a list.
func (v *scoreList) UnmarshalJSONFrom(dec *jsontext.Decoder) error {
	if err := expect(dec, '['); err != nil {
		return err
	}
	for dec.PeekKind() != ']' {
		if err := v.item(dec); err != nil {
			return fmt.Errorf("item %d: %w", len(v.ids), err)
		}
	}
	_, err := dec.ReadToken()
	v.index = make(map[string]int32, len(v.tokens))
	for i, t := range v.tokens {
		v.index[t] = int32(i)
	}
	return err
}

func (v *scoreList) item(dec *jsontext.Decoder) error {
	if err := expect(dec, '['); err != nil {
		return err
	}
	token, err := dec.ReadToken()
	if err != nil {
		return err
	}
	if token.Kind() != '"' {
		return fmt.Errorf("want a token, got a %s", kindName(token.Kind()))
	}
	v.tokens = append(v.tokens, token.String())
	number, err := dec.ReadValue()
	if err != nil {
		return err
	}
	if number.Kind() != '0' {
		return fmt.Errorf("want a score, got a %s", kindName(number.Kind()))
	}
	score, err := parseScore(string(number))
	if err != nil {
		return err
	}
	v.scores = append(v.scores, score)
	v.ids = append(v.ids, int32(len(v.ids)))
	return expect(dec, ']')
}

// mergeList reads merges, which are pairs or, in older files, strings with a space
// between the two.
type mergeList [][2]string

// UnmarshalJSONFrom reads a list.
func (m *mergeList) UnmarshalJSONFrom(dec *jsontext.Decoder) error {
	if err := expect(dec, '['); err != nil {
		return err
	}
	for dec.PeekKind() != ']' {
		t, err := dec.ReadToken()
		if err != nil {
			return err
		}
		if t.Kind() == '"' {
			if err := m.line(t.String()); err != nil {
				return fmt.Errorf("item %d: %w", len(*m), err)
			}
			continue
		}
		if t.Kind() != '[' {
			return fmt.Errorf("item %d: want a pair, got a %s", len(*m), kindName(t.Kind()))
		}
		var pair [2]string
		for i := range pair {
			t, err := dec.ReadToken()
			if err != nil {
				return err
			}
			if t.Kind() != '"' {
				return fmt.Errorf("item %d: want a token, got a %s", len(*m), kindName(t.Kind()))
			}
			pair[i] = t.String()
		}
		if err := expect(dec, ']'); err != nil {
			return fmt.Errorf("item %d: %w", len(*m), err)
		}
		*m = append(*m, pair)
	}
	_, err := dec.ReadToken()
	return err
}
