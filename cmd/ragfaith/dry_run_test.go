package main

import (
	"testing"

	"github.com/ragfaith/ragfaith/internal/extract"
	"github.com/ragfaith/ragfaith/internal/verdict"
)

// The verdicts of a dry run are shared by its rows; more claims than it holds
// verdicts on get some of their own.
func TestDryRunJudgesEveryClaim(t *testing.T) {
	t.Parallel()
	u := newUnjudged()
	for _, n := range []int{0, 3, len(u), len(u) + 1, 1000, 2} {
		got, err := u.Judge(t.Context(), verdict.Task{Claims: make([]extract.Claim, n)})
		if err != nil || len(got.Verdicts) != n {
			t.Fatalf("%d verdicts on %d claims, %v", len(got.Verdicts), n, err)
		}
		for i, v := range got.Verdicts {
			if v.ClaimID != i {
				t.Fatalf("verdict %d of %d is on claim %d", i, n, v.ClaimID)
			}
		}
	}
}
