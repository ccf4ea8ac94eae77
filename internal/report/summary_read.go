package report

import (
	"encoding/json"
	"errors"
	"fmt"
	"io"
)

// ReadSummary reads a Summary as Bytes writes it. A summary that is read and written
// again has the same bytes. Unknown members are ignored; an unknown version is an error.
func ReadSummary(r io.Reader) (*Summary, error) {
	s := &Summary{Claims: SummaryClaims{UncertainShare: NullNumber()}} // summaries of earlier versions have none
	dec := json.NewDecoder(r)
	if err := dec.Decode(s); err != nil {
		return nil, fmt.Errorf("not a summary: %w", err)
	}
	if _, err := dec.Token(); !errors.Is(err, io.EOF) {
		return nil, errors.New("not a summary: text after the object")
	}
	switch {
	case s.Schema != SummarySchema:
		return nil, errors.New("not a summary, which is what score --summary writes: its $schema is not " + SummarySchema)
	case s.Version != SummaryVersion:
		return nil, fmt.Errorf("a summary of version %d: this ragfaith reads version %d", s.Version, SummaryVersion)
	}
	return s, nil
}

// UnmarshalJSON reads a number or null.
func (f *Number) UnmarshalJSON(text []byte) error {
	if string(text) == "null" {
		*f = NullNumber()
		return nil
	}
	return json.Unmarshal(text, (*float64)(f))
}
