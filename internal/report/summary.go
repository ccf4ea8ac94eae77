package report

import (
	"bytes"
	"encoding/json"
	"math"

	"github.com/ragfaith/ragfaith/internal/result"
	"github.com/ragfaith/ragfaith/internal/stats"
)

// SummarySchema is the JSON Schema that a Summary is valid against, and
// ResultSchema that of a result.
const (
	SummarySchema = "https://raw.githubusercontent.com/ragfaith/ragfaith/main/schema/summary.schema.json"
	ResultSchema  = "https://raw.githubusercontent.com/ragfaith/ragfaith/main/schema/result.schema.json"
)

// SummaryVersion is that of the format of a Summary.
const SummaryVersion = 1

// A Summary is what there is to say of a run: its figures and settings, and never
// a key. Equal runs have equal summaries, so there is no time in it.
type Summary struct {
	Schema       string            `json:"$schema"`
	Version      int               `json:"version"`
	Ragfaith     string            `json:"ragfaith"` // the version of the program
	Datasets     []string          `json:"datasets"`
	Results      []string          `json:"results"` // files that these are the figures of; null for a run that made them
	Rows         SummaryRows       `json:"rows"`
	Claims       SummaryClaims     `json:"claims"`
	Faithfulness SummaryFigures    `json:"faithfulness"`
	Support      SummaryFigures    `json:"support"`
	Means        *SummaryMeans     `json:"means"`               // null where nobody estimated them
	Citations    *SummaryCitations `json:"citations,omitempty"` // nil where no row cites anything
	Settings     SummaryNames      `json:"settings"`
	Gates        []SummaryGate     `json:"gates"`
	Passed       bool              `json:"passed"`
	ExitCode     int               `json:"exit_code"`
	Usage        result.Usage      `json:"usage"` // of the rows, also those of an earlier run
	Spent        *SummarySpent     `json:"spent"` // by this run; null where nothing was asked
}

// SummaryRows counts rows.
type SummaryRows struct {
	Total          int `json:"total"`
	Scored         int `json:"scored"`
	NoClaims       int `json:"no_claims"`
	Refusal        int `json:"refusal"`
	Empty          int `json:"empty"`
	NothingClaimed int `json:"nothing_claimed"`
	Failed         int `json:"failed"`
	// NoClaimsShare is no_claims among the rows that did not fail; null if all did.
	NoClaimsShare Figure `json:"no_claims_share"`
}

// SummaryClaims counts the claims of scored rows.
type SummaryClaims struct {
	Total        int `json:"total"`
	Supported    int `json:"supported"`
	Contradicted int `json:"contradicted"`
	NotMentioned int `json:"not_mentioned"`
}

// SummaryFigures describe numbers as describe() of pandas does.
type SummaryFigures struct {
	Count int    `json:"count"`
	Mean  Figure `json:"mean"`
	Std   Figure `json:"std"`
	Min   Figure `json:"min"`
	P25   Figure `json:"p25"`
	P50   Figure `json:"p50"`
	P75   Figure `json:"p75"`
	Max   Figure `json:"max"`
}

// SummaryMeans are Means.
type SummaryMeans struct {
	Rows    SummaryInterval `json:"rows"`
	Claims  SummaryInterval `json:"claims"`
	Cluster *string         `json:"cluster"` // null for none
	Seed    uint64          `json:"seed"`
}

// A SummaryInterval is a stats.Interval.
type SummaryInterval struct {
	Estimate   Figure  `json:"estimate"`
	Lower      Figure  `json:"lower"`
	Upper      Figure  `json:"upper"`
	Confidence Figure  `json:"confidence"`
	N          int     `json:"n"`
	Method     string  `json:"method"`
	Note       *string `json:"note"` // null for an interval that is to be taken as it stands
}

// SummaryGate is a Gate.
type SummaryGate struct {
	Name   string `json:"name"`
	Bar    Figure `json:"bar"`
	Value  Figure `json:"value"`
	Passed bool   `json:"passed"`
	Text   string `json:"text"`
}

// SummarySpent is what a run took from a language model.
type SummarySpent struct {
	result.Usage
	USD Figure `json:"usd"` // null where no price is known
	// PromptLimit is how many tokens of a prompt the server reads before it silently
	// drops the rest; 0 if it was not found to do so.
	PromptLimit int                `json:"prompt_limit,omitempty"`
	Downgrades  []SummaryDowngrade `json:"downgrades,omitempty"`
}

// A SummaryDowngrade is a change of how JSON was asked for, because the server
// refused the better way: from json_schema or json_object to json_object or prompt.
type SummaryDowngrade struct {
	From   string `json:"from"`
	To     string `json:"to"`
	Status int    `json:"status,omitempty"` // HTTP status of the refusal; 0 for one in an earlier process
}

// A SummaryName is a setting by its name, such as --threshold.
type SummaryName struct{ Name, Value string }

// SummaryNames are settings, in the order in which a person is told of them.
type SummaryNames []SummaryName

// MarshalJSON writes them as an object.
func (s SummaryNames) MarshalJSON() ([]byte, error) {
	b := []byte{'{'}
	for i := range s {
		if i > 0 {
			b = append(b, ',')
		}
		b = result.AppendText(b, s[i].Name)
		b = result.AppendText(append(b, ':'), s[i].Value)
	}
	return append(b, '}'), nil
}

// A Figure is a number of a Summary, NaN for none.
type Figure float64

// MarshalJSON writes it as results have numbers, and null for none.
func (f Figure) MarshalJSON() ([]byte, error) { return result.AppendNumber(nil, float64(f)), nil }

// NoFigure is the Figure for none.
func NoFigure() Figure { return Figure(math.NaN()) }

// Figures counts what a Summary is made of. The zero Figures is ready for use.
type Figures struct {
	tally   Tally
	support millionths
}

// Write counts r. It returns no error, and makes Figures an eval.Sink.
func (f *Figures) Write(r *result.Row) error {
	f.support.add(r.Support)
	return f.tally.Write(r)
}

// Summary returns a Summary of what was counted, with the gates; what Figures
// can't know is left to the caller. The means may be nil.
func (f *Figures) Summary(gates []Gate, means *Means) *Summary {
	t := &f.tally
	s := &Summary{
		Schema: SummarySchema, Version: SummaryVersion, Datasets: []string{}, Gates: []SummaryGate{}, Passed: true,
		Rows:         SummaryRows{t.Rows, t.Scored, t.NoClaims, t.Refusal, t.Empty, t.NothingClaimed, t.Failed, Figure(t.NoClaimsShare())},
		Claims:       SummaryClaims{t.Claims, t.Supported, t.Contradicted, t.Claims - t.Supported - t.Contradicted},
		Faithfulness: summaryFigures(&t.Faithfulness), Support: f.support.figures(),
		Means: means.summary(), Citations: t.Citations.summary(), Usage: result.Usage(t.Usage),
	}
	for _, g := range gates {
		s.Gates = append(s.Gates, SummaryGate{g.Name, Figure(g.Bar), Figure(g.Value), g.Passed, g.Text})
		s.Passed = s.Passed && g.Passed
	}
	return s
}

// summary is m as a Summary has it.
func (m *Means) summary() *SummaryMeans {
	if m == nil {
		return nil
	}
	s := &SummaryMeans{Rows: IntervalOf(&m.Rows), Claims: IntervalOf(&m.Claims), Seed: m.Seed}
	if m.Cluster != "" {
		s.Cluster = &m.Cluster
	}
	return s
}

// IntervalOf returns i as it stands in JSON.
func IntervalOf(i *stats.Interval) SummaryInterval {
	s := SummaryInterval{
		Figure(i.Estimate), Figure(i.Lower), Figure(i.Upper), Figure(i.Confidence), i.N, string(i.Method), nil,
	}
	if i.Note != "" {
		s.Note = &i.Note
	}
	return s
}

func summaryFigures(s *stats.Summary) SummaryFigures {
	return SummaryFigures{
		s.Count(), Figure(s.Mean()), Figure(s.Std()), Figure(s.Min()),
		Figure(s.Quantile(0.25)), Figure(s.Quantile(0.5)), Figure(s.Quantile(0.75)), Figure(s.Max()),
	}
}

// Bytes returns the summary as JSON with a line a member.
func (s *Summary) Bytes() ([]byte, error) {
	var b bytes.Buffer
	e := json.NewEncoder(&b)
	e.SetEscapeHTML(false)
	e.SetIndent("", "  ")
	err := e.Encode(s)
	return b.Bytes(), err
}
