package stats

import (
	"math"

	"gonum.org/v1/gonum/stat"
)

// A Corrected is the mean of the truth over many judged rows, as people would
// have labelled them, from the few that they did label.
type Corrected struct {
	// Mean is the corrected mean with its interval; N counts labelled rows.
	Mean Interval
	// Judged is the mean of the judge's scores over the rows without a label,
	// not corrected.
	Judged float64
	// Labelled is the mean of the truth over the labelled rows alone. Where it
	// is as narrow as Mean, the judge adds nothing.
	Labelled Interval
	// Lambda is the weight of the judge, from 0 to 1: 0 leaves the labels alone.
	Lambda float64
}

// CorrectedMean is prediction-powered inference for a mean: that of the judge
// over the rows without a label, plus what it is off by on the labelled ones,
//
//	λ·mean(rest) + mean(truth - λ·judged)
//
// (Angelopoulos, Bates, Fannjiang, Jordan and Zrnic, Science 382, 2023, with
// λ = 1), with the λ that makes it the most certain, cov(truth, judged) over
// (1+n/N)·var(judged), cut at 0 and 1 (Angelopoulos, Duchi and Zrnic, "PPI++",
// arXiv:2311.01453, 2023). Without other rows it is 0. It is right however bad the judge is, if
// the labelled rows were drawn at random from the same rows as the rest.
//
// truth and judged are of one length and belong to the n labelled rows, rest
// to the N others, which must not hold the labelled ones. All are in o's range.
// A row of which either is NaN is left out.
//
// The interval is not that of the papers, the estimate and a multiple of its
// standard error. With 50 labels and rows mostly at 1 that held the mean in 82%
// to 94% of samples, for a few rows decide, and least where few labels differ
// from the judge's scores. The two means are of different rows, so
// their intervals, those of [Sample.Interval], are put together by square and
// add (Zou and Donner, Statistics in Medicine 27, 2008). Where fewer than five
// rows differ from the judge, λ is 1, so that the difference shows how few.
func CorrectedMean(truth, judged []float64, rest *Summary, o Options) Corrected {
	o = o.withDefaults()
	var y, f []float64
	differ := 0
	for i := range truth {
		if math.IsNaN(truth[i]) || math.IsNaN(judged[i]) {
			continue
		}
		y, f = append(y, truth[i]), append(f, judged[i])
		if tied(truth[i]) != tied(judged[i]) {
			differ++
		}
	}
	c := Corrected{Judged: rest.Mean(), Lambda: 1}
	if differ >= leastDifferent || rest.Count() == 0 {
		c.Lambda = lambda(y, f, rest)
	}
	var labels, off Sample
	for i := range y {
		labels.Add(y[i], 1)
		off.Add(y[i]-c.Lambda*f[i], 1)
	}
	c.Labelled = labels.Interval(o)
	if c.Lambda == 0 {
		c.Mean = c.Labelled
		return c
	}
	around := o
	around.Low, around.High = o.Low-c.Lambda*o.High, o.High-c.Lambda*o.Low
	c.Mean = off.Interval(around)
	judge := rest.Sample().Interval(o)
	c.Mean.Estimate += c.Lambda * judge.Estimate
	if !c.Mean.Reliable() {
		return c
	}
	if !judge.Reliable() {
		c.Mean.Lower, c.Mean.Upper, c.Mean.Method = math.NaN(), math.NaN(), TooFew
		c.Mean.Note = "rows without a label: " + judge.Note
		return c
	}
	mean := off.Mean()
	below := math.Hypot(mean-c.Mean.Lower, c.Lambda*(judge.Estimate-judge.Lower))
	above := math.Hypot(c.Mean.Upper-mean, c.Lambda*(judge.Upper-judge.Estimate))
	c.Mean.Lower = max(o.Low, c.Mean.Estimate-below)
	c.Mean.Upper = min(o.High, c.Mean.Estimate+above)
	return c
}

// lambda is that of PPI++, with the variance of the judge's scores over all
// rows; 0 where there is none, and where there are no rows without a label.
func lambda(y, f []float64, rest *Summary) float64 {
	n, others := float64(len(y)), float64(rest.Count())
	if others == 0 {
		return 0
	}
	var all Summary
	all.Merge(rest)
	for _, x := range f {
		all.Add(x)
	}
	deviation := all.Std()
	if deviation == 0 {
		return 0
	}
	common := stat.Covariance(y, f, nil) * (n - 1) / n // as in the authors' ppi_py
	return max(0, min(1, common/((1+n/others)*deviation*deviation)))
}
