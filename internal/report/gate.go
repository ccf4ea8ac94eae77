package report

// The names of the gates, which are those of their flags.
const (
	GateMinMean     = "min-mean"
	GateMinLower    = "min-lower"
	GateMaxNoClaims = "max-no-claims"
	GateMaxFailed   = "max-failed"

	GateMinCitationRecall    = "min-citation-recall"
	GateMinCitationPrecision = "min-citation-precision"
)

// A Gate is a bar that the figures of a run were held against.
type Gate struct {
	Name   string  // one of the constants
	Bar    float64 // what was asked for
	Value  float64 // what came out, NaN where there was nothing to judge
	Passed bool
	Text   string // both for a person, such as "mean faithfulness 0.5000 < 0.51 (n = 2 scored)"
}

// Outcome is how the gate came out, in a word.
func (g *Gate) Outcome() string {
	if g.Passed {
		return "pass"
	}
	return "FAIL"
}

// meansOf asks for the means, of which there may be none.
func (o *Options) meansOf(t *Tally) *Means {
	if o.Means == nil {
		return nil
	}
	return o.Means(t)
}

// gatesOf asks for the gates, of which there may be none.
func (o *Options) gatesOf(t *Tally) []Gate {
	if o.Gates == nil {
		return nil
	}
	return o.Gates(t)
}
