package report

import (
	"fmt"

	"github.com/ragfaith/ragfaith/internal/result"
	"github.com/ragfaith/ragfaith/internal/stats"
	"github.com/ragfaith/ragfaith/internal/usage"
)

// A Tally counts what became of the rows. The zero Tally is ready for use.
type Tally struct {
	Rows, Scored, NoClaims, Failed int
	Refusal, Empty, NothingClaimed int // of NoClaims
	// Faithfulness describes every row that has one: the scored rows, and
	// those without claims where they were given a number.
	Faithfulness stats.Summary
	// Claims of scored rows, and of them those that the contexts support, and
	// those that they say the opposite of.
	Claims, Supported, Contradicted int
	Usage                           usage.Usage // of all rows
	Citations                       Citations

	shares stats.Sample // of the scored rows, the supported claims among the claims
}

// Write counts r. It returns no error, and makes a Tally an eval.Sink.
func (t *Tally) Write(r *result.Row) error {
	t.Rows++
	switch r.Status {
	case result.Scored:
		t.Scored++
		t.Claims += len(r.Claims)
		before := t.Supported
		for i := range r.Claims {
			switch r.Claims[i].Verdict {
			case result.Supported:
				t.Supported++
			case result.Contradicted:
				t.Contradicted++
			case result.NotMentioned:
			}
		}
		t.shares.Add(float64(t.Supported-before), float64(len(r.Claims)))
	case result.Failed:
		t.Failed++
	case result.NoClaims:
		t.NoClaims++
		switch r.Reason {
		case "refusal":
			t.Refusal++
		case "empty":
			t.Empty++
		default:
			t.NothingClaimed++
		}
	}
	t.Faithfulness.Add(r.Faithfulness)
	t.Usage = t.Usage.Add(usage.Usage(r.Usage))
	t.Citations.add(r)
	return nil
}

// String returns the counts on one line.
func (t *Tally) String() string {
	reasons := ""
	if t.NoClaims > 0 {
		reasons = fmt.Sprintf(" (%s; refusal %d, empty %d, nothing claimed %d)", t.NoClaimsPercent(), t.Refusal, t.Empty, t.NothingClaimed)
	}
	return fmt.Sprintf("scored %d, no claims %d%s, failed %d", t.Scored, t.NoClaims, reasons, t.Failed)
}

// NoClaimsShare is the share of rows without claims among those that did not fail,
// NaN if all did.
func (t *Tally) NoClaimsShare() float64 {
	return float64(t.NoClaims) / float64(t.Rows-t.Failed)
}

// NoClaimsPercent is NoClaimsShare for a person.
func (t *Tally) NoClaimsPercent() string { return fmt.Sprintf("%.1f%%", 100*t.NoClaimsShare()) }
