package html

import (
	"cmp"
	"math"
	"regexp"
	"slices"

	"github.com/ragfaith/ragfaith/internal/report"
	"github.com/ragfaith/ragfaith/internal/result"
	"github.com/ragfaith/ragfaith/internal/stats"
)

const (
	maxGroupColumns = 100 // further columns are ignored
	maxGroupValues  = 30  // a column with more values is ignored
	minGroupRows    = 10  // in a group that is shown
	maxGroups       = 5   // number of groups shown
)

// groups collect the scores of rows by the values of kept columns, in bounded memory.
type groups map[string]map[string]*stats.Summary // by column and value; nil for an ignored column

// A group is a value of a column with the rows that have it.
type group struct {
	Column, Value string
	Rows          int
	Mean          float64
}

// add counts r. Missing and empty values are in no group.
func (g groups) add(r *result.Row) {
	if math.IsNaN(r.Faithfulness) {
		return
	}
	for i := range r.Kept {
		c := &r.Kept[i]
		values, known := g[c.Name]
		if !known && len(g) < maxGroupColumns {
			values = make(map[string]*stats.Summary)
			g[c.Name] = values
		}
		if values == nil {
			continue
		}
		value, _ := result.PlainText(c.Value)
		if value == "" {
			continue
		}
		s := values[value]
		if s == nil {
			if len(values) == maxGroupValues || len(c.Value) > maxIndexKept {
				g[c.Name] = nil
				continue
			}
			s = new(stats.Summary)
			values[value] = s
		}
		s.Add(r.Faithfulness)
	}
}

// lowest returns the groups that lower the mean of all rows most: those with the largest
// product of their size and the difference of the means. Small groups and those less than
// two standard errors below the mean are omitted, since chance explains them.
func (g groups) lowest(mean float64) []group {
	var found []group
	for column, values := range g {
		for value, s := range values {
			if n := s.Count(); n >= minGroupRows && s.Mean()+2*s.Std()/math.Sqrt(float64(n)) < mean {
				found = append(found, group{column, value, n, s.Mean()})
			}
		}
	}
	slices.SortFunc(found, func(a, b group) int {
		return cmp.Or(
			cmp.Compare(float64(a.Rows)*(a.Mean-mean), float64(b.Rows)*(b.Mean-mean)),
			cmp.Compare(a.Column, b.Column), cmp.Compare(a.Value, b.Value),
		)
	})
	return found[:min(len(found), maxGroups)]
}

const (
	maxFailureTexts = 200 // distinct messages that are counted
	maxFailureText  = 160 // length of a message in characters
	maxFailures     = 3   // number of messages shown
)

// failures count error messages.
type failures map[string]int

// A failure is a message and the number of rows that failed with it.
type failure struct {
	Text string
	Rows int
}

// location matches the file and line at the start of an error.
var location = regexp.MustCompile(`^\S+:\d+: `)

// withoutLocation returns the text of an error without its location.
func withoutLocation(err error) string { return location.ReplaceAllString(err.Error(), "") }

// add counts the error of r without its location.
func (f failures) add(r *result.Row) {
	if r.Status != result.Failed || r.Err == nil {
		return
	}
	text := report.Clip(withoutLocation(r.Err), maxFailureText)
	if _, known := f[text]; known || len(f) < maxFailureTexts {
		f[text]++
	}
}

// frequent returns the most frequent messages.
func (f failures) frequent() []failure {
	var found []failure
	for text, n := range f {
		found = append(found, failure{text, n})
	}
	slices.SortFunc(found, func(a, b failure) int {
		return cmp.Or(cmp.Compare(b.Rows, a.Rows), cmp.Compare(a.Text, b.Text))
	})
	return found[:min(len(found), maxFailures)]
}
