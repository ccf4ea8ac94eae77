package report

import (
	"errors"
	"io"
	"math"

	"github.com/go-json-experiment/json"
	"github.com/go-json-experiment/json/jsontext"
	jsonv1 "github.com/go-json-experiment/json/v1"

	"github.com/ragfaith/ragfaith/internal/result"
	"github.com/ragfaith/ragfaith/internal/stats"
)

// EncodeJSON returns v as indented JSON, with a final line feed. Numbers are formatted as in
// results, where NaN is null.
func EncodeJSON(v any, options ...json.Options) ([]byte, error) {
	marshalers := json.JoinMarshalers(
		json.MarshalToFunc(func(e *jsontext.Encoder, x float64) error {
			return e.WriteValue(result.AppendNumber(nil, x))
		}),
		json.MarshalToFunc(func(e *jsontext.Encoder, i stats.Interval) error {
			type Plain stats.Interval
			return json.MarshalEncode(e, struct {
				Plain
				Note NullText `json:"note"`
			}{Plain(i), NullText(i.Note)})
		}),
	)
	options = append([]json.Options{
		jsonv1.DefaultOptionsV1(), jsontext.EscapeForHTML(false), jsontext.WithIndent("  "), json.WithMarshalers(marshalers),
	}, options...)
	content, err := json.Marshal(v, options...)
	return append(content, '\n'), err
}

// DecodeJSON reads what EncodeJSON wrote into v.
func DecodeJSON(r io.Reader, v any) error {
	return json.UnmarshalRead(r, v, jsonv1.DefaultOptionsV1(),
		json.WithUnmarshalers(json.UnmarshalFromFunc(func(d *jsontext.Decoder, x *float64) error {
			if d.PeekKind() != 'n' {
				return errors.ErrUnsupported
			}
			*x = math.NaN()
			return d.SkipValue()
		})))
}

// A NullText is a text that is null in JSON if it is "".
type NullText string

// MarshalJSON returns the text or null.
func (s NullText) MarshalJSON() ([]byte, error) {
	if s == "" {
		return []byte("null"), nil
	}
	return result.AppendText(nil, string(s)), nil
}
