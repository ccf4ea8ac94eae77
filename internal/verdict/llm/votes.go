package llm

import (
	"fmt"
	"slices"

	"github.com/ragfaith/ragfaith/internal/verdict"
)

// count makes a verdict of what the votes found of claim i. The score is the
// share of votes for support. Without a majority for support the claim is
// contradicted where more votes say so than say that it is not mentioned. Reason
// and evidence are of the first vote that says what the majority says, and the
// chunks are those of all votes for support.
func count(ballots [][]finding, i int) verdict.Verdict {
	var votes [verdict.Supported + 1]int
	for _, b := range ballots {
		votes[b[i].label]++
	}
	v := verdict.Verdict{Score: float64(votes[verdict.Supported]) / float64(len(ballots))}
	switch {
	case 2*votes[verdict.Supported] > len(ballots):
		v.Label = verdict.Supported
	case votes[verdict.Contradicted] > votes[verdict.NotMentioned]:
		v.Label = verdict.Contradicted
	}
	said := false
	for _, b := range ballots {
		f := b[i]
		if f.label != v.Label {
			continue
		}
		if !said {
			v.Reason, v.Evidence, said = f.reason, f.evidence, true
		}
		v.ChunkIDs = append(v.ChunkIDs, f.chunks...)
	}
	v.ChunkIDs = ascending(slices.Clip(v.ChunkIDs))
	if n := len(ballots); n > 1 {
		v.Reason = fmt.Sprintf("%d of %d votes for support: %s", votes[verdict.Supported], n, v.Reason)
	}
	return v
}
