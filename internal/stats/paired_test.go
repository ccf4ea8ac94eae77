package stats

import (
	"math"
	"math/rand/v2"
	"slices"
	"testing"
)

// Expected values from scipy 1.17: permutation_test((x,), np.mean,
// permutation_type="samples", n_resamples=np.inf).
func TestPairedTestMatchesScipy(t *testing.T) {
	for _, c := range []struct {
		name        string
		differences []float64
		want        float64
	}{
		{"plain", []float64{0.5, -0.25, 0.3, 0.1, 0.7, -0.05, 0.45, 0.2, -0.6, 0.15, 0.35, 0.05}, 0.1572265625},
		{"ties and zeros", []float64{1. / 3, 2./3 - 1, 2. / 3, 0, 0, 1, 1./3 - 2./3, 1. / 2, 1. / 2, 1 - 1./3, -1. / 2, 1}, 0.09375},
		{"no difference", make([]float64, 9), 1},
	} {
		got := sampleOf(c.differences...).table().signFlips(Options{}.withDefaults())
		if near(t, c.name, got.P, c.want, 1e-11); !got.Exact {
			t.Errorf("%s: got %+v, want an exact test", c.name, got)
		}
	}
}

func TestPValueOfEqualDifferencesIsExact(t *testing.T) {
	for n := 1; n <= 60; n++ {
		got := sampleOf(slices.Repeat([]float64{1}, n)...).table().signFlips(Options{}.withDefaults())
		if want := math.Ldexp(2, -n); got.P != want {
			t.Errorf("%d units: got %v, want %v", n, got.P, want)
		}
	}
}

func TestSampledFlipsApproximateExactFlips(t *testing.T) {
	r := rand.New(rand.NewPCG(1, 2))
	for range 20 {
		var s Sample
		for range 15 {
			s.Add(r.Float64()-0.4, 1)
		}
		steps := s.table().steps()
		exact, sampled := exactFlips(steps), sampledFlips(steps, Options{Resamples: 20_000})
		if sampled.Exact {
			t.Error("sampled test: got Exact = true, want false")
		}
		near(t, "p-value", sampled.P, exact.P, 0.015)
	}
}

func TestSampledPValueIsNeverZero(t *testing.T) {
	var s Sample
	for i := range 100 {
		s.Add(0.5+float64(i)/1000, 1)
	}
	if got := s.table().signFlips(Options{Resamples: 999}); got.P != 0.001 {
		t.Errorf("got %+v, want a p-value of 0.001", got)
	}
}

func TestBinStepsPreservesSum(t *testing.T) {
	r := rand.New(rand.NewPCG(1, 2))
	var s Sample
	for range 5000 {
		s.Add(r.Float64()-0.49, 1)
	}
	steps := s.table().steps()
	binned := binSteps(steps, 100)
	if len(binned) > 100 {
		t.Errorf("got %d steps, want at most 100", len(binned))
	}
	sum, tolerance := observedSum(steps)
	gotSum, gotTolerance := observedSum(binned)
	near(t, "sum", gotSum, sum, 0.5)
	near(t, "tolerance", gotTolerance, tolerance, 1e-18*tolerance+1e-18)
}

// Expected values from statsmodels 0.15: TTestPower().solve_power(nobs=n, alpha=a,
// power=p), whose solver stops at six digits.
func TestDetectableMatchesStatsmodels(t *testing.T) {
	for _, c := range []struct {
		n            int
		alpha, power float64
		want         float64 // result for a standard deviation of 1, times 1/sqrt(n)
	}{
		{20, 0.05, 0.8, 0.14767924344958633},
		{200, 0.05, 0.8, 0.014075997060564355},
		{35, 0.01, 0.9, 0.11594871945149025},
	} {
		near(t, "detectable", detectable(1/float64(c.n), c.n, c.alpha, c.power), c.want, 5e-7)
	}
	near(t, "continuity at df 1e4", detectable(1, 10_002, 0.05, 0.8), detectable(1, 10_001, 0.05, 0.8), 1e-3)
	near(t, "large n", detectable(1, 1_000_000, 0.05, 0.8), 2.801585, 1e-5)
	if !math.IsNaN(detectable(1, 1, 0.05, 0.8)) {
		t.Error("one unit: got a number, want NaN")
	}
}

func TestCompareOfEqualRuns(t *testing.T) {
	c := Compare(sampleOf(make([]float64, 300)...), Options{})
	if c.Permutation.P != 1 || !math.IsNaN(c.Detectable) {
		t.Errorf("got %+v, want no differences", c)
	}
	if c.Difference.Method != Bounded || c.Difference.Lower >= 0 || c.Difference.Upper <= 0 {
		t.Errorf("got difference %+v, want a bounded interval around 0", c.Difference)
	}
}

// Under the null hypothesis, the probability of a p-value of at most p is slightly below
// p.
func TestPairedPValuesUnderTheNull(t *testing.T) {
	skipShort(t)
	r := rand.New(rand.NewPCG(5, 6))
	var flips, sampled, groups, interval counter
	for i := range *coverage {
		o := Options{Resamples: 999, Seed: uint64(i)}
		var s, distinct Sample
		var g Groups
		for j := range 60 {
			k := 1 + r.IntN(6)
			d := fraction(r, k, 0.8) - fraction(r, k, 0.8)
			s.Add(d, 1)
			distinct.Add(betaDraw(r, 8, 2)-betaDraw(r, 8, 2), 1)
			doc := string(rune('a' + j/2))
			g.Add(doc, d, 1)
			g.Add(doc, d/2, 1)
		}
		c := Compare(&s, o)
		flips.add(c.Permutation.P <= 0.05)
		interval.add(contains(c.Difference, 0))
		p := distinct.table().signFlips(o)
		sampled.add(!p.Exact && p.P <= 0.05)
		groups.add(Compare(g.Sample(), o).Permutation.P <= 0.05)
	}
	checkCoverage(t, "flips at 0.05", flips, *coverage, 0.035, 0.06)
	checkCoverage(t, "sampled flips at 0.05", sampled, *coverage, 0.035, 0.06)
	checkCoverage(t, "flips of groups at 0.05", groups, *coverage, 0.035, 0.06)
	checkCoverage(t, "paired interval", interval, *coverage, 0.935, 0.965)
}
