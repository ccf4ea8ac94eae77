package html

import (
	"cmp"
	"regexp"
	"slices"

	"github.com/ragfaith/ragfaith/internal/report"
	"github.com/ragfaith/ragfaith/internal/result"
)

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
