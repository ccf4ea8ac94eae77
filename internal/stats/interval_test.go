package stats

import (
	"math"
	"math/rand/v2"
	"runtime"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/google/go-cmp/cmp/cmpopts"
	"gonum.org/v1/gonum/mathext"
	"gonum.org/v1/gonum/stat/distuv"
)

func near(t *testing.T, name string, got, want, tolerance float64) {
	t.Helper()
	if !(math.Abs(got-want) <= tolerance) {
		t.Errorf("%s: got %.16g, want %.16g", name, got, want)
	}
}

func sampleOf(scores ...float64) *Sample { return summaryOf(scores...).Sample() }

func claimsOf(supported, claims []float64) *Sample {
	var s Sample
	for i := range claims {
		s.Add(supported[i], claims[i])
	}
	return &s
}

var (
	mixed     = []float64{1, 1, 0.5, 0.75, 1, 0, 1, 1, 2. / 3, 1, 0.8, 1, 1, 0.25, 1, 1, 0.5, 1, 1, 0.9, 1, 0.6, 1, 1, 1. / 3}
	supported = []float64{1, 2, 3, 4, 2, 5, 0, 3, 1, 6, 2, 2, 4, 1, 3, 5, 2, 1, 4, 3, 0, 2}
	claims    = []float64{1, 2, 4, 4, 3, 6, 1, 3, 2, 6, 2, 3, 5, 1, 3, 6, 2, 2, 4, 3, 2, 2}
)

// Expected values from scipy 1.17 with 400,000 resamples:
// bootstrap((x,), np.mean, method="BCa") and
// bootstrap((k, n), lambda k, n, axis: k.sum(axis)/n.sum(axis), paired=True, method="BCa"),
// which does not expand the levels; the acceleration is skew(x)/6/sqrt(len(x)).
func TestBCaMatchesScipy(t *testing.T) {
	for _, c := range []struct {
		name         string
		sample       *Sample
		mean         float64
		lower, upper float64
	}{
		{"macro", sampleOf(mixed...), 0.812, 0.6733333333333333, 0.9033333333333333},
		{"micro", claimsOf(supported, claims), 0.835820895522388, 0.7307692307692307, 0.90625},
	} {
		table := c.sample.table()
		near(t, c.name, table.mean(), c.mean, 1e-15)
		means := table.resampleMeans(200_000, 1)
		bias, a := mathext.NormalQuantile(shareBelow(means, c.mean)), table.acceleration()
		z := mathext.NormalQuantile(0.975)
		near(t, c.name+" lower", quantile(means, bcaLevel(-z, bias, a)), c.lower, 0.0015)
		near(t, c.name+" upper", quantile(means, bcaLevel(z, bias, a)), c.upper, 0.0015)
	}
	near(t, "acceleration", sampleOf(mixed...).table().acceleration(), -0.046649023716099684, 1e-15)
}

// Expected values from scipy 1.17: t.ppf(0.975, 24)*sqrt(25/24) and its norm.cdf.
func TestExpandedQuantile(t *testing.T) {
	near(t, "25 units", expandedQuantile(0.025, 25), 2.106457648688667, 1e-12)
	near(t, "no correction", bcaLevel(expandedQuantile(0.025, 25), 0, 0), 0.9824176908918206, 1e-12)
	near(t, "above the pole", bcaLevel(20, 0, 0.1), 1, 0)
	near(t, "below the pole", bcaLevel(-20, 0, -0.1), 0, 0)
}

// The standard error of scores is s/sqrt(n). The standard error of claims is Cochran's,
// in NumPy sqrt(((k-r*n)**2).sum()/(len(k)-1)*len(k))/n.sum().
func TestStandardError(t *testing.T) {
	near(t, "macro", sampleOf(mixed...).table().standardError(), summaryOf(mixed...).Std()/5, 1e-15)
	near(t, "micro", claimsOf(supported, claims).table().standardError(), 0.0434953785978403, 1e-14)
}

func TestIntervalRequiresEnoughUnits(t *testing.T) {
	large := sampleOf(mixed...)
	large.Add(20, 40)
	for name, s := range map[string]*Sample{
		"no rows":    {},
		"large one":  large,
		"nineteen":   sampleOf(mixed[:19]...),
		"one row":    sampleOf(1),
		"19 and NaN": sampleOf(append(slices.Clone(mixed[:19]), math.NaN())...),
	} {
		got := s.Interval(Options{})
		if got.Reliable() || !math.IsNaN(got.Lower) || !math.IsNaN(got.Upper) || !strings.Contains(got.Note, "too few") {
			t.Errorf("%s: got %+v, want no interval and a note", name, got)
		}
		if s.n > 0 && math.IsNaN(got.Estimate) {
			t.Errorf("%s: got estimate NaN, want a number", name)
		}
	}
}

func TestIntervalOfConstantScoresIsBounded(t *testing.T) {
	ones := sampleOf(slices.Repeat([]float64{1}, 100)...)
	got := ones.Interval(Options{})
	near(t, "lower", got.Lower, math.Pow(0.025, 0.01), 1e-15)
	near(t, "upper", got.Upper, 1, 0)
	if got.Method != Bounded || !strings.HasPrefix(got.Note, "all 100 values are equal") {
		t.Errorf("got %+v, want a bounded interval with a note", got)
	}
	half := sampleOf(slices.Repeat([]float64{0.5}, 100)...).Interval(Options{})
	near(t, "half", half.Upper-0.5, 0.5-half.Lower, 1e-15)

	// Rows with more claims have a larger weight.
	var all Sample
	for i := range 100 {
		all.Add(float64(1+i%3), float64(1+i%3))
	}
	claims := all.Interval(Options{})
	if claims.Lower >= got.Lower || claims.Lower < 0.9 || claims.Upper != 1 {
		t.Errorf("claims: got %+v, want a wider interval from 0.9 to 1", claims)
	}
}

// For scores of 0 and 1 the interval is that of Clopper and Pearson: statsmodels 0.15,
// proportion_confint(97, 100, method="beta").
func TestBoundedIntervalMatchesClopperPearson(t *testing.T) {
	scores := append(slices.Repeat([]float64{1}, 97), 0, 0, 0)
	got := sampleOf(scores...).Interval(Options{Resamples: 100_000})
	if got.Method != Bounded || !strings.HasPrefix(got.Note, "only 3 of 100 differ") {
		t.Errorf("got %+v, want a bounded interval with a note", got)
	}
	near(t, "lower", got.Lower, 0.9148239, 5e-4)
	near(t, "upper", got.Upper, 0.9937700, 5e-4)
	near(t, "lower by the beta quantile", got.Lower, distuv.Beta{Alpha: 97, Beta: 4}.Quantile(0.025), 5e-4)
}

// randomSample returns a sample of rows, claims or groups.
func randomSample(r *rand.Rand, n, kind int) *Sample {
	var s Sample
	var g Groups
	for range n {
		k := 1 + r.IntN(6)
		x := fraction(r, k, 0.7)
		switch kind {
		case 0:
			s.Add(x, 1)
		case 1:
			s.Add(x*float64(k), float64(k))
		default:
			g.Add(string(rune('a'+r.IntN(40))), x, 1)
		}
	}
	if kind == 2 {
		return g.Sample()
	}
	return &s
}

func TestIntervalGrowsWithConfidence(t *testing.T) {
	r := rand.New(rand.NewPCG(1, 2))
	for range 60 {
		s := randomSample(r, 20+r.IntN(200), r.IntN(3))
		if s.n < minUnits {
			continue
		}
		last := Interval{Lower: s.Mean(), Upper: s.Mean()}
		for _, confidence := range []float64{0.6, 0.8, 0.9, 0.95, 0.99, 0.999} {
			got := s.Interval(Options{Confidence: confidence, Resamples: 500})
			if got.Lower > last.Lower || got.Upper < last.Upper {
				t.Errorf("confidence %v, %d units: got %+v, want it to contain %+v", confidence, s.n, got, last)
			}
			if got.Lower < -1e-12 || got.Upper > 1+1e-12 {
				t.Errorf("got %+v, want ends within 0 and 1", got)
			}
			last = got
		}
	}
}

func TestIntervalIsReproducible(t *testing.T) {
	r := rand.New(rand.NewPCG(1, 2))
	type row struct {
		group      string
		score, all float64
	}
	rows := make([]row, 500)
	for i := range rows {
		n := 1 + r.IntN(6)
		rows[i] = row{string(rune('a' + r.IntN(60))), fraction(r, n, 0.8), float64(n)}
	}
	intervals := func() [3]Interval {
		var macro, micro Sample
		var groups Groups
		for _, row := range rows {
			macro.Add(row.score, 1)
			micro.Add(row.score*row.all, row.all)
			groups.Add(row.group, row.score, 1)
		}
		o := Options{Resamples: 1000, Seed: 7}
		return [3]Interval{macro.Interval(o), micro.Interval(o), groups.Sample().Interval(o)}
	}
	want := intervals()
	r.Shuffle(len(rows), func(i, j int) { rows[i], rows[j] = rows[j], rows[i] })
	defer runtime.GOMAXPROCS(runtime.GOMAXPROCS(1))
	if d := cmp.Diff(want, intervals()); d != "" {
		t.Errorf("rows in another order (-want +got):\n%s", d)
	}
	s := randomSample(r, 300, 0)
	one, two := s.Interval(Options{Seed: 1}), s.Interval(Options{Seed: 2})
	if one.Lower == two.Lower && one.Upper == two.Upper {
		t.Errorf("got equal intervals %+v for different seeds, want different ones", one)
	}
	near(t, "another seed", one.Lower, two.Lower, 0.002)
}

func TestBinnedPreservesInterval(t *testing.T) {
	r := rand.New(rand.NewPCG(1, 2))
	var s Sample
	for range 20_000 {
		n := 1 + r.Float64()
		s.Add(n*math.Sqrt(r.Float64()), n)
	}
	whole := s.table()
	binned := whole.binned(maxBins)
	if len(binned.units) > maxBins {
		t.Errorf("got %d units, want at most %d", len(binned.units), maxBins)
	}
	near(t, "mean", binned.mean(), whole.mean(), 1e-12)
	near(t, "standard error", binned.standardError()/whole.standardError(), 1, 1e-5)
	near(t, "acceleration", binned.acceleration()/whole.acceleration(), 1, 1e-3)
	got, width := s.Interval(Options{Resamples: 2000}), 1.96*whole.standardError()
	near(t, "lower", got.Lower, whole.mean()-width, width/10)
	near(t, "upper", got.Upper, whole.mean()+width, width/10)
}

func TestBinomialDistribution(t *testing.T) {
	r := rand.New(rand.NewPCG(1, 2))
	for _, c := range []struct {
		n int
		p float64
	}{{1, 0.5}, {30, 0.1}, {30, 0.9}, {25, 0.5}, {200, 0.06}, {1000, 0.5}, {100_000, 0.0002}} {
		b := newBinomial(c.p)
		counts := make(map[int]int)
		const draws = 50_000
		for range draws {
			counts[b.draw(r, c.n)]++
		}
		want := distuv.Binomial{N: float64(c.n), P: c.p}
		chi, cells := 0.0, 0.0
		for k := range c.n + 1 {
			expected := draws * want.Prob(float64(k))
			if expected < 10 {
				continue
			}
			d := float64(counts[k]) - expected
			chi += d * d / expected
			cells++
		}
		if p := (distuv.ChiSquared{K: max(1, cells-1)}).Survival(chi); p < 1e-4 {
			t.Errorf("%+v: got p = %v (chi square %.1f, %v cells), want at least 1e-4", c, p, chi, cells)
		}
	}
}

func TestGroupsSumRows(t *testing.T) {
	var g Groups
	third := 1. / 3
	for range 3 {
		g.Add("a", third, 1)
	}
	g.Add("b", 0.1, 1)
	g.Add("b", 0.2, 1)
	g.Add("b", math.NaN(), 1)
	g.Add("c", 1, 0)
	want := []unit{{0.3, 2}, {1, 3}}
	s := g.Sample()
	if d := cmp.Diff(want, s.table().units, cmp.AllowUnexported(unit{}), cmpopts.EquateApprox(0, 1e-15)); d != "" {
		t.Errorf("units (-want +got):\n%s", d)
	}
	near(t, "mean", s.Mean(), 1.3/5, 1e-15)
}
