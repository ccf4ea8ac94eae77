package stats

import (
	"math/rand/v2"
	"testing"
)

// benchmarkInterval measures an interval of 100,000 rows with 10,000 resamples.
func benchmarkInterval(b *testing.B, draw func(r *rand.Rand) (sum, size float64)) {
	r := rand.New(rand.NewPCG(1, 2))
	var s Sample
	for range 100_000 {
		s.Add(draw(r))
	}
	for b.Loop() {
		if !s.Interval(Options{}).Reliable() {
			b.Fatal("got no interval, want one")
		}
	}
}

func BenchmarkIntervalOfFractions(b *testing.B) {
	benchmarkInterval(b, func(r *rand.Rand) (sum, size float64) { return fraction(r, 1+r.IntN(8), 0.8), 1 })
}

func BenchmarkIntervalOfClaims(b *testing.B) {
	benchmarkInterval(b, func(r *rand.Rand) (sum, size float64) {
		n := 1 + r.IntN(8)
		return float64(n) * fraction(r, n, 0.8), float64(n)
	})
}

func BenchmarkIntervalOfDistinctScores(b *testing.B) {
	benchmarkInterval(b, func(r *rand.Rand) (sum, size float64) { return r.Float64(), 1 })
}
