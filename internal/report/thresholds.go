package report

import (
	"cmp"
	"fmt"
	"math"
	"slices"
	"strconv"
	"strings"

	"github.com/ragfaith/ragfaith/internal/flagvalue"
)

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
func (o *Thresholds) Evaluate(t *Tally, m *Means) []Gate {
	var all []Gate
	if o.MinMean != nil {
		all = append(all, meanGate(t, *o.MinMean))
	}
	if o.MinLower != nil {
		all = append(all, lowerGate(m, *o.MinLower))
	}
	if o.MinMeanBy != nil {
		all = append(all, groupsGate(m.By, *o.MinMeanBy))
	}
	if o.MaxNoClaims != nil {
		all = append(all, noClaimsGate(t, *o.MaxNoClaims))
	}
	if o.MaxUnjudged != nil {
		all = append(all, unjudgedGate(t, *o.MaxUnjudged))
	}
	if o.MaxUncertain != nil {
		all = append(all, uncertainGate(t, *o.MaxUncertain))
	}
	recallRows, precisionRows := t.Citations.Scored()
	if o.CitationRecall != nil {
		all = append(all, citationGate(GateMinCitationRecall, "mean citation recall", *o.CitationRecall, t.Citations.Recall(), recallRows))
	}
	if o.CitationPrecision != nil {
		all = append(all, citationGate(GateMinCitationPrecision, "mean citation precision", *o.CitationPrecision, t.Citations.Precision(), precisionRows))
	}
	return append(all, failedGate(t, o.MaxFailed))
}

// Warnings returns warnings about statistics that no gate checks.
func (o *Thresholds) Warnings(t *Tally, m *Means) []string {
	var all []string
	for i := range m.By {
		if b := &m.By[i]; b.Other != nil {
			all = append(all, fmt.Sprintf("--by %s: more than %s: the rows of the others are counted together as (other)", b.Column, Count(len(b.Groups), "group", "groups")))
		}
	}
	if t.Rows > 0 && t.Failed == t.Rows && failedGate(t, o.MaxFailed).Passed {
		all = append(all, fmt.Sprintf("all %d rows failed, which --max-failed %s allows: there is no score", t.Rows, o.MaxFailed))
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

// failedGate compares the number of failed rows, or their share of all rows, with its
// maximum.
func failedGate(t *Tally, limit flagvalue.Limit) Gate {
	g := Gate{Name: GateMaxFailed, Threshold: float64(limit.N), Value: float64(t.Failed)}
	text, basis := Count(t.Failed, "failed row", "failed rows"), ""
	if limit.Share != nil {
		g.Threshold, g.Value = *limit.Share, float64(t.Failed)/float64(max(t.Rows, 1))
		text, basis = "failed rows "+distinctPercent(g.Value, g.Threshold), fmt.Sprintf("%d of %d rows, ", t.Failed, t.Rows)
	}
	g.Passed = g.Value <= g.Threshold+tolerance
	sign := " > "
	if g.Passed {
		sign = " <= "
	}
	g.Text = text + sign + limit.String() + " (" + basis + "--max-failed)"
	return g
}

// meanGate compares the mean with its minimum.
func meanGate(t *Tally, threshold float64) Gate {
	n := t.Faithfulness.Count()
	g := Gate{Name: GateMinMean, Threshold: threshold, Value: t.Faithfulness.Mean()}
	counted := strconv.Itoa(n) + " scored"
	if t.NoClaims > 0 && n > t.Scored { // --no-claims assigns them a score
		counted += ", " + strconv.Itoa(n-t.Scored) + " of them without claims"
	}
	if t.Unjudged > 0 {
		counted += ", " + strconv.Itoa(t.Unjudged) + " unjudged"
	}
	if n == 0 {
		g.Text = "mean faithfulness >= " + Decimals(threshold, 2) + " cannot be evaluated (n = " + counted + ")"
		return g
	}
	g.Text = "mean faithfulness " + compareMin(&g) + " (n = " + counted + ")"
	return g
}

// lowerGate compares the lower bound of the mean's interval with its minimum. It fails
// without an interval.
func lowerGate(m *Means, threshold float64) Gate {
	g := Gate{Name: GateMinLower, Threshold: threshold, Value: m.Rows.Lower}
	const what = "lower bound of the 95% interval of mean faithfulness "
	if !m.Rows.Reliable() {
		g.Text = what + ">= " + Decimals(threshold, 2) + " cannot be evaluated (" + m.Basis() + ")"
		return g
	}
	g.Text = what + compareMin(&g) + " (mean " + strconv.FormatFloat(m.Rows.Estimate, 'f', 4, 64) + ", " + m.Basis() + ")"
	return g
}

// groupsGate compares the mean of each group with its minimum. Groups without a score pass,
// unless none has one or all rows of a group failed.
func groupsGate(columns []By, threshold float64) Gate {
	g := Gate{Name: GateMinMeanBy, Threshold: threshold, Value: math.NaN(), Passed: true}
	var texts []string
	for i := range columns {
		b := &columns[i]
		scored := slices.DeleteFunc(slices.Clone(b.Groups), func(g Group) bool { return math.IsNaN(g.Mean.Estimate) })
		failed := slices.IndexFunc(b.Groups, func(g Group) bool { return g.Rows > 0 && g.Failed == g.Rows })
		below := slices.DeleteFunc(slices.Clone(scored), func(g Group) bool { return g.Mean.Estimate >= threshold-tolerance })
		text := "mean faithfulness by " + Clip(b.Column, maxColumn)
		switch {
		case len(below) > 0:
			text += fmt.Sprintf(" < %s in %d of %s: %s", Decimals(threshold, 2), len(below), Count(len(b.Groups), "group", "groups"), firstGroups(below, threshold))
			g.Passed = false
		case b.Other != nil:
			text += fmt.Sprintf(" >= %s cannot be evaluated (more than %s)", Decimals(threshold, 2), Count(len(b.Groups), "group", "groups"))
			g.Passed = false
		case len(scored) == 0:
			text += " >= " + Decimals(threshold, 2) + " cannot be evaluated (no group has a score)"
			g.Passed = false
		case failed >= 0:
			text += fmt.Sprintf(" >= %s cannot be evaluated (all rows of %s failed)", Decimals(threshold, 2), b.Groups[failed].Name())
			g.Passed = false
		default:
			text += fmt.Sprintf(" >= %s in %s, lowest: %s", Decimals(threshold, 2), Count(len(scored), "group", "groups"), firstGroups(scored[:1], threshold))
			if none := len(b.Groups) - len(scored); none > 0 {
				text += "; no score: " + Count(none, "group", "groups")
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

// DescribeGroups describes the lowest means of a column in one line.
func DescribeGroups(b *By) string {
	return "mean faithfulness by " + Clip(b.Column, maxColumn) + ": " + firstGroups(b.Groups, 0)
}

// firstGroups lists the first groups with their means, which have enough decimals to tell
// them from threshold.
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
	text := strings.Join(parts, ", ")
	if more := len(groups) - limit; more > 0 {
		text += fmt.Sprintf(" and %d more", more)
	}
	return text
}

// noClaimsGate compares the share of rows without claims with its maximum. The mean of the
// other rows means little if a system declines most questions.
func noClaimsGate(t *Tally, threshold float64) Gate {
	g := Gate{Name: GateMaxNoClaims, Threshold: threshold, Value: t.NoClaimsShare()}
	rows := t.Rows - t.Failed
	if rows == 0 {
		g.Text = "rows without claims <= " + percent(threshold) + " cannot be evaluated (n = 0 rows)"
		return g
	}
	g.Text = "rows without claims " + compareMax(&g) + fmt.Sprintf(" (%d of %d rows)", t.NoClaims, rows)
	return g
}

// unjudgedGate compares the mean share of the words that are in no judged claim with its maximum.
func unjudgedGate(t *Tally, threshold float64) Gate {
	mean, n := t.UnjudgedShare()
	g := Gate{Name: GateMaxUnjudged, Threshold: threshold, Value: mean}
	if n == 0 {
		g.Text = "mean share of words in no judged claim <= " + percent(threshold) + " cannot be evaluated (n = 0 rows with claims)"
		return g
	}
	g.Text = "mean share of words in no judged claim " + compareMax(&g) + " (n = " + Count(n, "row", "rows") + " with claims)"
	return g
}

// uncertainGate compares the share of uncertain verdicts with its maximum.
func uncertainGate(t *Tally, threshold float64) Gate {
	g := Gate{Name: GateMaxUncertain, Threshold: threshold, Value: t.UncertainShare()}
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

// citationGate compares a mean over the citations of n rows with its minimum.
func citationGate(name, what string, threshold, value float64, n int) Gate {
	g := Gate{Name: name, Threshold: threshold, Value: value}
	if math.IsNaN(value) {
		g.Text = what + " >= " + Decimals(threshold, 2) + " cannot be evaluated (no citations)"
		return g
	}
	g.Text = what + " " + compareMin(&g) + " (n = " + strconv.Itoa(n) + " rows)"
	return g
}

// compareMax sets g.Passed and returns the comparison of shares as a text.
func compareMax(g *Gate) string {
	g.Passed = g.Value <= g.Threshold+tolerance
	sign := " > "
	if g.Passed {
		sign = " <= "
	}
	return distinctPercent(g.Value, g.Threshold) + sign + percent(g.Threshold)
}

// compareMin sets g.Passed and returns the comparison as a text.
func compareMin(g *Gate) string {
	g.Passed = g.Value >= g.Threshold-tolerance
	sign := " >= "
	if !g.Passed {
		sign = " < "
	}
	return Distinct(g.Value, g.Threshold, meanDecimals) + sign + Decimals(g.Threshold, 2)
}

// percent formats a threshold in percent, with the digits that it was given.
func percent(x float64) string { return flagvalue.Limit{Share: &x}.String() }

// distinctPercent formats a share in percent with up to two decimals, or with more if they
// are needed to tell it from threshold.
func distinctPercent(x, threshold float64) string {
	return strings.TrimSuffix(strings.TrimRight(Distinct(100*x, 100*threshold, 2), "0"), ".") + "%"
}

// Distinct formats x with n decimals, or with more if they are needed to show on which side of
// limit it is.
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

// Decimals formats x exactly, with at least n decimals.
func Decimals(x float64, n int) string {
	s := strconv.FormatFloat(x, 'f', -1, 64)
	if _, decimals, _ := strings.Cut(s, "."); len(decimals) < n {
		s = strconv.FormatFloat(x, 'f', n, 64)
	}
	return s
}
