package main

import (
	"math"
	"os"
	"testing"

	"github.com/klauspost/compress/zstd"

	"github.com/ragfaith/ragfaith/internal/stats"
)

const testdataDir = "../../testdata/"

// TestScoresAgreeWithRatersMoreThanRagas uses answers rated by human annotators. The
// Ragas scores published with them have a rank correlation of 0.520 and an AUROC of
// 0.726.
func TestScoresAgreeWithRatersMoreThanRagas(t *testing.T) {
	t.Parallel()
	f, err := os.Open("../../../shared/data/mtrag-human-dev.jsonl.zst")
	if err != nil {
		t.Skip("no rated answers in ../shared/data")
	}
	defer f.Close()
	z, err := zstd.NewReader(f)
	if err != nil {
		t.Fatal(err)
	}
	defer z.Close()
	got := mustExit(t, scoreInProcess(t, z, "-", "--judge", "lexical", "--to", "jsonl", "--keep", "human_mean"), exitOK)
	var support, rating []float64
	var good []bool
	type row struct {
		Support *float64
		Rating  float64 `json:"human_mean"`
	}
	for _, r := range decodeLines[row](t, got.stdout) {
		if r.Support != nil {
			support, rating, good = append(support, *r.Support), append(rating, r.Rating), append(good, r.Rating >= 3.5)
		}
	}
	rho, auroc := stats.Spearman(support, rating), stats.AUROC(good, support)
	t.Logf("%d answers: Spearman %.3f, AUROC %.3f", len(support), rho, auroc)
	if math.IsNaN(rho) || rho < 0.62 || auroc < 0.81 {
		t.Errorf("got Spearman %.3f and AUROC %.3f, want at least 0.62 and 0.81", rho, auroc)
	}
}
