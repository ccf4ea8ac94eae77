package stats

import (
	"math"
	"math/rand/v2"
	"slices"
	"testing"
)

// ranked returns n rows with descending scores, of which those at the given ranks are wrong.
func ranked(n int, wrongAt ...int) (scores []float64, wrong []bool) {
	scores, wrong = make([]float64, n), make([]bool, n)
	for i := range scores {
		scores[i] = 1 - float64(i)/1000
	}
	for _, i := range wrongAt {
		wrong[i] = true
	}
	return scores, wrong
}

func TestSafeCutoff(t *testing.T) {
	nan := math.NaN()
	for _, tt := range []struct {
		name    string
		n       int
		wrongAt []int
		want    Cutoff
	}{
		{"no rows", 0, nil, Cutoff{nan, 0, 0, 59}},
		{"one row too few", 58, nil, Cutoff{nan, 0, 0, 59}},
		{"just enough", 59, nil, Cutoff{0.942, 59, 0, 59}}, // 0.95^59 = 0.0485
		{"one wrong among the fewest", 59, []int{0}, Cutoff{nan, 59, 1, 59}},
		{"wrong at the end", 100, []int{97, 98, 99}, Cutoff{0.903, 98, 1, 59}},
		{"second start, since a first row is wrong", 400, []int{0}, Cutoff{0.601, 400, 1, 80}},
		{"all starts fail", 400, []int{0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11}, Cutoff{nan, 80, 12, 80}},
	} {
		t.Run(tt.name, func(t *testing.T) {
			scores, wrong := ranked(tt.n, tt.wrongAt...)
			got := SafeCutoff(scores, wrong, 0.05, 0.95)
			if math.Abs(got.Score-tt.want.Score) > 1e-9 || math.IsNaN(got.Score) != math.IsNaN(tt.want.Score) ||
				got.Rows != tt.want.Rows || got.Wrong != tt.want.Wrong || got.Needed != tt.want.Needed {
				t.Errorf("got %+v, want %+v", got, tt.want)
			}
		})
	}
}

// TestSafeCutoffIncludesAllEqualScores checks that rows with the same score are on the same
// side, since a later run cannot tell them apart.
func TestSafeCutoffIncludesAllEqualScores(t *testing.T) {
	scores := slices.Repeat([]float64{1}, 120)
	_, wrong := ranked(120, 110, 111, 112, 113, 114, 115, 116, 117, 118, 119)
	if got := SafeCutoff(scores, wrong, 0.05, 0.95); !math.IsNaN(got.Score) || got.Rows != 120 || got.Wrong != 10 {
		t.Errorf("got %+v, want no cutoff, since 10 of 120 equal scores are wrong", got)
	}
}

// TestSafeCutoffKeepsItsPromise simulates judges whose error falls with the score, and
// checks that the true error above the cutoff rarely exceeds the limit.
func TestSafeCutoffKeepsItsPromise(t *testing.T) {
	const maxError, confidence, runs = 0.1, 0.9, 2000
	for _, tt := range []struct {
		name string
		n    int
		low  float64 // error at score 1
		high float64 // error at score 0
	}{
		{"falling error", 400, 0.02, 0.6},
		{"few rows", 60, 0.02, 0.6},
		{"error just above the limit", 400, 0.105, 0.12},
	} {
		t.Run(tt.name, func(t *testing.T) {
			random := rand.New(rand.NewPCG(7, uint64(tt.n)))
			broken := 0
			for range runs {
				scores, wrong := make([]float64, tt.n), make([]bool, tt.n)
				for i := range scores {
					scores[i] = random.Float64()
					wrong[i] = random.Float64() < tt.low+(tt.high-tt.low)*(1-scores[i])
				}
				c := SafeCutoff(scores, wrong, maxError, confidence)
				// Scores above the cutoff are uniform, so their error is that in the middle.
				if truth := tt.low + (tt.high-tt.low)*(1-c.Score)/2; truth > maxError {
					broken++
				}
			}
			// Four standard errors above the promise.
			limit := int(runs*(1-confidence) + 4*math.Sqrt(runs*(1-confidence)*confidence))
			if broken > limit {
				t.Errorf("got an error above %v in %d of %d samples, want at most %d", maxError, broken, runs, limit)
			}
			t.Logf("%d of %d samples", broken, runs)
		})
	}
}
