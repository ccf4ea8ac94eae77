package compare

import (
	"io"

	"github.com/go-json-experiment/json"

	"github.com/ragfaith/ragfaith/internal/report"
	"github.com/ragfaith/ragfaith/internal/result"
	"github.com/ragfaith/ragfaith/internal/stats"
)

// Schema is the URL of the JSON Schema of a comparison.
const Schema = "https://raw.githubusercontent.com/ragfaith/ragfaith/main/schema/compare.schema.json"

// schemaVersion is the version of the format.
const schemaVersion = 1

type jsonComparison struct {
	Schema      string         `json:"$schema"`
	Version     int            `json:"version"`
	Ragfaith    string         `json:"ragfaith"`
	Baseline    Side           `json:"baseline"`
	Candidate   Side           `json:"candidate"`
	Warnings    []Warning      `json:"warnings"`
	Rows        Rows           `json:"rows"`
	Units       string         `json:"units"`
	Difference  stats.Interval `json:"difference"`
	Permutation *stats.Test    `json:"permutation"`
	Detectable  float64        `json:"detectable"`
	By          *jsonBy        `json:"by,omitempty"`
	Claims      Claims         `json:"claims"`
	Gate        *Gate          `json:"gate"`
	RowGate     *RowGate       `json:"row_gate"`
	Passed      bool           `json:"passed"`
	Changed     int            `json:"changed"`
	Changes     []jsonChange   `json:"changes"`
}

type jsonBy struct {
	Column string  `json:"column"`
	Groups []Group `json:"groups"`
}

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
	j := jsonComparison{
		Schema: Schema, Version: schemaVersion, Ragfaith: version,
		Baseline: c.Baseline, Candidate: c.Candidate, Warnings: c.Warnings,
		Rows: c.Rows, Claims: c.Claims,
		Units: "rows", Difference: c.Stats.Difference,
		Detectable: c.Stats.Detectable,
		Gate:       c.Gate, RowGate: c.RowGate, Passed: c.Passed(), Changed: c.Changed,
	}
	if c.Compared > 0 {
		j.Permutation = &c.Stats.Permutation
	}
	if c.Cluster {
		j.Units = "groups"
	}
	if c.ByColumn != "" {
		j.By = &jsonBy{c.ByColumn, c.By}
	}
	for i := range c.Changes {
		j.Changes = append(j.Changes, change(&c.Changes[i]))
	}
	content, err := report.EncodeJSON(j, json.FormatNilSliceAsNull(false))
	if err != nil {
		return err
	}
	_, err = w.Write(content)
	return err
}

func change(c *Change) jsonChange {
	_, _, was, is := c.Count()
	j := jsonChange{
		c.Candidate.ID, c.Candidate.Question, c.Baseline.Index, c.Candidate.Index,
		c.Baseline.Faithfulness, c.Candidate.Faithfulness, c.Difference, was, is, nil,
	}
	for _, m := range c.Claims {
		if c.Lost(m) || c.Gained(m) {
			j.Flipped = append(j.Flipped, jsonFlip{claim(c.Baseline, m.Baseline), claim(c.Candidate, m.Candidate)})
		}
	}
	return j
}

func claim(r *result.Row, i int) jsonClaim {
	c := &r.Claims[i]
	return jsonClaim{c.ID, c.Judged(), string(c.Verdict), c.Score, c.Reason}
}
