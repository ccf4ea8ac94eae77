package report

import (
	"fmt"
	"math"
	"strings"

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
	// Cluster is the column by which rows are grouped into units, or "" if every row is a
	// unit.
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

// Basis describes the interval over rows, or the reason why it is missing.
func (m *Means) Basis() string { return m.basis("rows", &m.Rows) }

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
