package report

import (
	"strings"

	"github.com/ragfaith/ragfaith/internal/verdict"
)

// marksMost is how many signs a cell of verdicts has at most.
const marksMost = 10

// sign stands for a label where there is no room for the word.
func sign(l verdict.Label) string {
	switch l {
	case verdict.Supported:
		return "✓"
	case verdict.Contradicted:
		return "✗"
	case verdict.NotMentioned:
	}
	return "?"
}

// marks shows verdicts as signs: one for each claim, in the order of the claims;
// of more than marksMost claims as many signs as fit, in proportion and sorted,
// and at least one of each kind that there is.
func marks(verdicts []verdict.Verdict, p Palette) string {
	var b strings.Builder
	if len(verdicts) <= marksMost {
		for i := range verdicts {
			b.WriteString(p.verdict(verdicts[i].Label, sign(verdicts[i].Label)))
		}
		return b.String()
	}
	labels := []verdict.Label{verdict.Supported, verdict.NotMentioned, verdict.Contradicted}
	counts := make(map[verdict.Label]int, len(labels))
	for i := range verdicts {
		counts[verdicts[i].Label]++
	}
	// What the smaller kinds get is rounded to the nearest, but never to nothing;
	// the largest gets the rest.
	largest := labels[0]
	for _, l := range labels {
		if counts[l] > counts[largest] {
			largest = l
		}
	}
	signs := make(map[verdict.Label]int, len(labels))
	left := marksMost
	for _, l := range labels {
		if l != largest && counts[l] > 0 {
			signs[l] = max(1, (2*marksMost*counts[l]+len(verdicts))/(2*len(verdicts)))
			left -= signs[l]
		}
	}
	signs[largest] = left
	for _, l := range labels {
		b.WriteString(p.verdict(l, strings.Repeat(sign(l), signs[l])))
	}
	return b.String()
}
