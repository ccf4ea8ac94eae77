package stats

import (
	"math"
	"math/rand/v2"
	"slices"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/google/go-cmp/cmp/cmpopts"
	"go.uber.org/goleak"
)

// A description holds the statistics of pandas' describe and two deciles.
type description struct {
	Count                    int
	Mean, Std                float64
	Min, Q1, Median, Q3, Max float64
	FirstDecile, LastDecile  float64
}

func describe(s *Summary) description {
	return description{
		Count: s.Count(), Mean: s.Mean(), Std: s.Std(),
		Min: s.Min(), Q1: s.Quantile(0.25), Median: s.Quantile(0.5), Q3: s.Quantile(0.75), Max: s.Max(),
		FirstDecile: s.Quantile(0.1), LastDecile: s.Quantile(0.9),
	}
}

func summaryOf(values ...float64) *Summary {
	var s Summary
	for _, x := range values {
		s.Add(x)
	}
	return &s
}

// Expected values from pandas 3.1.1 and NumPy 2.4.6.
func TestSummaryMatchesPandas(t *testing.T) {
	nan, third := math.NaN(), 1.0/3
	thousand := make([]float64, 1000)
	for i := range thousand {
		n := i%6 + 1
		thousand[i] = min(float64(i*7919%(n+1))/float64(n), 1)
	}
	for _, tt := range []struct {
		name   string
		values []float64
		want   description
	}{
		{"no value", nil, description{0, nan, nan, nan, nan, nan, nan, nan, nan, nan}},
		{"only missing values", []float64{nan, nan}, description{0, nan, nan, nan, nan, nan, nan, nan, nan, nan}},
		{"one value", []float64{1}, description{1, 1, nan, 1, 1, 1, 1, 1, 1, 1}},
		{"two values", []float64{0.5, 1}, description{2, 0.75, 0.3535533905932738, 0.5, 0.625, 0.75, 0.875, 1, 0.55, 0.95}},
		{"missing value", []float64{0.5, nan, 1}, description{2, 0.75, 0.3535533905932738, 0.5, 0.625, 0.75, 0.875, 1, 0.55, 0.95}},
		{"equal values", slices.Repeat([]float64{third}, 7), description{7, third, 0, third, third, third, third, third, third, third}},
		{"thirds", []float64{0, third, 2 * third, 1, 1, third}, description{6, 0.5555555555555556, 0.4036867138796656, 0, third, 0.5, 0.9166666666666666, 1, third / 2, 1}},
		{"a thousand fractions", thousand, description{1000, 0.45581666666666665, 0.38135239817790645, 0, 0, 0.4, 0.75, 1, 0, 1}},
	} {
		t.Run(tt.name, func(t *testing.T) {
			got := describe(summaryOf(tt.values...))
			if d := cmp.Diff(tt.want, got, cmpopts.EquateNaNs(), cmpopts.EquateApprox(0, 1e-14)); d != "" {
				t.Errorf("summary (-want +got):\n%s", d)
			}
		})
	}
}

func TestStdOfEqualValuesIsZero(t *testing.T) {
	if got := summaryOf(slices.Repeat([]float64{0.1}, 1001)...).Std(); got != 0 {
		t.Errorf("got %v, want 0", got)
	}
}

func TestMeanOfEqualValuesIsExact(t *testing.T) {
	if got := summaryOf(0.95, 0.95, 0.95).Mean(); got != 0.95 {
		t.Errorf("got %v, want 0.95", got)
	}
}

func TestSummaryIsOrderIndependent(t *testing.T) {
	random := rand.New(rand.NewPCG(1, 2))
	for range 200 {
		values := make([]float64, 1+random.IntN(300))
		for i := range values {
			n := 1 + random.IntN(9)
			values[i] = float64(random.IntN(n+1)) / float64(n)
		}
		want := describe(summaryOf(values...))
		random.Shuffle(len(values), func(i, j int) { values[i], values[j] = values[j], values[i] })
		cut := random.IntN(len(values) + 1)
		merged := summaryOf(values[cut:]...)
		merged.Merge(summaryOf(values[:cut]...))
		if d := cmp.Diff(want, describe(merged), cmpopts.EquateNaNs()); d != "" {
			t.Fatalf("summary (-want +got):\n%s", d)
		}
	}
}

func TestQuantileOutOfRangeIsNaN(t *testing.T) {
	s := summaryOf(0, 1)
	for _, p := range []float64{-0.1, 1.1, math.NaN()} {
		if got := s.Quantile(p); !math.IsNaN(got) {
			t.Errorf("Quantile(%v): got %v, want NaN", p, got)
		}
	}
}

func TestSummaryMemoryDependsOnDistinctValues(t *testing.T) {
	var s Summary
	allocs := testing.AllocsPerRun(5, func() {
		for i := range 100_000 {
			s.Add(float64(i%7) / 6)
		}
	})
	if allocs > 5 {
		t.Errorf("got %v allocations for 100,000 values, want at most 5", allocs)
	}
}

func TestMain(m *testing.M) { goleak.VerifyTestMain(m) }
