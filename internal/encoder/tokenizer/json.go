package tokenizer

import (
	"cmp"
	"errors"
	"fmt"
	"math"
	"reflect"
	"slices"
	"strconv"
	"strings"

	"github.com/go-json-experiment/json"
	"github.com/go-json-experiment/json/jsontext"
)

// decode unmarshals an object into the struct that dst points to, which must have
// a field for every member. Fields with the tag required:"true" must not be nil
// afterwards. Errors start with a JSON pointer.
func decode(raw jsontext.Value, path string, dst any) error {
	if err := pointerError(json.Unmarshal(raw, dst, json.RejectUnknownMembers(true), allowDuplicates(path)), path); err != nil {
		return err
	}
	for field, v := range reflect.ValueOf(dst).Elem().Fields() {
		if field.Tag.Get("required") == "true" && v.IsNil() {
			return missing(path, field.Tag.Get("json"))
		}
	}
	return nil
}

// allowDuplicates allows duplicate names except at the top level. Parsing the whole file
// rejects duplicates at any depth, and checking again doubles the time.
func allowDuplicates(path string) json.Options { return jsontext.AllowDuplicateNames(path != "") }

// pointerError prefixes an error with the JSON pointer of the member it is about.
func pointerError(err error, path string) error {
	var semantic *json.SemanticError
	var syntactic *jsontext.SyntacticError
	switch {
	case err == nil:
		return nil
	case errors.As(err, &semantic):
		path += string(semantic.JSONPointer)
		if errors.Is(semantic.Err, json.ErrUnknownName) {
			return fmt.Errorf("%.200s: is not supported", path)
		}
		switch {
		case semantic.Err != nil:
			err = semantic.Err
		case semantic.GoType != nil:
			err = fmt.Errorf("want a %v, got a %v", semantic.GoType.Kind(), semantic.JSONKind)
		}
	case errors.As(err, &syntactic):
		path += string(syntactic.JSONPointer)
		err = fmt.Errorf("byte %d: %w", syntactic.ByteOffset, syntactic.Err)
	}
	return fmt.Errorf("%.200s: %w", cmp.Or(path, "/"), err)
}

// typeName returns the member "type" of an object, or "" if it is missing.
func typeName(raw jsontext.Value, path string) (string, error) {
	var v struct {
		Type string `json:"type"`
	}
	err := pointerError(json.Unmarshal(raw, &v, allowDuplicates(path)), path)
	return v.Type, err
}

func isNull(raw jsontext.Value) bool { return len(raw) == 0 || raw.Kind() == 'n' }

// missing returns the error for a missing member.
func missing(path, name string) error { return fmt.Errorf("%s/%s: missing", path, name) }

// maxTokens limits the number of tokens. Vocabularies without scores have up to 260,000.
const maxTokens = 1 << 20

// A vocabMap is an object that maps tokens to ids.
type vocabMap struct{ vocabulary }

// UnmarshalJSONFrom reads an object.
func (v *vocabMap) UnmarshalJSONFrom(dec *jsontext.Decoder) error {
	err := readAll(dec, '{', func() error {
		token, err := expect(dec, '"')
		if err != nil {
			return err
		}
		name := token.String()
		id, err := expectID(dec)
		if err != nil {
			return fmt.Errorf("token %q: %w", name, err)
		}
		if len(v.tokens) == maxTokens {
			return fmt.Errorf("more than %d tokens", maxTokens)
		}
		v.tokens, v.ids = append(v.tokens, name), append(v.ids, id)
		return nil
	})
	if err != nil {
		return err
	}
	v.index = make(map[string]int32, len(v.tokens))
	for i, t := range v.tokens {
		v.index[t] = int32(i)
	}
	order := slices.Clone(v.ids)
	slices.Sort(order)
	for i := 1; i < len(order); i++ {
		if order[i] == order[i-1] {
			return fmt.Errorf("duplicate id %d", order[i])
		}
	}
	return nil
}

// readAll reads an object or a list, calling item to read each member.
func readAll(dec *jsontext.Decoder, kind jsontext.Kind, item func() error) error {
	if _, err := expect(dec, kind); err != nil {
		return err
	}
	for dec.PeekKind() != kind+2 { // the closing bracket
		if err := item(); err != nil {
			return err
		}
	}
	_, err := dec.ReadToken()
	return err
}

// expect reads a token of the given kind.
func expect(dec *jsontext.Decoder, kind jsontext.Kind) (jsontext.Token, error) {
	t, err := dec.ReadToken()
	if err == nil && t.Kind() != kind {
		err = fmt.Errorf("want a %v, got a %v", kind, t.Kind())
	}
	return t, err
}

// maxID leaves space for the ids of added tokens.
const maxID = 1<<31 - 1<<20

// expectID reads the id of a token.
func expectID(dec *jsontext.Decoder) (int32, error) {
	t, err := expect(dec, '0')
	if err != nil {
		return 0, err
	}
	n, err := t.Int()
	if err != nil || n < 0 || n > maxID {
		return 0, fmt.Errorf("%s is not a valid id", t)
	}
	return int32(n), nil
}

// A scoreList is a list of pairs of a token and its score.
type scoreList struct {
	vocabulary
	scores []float64
}

// UnmarshalJSONFrom reads a list.
func (v *scoreList) UnmarshalJSONFrom(dec *jsontext.Decoder) error {
	v.index = make(map[string]int32)
	return readAll(dec, '[', func() error {
		_, err := expect(dec, '[')
		if err != nil {
			return err
		}
		token, err := expect(dec, '"')
		if err != nil {
			return err
		}
		name, n := token.String(), int32(len(v.ids))
		number, err := dec.ReadValue()
		if err != nil {
			return err
		}
		score, err := parseScore(string(number))
		if err != nil {
			return fmt.Errorf("item %d: %w", n, err)
		}
		v.index[name] = n
		v.tokens, v.scores, v.ids = append(v.tokens, name), append(v.scores, score), append(v.ids, n)
		_, err = expect(dec, ']')
		return err
	})
}

// A mergeList is a list of merges, which are pairs or, in older files, strings
// separated by a space.
type mergeList [][2]string

// UnmarshalJSONFrom reads a list.
func (m *mergeList) UnmarshalJSONFrom(dec *jsontext.Decoder) error {
	return readAll(dec, '[', func() error {
		t, err := dec.ReadToken()
		if err != nil {
			return err
		}
		if t.Kind() == '"' {
			if strings.HasPrefix(t.String(), "#version") {
				return nil
			}
			a, b, ok := strings.Cut(t.String(), " ")
			if !ok || strings.Contains(b, " ") {
				return fmt.Errorf("item %d: %q is not two tokens separated by a space", len(*m), t)
			}
			*m = append(*m, [2]string{a, b})
			return nil
		}
		if t.Kind() != '[' {
			return fmt.Errorf("item %d: want a pair, got a %v", len(*m), t.Kind())
		}
		var pair [2]string
		for i := range pair {
			if t, err = expect(dec, '"'); err != nil {
				return fmt.Errorf("item %d: %w", len(*m), err)
			}
			pair[i] = t.String()
		}
		*m = append(*m, pair)
		_, err = expect(dec, ']')
		return err
	})
}

var errScore = errors.New("the score is out of range")

// parseScore parses a number as serde_json 1.0 does without the feature
// float_roundtrip: the digits form an integer, which is rounded and then
// multiplied or divided by a power of ten, which rounds again. The last bit
// differs from correct rounding for a quarter of T5's scores, and it decides
// between equally likely tokenizations.
func parseScore(s string) (float64, error) {
	if k := jsontext.Value(s).Kind(); k != '0' {
		return 0, fmt.Errorf("want a score, got a %v", k)
	}
	rest, negative := strings.CutPrefix(s, "-")
	var digits uint64
	exponent := 0
	// take reads digits and returns how many fit and how many do not.
	take := func() (taken, dropped int) {
		for rest != "" && rest[0] >= '0' && rest[0] <= '9' {
			d := uint64(rest[0] - '0')
			if dropped > 0 || digits > (math.MaxUint64-d)/10 {
				dropped++
			} else {
				digits = digits*10 + d
				taken++
			}
			rest = rest[1:]
		}
		return taken, dropped
	}
	_, dropped := take()
	exponent += dropped
	whole := true
	if after, ok := strings.CutPrefix(rest, "."); ok {
		rest, whole = after, false
		taken, _ := take()
		exponent -= taken
	}
	if rest != "" {
		n, err := strconv.Atoi(rest[1:])
		if err != nil || n > math.MaxInt32 || n < -math.MaxInt32 {
			return 0, errScore
		}
		exponent, whole = exponent+n, false
	}
	f := float64(digits)
	if !whole || dropped > 0 {
		var err error
		if f, err = scale(f, exponent); err != nil {
			return 0, err
		}
	}
	if negative {
		f = -f
	}
	return f, nil
}

// scale multiplies f by a power of ten.
func scale(f float64, exponent int) (float64, error) {
	for exponent < -308 && f != 0 {
		f /= 1e308
		exponent += 308
	}
	if f == 0 {
		return 0, nil
	}
	if exponent > 308 {
		return 0, errScore
	}
	// math.Pow10 is not correctly rounded for all exponents.
	power, err := strconv.ParseFloat("1e"+strconv.Itoa(max(exponent, -exponent)), 64)
	if err != nil {
		return 0, errScore
	}
	if exponent < 0 {
		return f / power, nil
	}
	f *= power
	if math.IsInf(f, 0) {
		return 0, errScore
	}
	return f, nil
}
