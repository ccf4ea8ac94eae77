package compare

import (
	"io"

	"github.com/go-json-experiment/json"
	"github.com/go-json-experiment/json/jsontext"

	"github.com/ragfaith/ragfaith/internal/report"
	"github.com/ragfaith/ragfaith/internal/result"
)

// Schema is the URL of the JSON Schema of a comparison.
const Schema = "https://raw.githubusercontent.com/ragfaith/ragfaith/main/schema/compare.schema.json"

// schemaVersion is the version of the format.
const schemaVersion = 1

type jsonChange struct {
	ID             string     `json:"id"`
	Question       string     `json:"question"`
	BaselineIndex  int        `json:"baseline_index"`
	CandidateIndex int        `json:"candidate_index"`
	Baseline       float64    `json:"baseline"`
	Candidate      float64    `json:"candidate"`
	Difference     float64    `json:"difference"`
	OnlyBaseline   int        `json:"only_baseline"`
	OnlyCandidate  int        `json:"only_candidate"`
	Flipped        []jsonFlip `json:"flipped"`
}

type jsonFlip struct {
	Baseline  jsonClaim `json:"baseline"`
	Candidate jsonClaim `json:"candidate"`
}

type jsonClaim struct {
	ID      int     `json:"id"`
	Text    string  `json:"text"`
	Verdict string  `json:"verdict"`
	Score   float64 `json:"score"`
	Reason  string  `json:"reason"`
}

// WriteJSON writes c as an indented object. version is the version of ragfaith.
func (c *Comparison) WriteJSON(w io.Writer, version string) error {
	content, err := report.EncodeJSON(struct {
		Schema   string `json:"$schema"`
		Version  int    `json:"version"`
		Ragfaith string `json:"ragfaith"`
		*Comparison
	}{Schema, schemaVersion, version, c}, json.FormatNilSliceAsNull(false))
	if err != nil {
		return err
	}
	_, err = w.Write(content)
	return err
}

// MarshalJSONTo writes the scores of the row and the claims whose verdict changed.
func (c *Change) MarshalJSONTo(e *jsontext.Encoder) error {
	j := jsonChange{
		c.Candidate.ID, c.Candidate.Question, c.Baseline.Index, c.Candidate.Index,
		c.Baseline.Faithfulness, c.Candidate.Faithfulness, c.Difference, c.Count(OnlyBaseline), c.Count(OnlyCandidate), nil,
	}
	for _, m := range c.Claims {
		if m.Flipped() {
			j.Flipped = append(j.Flipped, jsonFlip{claim(c.Baseline, m.Baseline), claim(c.Candidate, m.Candidate)})
		}
	}
	return json.MarshalEncode(e, j)
}

func claim(r *result.Row, i int) jsonClaim {
	c := &r.Claims[i]
	return jsonClaim{c.ID, c.Judged(), string(c.Verdict), c.Score, c.Reason}
}
