package stats

import (
	"math"
	"math/rand/v2"
	"testing"
)

// sampleRows returns n scores and labels that follow p.
func sampleRows(r *rand.Rand, p *Platt, n int) (positive []bool, scores []float64) {
	for range n {
		s := r.Float64()
		scores = append(scores, s)
		positive = append(positive, r.Float64() < p.Probability(s))
	}
	return positive, scores
}

func TestFitPlattRecoversItsParameters(t *testing.T) {
	t.Parallel()
	want := &Platt{Slope: 0.7, Intercept: -0.4}
	r := rand.New(rand.NewPCG(1, 2))
	const runs = 300
	within := [2]int{}
	for range runs {
		got := FitPlatt(sampleRows(r, want, 200))
		if got == nil {
			t.Fatal("got no fit")
		}
		for i, d := range [2]float64{got.Slope - want.Slope, got.Intercept - want.Intercept} {
			if math.Abs(d) < 1.96*math.Sqrt(got.Covariance[i]) {
				within[i]++
			}
		}
	}
	for i, n := range within {
		if share := float64(n) / runs; share < 0.90 || share > 0.99 {
			t.Errorf("parameter %d: its 95%% interval covers it in %.2f of the runs", i, share)
		}
	}
}

func TestPlattMeanCoversTheShareOfPositiveRows(t *testing.T) {
	t.Parallel()
	truth := &Platt{Slope: 1.1, Intercept: 0.5}
	r := rand.New(rand.NewPCG(3, 4))
	share := 0.0
	const grid = 100000
	for i := range grid {
		share += truth.Probability((float64(i) + 0.5) / grid)
	}
	share /= grid
	var covered counter
	const runs = 400
	for range runs {
		p := FitPlatt(sampleRows(r, truth, 100))
		if p == nil {
			t.Fatal("got no fit")
		}
		var m PlattMean
		_, scores := sampleRows(r, truth, 300)
		for _, s := range scores {
			m.Add(p.Probability(s))
		}
		covered.add(contains(m.Interval(p), share))
	}
	if got := float64(covered) / runs; got < 0.90 || got > 0.99 {
		t.Errorf("the 95%% interval covers the share in %.3f of the runs", got)
	}
}

func TestFitPlattWithoutInformation(t *testing.T) {
	t.Parallel()
	for name, c := range map[string]struct {
		positive []bool
		scores   []float64
	}{
		"one label":  {[]bool{true, true, true}, []float64{0.1, 0.5, 0.9}},
		"one score":  {[]bool{true, false, true}, []float64{0.5, 0.5, 0.5}},
		"decreasing": {[]bool{true, true, false, false}, []float64{0.1, 0.2, 0.8, 0.9}},
	} {
		if got := FitPlatt(c.positive, c.scores); got != nil {
			t.Errorf("%s: got %+v, want nil", name, *got)
		}
	}
	p := FitPlatt([]bool{false, false, true, true}, []float64{0, 0, 1, 1})
	if p == nil || math.IsNaN(p.Slope) || p.Probability(1) < 0.6 || p.Probability(0) > 0.4 {
		t.Errorf("separated labels: got %+v, want a finite fit", p)
	}
}
