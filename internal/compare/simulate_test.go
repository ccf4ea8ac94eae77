package compare

import (
	"flag"
	"math"
	"math/rand/v2"
	"strconv"
	"testing"

	"github.com/ragfaith/ragfaith/internal/result"
)

// drawn makes two runs of n rows. Each row has 1 to 8 claims and a share of them
// that it supports on average, mostly near 1. A run of the same system says four
// in ten claims anew; with a shift, that share is lower by it on average.
func drawn(seed uint64, n int, shift float64) (was, is []*result.Row) {
	r := rand.New(rand.NewPCG(seed, 1))
	claims := make([]string, 0, 8)
	say := func(share float64) string {
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
			first[k] = "c" + strconv.Itoa(k) + say(share)
		}
		claims = claims[:0]
		for k, claim := range first {
			switch {
			case r.Float64() < 0.4:
				claim = "c" + strconv.Itoa(k) + say(lower)
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

// pairs is how many runs of one system are compared; the pages' figures are those
// of 4,000.
var pairs = flag.Int("pairs", 200, "runs of one system to compare; a quarter as many for the gate")

// Of two runs of one system every p-value is as likely as any other.
func TestPValuesOfRunsOfOneSystemAreUniform(t *testing.T) {
	if testing.Short() {
		t.Skip("200 comparisons are made without -short only")
	}
	runs := *pairs
	var permutation, wilcoxon []float64
	for seed := range uint64(runs) {
		was, is := drawn(seed, 60, 0)
		c := run(t, Options{Seed: seed}, source("was", was...), source("is", is...))
		permutation = append(permutation, c.Figures.Permutation.TwoSided)
		wilcoxon = append(wilcoxon, c.Figures.Wilcoxon.TwoSided)
	}
	for name, ps := range map[string][]float64{"permutation": permutation, "Wilcoxon": wilcoxon} {
		for _, level := range []float64{0.05, 0.1, 0.25, 0.5, 0.75, 0.9} {
			below := 0
			for _, p := range ps {
				if p <= level {
					below++
				}
			}
			got, room := float64(below)/float64(runs), 4*math.Sqrt(level*(1-level)/float64(runs))
			t.Logf("%s: %.3f of p-values are at most %v", name, got, level)
			if math.Abs(got-level) > room {
				t.Errorf("%s: %.3f of p-values are at most %v", name, got, level)
			}
		}
	}
}

// With 200 rows a drop of 0.05 fails a bar of 0.02, and another run of the same
// system passes it.
func TestTheGateFindsADropAndNoChance(t *testing.T) {
	if testing.Short() {
		t.Skip("120 comparisons are made without -short only")
	}
	runs := max(60, *pairs/4)
	bar := 0.02
	for _, tt := range []struct{ shift, least, most float64 }{{0, 0, 0.05}, {0.05, 0.85, 1}} {
		failed := 0
		var deviation, moved float64
		for seed := range uint64(runs) {
			was, is := drawn(1000+seed, 200, tt.shift)
			c := run(t, Options{Seed: seed, MaxDrop: &bar}, source("was", was...), source("is", is...))
			if !c.Gate.Passed {
				failed++
			}
			deviation += (c.Figures.Difference.Upper - c.Figures.Difference.Lower) / (2 * 1.96) / float64(runs)
			moved += c.Figures.Difference.Estimate / float64(runs)
		}
		got := float64(failed) / float64(runs)
		t.Logf("shift %v: %.3f fail; the mean moves by %.4f, with a standard error of %.4f", tt.shift, got, moved, deviation)
		if got < tt.least || got > tt.most {
			t.Errorf("shift %v: %.3f fail", tt.shift, got)
		}
	}
}
