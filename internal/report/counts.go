package report

import (
	"math"

	"github.com/ragfaith/ragfaith/internal/result"
	"github.com/ragfaith/ragfaith/internal/stats"
)

// RowCounts are numbers of rows by status.
type RowCounts struct {
	Rows     int `json:"rows"`
	Scored   int `json:"scored"`
	NoClaims int `json:"no_claims"`
	Unjudged int `json:"unjudged,omitempty"` // rows whose claims are all unjudged
	Failed   int `json:"failed"`
	Skipped  int `json:"skipped,omitempty"` // rows skipped because their contexts are empty
}

// Add counts a row with a status.
func (c *RowCounts) Add(s result.Status) {
	c.Rows++
	switch s {
	case result.Scored:
		c.Scored++
	case result.NoClaims:
		c.NoClaims++
	case result.UnjudgedRow:
		c.Unjudged++
	case result.Failed:
		c.Failed++
	case result.SkippedRow:
		c.Skipped++
	}
}

// Citations counts citations.
type Citations struct {
	Rows       int // rows with a citation
	Unresolved int // citations that resolve to no context

	recall    stats.Summary // recall of each scored row; 0 if the row cites nothing
	precision stats.Summary // precision of each row that has one
}

func (c *Citations) add(r *result.Row) {
	if r.Citations == nil {
		if r.Status == result.Scored {
			c.recall.Add(0)
		}
		return
	}
	c.Rows++
	c.Unresolved += r.Citations.Unresolved
	c.recall.Add(r.Citations.Recall)
	c.precision.Add(r.Citations.Precision)
}

// Recall returns the mean citation recall of the scored rows, where a row that cites
// nothing has 0. It is NaN if no row cites anything.
func (c *Citations) Recall() float64 {
	if c.Rows == 0 {
		return math.NaN()
	}
	return c.recall.Mean()
}

// Precision returns the mean citation precision of the rows that have one, or NaN.
func (c *Citations) Precision() float64 { return c.precision.Mean() }

// Prescreen counts the claims of scored rows that an offline judge decided in place of a
// language model, and compares both judges on those that the model judged as an audit.
type Prescreen struct {
	Decided int `json:"decided"` // by the offline judge
	Audited int `json:"audited"` // decided by the offline judge, but judged by the model
	Agreed  int `json:"agreed"`  // audited claims that both judges support, or neither does

	agreement stats.Sample // agreed and audited claims of each audited row
}

func (p *Prescreen) add(r *result.Row) {
	audited, agreed := 0, 0
	for _, c := range r.Claims {
		if c.Prescreened {
			p.Decided++
		}
		if c.OfflineVerdict == "" {
			continue
		}
		audited++
		if (c.OfflineVerdict == result.Supported) == (c.Verdict == result.Supported) {
			agreed++
		}
	}
	p.Audited += audited
	p.Agreed += agreed
	p.agreement.Add(float64(agreed), float64(audited))
}

// Agreement returns the share of audited claims on which both judges agree, with its 95%
// interval. The units are rows, since an audit selects rows.
func (p *Prescreen) Agreement() stats.Interval { return p.agreement.Interval(stats.Options{}) }

// SummaryPrescreen is the JSON form of Prescreen.
type SummaryPrescreen struct {
	Prescreen
	Agreement stats.Interval `json:"agreement"`
}

// Summary converts p to its JSON form.
func (p *Prescreen) Summary() *SummaryPrescreen { return &SummaryPrescreen{*p, p.Agreement()} }
