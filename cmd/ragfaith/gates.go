package main

import (
	"fmt"
	"math"
	"slices"
	"strconv"
	"strings"

	"github.com/ragfaith/ragfaith/internal/console"
	"github.com/ragfaith/ragfaith/internal/flagvalue"
	"github.com/ragfaith/ragfaith/internal/report"
	"github.com/ragfaith/ragfaith/internal/result"
)

// gateTolerance is the margin by which a statistic may miss its threshold and still pass. It
// exceeds the rounding error of a sum of fractions and is far below the weight of a row.
const gateTolerance = 1e-12

// maxGateColumn is the maximum number of characters of a column name in a gate.
const maxGateColumn = 80

// gateOptions are the options of the gates and the interval. A nil pointer disables a
// gate.
type gateOptions struct {
	minMean, minLower *float64
	minMeanBy         *float64
	maxNoClaims       *float64
	maxUnjudged       *float64
	maxUncertain      *float64
	citationRecall    *float64
	citationPrecision *float64
	maxFailed         flagvalue.Limit
	cluster           string
	by                []string
}

// gateFlags returns the flags of the gates.
func (o *gateOptions) gateFlags() []flagSpec {
	return []flagSpec{
		{name: "min-mean", arg: "SCORE", value: flagvalue.Fraction(&o.minMean), harmless: true, help: "exit 4 if the mean faithfulness is below SCORE"},
		{name: "min-lower", arg: "SCORE", value: flagvalue.Fraction(&o.minLower), harmless: true, help: "exit 4 if its 95% interval starts below SCORE, or is missing"},
		{name: "min-mean-by", arg: "SCORE", value: flagvalue.Fraction(&o.minMeanBy), harmless: true, help: "exit 4 if the mean of any group of --by is below SCORE"},
		{
			name: "max-no-claims", arg: "SHARE", value: flagvalue.Proportion(&o.maxNoClaims), harmless: true,
			help: "exit 4 if more than SHARE (such as 20%) of rows have no claims",
		},
		{
			name: "max-unjudged", arg: "SHARE", value: flagvalue.Proportion(&o.maxUnjudged), harmless: true,
			help: "exit 4 if over SHARE of the words are in no judged claim (mean)",
		},
		{
			name: "max-uncertain", arg: "SHARE", value: flagvalue.Proportion(&o.maxUncertain), harmless: true,
			help: "exit 4 if over SHARE of verdicts have a confidence below 0.7",
		},
		{name: "min-citation-recall", arg: "SCORE", value: flagvalue.Fraction(&o.citationRecall), harmless: true, help: "exit 4 if the mean citation recall is below SCORE"},
		{name: "min-citation-precision", arg: "SCORE", value: flagvalue.Fraction(&o.citationPrecision), harmless: true, help: "exit 4 if the mean citation precision is below SCORE"},
		{name: "max-failed", arg: "N", value: flagvalue.CountOrShare(&o.maxFailed), help: "exit 3 if more than N rows (or N%) fail"},
		{name: "cluster", arg: "COLUMN", value: &o.cluster, help: "treat rows with the same COLUMN as one unit in intervals"},
		{name: "by", arg: "COLUMN", value: &o.by, harmless: true, help: "show the mean of each group of rows by COLUMN; repeatable"},
	}
}

// checkGroups returns an error for columns that can't group rows.
func (o *gateOptions) checkGroups() error {
	if o.minMeanBy != nil && len(o.by) == 0 {
		return usagef("--min-mean-by needs groups: name a column with --by")
	}
	for _, c := range o.groupColumns() {
		if slices.Contains(result.Names(), c.name) && !slices.Contains(report.GroupFields(), c.name) {
			return usagef("%s %s is a field of the results: name a column of the dataset, or %s", c.flag, c.name, strings.Join(report.GroupFields(), ", "))
		}
	}
	return nil
}

// A groupColumn is a column that groups rows, and its flag.
type groupColumn struct{ flag, name string }

// groupColumns returns the columns of --cluster and --by.
func (o *gateOptions) groupColumns() []groupColumn {
	var all []groupColumn
	if o.cluster != "" {
		all = append(all, groupColumn{"--cluster", o.cluster})
	}
	for _, name := range o.by {
		all = append(all, groupColumn{"--by", name})
	}
	return all
}

// keptGroupColumns returns the columns of the dataset that group rows, which results must
// keep. It omits the fields that results contain anyway.
func (o *gateOptions) keptGroupColumns() []groupColumn {
	return slices.DeleteFunc(o.groupColumns(), func(c groupColumn) bool { return slices.Contains(report.GroupFields(), c.name) })
}

// hasGates reports whether a gate other than --max-failed is set.
func (o *gateOptions) hasGates() bool {
	return o.minMean != nil || o.minMeanBy != nil || o.minLower != nil || o.maxNoClaims != nil || o.maxUnjudged != nil || o.maxUncertain != nil || o.citationRecall != nil || o.citationPrecision != nil
}

// evaluate compares the statistics of a run with the gates. --max-failed is the last gate.
func (o *gateOptions) evaluate(t *report.Tally, m *report.Means) []report.Gate {
	var all []report.Gate
	if o.minMean != nil {
		all = append(all, meanGate(t, *o.minMean))
	}
	if o.minLower != nil {
		all = append(all, lowerGate(m, *o.minLower))
	}
	if o.minMeanBy != nil {
		all = append(all, groupsGate(m.By, *o.minMeanBy))
	}
	if o.maxNoClaims != nil {
		all = append(all, noClaimsGate(t, *o.maxNoClaims))
	}
	if o.maxUnjudged != nil {
		all = append(all, unjudgedGate(t, *o.maxUnjudged))
	}
	if o.maxUncertain != nil {
		all = append(all, uncertainGate(t, *o.maxUncertain))
	}
	recallRows, precisionRows := t.Citations.Scored()
	if o.citationRecall != nil {
		all = append(all, citationGate(report.GateMinCitationRecall, "mean citation recall", *o.citationRecall, t.Citations.Recall(), recallRows))
	}
	if o.citationPrecision != nil {
		all = append(all, citationGate(report.GateMinCitationPrecision, "mean citation precision", *o.citationPrecision, t.Citations.Precision(), precisionRows))
	}
	return append(all, failedGate(t, o.maxFailed))
}

// failedGate compares the number of failed rows, or their share of all rows, with its
// maximum.
func failedGate(t *report.Tally, limit flagvalue.Limit) report.Gate {
	g := report.Gate{Name: report.GateMaxFailed, Threshold: float64(limit.N), Value: float64(t.Failed)}
	text, basis := report.Count(t.Failed, "failed row", "failed rows"), ""
	if limit.Share != nil {
		g.Threshold, g.Value = *limit.Share, float64(t.Failed)/float64(max(t.Rows, 1))
		text, basis = "failed rows "+percent(g.Value), fmt.Sprintf("%d of %d rows, ", t.Failed, t.Rows)
	}
	g.Passed = g.Value <= g.Threshold+gateTolerance
	sign := " > "
	if g.Passed {
		sign = " <= "
	}
	g.Text = text + sign + limit.String() + " (" + basis + "--max-failed)"
	return g
}

// warnings returns warnings about statistics that no gate checks.
func (o *gateOptions) warnings(t *report.Tally, m *report.Means) []string {
	var all []string
	for i := range m.By {
		if b := &m.By[i]; b.Other != nil {
			all = append(all, fmt.Sprintf("--by %s: more than %s: the rows of the others are counted together as (other)", b.Column, report.Count(len(b.Groups), "group", "groups")))
		}
	}
	if t.Rows > 0 && t.Failed == t.Rows && failedGate(t, o.maxFailed).Passed {
		all = append(all, fmt.Sprintf("all %d rows failed, which --max-failed %s allows: there is no score", t.Rows, o.maxFailed))
	}
	if n := t.Faithfulness.Count(); n > t.Scored && n-t.Scored > t.Scored {
		all = append(all, fmt.Sprintf("%d of %d scores are not judged: --no-claims gives them to rows without claims", n-t.Scored, n))
	}
	if t.UnjudgedClaims > 0 {
		all = append(all, fmt.Sprintf("%s unjudged (%s): answer and contexts in different languages; use --judge MODEL",
			report.Count(t.Unjudged, "row", "rows"), report.Count(t.UnjudgedClaims, "claim", "claims")))
	}
	return all
}

// printGates writes the outcome of the gates and returns the exit code as an error.
func printGates(all []report.Gate, c *console.Console) error {
	for i := range all {
		if g := &all[i]; g.Name != report.GateMaxFailed || !g.Passed {
			c.Gate(g)
		}
	}
	if code := gateExitCode(all); code != exitOK {
		return &exitError{code}
	}
	return nil
}

// gateExitCode returns the exit code of a run. Too many failed rows take precedence, since
// they make the statistics of other gates unreliable.
func gateExitCode(gates []report.Gate) int {
	code := exitOK
	for i := range gates {
		switch {
		case gates[i].Passed:
		case gates[i].Name == report.GateMaxFailed:
			return exitFailedRows
		default:
			code = exitGate
		}
	}
	return code
}

// meanGate compares the mean with its minimum.
func meanGate(t *report.Tally, threshold float64) report.Gate {
	n := t.Faithfulness.Count()
	g := report.Gate{Name: report.GateMinMean, Threshold: threshold, Value: t.Faithfulness.Mean()}
	counted := strconv.Itoa(n) + " scored"
	if t.NoClaims > 0 && n > t.Scored { // --no-claims assigns them a score
		counted += ", " + strconv.Itoa(n-t.Scored) + " of them without claims"
	}
	if t.Unjudged > 0 {
		counted += ", " + strconv.Itoa(t.Unjudged) + " unjudged"
	}
	if n == 0 {
		g.Text = "mean faithfulness >= " + minDecimals(threshold, 2) + " cannot be evaluated (n = " + counted + ")"
		return g
	}
	g.Text = "mean faithfulness " + compareMin(&g) + " (n = " + counted + ")"
	return g
}

// lowerGate compares the lower bound of the mean's interval with its minimum. It fails
// without an interval.
func lowerGate(m *report.Means, threshold float64) report.Gate {
	g := report.Gate{Name: report.GateMinLower, Threshold: threshold, Value: m.Rows.Lower}
	const what = "lower bound of the 95% interval of mean faithfulness "
	if !m.Rows.Reliable() {
		g.Text = what + ">= " + minDecimals(threshold, 2) + " cannot be evaluated (" + m.Basis() + ")"
		return g
	}
	g.Text = what + compareMin(&g) + " (mean " + strconv.FormatFloat(m.Rows.Estimate, 'f', 4, 64) + ", " + m.Basis() + ")"
	return g
}

// groupsGate compares the mean of each group with its minimum. Groups without a score pass,
// unless none has one.
func groupsGate(columns []report.By, threshold float64) report.Gate {
	g := report.Gate{Name: report.GateMinMeanBy, Threshold: threshold, Value: math.NaN(), Passed: true}
	var texts []string
	for i := range columns {
		b := &columns[i]
		scored := slices.DeleteFunc(slices.Clone(b.Groups), func(g report.Group) bool { return math.IsNaN(g.Mean.Estimate) })
		below := slices.DeleteFunc(slices.Clone(scored), func(g report.Group) bool { return g.Mean.Estimate >= threshold-gateTolerance })
		text := "mean faithfulness by " + report.Clip(b.Column, maxGateColumn)
		switch {
		case len(below) > 0:
			text += fmt.Sprintf(" < %s in %d of %s: %s", minDecimals(threshold, 2), len(below), report.Count(len(b.Groups), "group", "groups"), firstGroups(below, threshold))
			g.Passed = false
		case b.Other != nil:
			text += fmt.Sprintf(" >= %s cannot be evaluated (more than %s)", minDecimals(threshold, 2), report.Count(len(b.Groups), "group", "groups"))
			g.Passed = false
		case len(scored) == 0:
			text += " >= " + minDecimals(threshold, 2) + " cannot be evaluated (no group has a score)"
			g.Passed = false
		default:
			text += fmt.Sprintf(" >= %s in %s, lowest: %s", minDecimals(threshold, 2), report.Count(len(scored), "group", "groups"), firstGroups(scored[:1], threshold))
			if none := len(b.Groups) - len(scored); none > 0 {
				text += "; no score: " + report.Count(none, "group", "groups")
			}
		}
		if len(scored) > 0 && !(g.Value <= scored[0].Mean.Estimate) {
			g.Value = scored[0].Mean.Estimate
		}
		texts = append(texts, text)
	}
	g.Text = strings.Join(texts, "; ")
	return g
}

// firstGroups lists the first groups with their means, which have enough decimals to tell
// them from threshold.
func firstGroups(groups []report.Group, threshold float64) string {
	const limit = 5
	var parts []string
	for i := range groups[:min(len(groups), limit)] {
		g, mean := &groups[i], "no score"
		if x := g.Mean.Estimate; !math.IsNaN(x) {
			mean = distinctDecimals(x, threshold, x >= threshold-gateTolerance)
		}
		parts = append(parts, fmt.Sprintf("%s %s (n = %d)", g.Name(), mean, g.Mean.N))
	}
	text := strings.Join(parts, ", ")
	if more := len(groups) - limit; more > 0 {
		text += fmt.Sprintf(" and %d more", more)
	}
	return text
}

// noClaimsGate compares the share of rows without claims with its maximum. The mean of the
// other rows means little if a system declines most questions.
func noClaimsGate(t *report.Tally, threshold float64) report.Gate {
	g := report.Gate{Name: report.GateMaxNoClaims, Threshold: threshold, Value: t.NoClaimsShare()}
	rows := t.Rows - t.Failed
	if rows == 0 {
		g.Text = "rows without claims <= " + percent(threshold) + " cannot be evaluated (n = 0 rows)"
		return g
	}
	g.Text = "rows without claims " + compareMax(&g) + fmt.Sprintf(" (%d of %d rows)", t.NoClaims, rows)
	return g
}

// unjudgedGate compares the mean share of the words that are in no judged claim with its maximum.
func unjudgedGate(t *report.Tally, threshold float64) report.Gate {
	mean, n := t.UnjudgedShare()
	g := report.Gate{Name: report.GateMaxUnjudged, Threshold: threshold, Value: mean}
	if n == 0 {
		g.Text = "mean share of words in no judged claim <= " + percent(threshold) + " cannot be evaluated (n = 0 rows with claims)"
		return g
	}
	g.Text = "mean share of words in no judged claim " + compareMax(&g) + " (n = " + report.Count(n, "row", "rows") + " with claims)"
	return g
}

// uncertainGate compares the share of uncertain verdicts with its maximum.
func uncertainGate(t *report.Tally, threshold float64) report.Gate {
	g := report.Gate{Name: report.GateMaxUncertain, Threshold: threshold, Value: t.UncertainShare()}
	if t.Confident == 0 {
		why := "the judge gives none"
		if t.Scored == 0 {
			why = "n = 0 scored"
		}
		g.Text = "uncertain verdicts <= " + percent(threshold) + " cannot be evaluated (no verdict has a confidence: " + why + ")"
		return g
	}
	g.Text = "uncertain verdicts " + compareMax(&g) + fmt.Sprintf(" (%d of %d with a confidence)", t.Uncertain, t.Confident)
	return g
}

// compareMax sets g.Passed and returns the comparison of shares as a text.
func compareMax(g *report.Gate) string {
	g.Passed = g.Value <= g.Threshold+gateTolerance
	sign := " > "
	if g.Passed {
		sign = " <= "
	}
	return percent(g.Value) + sign + percent(g.Threshold)
}

// percent formats a share in percent, with up to two decimals.
func percent(x float64) string {
	const hundredths = 1e4
	return strconv.FormatFloat(math.Round(x*hundredths)/100, 'f', -1, 64) + "%"
}

// citationGate compares a mean over the citations of n rows with its minimum.
func citationGate(name, what string, threshold, value float64, n int) report.Gate {
	g := report.Gate{Name: name, Threshold: threshold, Value: value}
	if math.IsNaN(value) {
		g.Text = what + " >= " + minDecimals(threshold, 2) + " cannot be evaluated (no citations)"
		return g
	}
	g.Text = what + " " + compareMin(&g) + " (n = " + strconv.Itoa(n) + " rows)"
	return g
}

// compareMin sets g.Passed and returns the comparison as a text.
func compareMin(g *report.Gate) string {
	g.Passed = g.Value >= g.Threshold-gateTolerance
	sign := " >= "
	if !g.Passed {
		sign = " < "
	}
	return distinctDecimals(g.Value, g.Threshold, g.Passed) + sign + minDecimals(g.Threshold, 2)
}

// distinctDecimals formats x with at least four decimals, and with more if they are needed
// to tell x from threshold.
func distinctDecimals(x, threshold float64, above bool) string {
	const minDigits, maxDigits = 4, 17
	for digits := minDigits; ; digits++ {
		s := strconv.FormatFloat(x, 'f', digits, 64)
		shown, _ := strconv.ParseFloat(s, 64) // s is a valid number
		if digits == maxDigits || (shown >= threshold) == above || math.Abs(x-threshold) <= gateTolerance {
			return s
		}
	}
}

// minDecimals formats x exactly, with at least n decimals.
func minDecimals(x float64, n int) string {
	s := strconv.FormatFloat(x, 'f', -1, 64)
	if _, decimals, _ := strings.Cut(s, "."); len(decimals) < n {
		s = strconv.FormatFloat(x, 'f', n, 64)
	}
	return s
}
