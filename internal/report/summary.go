package report

import (
	"bytes"
	"encoding/json"
	"math"

	"github.com/ragfaith/ragfaith/internal/result"
	"github.com/ragfaith/ragfaith/internal/setting"
	"github.com/ragfaith/ragfaith/internal/stats"
	"github.com/ragfaith/ragfaith/internal/usage"
)

// The URLs of the JSON Schemas of a Summary and of a result.
const (
	SummarySchema = "https://raw.githubusercontent.com/ragfaith/ragfaith/main/schema/summary.schema.json"
	ResultSchema  = "https://raw.githubusercontent.com/ragfaith/ragfaith/main/schema/result.schema.json"
)

// SummaryVersion is the version of the format of a Summary.
const SummaryVersion = 1

// A Summary is the JSON summary of a run: its statistics, options and gates. It contains
// no timestamps, so identical runs produce identical summaries. It never contains an API
// key.
type Summary struct {
	Schema   string   `json:"$schema"`
	Version  int      `json:"version"`
	Ragfaith string   `json:"ragfaith"` // version of the program
	Datasets []string `json:"datasets"`
	// DatasetDigest identifies the rows of the datasets, whatever the names of the files
	// and the shard. It is empty in summaries of earlier versions, and if results of several
	// datasets were merged.
	DatasetDigest string        `json:"dataset_digest,omitempty"`
	Results       []string      `json:"results"` // input result files; null for ragfaith score
	Rows          SummaryRows   `json:"rows"`
	Claims        SummaryClaims `json:"claims"`
	Faithfulness  SummaryStats  `json:"faithfulness"`
	Support       SummaryStats  `json:"support"`
	Means         *SummaryMeans `json:"means"` // null if not estimated
	// FaithfulRows is the share of rows that annotators would label faithful, nil without
	// calibrated confidences.
	FaithfulRows *SummaryInterval  `json:"faithful_rows,omitempty"`
	By           []SummaryBy       `json:"by,omitempty"`        // nil if rows are not grouped
	Citations    *SummaryCitations `json:"citations,omitempty"` // nil if no row cites anything
	Prescreen    *SummaryPrescreen `json:"prescreen,omitempty"` // nil if no claim was decided offline
	Settings     setting.List      `json:"settings"`
	Gates        []SummaryGate     `json:"gates"`
	Passed       bool              `json:"passed"`
	ExitCode     int               `json:"exit_code"`
	Usage        usage.Usage       `json:"usage"` // usage of all rows, including resumed ones
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
	Unjudged       int `json:"unjudged,omitempty"` // rows whose claims are all unjudged
	Failed         int `json:"failed"`
	Skipped        int `json:"skipped,omitempty"`
	// NoContexts counts the scored and skipped rows with empty contexts.
	NoContexts int `json:"no_contexts,omitempty"`
	// Marks counts the rows with each mark, including result.EstimatedUsage.
	Marks map[result.Mark]int `json:"marks,omitempty"`
	// NoClaimsShare is the fraction of no_claims among the rows that neither failed nor
	// were skipped, or null if there are no such rows.
	NoClaimsShare Number `json:"no_claims_share"`
	// UnjudgedShare is the mean share of the words that are in no judged claim, of scored
	// and unjudged rows, or null if there are none.
	UnjudgedShare Number `json:"unjudged_share"`
}

// SummaryClaims counts claims.
type SummaryClaims struct {
	Total        int `json:"total"` // judged claims
	Supported    int `json:"supported"`
	Contradicted int `json:"contradicted"`
	NotMentioned int `json:"not_mentioned"`
	Unjudged     int `json:"unjudged,omitempty"`
	// Graded counts the claims whose score comes from log probabilities.
	Graded int `json:"graded,omitempty"`
	// Confident counts the claims with a confidence.
	Confident int `json:"with_confidence"`
	// UncertainShare is the share of those whose confidence is below UncertainBelow, or null
	// if there are none.
	UncertainShare Number `json:"uncertain_share"`
}

// SummaryStats contains statistics as computed by pandas' describe.
type SummaryStats struct {
	Count int    `json:"count"`
	Mean  Number `json:"mean"`
	Std   Number `json:"std"`
	Min   Number `json:"min"`
	P25   Number `json:"p25"`
	P50   Number `json:"p50"`
	P75   Number `json:"p75"`
	Max   Number `json:"max"`
}

// SummaryMeans is the JSON form of Means.
type SummaryMeans struct {
	Rows    SummaryInterval `json:"rows"`
	Claims  SummaryInterval `json:"claims"`
	Cluster *string         `json:"cluster"` // may be null
	Seed    uint64          `json:"seed"`
}

// SummaryBy is the JSON form of By.
type SummaryBy struct {
	Column string         `json:"column"`
	Groups []SummaryGroup `json:"groups"` // lowest mean first
	Other  *SummaryGroup  `json:"other"`  // null if groups contains all rows
}

// SummaryGroup is the JSON form of Group.
type SummaryGroup struct {
	Value    *string         `json:"value"` // null for rows without a value, and for SummaryBy.Other
	Rows     int             `json:"rows"`
	Scored   int             `json:"scored"`
	NoClaims int             `json:"no_claims"`
	Unjudged int             `json:"unjudged,omitempty"`
	Failed   int             `json:"failed"`
	Skipped  int             `json:"skipped,omitempty"`
	Mean     SummaryInterval `json:"mean"`
}

// SummaryInterval is the JSON form of stats.Interval.
type SummaryInterval struct {
	Estimate   Number  `json:"estimate"`
	Lower      Number  `json:"lower"`
	Upper      Number  `json:"upper"`
	Confidence Number  `json:"confidence"`
	N          int     `json:"n"`
	Method     string  `json:"method"`
	Note       *string `json:"note"` // null if the interval is reliable
}

// SummaryGate is the JSON form of Gate.
type SummaryGate struct {
	Name      string `json:"name"`
	Threshold Number `json:"bar"`
	Value     Number `json:"value"`
	Passed    bool   `json:"passed"`
	Text      string `json:"text"`
}

// SummarySpent is the language model usage of a run.
type SummarySpent struct {
	usage.Usage
	USD Number `json:"usd"` // null if no price is known
	// PromptLimit is the number of tokens after which the server silently truncates
	// prompts, or 0 if it does not truncate them.
	PromptLimit int `json:"prompt_limit,omitempty"`
	// Concurrency is the lowest number of requests in flight to which the run limited
	// itself, or 0 if the server kept up with --concurrency.
	Concurrency int                `json:"concurrency,omitempty"`
	Downgrades  []SummaryDowngrade `json:"downgrades,omitempty"`
}

// A SummaryDowngrade records a fallback to a weaker JSON mode after the server rejected a
// stronger one. The modes are json_schema, json_object and prompt.
type SummaryDowngrade struct {
	From   string `json:"from"`
	To     string `json:"to"`
	Status int    `json:"status,omitempty"` // HTTP status of the rejection, or 0 if an earlier process received it
}

// A Number is a number in a Summary. NaN is encoded as null.
type Number float64

// MarshalJSON formats the number as in results.
func (f Number) MarshalJSON() ([]byte, error) { return result.AppendNumber(nil, float64(f)), nil }

// NullNumber returns the Number that is encoded as null.
func NullNumber() Number { return Number(math.NaN()) }

// A SummaryBuilder collects the statistics of a Summary from rows. The zero value is ready
// to use.
type SummaryBuilder struct {
	tally   Tally
	support scoreHistogram
}

// Write counts r. It never returns an error.
func (f *SummaryBuilder) Write(r *result.Row) error {
	f.support.add(r.Support)
	return f.tally.Write(r)
}

// Summary returns a Summary with the collected statistics and the given gates and means;
// means may be nil. The caller sets the other fields.
func (f *SummaryBuilder) Summary(gates []Gate, means *Means) *Summary {
	t := &f.tally
	unjudged, _ := t.UnjudgedShare()
	s := &Summary{
		Schema: SummarySchema, Version: SummaryVersion, Datasets: []string{}, Gates: []SummaryGate{}, Passed: true,
		Rows: SummaryRows{
			Total: t.Rows, Scored: t.Scored, NoClaims: t.NoClaims, Refusal: t.Refusal, Empty: t.Empty, NothingClaimed: t.NothingClaimed,
			Unjudged: t.Unjudged, Failed: t.Failed, Skipped: t.Skipped, NoContexts: t.NoContexts, Marks: t.Marks, NoClaimsShare: Number(t.NoClaimsShare()),
			UnjudgedShare: Number(unjudged),
		},
		Claims: SummaryClaims{
			Total: t.Claims, Supported: t.Supported, Contradicted: t.Contradicted, NotMentioned: t.Claims - t.Supported - t.Contradicted,
			Unjudged: t.UnjudgedClaims, Graded: t.Graded,
			Confident: t.Confident, UncertainShare: Number(t.UncertainShare()),
		},
		Faithfulness: newSummaryStats(&t.Faithfulness), Support: f.support.stats(),
		Means: means.summary(), By: means.summaryBy(), Citations: t.Citations.summary(), Usage: t.Usage,
	}
	if t.Prescreen.Decided+t.Prescreen.Audited > 0 {
		s.Prescreen = t.Prescreen.summary()
	}
	for _, g := range gates {
		s.Gates = append(s.Gates, SummaryGate{Name: g.Name, Threshold: Number(g.Threshold), Value: Number(g.Value), Passed: g.Passed, Text: g.Text})
		s.Passed = s.Passed && g.Passed
	}
	return s
}

// summary converts m to its JSON form.
func (m *Means) summary() *SummaryMeans {
	if m == nil {
		return nil
	}
	s := &SummaryMeans{Rows: NewSummaryInterval(&m.Rows), Claims: NewSummaryInterval(&m.Claims), Seed: m.Seed}
	if m.Cluster != "" {
		s.Cluster = &m.Cluster
	}
	return s
}

// summaryBy converts m.By to its JSON form.
func (m *Means) summaryBy() []SummaryBy {
	if m == nil {
		return nil
	}
	group := func(g *Group) SummaryGroup {
		s := SummaryGroup{Rows: g.Rows, Scored: g.Scored, NoClaims: g.NoClaims, Unjudged: g.Unjudged, Failed: g.Failed, Skipped: g.Skipped, Mean: NewSummaryInterval(&g.Mean)}
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

// NewSummaryInterval converts i to its JSON form.
func NewSummaryInterval(i *stats.Interval) SummaryInterval {
	s := SummaryInterval{
		Estimate: Number(i.Estimate), Lower: Number(i.Lower), Upper: Number(i.Upper),
		Confidence: Number(i.Confidence), N: i.N, Method: string(i.Method),
	}
	if i.Note != "" {
		s.Note = &i.Note
	}
	return s
}

func newSummaryStats(s *stats.Summary) SummaryStats {
	return SummaryStats{
		Count: s.Count(), Mean: Number(s.Mean()), Std: Number(s.Std()), Min: Number(s.Min()),
		P25: Number(s.Quantile(0.25)), P50: Number(s.Quantile(0.5)), P75: Number(s.Quantile(0.75)), Max: Number(s.Max()),
	}
}

// Bytes returns the summary as indented JSON.
func (s *Summary) Bytes() ([]byte, error) { return IndentJSON(s) }

// IndentJSON returns v as indented JSON, with a final line feed.
func IndentJSON(v any) ([]byte, error) {
	var b bytes.Buffer
	e := json.NewEncoder(&b)
	e.SetEscapeHTML(false)
	e.SetIndent("", "  ")
	err := e.Encode(v)
	return b.Bytes(), err
}

// SummaryCitations is the JSON form of Citations.
type SummaryCitations struct {
	Rows       int    `json:"rows"`
	Recall     Number `json:"recall"`
	Precision  Number `json:"precision"`
	Unresolved int    `json:"unresolved"`
}

// summary converts c to its JSON form. It returns nil if no row cites anything.
func (c *Citations) summary() *SummaryCitations {
	if c.Rows == 0 {
		return nil
	}
	return &SummaryCitations{Rows: c.Rows, Recall: Number(c.Recall()), Precision: Number(c.Precision()), Unresolved: c.Unresolved}
}
