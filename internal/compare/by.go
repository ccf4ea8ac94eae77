package compare

import (
	"cmp"
	"math"
	"slices"
	"strings"

	"github.com/ragfaith/ragfaith/internal/report"
	"github.com/ragfaith/ragfaith/internal/result"
	"github.com/ragfaith/ragfaith/internal/stats"
)

// By are the groups of compared rows by a column.
type By struct {
	Column string  `json:"column"` // Options.By
	Groups []Group `json:"groups"` // the largest loss first
}

// A Group is the compared rows with the same value in the column of Options.By.
type Group struct {
	Value     report.NullText `json:"value"` // "" for rows without a value
	Other     bool            `json:"other"` // the rows of all groups after the first MaxGroups
	Rows      int             `json:"rows"`
	Baseline  float64         `json:"baseline"` // mean faithfulness
	Candidate float64         `json:"candidate"`
	// Difference is the mean difference with its interval, over rows or their clusters.
	Difference stats.Interval `json:"difference"`
}

// MaxGroups is the maximum number of groups that are told apart.
const MaxGroups = 1000

// A groupPair collects the scores of a group in both runs.
type groupPair struct {
	before, after mean
	rows          stats.Sample
	clusters      stats.Groups
}

// addGroup adds a pair of rows to its group. cluster is empty if rows are independent.
func (p *pairing) addGroup(value, cluster string, was, is float64) {
	g := p.by[value]
	switch {
	case g != nil:
	case len(p.by) < MaxGroups:
		g = &groupPair{}
		p.by[value] = g
	default:
		g = &p.other
	}
	g.before.add(was)
	g.after.add(is)
	if cluster == "" {
		g.rows.Add(is-was, 1)
	} else {
		g.clusters.Add(cluster, is-was, 1)
	}
}

// groupsBy returns the groups of rows, or nil without Options.By.
func (p *pairing) groupsBy() *By {
	if p.o.By == "" {
		return nil
	}
	group := func(value string, g *groupPair) Group {
		sample := &g.rows
		if p.o.Cluster != nil {
			sample = g.clusters.Sample()
		}
		return Group{
			Value: report.NullText(value), Rows: g.before.n, Baseline: g.before.value(), Candidate: g.after.value(),
			Difference: sample.Interval(stats.Options{Confidence: 1 - p.o.Alpha, Seed: p.o.Seed, Low: -1, High: 1}),
		}
	}
	var all []Group
	for value, g := range p.by {
		all = append(all, group(value, g))
	}
	slices.SortFunc(all, func(a, b Group) int {
		return cmp.Or(cmp.Compare(math.Round(a.Difference.Estimate/slack), math.Round(b.Difference.Estimate/slack)), cmp.Compare(a.Value, b.Value))
	})
	if p.other.before.n > 0 {
		other := group("", &p.other)
		other.Other = true
		all = append(all, other)
	}
	return &By{p.o.By, all}
}

// groupValue returns the value by which r is grouped.
func (p *pairing) groupValue(r *result.Row) string {
	if p.o.By == "" {
		return ""
	}
	return strings.Clone(report.ColumnValue(r, p.o.By)) // the row can be freed
}
