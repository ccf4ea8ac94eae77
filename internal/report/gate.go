package report

import (
	"cmp"
	"fmt"
	"io"
	"math"
	"slices"
	"strconv"
	"strings"
	"unicode/utf8"

	"github.com/ragfaith/ragfaith/internal/flagvalue"
)

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

// tolerance is the margin by which a statistic may miss its threshold and still pass. It
// exceeds the rounding error of a sum of fractions and is far below the weight of a row.
const tolerance = 1e-12

// meanDecimals is the minimum number of decimals of a mean.
const meanDecimals = 4

// maxColumn is the maximum number of characters of a column name in a gate.
const maxColumn = 80

// Thresholds are the thresholds of a run. A nil pointer disables a gate.
type Thresholds struct {
	MinMean, MinLower *float64 // mean faithfulness, and the lower bound of its interval
	MinMeanBy         *float64 // mean faithfulness of each group
	MaxNoClaims       *float64 // share of rows without claims
	MaxUnjudged       *float64 // mean share of words in no judged claim
	MaxUncertain      *float64 // share of verdicts with a low confidence
	CitationRecall    *float64 // mean; a minimum, as is the next
	CitationPrecision *float64
	MaxFailed         flagvalue.Limit // failed rows
}

// Any reports whether a gate other than --max-failed is set.
func (o *Thresholds) Any() bool {
	return o.MinMean != nil || o.MinMeanBy != nil || o.MinLower != nil || o.MaxNoClaims != nil || o.MaxUnjudged != nil || o.MaxUncertain != nil || o.CitationRecall != nil || o.CitationPrecision != nil
}

// Evaluate compares the statistics of a run with the gates. --max-failed is the last gate.
func (o *Thresholds) Evaluate(t *Tally) []Gate {
	var all []Gate
	check := func(name, what string, threshold *float64, value float64, basis string) {
		if threshold != nil {
			all = append(all, newGate(name, what, *threshold, value, basis))
		}
	}
	m, c := t.Means(), &t.Citations
	unjudged, rows := t.UnjudgedShare()
	check(GateMinMean, "mean faithfulness", o.MinMean, t.Faithfulness.Mean(), t.meanBasis())
	check(GateMinLower, "lower bound of the 95% interval of mean faithfulness", o.MinLower, m.Rows.Lower, m.lowerBasis())
	if o.MinMeanBy != nil {
		all = append(all, m.groupsGate(*o.MinMeanBy))
	}
	check(GateMaxNoClaims, "rows without claims", o.MaxNoClaims, t.NoClaimsShare(), t.noClaimsBasis())
	check(GateMaxUnjudged, "mean share of words in no judged claim", o.MaxUnjudged, unjudged, "n = "+Count(rows, "row", "rows")+" with claims")
	check(GateMaxUncertain, "uncertain verdicts", o.MaxUncertain, t.UncertainShare(), t.uncertainBasis())
	check(GateMinCitationRecall, "mean citation recall", o.CitationRecall, c.Recall(), citationBasis(c.Recall(), c.recall.Count()))
	check(GateMinCitationPrecision, "mean citation precision", o.CitationPrecision, c.Precision(), citationBasis(c.Precision(), c.precision.Count()))
	return append(all, failedGate(t, o.MaxFailed))
}

// Warnings returns warnings about statistics that no gate checks.
func (o *Thresholds) Warnings(t *Tally) []string {
	var all []string
	m := t.Means()
	for i := range m.By {
		if b := &m.By[i]; b.Other != nil {
			all = append(all, fmt.Sprintf("--by %s: more than %s: the rows of the others are counted together as (other)", b.Column, Count(len(b.Groups), "group", "groups")))
		}
	}
	if t.Rows > 0 && t.Failed == t.Rows && failedGate(t, o.MaxFailed).Passed {
		all = append(all, fmt.Sprintf("all %d rows failed, which --max-failed %s allows: there is no score", t.Rows, o.MaxFailed))
	}
	if (o.MinMean != nil || o.MinLower != nil) && o.MaxNoClaims == nil && t.Scored > 0 && t.NoClaims > t.Scored {
		all = append(all, fmt.Sprintf("%d of %d rows have no claims: the mean is that of the others; --max-no-claims limits them", t.NoClaims, t.Rows))
	}
	if n := t.Faithfulness.Count(); n > t.Scored && n-t.Scored > t.Scored {
		all = append(all, fmt.Sprintf("%d of %d scores are not judged: --no-claims gives them to rows without claims", n-t.Scored, n))
	}
	if t.UnjudgedClaims > 0 {
		all = append(all, fmt.Sprintf("%s unjudged (%s): words cannot be compared with the contexts; use --judge MODEL",
			Count(t.Unjudged, "row", "rows"), Count(t.UnjudgedClaims, "claim", "claims")))
	}
	return all
}

// failedGate compares the number or the share of failed rows with its maximum.
func failedGate(t *Tally, limit flagvalue.Limit) Gate {
	g := Gate{Name: GateMaxFailed, Threshold: float64(limit.N), Value: float64(t.Failed)}
	text, basis := Count(t.Failed, "failed row", "failed rows"), ""
	if limit.Share != nil {
		g.Threshold, g.Value = *limit.Share, float64(t.Failed)/float64(max(t.Rows, 1))
		text, basis = "failed rows "+distinctPercent(g.Value, g.Threshold), fmt.Sprintf("%d of %d rows, ", t.Failed, t.Rows)
	}
	sign := " > "
	if g.Passed = g.Value <= g.Threshold+tolerance; g.Passed {
		sign = " <= "
	}
	g.Text = text + sign + limit.String() + " (" + basis + "--max-failed)"
	return g
}

// meanBasis describes the rows of the mean.
func (t *Tally) meanBasis() string {
	n := t.Faithfulness.Count()
	basis := fmt.Sprintf("n = %d scored", n)
	switch {
	case n > t.Scored: // --no-claims assigns them a score
		basis += fmt.Sprintf(", %d of them without claims", n-t.Scored)
	case t.NoClaims > 0:
		basis += fmt.Sprintf(", %d without claims", t.NoClaims)
	}
	if t.Unjudged > 0 {
		basis += fmt.Sprintf(", %d unjudged", t.Unjudged)
	}
	return basis
}

// lowerBasis describes the interval of the mean, or the reason why it is missing.
func (m *Means) lowerBasis() string {
	basis := m.basis("rows", &m.Rows)
	if m.Rows.Reliable() {
		return "mean " + Score(m.Rows.Estimate) + ", " + basis
	}
	return basis
}

// groupsGate compares the mean of each group with its minimum. Groups without a score pass,
// unless none has one or all rows of a group failed.
func (m *Means) groupsGate(threshold float64) Gate {
	g := Gate{Name: GateMinMeanBy, Threshold: threshold, Value: math.NaN(), Passed: true}
	var texts []string
	for i := range m.By {
		b := &m.By[i]
		scored := slices.DeleteFunc(slices.Clone(b.Groups), func(g Group) bool { return math.IsNaN(g.Mean.Estimate) })
		failed := slices.IndexFunc(b.Groups, func(g Group) bool { return g.Rows > 0 && g.Failed == g.Rows })
		below := slices.DeleteFunc(slices.Clone(scored), func(g Group) bool { return g.Mean.Estimate >= threshold-tolerance })
		limit := Decimals(threshold, 2)
		passed, outcome := false, " >= "+limit+" cannot be evaluated (no group has a score)"
		switch {
		case len(below) > 0:
			outcome = fmt.Sprintf(" < %s in %d of %s: %s", limit, len(below), Count(len(b.Groups), "group", "groups"), firstGroups(below, threshold))
		case b.Other != nil:
			outcome = fmt.Sprintf(" >= %s cannot be evaluated (more than %s)", limit, Count(len(b.Groups), "group", "groups"))
		case len(scored) == 0:
		case failed >= 0:
			outcome = fmt.Sprintf(" >= %s cannot be evaluated (all rows of %s failed)", limit, b.Groups[failed].Name())
		default:
			passed = true
			outcome = fmt.Sprintf(" >= %s in %s, lowest: %s", limit, Count(len(scored), "group", "groups"), firstGroups(scored[:1], threshold))
			if none := len(b.Groups) - len(scored); none > 0 {
				outcome += "; no score: " + Count(none, "group", "groups")
			}
		}
		g.Passed = g.Passed && passed
		if len(scored) > 0 && !(g.Value <= scored[0].Mean.Estimate) {
			g.Value = scored[0].Mean.Estimate
		}
		texts = append(texts, "mean faithfulness by "+Clip(b.Column, maxColumn)+outcome)
	}
	g.Text = strings.Join(texts, "; ")
	return g
}

// DescribeGroups describes the lowest means of a column in one line.
func DescribeGroups(b *By) string {
	return "mean faithfulness by " + Clip(b.Column, maxColumn) + ": " + firstGroups(b.Groups, 0)
}

// firstGroups lists the first groups with their means, which are distinct from threshold.
func firstGroups(groups []Group, threshold float64) string {
	const limit = 5
	var parts []string
	for i := range groups[:min(len(groups), limit)] {
		g, mean := &groups[i], "no score"
		if x := g.Mean.Estimate; !math.IsNaN(x) {
			mean = Distinct(x, threshold, meanDecimals)
		}
		parts = append(parts, fmt.Sprintf("%s %s (n = %d)", g.Name(), mean, g.Mean.N))
	}
	return FirstOf(parts, len(groups))
}

// FirstOf joins the first of so many items: "a, b and 3 more".
func FirstOf(first []string, total int) string {
	text := strings.Join(first, ", ")
	if more := total - len(first); more > 0 {
		text += fmt.Sprintf(" and %d more", more)
	}
	return text
}

// noClaimsBasis describes the rows of NoClaimsShare. The mean of the other rows means little
// if a system declines most questions.
func (t *Tally) noClaimsBasis() string {
	if rows := t.Rows - t.Failed - t.Skipped; rows > 0 {
		return fmt.Sprintf("%d of %d rows", t.NoClaims, rows)
	}
	return "n = 0 rows"
}

// uncertainBasis describes the verdicts of UncertainShare, or the reason why there are none.
func (t *Tally) uncertainBasis() string {
	switch {
	case t.Confident > 0:
		return fmt.Sprintf("%d of %d with a confidence", t.Uncertain, t.Confident)
	case t.Scored == 0:
		return "no verdict has a confidence: n = 0 scored"
	}
	return "no verdict has a confidence: the judge gives none"
}

// citationBasis describes the basis of a mean over n rows, which may be NaN.
func citationBasis(mean float64, n int) string {
	if math.IsNaN(mean) {
		return "no citations"
	}
	return "n = " + Count(n, "row", "rows")
}

// newGate compares a mean with its minimum or, if the gate is a maximum, a share with it. It
// fails if the value is NaN, for which basis is the reason.
func newGate(name, what string, threshold, value float64, basis string) Gate {
	g := Gate{Name: name, Threshold: threshold, Value: value, Passed: value >= threshold-tolerance}
	shown, pass, fail, limit := Distinct(value, threshold, meanDecimals), " >= ", " < ", Decimals(threshold, 2)
	if strings.HasPrefix(name, "max-") {
		g.Passed = value <= threshold+tolerance
		shown, pass, fail, limit = distinctPercent(value, threshold), " <= ", " > ", flagvalue.Limit{Share: &threshold}.String() // with its digits
	}
	switch {
	case math.IsNaN(value):
		g.Text = what + pass + limit + " cannot be evaluated (" + basis + ")"
	case g.Passed:
		g.Text = what + " " + shown + pass + limit + " (" + basis + ")"
	default:
		g.Text = what + " " + shown + fail + limit + " (" + basis + ")"
	}
	return g
}

// distinctPercent formats a share in percent, with more than two decimals only as in Distinct.
func distinctPercent(x, threshold float64) string {
	return strings.TrimSuffix(strings.TrimRight(Distinct(100*x, 100*threshold, 2), "0"), ".") + "%"
}

// Distinct formats x with n decimals, or with as many as show on which side of limit it is.
func Distinct(x, limit float64, n int) string {
	const maxDecimals = 17
	for ; ; n++ {
		s := strconv.FormatFloat(x, 'f', n, 64)
		shown, _ := strconv.ParseFloat(s, 64) // s is a valid number
		if n >= maxDecimals || cmp.Compare(shown, limit) == cmp.Compare(x, limit) || math.Abs(x-limit) <= 100*tolerance {
			return s
		}
	}
}

// ActionsCommand returns the workflow command of GitHub Actions, on one line, that annotates
// a run with a failed gate. Its text can't start another command: it is escaped as in GitHub's
// toolkit, packages/core/src/command.ts, and "##[" starts one in the older syntax.
func (g *Gate) ActionsCommand() string {
	text := strings.NewReplacer("%", "%25", "\r", "%0D", "\n", "%0A", "##[", "## [").Replace(g.Text)
	return "::error title=ragfaith --" + g.Name + "::" + text
}

// NewActionsGuard returns a writer to w that breaks up workflow commands of GitHub
// Actions with a space: "::error" at the start of a line, and "##[error]" anywhere. Its
// input must consist of whole lines.
func NewActionsGuard(w io.Writer) io.Writer { return &actionsGuard{w: w, atStart: true} }

type actionsGuard struct {
	w       io.Writer
	atStart bool // only white space of the line has been written
	last    [2]byte
}

// Write writes p with the spaces inserted.
func (g *actionsGuard) Write(p []byte) (int, error) {
	b := make([]byte, 0, len(p)+len(p)/64)
	for _, c := range p {
		if c == '[' && g.last == [2]byte{'#', '#'} || g.atStart && c == ':' && g.last[1] == ':' {
			b = append(b, ' ')
		}
		b = append(b, c)
		switch {
		case c == '\n' || c == '\r':
			g.atStart = true
		case c != ':' && c > ' ' && c < utf8.RuneSelf: // other runes may be white space
			g.atStart = false
		}
		g.last = [2]byte{g.last[1], c}
	}
	if _, err := g.w.Write(b); err != nil {
		return 0, err
	}
	return len(p), nil
}

// Options are the options of a Writer. Each format uses some of them.
type Options struct {
	Keep    []string    // columns of the dataset to write
	KeepAll bool        // write all columns of the first row that has any
	Width   int         // width of the table in terminal cells; 0 means 120
	Warn    func(error) // called for data that the format cannot hold; may be nil
	Palette Palette     // colors of the table
	Marks   bool        // add a column with a sign for the verdict of each claim to the table
	Show    int         // number of the worst rows that the table or FormatNone shows in full
	// DatasetOrder keeps the order of the dataset in the table; otherwise rows with the
	// lowest faithfulness come first.
	DatasetOrder bool
	TempDir      string        // directory of temporary files; "" for the system's
	Tally        *Tally        // counts of all rows at Close, for the table and reports
	Gates        func() []Gate // returns the gates after the last row, for reports; may be nil
	Notes        []string      // short descriptions of the run for reports
	Foot         string        // text below the table
}
