package report

import (
	"cmp"
	"crypto/sha256"
	"fmt"
	"math"
	"slices"
	"strconv"
	"strings"

	"github.com/ragfaith/ragfaith/internal/result"
	"github.com/ragfaith/ragfaith/internal/stats"
)

// Means are the two means of a run with their 95% intervals.
type Means struct {
	// Rows is the mean of faithfulness over rows, with equal weights.
	Rows stats.Interval `json:"rows"`
	// Claims is the fraction of supported claims, with equal weights. It is estimated over
	// rows, because the verdicts on the claims of a row are not independent.
	Claims stats.Interval `json:"claims"`
	// Counted is the number of claims in Claims.
	Counted int `json:"-"`
	// Cluster is the column by which rows are grouped into units, or "".
	Cluster NullText `json:"cluster"`
	Seed    uint64   `json:"seed"` // random seed of the bootstrap
	By      []By     `json:"-"`    // the columns by which rows are grouped
}

// A FormattedMean is a mean as text.
type FormattedMean struct {
	Of       string // rows or claims
	Estimate string // with four decimals
	Interval string // "0.7711 to 0.8489", or ""
	// Basis describes the interval, such as "n = 100 rows, BCa bootstrap", or the reason
	// why it is missing.
	Basis string
}

// Format returns the means that exist, that over rows first.
func (m *Means) Format() []FormattedMean {
	var all []FormattedMean
	if !math.IsNaN(m.Rows.Estimate) {
		all = append(all, m.format("rows", &m.Rows))
	}
	if m.Counted > 0 {
		all = append(all, m.format("claims", &m.Claims))
	}
	return all
}

func (m *Means) format(of string, i *stats.Interval) FormattedMean {
	s := FormattedMean{Of: of, Estimate: Score(i.Estimate), Basis: m.basis(of, i)}
	if i.Reliable() {
		s.Interval = Score(i.Lower) + " to " + Score(i.Upper)
	}
	return s
}

func (m *Means) basis(of string, i *stats.Interval) string {
	units := "rows"
	if m.Cluster != "" {
		units = "groups by " + Clip(string(m.Cluster), maxNameText)
	}
	if i.N == 1 {
		units = strings.Replace(units, "s", "", 1) // the row, the group
	}
	basis := fmt.Sprintf("n = %d %s", i.N, units)
	if of == "claims" {
		basis += " with " + Count(m.Counted, "claim", "claims")
	}
	switch {
	case i.Note != "":
		return basis + ": " + i.Note
	case i.Method == stats.BCa:
		return basis + ", BCa bootstrap"
	}
	return basis + ", " + string(i.Method)
}

// String returns the mean on one line.
func (s *FormattedMean) String() string {
	if s.Interval == "" {
		return s.Estimate + ", no 95% interval (" + s.Basis + ")"
	}
	return s.Estimate + ", 95% interval " + s.Interval + " (" + s.Basis + ")"
}

// Tables returns a table for each column by which rows are grouped.
func (m *Means) Tables() []Table {
	var all []Table
	for i := range m.By {
		all = append(all, m.By[i].table(m.Cluster != ""))
	}
	return all
}

const (
	maxGroups      = 1000 // groups of a column; the rows of further ones are counted together
	maxGroupsShown = 20   // groups in a table
	maxGroupValue  = 200  // characters of a value
)

// By describes the groups of rows with the same value in a column.
type By struct {
	Column string  `json:"column"`
	Groups []Group `json:"groups"` // lowest mean first, those without a mean last
	Other  *Group  `json:"other"`  // rows of all groups after the first 1,000, or nil
}

// A Group is a group of rows.
type Group struct {
	Value NullText `json:"value"` // at most 200 characters; "" for rows without a value
	RowCounts
	Mean stats.Interval `json:"mean"` // mean faithfulness, as in Means.Rows
}

// Name returns the value for display, on one line.
func (g *Group) Name() string {
	if g.Value == "" {
		return "(none)"
	}
	return Clip(string(g.Value), maxNameText)
}

// GroupFields returns the fields by which rows can be grouped, besides kept columns.
func GroupFields() []string { return []string{"id", "question", "answer", "contexts"} }

// ColumnValue returns the value of a kept column or one of [GroupFields], or "".
func ColumnValue(r *result.Row, column string) string {
	switch column {
	case "id":
		return r.ID
	case "question":
		return r.Question
	case "answer":
		return r.Answer
	case "contexts":
		return string(result.AppendTexts(nil, r.Contexts))
	}
	return groupValue(r.KeptValue(column))
}

// groupValue returns a kept value in the form in which values are compared: 1, 1.0 and
// "1" are equal, as are 0 and -0. One file of a dataset may have 1 and another 1.0, since in pandas a
// column of integers with nulls becomes a column of floats.
func groupValue(value []byte) string {
	text, isText := result.PlainText(value)
	if isText {
		return text
	}
	if whole, fraction, ok := strings.Cut(text, "."); ok && strings.Trim(fraction, "0") == "" && result.IsNumber(text) {
		text = whole
	}
	if text == "-0" {
		return "0"
	}
	return text
}

// A grouper collects the statistics of the groups of a column. Its memory is bounded: it keeps
// the distinct scores of up to maxGroups groups.
type grouper struct {
	column, cluster string
	groups          map[string]*groupScores
	other           *groupScores
}

type groupScores struct {
	Group
	rows     stats.Summary
	clusters stats.Groups // with a cluster column
}

// write counts r. cluster is the unit of r with a cluster column.
func (g *grouper) write(r *result.Row, cluster string) {
	value := ColumnValue(r, g.column)
	key := groupKey(value)
	s := g.groups[key]
	switch {
	case s != nil:
	case len(g.groups) < maxGroups:
		s = &groupScores{Group: Group{Value: NullText(cutValue(value))}}
		g.groups[key] = s
	default:
		if g.other == nil {
			g.other = &groupScores{}
		}
		s = g.other
	}
	s.Add(r.Status)
	s.rows.Add(r.Faithfulness)
	if g.cluster != "" {
		s.clusters.Add(cluster, r.Faithfulness, 1)
	}
}

// by returns the groups with the intervals of their means.
func (g *grouper) by(o stats.Options) By {
	group := func(s *groupScores) Group {
		rows := s.rows.Sample()
		if g.cluster != "" {
			rows = s.clusters.Sample()
		}
		s.Mean = centred(rows.Interval(o), s.rows.Mean())
		return s.Group
	}
	b := By{Column: g.column, Groups: []Group{}}
	for _, s := range g.groups {
		b.Groups = append(b.Groups, group(s))
	}
	slices.SortFunc(b.Groups, func(a, b Group) int {
		// Negated and swapped, so that NaN is last.
		return cmp.Or(cmp.Compare(-b.Mean.Estimate, -a.Mean.Estimate), cmp.Compare(a.Value, b.Value))
	})
	if g.other != nil {
		other := group(g.other)
		b.Other = &other
	}
	return b
}

// centred sets the estimate to mean, whose last bit may differ, as its sum has another order.
func centred(i stats.Interval, mean float64) stats.Interval {
	i.Estimate = mean
	if i.Reliable() {
		i.Lower, i.Upper = min(i.Lower, mean), max(i.Upper, mean)
	}
	return i
}

// cutValue returns the start of a long value.
func cutValue(value string) string {
	if characters := []rune(value); len(characters) > maxGroupValue {
		return string(characters[:maxGroupValue]) + "…"
	}
	return strings.Clone(value) // the row can be freed
}

func groupKey(value string) string {
	const longValue = 64
	if len(value) > longValue {
		sum := sha256.Sum256([]byte(value))
		return "hash " + string(sum[:])
	}
	return "value " + value
}

// table returns the groups with the lowest means as a table.
func (b *By) table(clustered bool) Table {
	units := "n"
	if clustered {
		units = "units"
	}
	t := Table{Title: "mean faithfulness by", Of: b.Column, Columns: []Column{
		{Name: "group", Text: true},
		{Name: "mean", Right: true},
		{Name: "95% interval"},
		{Name: units, Right: true},
		{Name: "rows", Right: true},
		{Name: "no claims", Right: true},
		{Name: "failed", Right: true},
		{Name: "note", Prose: true},
	}}
	add := func(name string, g *Group) {
		interval := "none"
		if g.Mean.Reliable() {
			interval = Score(g.Mean.Lower) + " to " + Score(g.Mean.Upper)
		}
		t.AddRow(name, Score(g.Mean.Estimate), interval, strconv.Itoa(g.Mean.N), strconv.Itoa(g.Rows), strconv.Itoa(g.NoClaims), strconv.Itoa(g.Failed), g.Mean.Note)
	}
	for i := range b.Groups[:min(len(b.Groups), maxGroupsShown)] {
		add(b.Groups[i].Name(), &b.Groups[i])
	}
	if more := len(b.Groups) - maxGroupsShown; more > 0 {
		t.Foot = "and " + Count(more, "more group", "more groups")
	}
	if b.Other != nil {
		add("(other)", b.Other)
		t.Foot += fmt.Sprintf("; (other): rows of groups after the first %d", maxGroups)
	}
	t.DropColumns(map[string]string{"no claims": "0", "failed": "0", "note": ""})
	return t
}
