package report

import (
	"github.com/ragfaith/ragfaith/internal/result"
	"github.com/ragfaith/ragfaith/internal/stats"
)

// Prescreen counts the claims of scored rows that an offline judge decided in place of a
// language model, and compares both judges on those that the model judged as an audit.
type Prescreen struct {
	Decided int // by the offline judge
	Audited int // decided by the offline judge, but judged by the model
	Agreed  int // audited claims that both judges support, or neither does

	agreement stats.Sample // agreed and audited claims of each audited row
}

// add counts the claims of a scored row.
func (p *Prescreen) add(r *result.Row) {
	audited, agreed := 0, 0
	for i := range r.Claims {
		c := &r.Claims[i]
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
	Decided   int            `json:"decided"`
	Audited   int            `json:"audited"`
	Agreed    int            `json:"agreed"`
	Agreement stats.Interval `json:"agreement"`
}

// Summary converts p to its JSON form.
func (p *Prescreen) Summary() *SummaryPrescreen {
	return &SummaryPrescreen{Decided: p.Decided, Audited: p.Audited, Agreed: p.Agreed, Agreement: p.Agreement()}
}
