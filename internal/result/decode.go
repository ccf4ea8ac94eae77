package result

import (
	"bytes"
	"errors"
	"fmt"
	"math"
	"slices"
	"strings"

	"github.com/go-json-experiment/json"
	"github.com/go-json-experiment/json/jsontext"

	"github.com/ragfaith/ragfaith/internal/dataset"
)

// A Decoder decodes JSON objects into rows.
type Decoder struct {
	check   func(*Row) error
	options json.Options
}

// NewDecoder returns a Decoder that calls check for each row, such as [Check]; it may be nil.
func NewDecoder(check func(*Row) error) *Decoder {
	return &Decoder{check, json.JoinOptions(
		jsontext.AllowDuplicateNames(true), // in kept columns
		json.WithUnmarshalers(json.JoinUnmarshalers(
			json.UnmarshalFromFunc(func(d *jsontext.Decoder, n *int) error { return nullAs(d, n, -1) }),
			json.UnmarshalFromFunc(DecodeNumber),
			json.UnmarshalFromFunc(decodeClaims),
			json.UnmarshalFromFunc(decodeError),
			oneOf(Scored, NoClaims, UnjudgedRow, Failed, SkippedRow),
			oneOf(Supported, Contradicted, NotMentioned, Unjudged),
			oneOf(RoleContradicts, RoleNearest),
			oneOf(Downgraded, Grouped, OneWord),
		)),
	)}
}

// DecodeNumber decodes null as NaN, and other values as usual.
func DecodeNumber(d *jsontext.Decoder, x *float64) error { return nullAs(d, x, math.NaN()) }

// nullAs decodes null as missing, and other values as usual.
func nullAs[T any](d *jsontext.Decoder, x *T, missing T) error {
	if d.PeekKind() != 'n' {
		return errors.ErrUnsupported
	}
	*x = missing
	return d.SkipValue()
}

// oneOf returns a decoder of texts that are null or one of values.
func oneOf[T ~string](values ...T) *json.Unmarshalers {
	return json.UnmarshalFromFunc(func(d *jsontext.Decoder, x *T) error {
		if d.PeekKind() == 'n' {
			return nullAs(d, x, "")
		}
		token, err := d.ReadToken()
		if err != nil {
			return err
		}
		i := slices.Index(values, T(token.String()))
		if i < 0 || token.Kind() != '"' {
			return fmt.Errorf("unknown %q", token)
		}
		*x = values[i] // rows share the string
		return nil
	})
}

// decodeClaims decodes claims without unknown members. A row may have others: kept columns.
func decodeClaims(d *jsontext.Decoder, claims *[]Claim) error {
	type plain []Claim // without decodeClaims
	return json.UnmarshalDecode(d, (*plain)(claims), json.RejectUnknownMembers(true))
}

// decodeError decodes a text as an error, and null and "" as nil.
func decodeError(d *jsontext.Decoder, e *error) error {
	var text string
	err := json.UnmarshalDecode(d, &text)
	if text != "" {
		*e = errors.New(text)
	}
	return err
}

// Decode reads an object as [Row.AppendJSON] writes it. Unknown members are kept columns; within
// claims they are errors. A member that AppendJSON omits may also be null, as it is in Parquet.
func (d *Decoder) Decode(line []byte) (*Row, error) {
	r := &Row{Index: math.MinInt, Faithfulness: math.NaN(), Support: math.NaN(), Unjudged: math.NaN()}
	stored := struct {
		*Row
		Others jsontext.Value `json:",embed"`
	}{Row: r}
	if err := json.Unmarshal(line, &stored, d.options); err != nil {
		return nil, decodingError(err)
	}
	if r.Index == math.MinInt || r.Status == "" {
		return nil, errors.New("not a result, as ragfaith score writes them: it has no index or no status")
	}
	r.Kept = members(stored.Others)
	r.setMissing()
	if err := r.validate(); err != nil {
		return nil, err
	}
	if d.check != nil {
		if err := d.check(r); err != nil {
			return nil, err
		}
	}
	return r, nil
}

// decodingError rewords an error of package json, which names Go types.
func decodingError(err error) error {
	s, ok := errors.AsType[*json.SemanticError](err)
	if !ok {
		return fmt.Errorf("invalid JSON: %s", strings.TrimPrefix(err.Error(), "jsontext: "))
	}
	name := strings.TrimPrefix(string(s.JSONPointer), "/")
	switch {
	case name == "":
		return errors.New("want an object")
	case s.Err != nil:
		return fmt.Errorf("%s: %w", name, s.Err)
	}
	return fmt.Errorf("%s: unexpected %s", name, s.JSONKind)
}

// members returns the members of an object, which is valid or empty.
func members(object []byte) []dataset.Column {
	if object == nil {
		return nil
	}
	var all []dataset.Column
	dec := jsontext.NewDecoder(bytes.NewBuffer(object), jsontext.AllowDuplicateNames(true))
	_, _ = dec.ReadToken()
	for dec.PeekKind() == '"' {
		token, _ := dec.ReadToken()
		name := token.String()
		value, _ := dec.ReadValue()
		all = append(all, dataset.Column{Name: name, Value: bytes.Clone(value)})
	}
	return all
}

// setMissing replaces nulls whose missing value is not that of their type.
func (r *Row) setMissing() {
	zero := func(x *float64) {
		if math.IsNaN(*x) {
			*x = 0
		}
	}
	zero(&r.Confidence)
	for i := range r.Claims {
		c := &r.Claims[i]
		zero(&c.Confidence)
		if c.Reused != nil && c.Reused.By == "" {
			c.Reused = nil
		}
	}
	if r.Citations != nil && r.Citations.Unresolved < 0 {
		r.Citations = nil
	}
}

// validate checks what the encoding relies on.
func (r *Row) validate() error {
	withVerdict := 0
	for i := range r.Claims {
		c := &r.Claims[i]
		if c.Verdict != "" {
			withVerdict++
		}
		errs := []error{checkShare("score", c.Score), checkShare("confidence", c.Confidence), checkSpan(c.Start, c.End)}
		for _, e := range c.Evidence {
			errs = append(errs, checkSpan(e.Start, e.End))
		}
		if err := errors.Join(errs...); err != nil {
			return fmt.Errorf("claim %d: %w", i, err)
		}
	}
	switch {
	case !slices.IsSorted(r.Marks) || len(slices.Compact(slices.Clone(r.Marks))) < len(r.Marks):
		return errors.New("marks: not sorted, or with duplicates")
	case withVerdict > 0 && withVerdict < len(r.Claims):
		return errors.New("claims: some have a verdict and some have none")
	case r.Status == Scored && (r.JudgedClaims() == 0 || math.IsNaN(r.Faithfulness)):
		return errors.New("status: scored, without a verdict on every claim or without a score")
	case r.Status == Failed && r.Err == nil:
		return errors.New("status: failed, without an error")
	}
	return errors.Join(
		checkShare("faithfulness", r.Faithfulness), checkShare("support", r.Support),
		checkShare("confidence", r.Confidence), checkShare("unjudged_share", r.Unjudged),
	)
}

// checkSpan returns an error unless start and end are offsets in a text, or both missing.
func checkSpan(start, end int) error {
	if missing := start == -1 && end == -1; !missing && (start < 0 || end < start) {
		return fmt.Errorf("got offsets %d to %d, want 0 or more in ascending order", start, end)
	}
	return nil
}
