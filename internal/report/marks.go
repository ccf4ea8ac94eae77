package report

import (
	"strings"

	"github.com/ragfaith/ragfaith/internal/result"
)

// marksMost is how many signs a cell of verdicts has at most.
const marksMost = 10

// sign stands for a label where there is no room for the word.
func sign(l result.Verdict) string {
	switch l {
	case result.Supported:
		return "✓"
	case result.Contradicted:
		return "✗"
	case result.NotMentioned:
	}
	return "?"
}

// marks shows verdicts as signs: one for each claim, in the order of the claims;
// of more than marksMost claims as many signs as fit, in proportion and sorted,
// and at least one of each kind that there is.
func marks(claims []result.Claim, p Palette) string {
	var b strings.Builder
	if len(claims) <= marksMost {
		for i := range claims {
			b.WriteString(p.verdict(claims[i].Verdict, sign(claims[i].Verdict)))
		}
		return b.String()
	}
	labels := []result.Verdict{result.Supported, result.NotMentioned, result.Contradicted}
	counts := make(map[result.Verdict]int, len(labels))
	for i := range claims {
		counts[claims[i].Verdict]++
	}
	// What the smaller kinds get is rounded to the nearest, but never to nothing;
	// the largest gets the rest.
	largest := labels[0]
	for _, l := range labels {
		if counts[l] > counts[largest] {
			largest = l
		}
	}
	signs := make(map[result.Verdict]int, len(labels))
	left := marksMost
	for _, l := range labels {
		if l != largest && counts[l] > 0 {
			signs[l] = max(1, (2*marksMost*counts[l]+len(claims))/(2*len(claims)))
			left -= signs[l]
		}
	}
	signs[largest] = left
	for _, l := range labels {
		b.WriteString(p.verdict(l, strings.Repeat(sign(l), signs[l])))
	}
	return b.String()
}
