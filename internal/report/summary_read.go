package report

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io"

	"github.com/go-json-experiment/json/jsontext"
)

// ReadSummary reads a Summary as Bytes writes it: what is read and written again
// is the same bytes. Members that are not known are passed over; a version that
// is not known is an error.
func ReadSummary(r io.Reader) (*Summary, error) {
	s := &Summary{}
	if err := json.NewDecoder(r).Decode(s); err != nil {
		return nil, fmt.Errorf("not a summary: %w", err)
	}
	switch {
	case s.Schema != SummarySchema:
		return nil, errors.New("not a summary, which is what score --summary writes: its $schema is not " + SummarySchema)
	case s.Version != SummaryVersion:
		return nil, fmt.Errorf("a summary of version %d: this ragfaith reads version %d", s.Version, SummaryVersion)
	}
	return s, nil
}

// UnmarshalJSON reads them from an object of texts, in its order.
func (s *SummaryNames) UnmarshalJSON(text []byte) error {
	c := &cursor{dec: jsontext.NewDecoder(bytes.NewBuffer(text))}
	*s = nil
	c.object(func(name string) { *s = append(*s, SummaryName{Name: name, Value: c.text()}) })
	return c.err
}

// UnmarshalJSON reads a number, and null as none.
func (f *Figure) UnmarshalJSON(text []byte) error {
	if string(text) == "null" {
		*f = NoFigure()
		return nil
	}
	return json.Unmarshal(text, (*float64)(f))
}

// Get returns the value of a setting, "" where there is none of that name.
func (s SummaryNames) Get(name string) string {
	for i := range s {
		if s[i].Name == name {
			return s[i].Value
		}
	}
	return ""
}
