package stats

import (
	"math"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
)

// testJudge returns 60 rows, 29 of them positive, with the scores of a weak
// judge and human ratings.
func testJudge() (positive []bool, scores, ratings []float64) {
	for i := range 60 {
		s := math.RoundToEven(float64(i*37%53)/53*20) / 20
		p := float64(i*29%61)/61 < 0.25+0.5*s
		rating := float64(i*7%11) / 11
		if p {
			rating += 2
		}
		positive, scores, ratings = append(positive, p), append(scores, s), append(ratings, rating)
	}
	return positive, scores, ratings
}

// confusion returns the counts of rows with the given labels and predictions.
func confusion(positive, predicted []bool) *Confusion {
	c := NewConfusion(positive, predicted)
	return &c
}

func predictAt(scores []float64, threshold float64) []bool {
	predicted := make([]bool, len(scores))
	for i, s := range scores {
		predicted[i] = s >= threshold
	}
	return predicted
}

// Expected values from NumPy 2.4, scipy 1.17, sklearn 1.9 and statsmodels 0.15:
// for the AUROC the variances, with ddof=1, of the row and column means of
// (x>y)+(x==y)/2, over each class; for balanced accuracy
// proportion_confint(method="wilson") and hypot; for kappa
// cohens_kappa(confusion_matrix(positive, predicted)); for Spearman
// tanh(arctanh(r) ± norm.ppf(0.975)*sqrt((1+r*r/2)/57)).
func TestAgreementIntervalsMatchScipyAndStatsmodels(t *testing.T) {
	positive, scores, ratings := testJudge()
	predicted := predictAt(scores, 0.5)
	for _, c := range []struct {
		name string
		got  Interval
		want [3]float64
	}{
		{"AUROC", AUROCInterval(positive, scores), [3]float64{0.6106785317018909, 0.4602233584630813, 0.7426473669883328}},
		{"balanced accuracy", confusion(positive, predicted).BalancedAccuracy(), [3]float64{0.5834260289210234, 0.4590248599091966, 0.6943993071272979}},
		{"kappa", confusion(positive, predicted).Kappa(), [3]float64{0.16666666666666663, -0.08268589187898304, 0.4160192252123165}},
		{"Spearman", SpearmanInterval(scores, ratings), [3]float64{0.1929653571068023, -0.06649539169831273, 0.4279827411733096}},
	} {
		near(t, c.name, c.got.Estimate, c.want[0], 1e-12)
		near(t, c.name+" lower", c.got.Lower, c.want[1], 1e-12)
		near(t, c.name+" upper", c.got.Upper, c.want[2], 1e-12)
		if c.got.N != 60 || c.got.Note != "" || !c.got.Reliable() {
			t.Errorf("%s: got %+v, want 60 units and no note", c.name, c.got)
		}
	}
	pos, neg := split(positive, scores)
	near(t, "DeLong's error", deLong(pos, neg), 0.07394760763737547, 1e-14)
	_, _, standardError := confusion(positive, predicted).kappa()
	near(t, "kappa's error", standardError, 0.1272230308885831, 1e-14)
}

func TestIntervalsOfPerfectAgreement(t *testing.T) {
	positive := append(slices.Repeat([]bool{true}, 30), slices.Repeat([]bool{false}, 20)...)
	scores := make([]float64, 50)
	for i := range scores {
		scores[i] = float64(50 - i)
	}
	auroc := AUROCInterval(positive, scores)
	if auroc.Method != Newcombe || auroc.Note == "" || auroc.Upper != 1 {
		t.Errorf("AUROC: got %+v, want Newcombe's interval up to 1 with a note", auroc)
	}
	// scipy 1.17: brentq of (1-t)**2 - norm.ppf(0.975)**2*V(t), by Newcombe's V.
	near(t, "AUROC lower", auroc.Lower, 0.9159389279350184, 1e-12)
	worst := slices.Clone(scores)
	slices.Reverse(worst)
	slices.Reverse(positive)
	inverted := AUROCInterval(positive, scores)
	near(t, "reversed", inverted.Upper, 1-auroc.Lower, 1e-12)
	slices.Reverse(positive)
	for name, got := range map[string]Interval{
		"balanced accuracy": confusion(positive, positive).BalancedAccuracy(),
		"kappa":             confusion(positive, positive).Kappa(),
	} {
		if got.Estimate != 1 || got.Upper != 1 || !(got.Lower > 0.8 && got.Lower < 0.96) {
			t.Errorf("%s: got %+v, want 1 with an interval from 0.8 to 0.96 up to 1", name, got)
		}
	}
	if got := SpearmanInterval(scores, scores); got.Note == "" {
		t.Errorf("Spearman: got %+v, want a note", got)
	}
}

func TestAgreementIntervalsRequireEnoughRows(t *testing.T) {
	positive, scores, ratings := testJudge()
	few, constant := slices.Repeat([]bool{true}, 60), make([]float64, 60)
	copy(few, make([]bool, 9))
	for name, got := range map[string]Interval{
		"AUROC of nine":           AUROCInterval(few, scores),
		"balanced accuracy, nine": confusion(few, few).BalancedAccuracy(),
		"kappa of 19":             confusion(positive[:19], positive[:19]).Kappa(),
		"kappa of one label":      confusion(slices.Repeat([]bool{true}, 60), slices.Repeat([]bool{true}, 60)).Kappa(),
		"kappa, labels the same":  confusion(make([]bool, 60), positive).Kappa(),
		"kappa, calls the same":   confusion(positive, slices.Repeat([]bool{true}, 60)).Kappa(),
		"Spearman of 19":          SpearmanInterval(scores[:19], ratings[:19]),
		"Spearman of a constant":  SpearmanInterval(constant, ratings),
	} {
		if got.Reliable() || got.Note == "" || !math.IsNaN(got.Lower) || !math.IsNaN(got.Upper) {
			t.Errorf("%s: got %+v, want no interval and a note", name, got)
		}
	}
}

// The expected value was computed from calibration_curve(positive, scores, n_bins=5) of
// sklearn 1.9.
func TestECE(t *testing.T) {
	positive, scores, _ := testJudge()
	near(t, "ECE", ECE(positive, scores, 5), 0.17833333333333334, 1e-14)
	near(t, "edges", ECE([]bool{true, false}, []float64{0, 1}, 10), 1, 0)
	if got := ECE(nil, nil, 10); !math.IsNaN(got) {
		t.Errorf("without rows: got %v, want NaN", got)
	}
}

// Expected values from sklearn 1.9: the maximum of
// balanced_accuracy_score(positive, scores >= t) over the midpoints t of
// np.unique(scores).
func TestBestThresholdMaximizesBalancedAccuracy(t *testing.T) {
	positive, scores, _ := testJudge()
	got := BestThreshold(positive, scores, 0)
	near(t, "threshold", got.Threshold, 0.525, 1e-15)
	near(t, "apparent", got.Apparent, 0.5984427141268076, 1e-14)
	near(t, "recomputed", confusion(positive, predictAt(scores, got.Threshold)).BalancedAccuracy().Estimate, got.Apparent, 1e-14)
	if got.OutOfFold.Estimate >= got.Apparent || !got.OutOfFold.Reliable() || got.Low > got.Threshold || got.High < got.Threshold {
		t.Errorf("got %+v, want a reliable estimate below the apparent accuracy", got)
	}
	separated := BestThreshold([]bool{false, false, true, true}, []float64{0.1, 0.2, 0.6, 0.9}, 0)
	near(t, "separated", separated.Threshold, 0.4, 1e-15)
	if separated.OutOfFold.Reliable() || separated.OutOfFold.Note == "" || !math.IsNaN(separated.Low) {
		t.Errorf("four rows: got %+v, want no interval and a note", separated)
	}
	if got := BestThreshold([]bool{true}, []float64{1}, 0); !math.IsNaN(got.Threshold) {
		t.Errorf("one label: got %+v, want a NaN threshold", got)
	}
}

// unlabelled returns the scores of 500 unlabelled rows.
func unlabelled() *Summary {
	var s Summary
	for i := range 500 {
		s.Add(math.RoundToEven(math.Pow(float64(i*211%499)/499, 0.7)*20) / 20)
	}
	return &s
}

// Expected values from ppi_py: ppi_mean_pointestimate(Y, Yhat, Yhat_unlabeled), which
// also computes the weight, and ppi_mean_ci.
func TestCorrectedMeanMatchesPPI(t *testing.T) {
	positive, scores, _ := testJudge()
	truth := make([]float64, 60)
	for i, p := range positive {
		if p {
			truth[i] = 1
		}
	}
	got := CorrectedMean(truth, scores, unlabelled(), Options{Resamples: 50_000})
	near(t, "weight", got.Lambda, 0.32670614157751476, 1e-12)
	near(t, "mean", got.Mean.Estimate, 0.5185740358048279, 1e-12)
	near(t, "lower", got.Mean.Lower, 0.39414743, 0.008)
	near(t, "upper", got.Mean.Upper, 0.64300064, 0.008)
	near(t, "labelled", got.Labelled.Estimate, 29./60, 1e-15)
}

// The mean error of the judge, 0.08, and its mean over the other rows add up to 1.078.
func TestCorrectedMeanIsInRange(t *testing.T) {
	truth, judged := slices.Repeat([]float64{1}, 40), slices.Repeat([]float64{1}, 40)
	copy(judged, []float64{0.2, 0.2, 0.2, 0.2})
	rest := make([]float64, 200)
	for i := range rest {
		rest[i] = 0.998 + float64(i%5-2)*0.0005
	}
	got := CorrectedMean(truth, judged, summaryOf(rest...), Options{}).Mean
	if got.Estimate != 1 || !(got.Lower >= 0 && got.Lower <= 1 && got.Upper == 1) {
		t.Errorf("got %v with the interval %v to %v, want 1 in an interval that ends at 1", got.Estimate, got.Lower, got.Upper)
	}
}

func TestCorrectedMeanEdgeCases(t *testing.T) {
	_, scores, ratings := testJudge()
	perfect := CorrectedMean(scores, scores, unlabelled(), Options{})
	if perfect.Lambda != 1 || perfect.Mean.Method != Bounded || perfect.Mean.Note == "" || perfect.Mean.Upper-perfect.Mean.Lower < 0.05 {
		t.Errorf("perfect judge: got %+v, want weight 1 and a bounded interval", perfect)
	}
	near(t, "mean of perfect judge", perfect.Mean.Estimate, unlabelled().Mean(), 1e-15)
	for i := range ratings {
		ratings[i] /= 3
	}
	labelled := CorrectedMean(ratings, scores, &Summary{}, Options{})
	if d := cmp.Diff(labelled.Labelled, labelled.Mean); d != "" || labelled.Lambda != 0 {
		t.Errorf("no unlabelled rows: got %+v, want the labelled mean", labelled)
	}
	constant := CorrectedMean(ratings, make([]float64, 60), summaryOf(make([]float64, 100)...), Options{})
	if constant.Lambda != 0 || constant.Mean.Estimate != constant.Labelled.Estimate {
		t.Errorf("constant judge: got %+v, want weight 0", constant)
	}
	few := CorrectedMean(ratings[:10], scores[:10], unlabelled(), Options{})
	if few.Mean.Reliable() || few.Mean.Note == "" {
		t.Errorf("ten labels: got %+v, want no interval", few)
	}
	short := CorrectedMean(ratings, scores, summaryOf(0.5, 0.7), Options{})
	if short.Lambda > 0 && (short.Mean.Reliable() || !strings.Contains(short.Mean.Note, "without a label")) {
		t.Errorf("two unlabelled rows: got %+v, want no interval", short)
	}
}

func TestAgreementIsNaNWithoutBothClasses(t *testing.T) {
	t.Parallel()
	for name, got := range map[string]float64{
		"AUROC":             AUROC([]bool{true, true}, []float64{1, 2}),
		"balanced accuracy": confusion([]bool{false}, []bool{false}).BalancedAccuracy().Estimate,
		"Spearman constant": Spearman([]float64{1, 1}, []float64{1, 2}),
		"Spearman of one":   Spearman([]float64{1}, []float64{1}),
	} {
		if !math.IsNaN(got) {
			t.Errorf("%s: got %v, want NaN", name, got)
		}
	}
}
