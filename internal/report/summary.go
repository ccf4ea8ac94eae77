package report

import (
	"bytes"
	"encoding/json"
	"math"

	"github.com/ragfaith/ragfaith/internal/result"
	"github.com/ragfaith/ragfaith/internal/setting"
	"github.com/ragfaith/ragfaith/internal/stats"
)

// The URLs of the JSON Schemas of a Summary and of a result.
const (
	SummarySchema = "https://raw.githubusercontent.com/ragfaith/ragfaith/main/schema/summary.schema.json"
	ResultSchema  = "https://raw.githubusercontent.com/ragfaith/ragfaith/main/schema/result.schema.json"
)

// SummaryVersion is the version of the format of a Summary.
const SummaryVersion = 1

// A Summary holds the figures and settings of a run, but never an API key. Equal runs
// have equal summaries, so it has no time stamps.
type Summary struct {
	Schema       string            `json:"$schema"`
	Version      int               `json:"version"`
	Ragfaith     string            `json:"ragfaith"` // version of the program
	Datasets     []string          `json:"datasets"`
	Results      []string          `json:"results"` // files that the figures were read from; null for the run that wrote them
	Rows         SummaryRows       `json:"rows"`
	Claims       SummaryClaims     `json:"claims"`
	Faithfulness SummaryFigures    `json:"faithfulness"`
	Support      SummaryFigures    `json:"support"`
	Means        *SummaryMeans     `json:"means"`               // null if not estimated
	By           []SummaryBy       `json:"by,omitempty"`        // nil if rows are not grouped
	Citations    *SummaryCitations `json:"citations,omitempty"` // nil if no row cites anything
	Settings     setting.List      `json:"settings"`
	Gates        []SummaryGate     `json:"gates"`
	Passed       bool              `json:"passed"`
	ExitCode     int               `json:"exit_code"`
	Usage        result.Usage      `json:"usage"` // of all rows, including those of a resumed run
	Spent        *SummarySpent     `json:"spent"` // by this run; null without a language model
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
	Skipped        int `json:"skipped,omitempty"`
	// NoContexts counts the scored and skipped rows for which nothing was retrieved.
	NoContexts int `json:"no_contexts,omitempty"`
	// NoClaimsShare is the fraction of no_claims among the rows that did not fail and were
	// not skipped; null if there are none.
	NoClaimsShare Figure `json:"no_claims_share"`
}

// SummaryClaims counts the claims of scored rows.
type SummaryClaims struct {
	Total        int `json:"total"`
	Supported    int `json:"supported"`
	Contradicted int `json:"contradicted"`
	NotMentioned int `json:"not_mentioned"`
}

// SummaryFigures are statistics as describe() of pandas computes them.
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

// SummaryMeans describes Means.
type SummaryMeans struct {
	Rows    SummaryInterval `json:"rows"`
	Claims  SummaryInterval `json:"claims"`
	Cluster *string         `json:"cluster"` // may be null
	Seed    uint64          `json:"seed"`
}

// A SummaryBy describes a By.
type SummaryBy struct {
	Column string         `json:"column"`
	Groups []SummaryGroup `json:"groups"` // lowest mean first
	Other  *SummaryGroup  `json:"other"`  // null if groups has all rows
}

// A SummaryGroup describes a Group.
type SummaryGroup struct {
	Value    *string         `json:"value"` // null for rows without a value, and for SummaryBy.Other
	Rows     int             `json:"rows"`
	Scored   int             `json:"scored"`
	NoClaims int             `json:"no_claims"`
	Failed   int             `json:"failed"`
	Skipped  int             `json:"skipped,omitempty"`
	Mean     SummaryInterval `json:"mean"`
}

// A SummaryInterval describes a stats.Interval.
type SummaryInterval struct {
	Estimate   Figure  `json:"estimate"`
	Lower      Figure  `json:"lower"`
	Upper      Figure  `json:"upper"`
	Confidence Figure  `json:"confidence"`
	N          int     `json:"n"`
	Method     string  `json:"method"`
	Note       *string `json:"note"` // null if the interval is reliable
}

// A SummaryGate describes a Gate.
type SummaryGate struct {
	Name   string `json:"name"`
	Bar    Figure `json:"bar"`
	Value  Figure `json:"value"`
	Passed bool   `json:"passed"`
	Text   string `json:"text"`
}

// SummarySpent is the usage of language models by a run.
type SummarySpent struct {
	result.Usage
	USD Figure `json:"usd"` // null if no price is known
	// PromptLimit is the number of tokens after which the server silently truncates
	// prompts; 0 if it does not.
	PromptLimit int                `json:"prompt_limit,omitempty"`
	Downgrades  []SummaryDowngrade `json:"downgrades,omitempty"`
}

// A SummaryDowngrade is a change of the JSON mode, from json_schema or json_object to
// json_object or prompt, because the server rejected the better one.
type SummaryDowngrade struct {
	From   string `json:"from"`
	To     string `json:"to"`
	Status int    `json:"status,omitempty"` // HTTP status of the rejection; 0 if it happened in an earlier process
}

// A Figure is a number of a Summary; NaN is null.
type Figure float64

// MarshalJSON formats numbers as in results.
func (f Figure) MarshalJSON() ([]byte, error) { return result.AppendNumber(nil, float64(f)), nil }

// NoFigure returns the Figure that is null.
func NoFigure() Figure { return Figure(math.NaN()) }

// Figures collects the figures of a Summary. The zero Figures is ready for use.
type Figures struct {
	tally   Tally
	support scoreHistogram
}

// Write counts r. It never returns an error.
func (f *Figures) Write(r *result.Row) error {
	f.support.add(r.Support)
	return f.tally.Write(r)
}

// Summary returns a Summary with the figures, gates and means, which may be nil. The
// caller sets the other fields.
func (f *Figures) Summary(gates []Gate, means *Means) *Summary {
	t := &f.tally
	s := &Summary{
		Schema: SummarySchema, Version: SummaryVersion, Datasets: []string{}, Gates: []SummaryGate{}, Passed: true,
		Rows:         SummaryRows{t.Rows, t.Scored, t.NoClaims, t.Refusal, t.Empty, t.NothingClaimed, t.Failed, t.Skipped, t.NoContexts, Figure(t.NoClaimsShare())},
		Claims:       SummaryClaims{t.Claims, t.Supported, t.Contradicted, t.Claims - t.Supported - t.Contradicted},
		Faithfulness: summaryFigures(&t.Faithfulness), Support: f.support.figures(),
		Means: means.summary(), By: means.summaryBy(), Citations: t.Citations.summary(), Usage: result.Usage(t.Usage),
	}
	for _, g := range gates {
		s.Gates = append(s.Gates, SummaryGate{g.Name, Figure(g.Bar), Figure(g.Value), g.Passed, g.Text})
		s.Passed = s.Passed && g.Passed
	}
	return s
}

// summary returns m for a Summary.
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

// summaryBy returns m.By for a Summary.
func (m *Means) summaryBy() []SummaryBy {
	if m == nil {
		return nil
	}
	group := func(g *Group) SummaryGroup {
		s := SummaryGroup{nil, g.Rows, g.Scored, g.NoClaims, g.Failed, g.Skipped, IntervalOf(&g.Mean)}
		if g.Value != "" {
			s.Value = &g.Value
		}
		return s
	}
	var all []SummaryBy
	for i := range m.By {
		b := &m.By[i]
		s := SummaryBy{Column: b.Column, Groups: []SummaryGroup{}}
		for k := range b.Groups {
			s.Groups = append(s.Groups, group(&b.Groups[k]))
		}
		if b.Other != nil {
			other := group(b.Other)
			s.Other = &other
		}
		all = append(all, s)
	}
	return all
}

// IntervalOf returns i for a Summary.
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

// Bytes returns the summary as indented JSON.
func (s *Summary) Bytes() ([]byte, error) {
	var b bytes.Buffer
	e := json.NewEncoder(&b)
	e.SetEscapeHTML(false)
	e.SetIndent("", "  ")
	err := e.Encode(s)
	return b.Bytes(), err
}

// SummaryCitations describes Citations.
type SummaryCitations struct {
	Rows       int    `json:"rows"`
	Recall     Figure `json:"recall"`
	Precision  Figure `json:"precision"`
	Unresolved int    `json:"unresolved"`
}

// summary returns c for a Summary, or nil if no row cites anything.
func (c *Citations) summary() *SummaryCitations {
	if c.Rows == 0 {
		return nil
	}
	return &SummaryCitations{c.Rows, Figure(c.Recall()), Figure(c.Precision()), c.Unresolved}
}
