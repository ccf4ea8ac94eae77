package stats

import (
	"flag"
	"math"
	"math/rand/v2"
	"testing"

	"gonum.org/v1/gonum/stat/distuv"
)

// The coverage tests simulate datasets with known true values and count how often an
// interval contains them. For a full run, use
//
//	go test ./internal/stats -run Cover -v -coverage 2000
var coverage = flag.Int("coverage", 200, "number of simulated datasets per test case")

// checkCoverage checks that the fraction hits/total is between low and high, with a
// tolerance of three standard errors for short simulations.
func checkCoverage(t *testing.T, name string, hits counter, total int, low, high float64) {
	t.Helper()
	fraction := float64(hits) / float64(total)
	t.Logf("%-28s %6.2f%%", name, 100*fraction)
	tolerance := 0.0
	if total < 2000 {
		tolerance = 3 * math.Sqrt(0.05*0.95/float64(total))
	}
	if fraction < low-tolerance || fraction > high+tolerance {
		t.Errorf("%s: got %.2f%% of %d, want %.1f%% to %.1f%%", name, 100*fraction, total, 100*low, 100*high)
	}
}

// A counter counts how often something happens.
type counter int

func (c *counter) add(happened bool) {
	if happened {
		*c++
	}
}

// contains reports whether x is in the interval.
func contains(i Interval, x float64) bool { return i.Lower <= x && x <= i.Upper }

func skipShort(t *testing.T) {
	t.Helper()
	if testing.Short() {
		t.Skip("slow, skipped with -short")
	}
}

func betaDraw(r *rand.Rand, a, b float64) float64 {
	return distuv.Beta{Alpha: a, Beta: b, Src: r}.Rand()
}

// fraction draws the fraction of n claims that are supported, each with
// probability p.
func fraction(r *rand.Rand, n int, p float64) float64 {
	k := 0
	for range n {
		if r.Float64() < p {
			k++
		}
	}
	return float64(k) / float64(n)
}

// oneOr returns a function that draws 1 with probability p, and otherwise from
// other.
func oneOr(p float64, other func(r *rand.Rand) float64) func(r *rand.Rand) float64 {
	return func(r *rand.Rand) float64 {
		if r.Float64() < p {
			return 1
		}
		return other(r)
	}
}

func uniform(r *rand.Rand) float64 { return r.Float64() }

// halves draws a fraction of 1 to 6 claims that are supported with probability 0.5.
func halves(r *rand.Rand) float64 { return fraction(r, 1+r.IntN(6), 0.5) }

func TestIntervalCoverage(t *testing.T) {
	skipShort(t)
	// The mean of a mixture is p + (1-p) times the other mean.
	for _, c := range []struct {
		name      string
		n         int
		mean      float64
		draw      func(r *rand.Rand) float64
		low, high float64
	}{
		{"half 1, half Beta(8,2)", 50, 0.9, oneOr(0.5, func(r *rand.Rand) float64 { return betaDraw(r, 8, 2) }), 0.935, 0.965},
		{"fractions of 1 to 6 claims", 50, 6. / 7, func(r *rand.Rand) float64 { return fraction(r, 1+r.IntN(6), betaDraw(r, 6, 1)) }, 0.935, 0.965},
		{"0.7 at 1, else uniform", 50, 0.85, oneOr(0.7, uniform), 0.935, 0.965},
		{"0.8 at 1, else fractions", 50, 0.9, oneOr(0.8, halves), 0.935, 0.97},
		{"0.9 at 1, else uniform", 50, 0.95, oneOr(0.9, uniform), 0.935, 0.98},
		// With few distinct rows, the interval is Bounded.
		{"0.95 at 1, else uniform", 50, 0.975, oneOr(0.95, uniform), 0.945, 1},
		{"0.98 at 1, else uniform", 50, 0.99, oneOr(0.98, uniform), 0.945, 1},
		{"0 or 1, 0.9 at 1", 50, 0.9, func(r *rand.Rand) float64 { return fraction(r, 1, 0.9) }, 0.935, 0.985},
		{"Beta(0.5,0.2)", 50, 5. / 7, func(r *rand.Rand) float64 { return betaDraw(r, 0.5, 0.2) }, 0.935, 0.965},
		{"Beta(80,20)", 50, 0.8, func(r *rand.Rand) float64 { return betaDraw(r, 80, 20) }, 0.935, 0.965},
		{"Beta(1,6)", 50, 1. / 7, func(r *rand.Rand) float64 { return betaDraw(r, 1, 6) }, 0.935, 0.965},
		{"20 fractions", 20, 6. / 7, func(r *rand.Rand) float64 { return fraction(r, 1+r.IntN(6), betaDraw(r, 6, 1)) }, 0.935, 0.985},
		{"200, 0.9 at 1, else uniform", 200, 0.95, oneOr(0.9, uniform), 0.935, 0.965},
		{"400, 0.98 at 1, else fractions", 400, 0.99, oneOr(0.98, halves), 0.935, 0.985},
	} {
		r := rand.New(rand.NewPCG(1, 2))
		var hits counter
		for i := range *coverage {
			var s Sample
			for range c.n {
				s.Add(c.draw(r), 1)
			}
			hits.add(contains(s.Interval(Options{Resamples: 1000, Seed: uint64(i)}), c.mean))
		}
		checkCoverage(t, c.name, hits, *coverage, c.low, c.high)
	}
}

func TestClaimAndGroupIntervalCoverage(t *testing.T) {
	skipShort(t)
	var claims, groups, naive counter
	r := rand.New(rand.NewPCG(3, 4))
	for i := range *coverage {
		o := Options{Resamples: 1000, Seed: uint64(i)}
		// Rows with more claims score lower: the mean over claims is
		// sum n p(n) / sum n with p(n) = 1 - n/12.
		var micro Sample
		for range 50 {
			n := 1 + r.IntN(6)
			micro.Add(float64(n)*fraction(r, n, 1-float64(n)/12), float64(n))
		}
		claims.add(contains(micro.Interval(o), 23./36))
		// 50 documents with 1 to 10 correlated rows.
		var g Groups
		var rows Sample
		for d := range 50 {
			p := betaDraw(r, 4, 1)
			for range 1 + r.IntN(10) {
				x := fraction(r, 3, p)
				g.Add(string(rune('a'+d)), x, 1)
				rows.Add(x, 1)
			}
		}
		groups.add(contains(g.Sample().Interval(o), 0.8))
		naive.add(contains(rows.Interval(o), 0.8))
	}
	checkCoverage(t, "mean of claims", claims, *coverage, 0.935, 0.965)
	checkCoverage(t, "mean over 50 documents", groups, *coverage, 0.93, 0.965)
	checkCoverage(t, "rows as if independent", naive, *coverage, 0.6, 0.9)
}
