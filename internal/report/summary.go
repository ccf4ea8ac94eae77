package report

import (
	"errors"
	"fmt"
	"io"
	"math"

	"github.com/go-json-experiment/json"
	"github.com/go-json-experiment/json/jsontext"
	jsonv1 "github.com/go-json-experiment/json/v1"

	"github.com/ragfaith/ragfaith/internal/dataset"
	"github.com/ragfaith/ragfaith/internal/result"
	"github.com/ragfaith/ragfaith/internal/stats"
	"github.com/ragfaith/ragfaith/internal/usage"
)

// SummarySchema is the URL of the JSON Schema of a Summary.
const SummarySchema = "https://raw.githubusercontent.com/ragfaith/ragfaith/main/schema/summary.schema.json"

// SummaryVersion is the version of the format of a Summary.
const SummaryVersion = 1

// A Summary is the JSON summary of a run: its statistics, options and gates. It contains no
// timestamps, so identical runs produce identical summaries, and never an API key.
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
	Means         *Means        `json:"means"`
	// FaithfulRows is the share of faithful rows; nil without calibrated confidences.
	FaithfulRows *stats.Interval   `json:"faithful_rows,omitempty"`
	By           []By              `json:"by,omitempty"`        // nil if rows are not grouped
	Citations    *SummaryCitations `json:"citations,omitempty"` // nil if no row cites anything
	Prescreen    *SummaryPrescreen `json:"prescreen,omitempty"` // nil if no claim was decided offline
	Settings     result.Settings   `json:"settings"`
	Gates        []Gate            `json:"gates"`
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
	NoClaimsShare float64 `json:"no_claims_share"`
	// UnjudgedShare is the mean share of the words that are in no judged claim, of scored
	// and unjudged rows, or null if there are none.
	UnjudgedShare float64 `json:"unjudged_share"`
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
	UncertainShare float64 `json:"uncertain_share"`
}

// SummaryStats contains statistics as computed by pandas' describe.
type SummaryStats struct {
	Count int     `json:"count"`
	Mean  float64 `json:"mean"`
	Std   float64 `json:"std"`
	Min   float64 `json:"min"`
	P25   float64 `json:"p25"`
	P50   float64 `json:"p50"`
	P75   float64 `json:"p75"`
	Max   float64 `json:"max"`
}

// SummarySpent is the language model usage of a run.
type SummarySpent struct {
	usage.Usage
	USD float64 `json:"usd"` // null if no price is known
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

// Summary returns a Summary. The caller sets the fields that the rows do not determine.
func (t *Tally) Summary(support *Supports, gates []Gate) *Summary {
	unjudged, _ := t.UnjudgedShare()
	s := &Summary{
		Schema: SummarySchema, Version: SummaryVersion, Datasets: []string{}, Gates: []Gate{}, Passed: true,
		Rows: SummaryRows{
			Total: t.Rows, Scored: t.Scored, NoClaims: t.NoClaims, Refusal: t.Refusal, Empty: t.Empty, NothingClaimed: t.NothingClaimed,
			Unjudged: t.Unjudged, Failed: t.Failed, Skipped: t.Skipped, NoContexts: t.NoContexts, Marks: t.Marks, NoClaimsShare: t.NoClaimsShare(),
			UnjudgedShare: unjudged,
		},
		Claims: SummaryClaims{
			Total: t.Claims, Supported: t.Supported, Contradicted: t.Contradicted, NotMentioned: t.Claims - t.Supported - t.Contradicted,
			Unjudged: t.UnjudgedClaims, Graded: t.Graded,
			Confident: t.Confident, UncertainShare: t.UncertainShare(),
		},
		Faithfulness: newSummaryStats(&t.Faithfulness), Support: support.stats(),
		Means: t.Means(), By: t.Means().By, Usage: t.Usage,
	}
	if c := &t.Citations; c.Rows > 0 {
		s.Citations = &SummaryCitations{Rows: c.Rows, Recall: c.Recall(), Precision: c.Precision(), Unresolved: c.Unresolved}
	}
	if t.Prescreen.Decided+t.Prescreen.Audited > 0 {
		s.Prescreen = t.Prescreen.Summary()
	}
	for _, g := range gates {
		s.Gates = append(s.Gates, g)
		s.Passed = s.Passed && g.Passed
	}
	return s
}

func newSummaryStats(s *stats.Summary) SummaryStats {
	return SummaryStats{
		Count: s.Count(), Mean: s.Mean(), Std: s.Std(), Min: s.Min(),
		P25: s.Quantile(0.25), P50: s.Quantile(0.5), P75: s.Quantile(0.75), Max: s.Max(),
	}
}

// Bytes returns the summary as indented JSON.
func (s *Summary) Bytes() ([]byte, error) { return EncodeJSON(s) }

// ReadSummary reads a Summary as Bytes writes it. A summary that is read and written
// again has the same bytes. Unknown members are ignored; an unknown version is an error.
func ReadSummary(r io.Reader) (*Summary, error) {
	s := &Summary{Claims: SummaryClaims{UncertainShare: math.NaN()}} // summaries of earlier versions have none
	if err := DecodeJSON(r, s); err != nil {
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

// SummaryCitations is the JSON form of Citations.
type SummaryCitations struct {
	Rows       int     `json:"rows"`
	Recall     float64 `json:"recall"`
	Precision  float64 `json:"precision"`
	Unresolved int     `json:"unresolved"`
}

// Supports counts the support of rows, to six decimals. Its memory is constant.
type Supports struct {
	counts []uint32
}

// Write counts the support of r unless it is NaN. It never returns an error.
func (h *Supports) Write(r *result.Row) error {
	if h.counts == nil {
		h.counts = make([]uint32, million+1)
	}
	if !math.IsNaN(r.Support) {
		h.counts[int(math.Round(min(max(r.Support, 0), 1)*million))]++
	}
	return nil
}

func (h *Supports) stats() SummaryStats {
	var s stats.Summary
	for i, n := range h.counts {
		if n > 0 {
			s.AddN(float64(i)/million, int(n))
		}
	}
	return newSummaryStats(&s)
}

// EncodeJSON returns v as indented JSON and a line feed, with numbers as in results: NaN is null.
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
		json.WithUnmarshalers(json.UnmarshalFromFunc(result.DecodeNumber)))
}

// MarshalJSON returns the text or null.
func (s NullText) MarshalJSON() ([]byte, error) {
	if s == "" {
		return []byte("null"), nil
	}
	return dataset.AppendText(nil, string(s)), nil
}
