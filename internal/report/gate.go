package report

// The names of the gates and their flags.
const (
	GateMinMean      = "min-mean"
	GateMinMeanBy    = "min-mean-by"
	GateMinLower     = "min-lower"
	GateMaxNoClaims  = "max-no-claims"
	GateMaxUnjudged  = "max-unjudged"
	GateMaxUncertain = "max-uncertain"
	GateMaxFailed    = "max-failed"
	GatePartial      = "partial"

	GateMinCitationRecall    = "min-citation-recall"
	GateMinCitationPrecision = "min-citation-precision"
)

// A Gate compares a statistic of a run with a threshold.
type Gate struct {
	Name      string  `json:"name"` // one of the constants
	Threshold float64 `json:"bar"`
	Value     float64 `json:"value"` // NaN if there are no rows to compute it from
	Passed    bool    `json:"passed"`
	Text      string  `json:"text"` // such as "mean faithfulness 0.5000 < 0.51 (n = 2 scored)"
}

// Outcome returns pass or FAIL.
func (g *Gate) Outcome() string {
	if g.Passed {
		return "pass"
	}
	return "FAIL"
}

// GateTable returns the outcomes of gates as a table for Markdown.
func GateTable(gates []Gate) Table {
	t := Table{Columns: []Column{{Name: "gate", Text: true}, {Name: "outcome"}}}
	for i := range gates {
		outcome := gates[i].Outcome()
		if !gates[i].Passed {
			outcome = "**" + outcome + "**"
		}
		t.AddRow(gates[i].Text, outcome)
	}
	return t
}
