package compare

import (
	"flag"
	"math"
	"math/rand/v2"
	"strconv"
	"testing"

	"github.com/ragfaith/ragfaith/internal/result"
)

// simulate returns two runs of n rows with 1 to 8 claims each, of which a random share,
// mostly near 1, is supported. The second run draws four in ten verdicts again; shift lowers
// its mean share.
func simulate(seed uint64, n int, shift float64) (was, is []*result.Row) {
	r := rand.New(rand.NewPCG(seed, 1))
	claims := make([]string, 0, 8)
	draw := func(share float64) string {
		if r.Float64() < share {
			return "+"
		}
		return "-"
	}
	for i := range n {
		share := 1 - math.Pow(r.Float64(), 3) // 0.75 on average
		lower := share - shift*share/0.75
		first := make([]string, 1+r.IntN(8))
		for k := range first {
			first[k] = "c" + strconv.Itoa(k) + draw(share)
		}
		claims = claims[:0]
		for k, claim := range first {
			switch {
			case r.Float64() < 0.4:
				claim = "c" + strconv.Itoa(k) + draw(lower)
			case claim[len(claim)-1] == '+' && r.Float64() > lower/share:
				claim = claim[:len(claim)-1] + "-"
			}
			claims = append(claims, claim)
		}
		id := strconv.Itoa(i)
		was, is = append(was, row(id, first...)), append(is, row(id, claims...))
	}
	return was, is
}

// pairs is the number of simulated pairs of runs. The statistics in docs/statistics.md are those
// of 4,000.
var pairs = flag.Int("pairs", 200, "number of simulated pairs of runs; a quarter as many for the gate")

func TestPValuesAreUniformWithoutADifference(t *testing.T) {
	if testing.Short() {
		t.Skip("skipping 200 comparisons with -short")
	}
	runs := *pairs
	var ps []float64
	for seed := range uint64(runs) {
		was, is := simulate(seed, 60, 0)
		c := run(t, Options{Seed: seed}, source("was", was...), source("is", is...))
		ps = append(ps, c.Permutation.P)
	}
	for _, level := range []float64{0.05, 0.1, 0.25, 0.5, 0.75, 0.9} {
		below := 0
		for _, p := range ps {
			if p <= level {
				below++
			}
		}
		got, tolerance := float64(below)/float64(runs), 4*math.Sqrt(level*(1-level)/float64(runs))
		t.Logf("%.3f of the p-values are at most %v", got, level)
		if math.Abs(got-level) > tolerance {
			t.Errorf("got a share of %.3f p-values up to %v, want %v within %.3f", got, level, level, tolerance)
		}
	}
}

// With 200 rows, --max-drop 0.02 detects a drop of 0.05 and passes a run of the same system.
func TestGateDetectsDropsAndIgnoresNoise(t *testing.T) {
	if testing.Short() {
		t.Skip("skipping 120 comparisons with -short")
	}
	runs := max(60, *pairs/4)
	maxDrop := 0.02
	for _, tt := range []struct{ shift, min, max float64 }{{0, 0, 0.05}, {0.05, 0.85, 1}} {
		failed := 0
		var stderr, difference float64
		for seed := range uint64(runs) {
			was, is := simulate(1000+seed, 200, tt.shift)
			c := run(t, Options{Seed: seed, MaxDrop: &maxDrop}, source("was", was...), source("is", is...))
			if !c.Gate.Passed {
				failed++
			}
			stderr += (c.Difference.Upper - c.Difference.Lower) / (2 * 1.96) / float64(runs)
			difference += c.Difference.Estimate / float64(runs)
		}
		got := float64(failed) / float64(runs)
		t.Logf("shift %v: %.3f fail; mean difference %.4f, standard error %.4f", tt.shift, got, difference, stderr)
		if got < tt.min || got > tt.max {
			t.Errorf("shift %v: got a share of %.3f failing gates, want %v to %v", tt.shift, got, tt.min, tt.max)
		}
	}
}
