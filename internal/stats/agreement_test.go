package stats

import (
	"math"
	"testing"
)

// Expected values from sklearn.metrics 1.9 and scipy.stats 1.17.
func TestAgreementMatchesSklearnAndScipy(t *testing.T) {
	t.Parallel()
	positive := []bool{true, false, true, true, false, false, true, false}
	scores := []float64{0.9, 0.4, 0.4, 0.8, 0.3, 0.8, 0.7, 0.1}
	predicted := []bool{true, false, false, true, false, true, true, false}
	ratings := []float64{4, 3.5, 2, 4, 1, 2, 3, 1}
	for _, c := range []struct {
		name      string
		got, want float64
	}{
		{"AUROC", AUROC(positive, scores), 0.8125},
		{"balanced accuracy", BalancedAccuracy(positive, predicted), 0.75},
		{"Spearman", Spearman(scores, ratings), 0.7914259368697336},
		{"Spearman reversed", Spearman([]float64{1, 2, 3}, []float64{9, 5, 1}), -1},
	} {
		if math.Abs(c.got-c.want) > 1e-12 {
			t.Errorf("%s: got %.16g, want %.16g", c.name, c.got, c.want)
		}
	}
}

func TestAgreementIsNaNWithoutBothClasses(t *testing.T) {
	t.Parallel()
	for name, got := range map[string]float64{
		"AUROC":             AUROC([]bool{true, true}, []float64{1, 2}),
		"balanced accuracy": BalancedAccuracy([]bool{false}, []bool{false}),
		"Spearman constant": Spearman([]float64{1, 1}, []float64{1, 2}),
		"Spearman of one":   Spearman([]float64{1}, []float64{1}),
	} {
		if !math.IsNaN(got) {
			t.Errorf("%s: got %v, want NaN", name, got)
		}
	}
}
