package stats

import (
	"math"
	"math/rand/v2"
	"testing"

	"gonum.org/v1/gonum/stat/distuv"
)

func TestAgreementIntervalCoverage(t *testing.T) {
	skipShort(t)
	r := rand.New(rand.NewPCG(7, 8))
	normal := func(mean float64) float64 { return mean + r.NormFloat64() }
	const auc, threshold = 0.8, 1.1902 // sqrt(2) times the normal quantile of 0.8
	accuracy := distuv.UnitNormal.CDF(threshold / 2)
	kappa := (accuracy - chanceAt(0.3, accuracy)) / (1 - chanceAt(0.3, accuracy))
	var auroc, smallAUROC, balanced, kappas, spearman, tiedSpearman counter
	for range *coverage {
		n := 100
		positive, scores := make([]bool, n), make([]float64, n)
		for i := range scores {
			positive[i] = i < 30
			scores[i] = normal(0)
			if positive[i] {
				scores[i] += threshold
			}
		}
		predicted := predictAt(scores, threshold/2)
		auroc.add(contains(AUROCInterval(positive, scores), auc))
		smallAUROC.add(contains(AUROCInterval(positive[20:60], scores[20:60]), auc))
		balanced.add(contains(confusion(positive, predicted).BalancedAccuracy(), accuracy))
		// Labels and predictions are both random for kappa.
		for i := range positive {
			positive[i] = r.Float64() < 0.3
			predicted[i] = positive[i] == (r.Float64() < accuracy)
		}
		kappas.add(contains(confusion(positive, predicted).Kappa(), kappa))
		x, y := make([]float64, n), make([]float64, n)
		for i := range x {
			x[i] = r.NormFloat64()
			y[i] = 0.5*x[i] + math.Sqrt(0.75)*r.NormFloat64()
		}
		spearman.add(contains(SpearmanInterval(x, y), 6/math.Pi*math.Asin(0.25)))
		for i := range x {
			x[i], y[i] = math.Round(x[i]), math.Round(y[i]/2)
		}
		tiedSpearman.add(contains(SpearmanInterval(x, y), 0.405))
	}
	checkCoverage(t, "AUROC, 30 of 100", auroc, *coverage, 0.935, 0.965)
	checkCoverage(t, "AUROC, 10 of 40", smallAUROC, *coverage, 0.93, 0.975)
	checkCoverage(t, "balanced accuracy", balanced, *coverage, 0.935, 0.965)
	checkCoverage(t, "kappa", kappas, *coverage, 0.93, 0.965)
	checkCoverage(t, "Spearman", spearman, *coverage, 0.935, 0.965)
	checkCoverage(t, "Spearman, many ties", tiedSpearman, *coverage, 0.935, 0.975)
}

// chanceAt returns the chance agreement of predictions with the given accuracy
// for a given fraction of positive labels.
func chanceAt(share, accuracy float64) float64 {
	predicted := share*accuracy + (1-share)*(1-accuracy)
	return share*predicted + (1-share)*(1-predicted)
}

func TestOutOfFoldAccuracyIsUnbiased(t *testing.T) {
	skipShort(t)
	r := rand.New(rand.NewPCG(9, 10))
	var noiseCovered, apparentAbove, usefulCovered counter
	mean := 0.0
	times := max(1, *coverage/4)
	for i := range times {
		positive, noise, scores := make([]bool, 80), make([]float64, 80), make([]float64, 80)
		for i := range positive {
			positive[i] = i%2 == 0
			noise[i] = r.NormFloat64()
			if scores[i] = r.NormFloat64(); positive[i] {
				scores[i] += 2
			}
		}
		o := Options{Seed: uint64(i)}
		got := BestThreshold(positive, noise, o.Seed)
		mean += got.OutOfFold.Estimate / float64(times)
		noiseCovered.add(contains(got.OutOfFold, 0.5))
		apparentAbove.add(got.Apparent > 0.53)
		got = BestThreshold(positive, scores, o.Seed)
		normal := distuv.UnitNormal
		truth := (normal.CDF(2-got.Threshold) + normal.CDF(got.Threshold)) / 2
		usefulCovered.add(contains(got.OutOfFold, truth))
	}
	near(t, "mean of noise", mean, 0.5, 0.02+0.2/math.Sqrt(float64(times)))
	checkCoverage(t, "noise", noiseCovered, times, 0.92, 1)
	checkCoverage(t, "apparent above 0.53, noise", apparentAbove, times, 0.8, 1)
	checkCoverage(t, "threshold of a useful judge", usefulCovered, times, 0.93, 1)
}

func TestCorrectedMeanCoverage(t *testing.T) {
	skipShort(t)
	r := rand.New(rand.NewPCG(11, 12))
	// The mean of the labels is 0.8·1 + 0.2·0.5. The judge is too lenient.
	row := func(leniency float64) (truth, judged float64) {
		truth = 1
		if r.Float64() < 0.2 {
			truth = halves(r)
		}
		judged = truth
		if truth < 1 && r.Float64() < leniency {
			judged = 1
		} else if r.Float64() < 0.05 {
			judged = fraction(r, 3, 0.5)
		}
		return truth, judged
	}
	var lenient, random, nearlyPerfect, narrower counter
	for i := range *coverage {
		o := Options{Resamples: 1000, Seed: uint64(i)}
		run := func(draw func() (truth, judged float64)) Corrected {
			var rest Summary
			y, f := make([]float64, 50), make([]float64, 50)
			for i := range y {
				y[i], f[i] = draw()
			}
			for range 1000 {
				_, judged := draw()
				rest.Add(judged)
			}
			return CorrectedMean(y, f, &rest, o)
		}
		a := run(func() (float64, float64) { return row(0.3) })
		lenient.add(contains(a.Mean, 0.9))
		narrower.add(a.Mean.Upper-a.Mean.Lower < a.Labelled.Upper-a.Labelled.Lower)
		b := run(func() (float64, float64) { truth, _ := row(0); return truth, fraction(r, 6, 0.5) })
		random.add(contains(b.Mean, 0.9))
		// The judge is wrong for one row in fifty.
		c := run(func() (float64, float64) {
			truth, _ := row(0)
			if r.Float64() < 0.02 {
				return truth, 1 - truth
			}
			return truth, truth
		})
		nearlyPerfect.add(contains(c.Mean, 0.9))
	}
	checkCoverage(t, "lenient judge", lenient, *coverage, 0.935, 1)
	checkCoverage(t, "narrower than labels alone", narrower, *coverage, 0.05, 1)
	checkCoverage(t, "random judge", random, *coverage, 0.925, 0.98)
	checkCoverage(t, "nearly perfect judge", nearlyPerfect, *coverage, 0.945, 1)
}
