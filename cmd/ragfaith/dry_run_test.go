package main

import (
	"testing"

	"github.com/ragfaith/ragfaith/internal/extract"
	"github.com/ragfaith/ragfaith/internal/verdict"
)

// TestDryRunJudgesEveryClaim checks rows with more claims than the shared verdicts of a
// dry run.
func TestDryRunJudgesEveryClaim(t *testing.T) {
	t.Parallel()
	u := newUnjudged()
	for _, n := range []int{0, 3, len(u), len(u) + 1, 1000, 2} {
		got, err := u.Judge(t.Context(), verdict.Task{Claims: make([]extract.Claim, n)})
		if err != nil || len(got.Verdicts) != n {
			t.Fatalf("got %d verdicts for %d claims, %v", len(got.Verdicts), n, err)
		}
		for i, v := range got.Verdicts {
			if v.ClaimID != i {
				t.Fatalf("verdict %d of %d has claim ID %d", i, n, v.ClaimID)
			}
		}
	}
}
