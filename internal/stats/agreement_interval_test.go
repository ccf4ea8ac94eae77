package stats

import (
	"math"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/google/go-cmp/cmp/cmpopts"
)

// testJudge returns 60 rows, 29 of them positive, with the scores of a weak judge and
// human ratings.
func testJudge() (positive []bool, scores, people []float64) {
	for i := range 60 {
		s := math.RoundToEven(float64(i*37%53)/53*20) / 20
		p := float64(i*29%61)/61 < 0.25+0.5*s
		person := float64(i*7%11) / 11
		if p {
			person += 2
		}
		positive, scores, people = append(positive, p), append(scores, s), append(people, person)
	}
	return positive, scores, people
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
	positive, scores, people := testJudge()
	predicted := predictAt(scores, 0.5)
	for _, c := range []struct {
		name string
		got  Interval
		want [3]float64
	}{
		{"AUROC", AUROCInterval(positive, scores, 0), [3]float64{0.6106785317018909, 0.4602233584630813, 0.7426473669883328}},
		{"balanced accuracy", BalancedAccuracyInterval(positive, predicted, 0.95), [3]float64{0.5834260289210234, 0.4590248599091966, 0.6943993071272979}},
		{"kappa", KappaInterval(positive, predicted, 0), [3]float64{0.16666666666666663, -0.08268589187898304, 0.4160192252123165}},
		{"Spearman", SpearmanInterval(scores, people, 0), [3]float64{0.1929653571068023, -0.06649539169831273, 0.4279827411733096}},
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
	near(t, "kappa's error", newConfusion(positive, predicted).kappaError(), 0.1272230308885831, 1e-14)
}

func TestPerfectAgreementHasAnInterval(t *testing.T) {
	positive := append(slices.Repeat([]bool{true}, 30), slices.Repeat([]bool{false}, 20)...)
	scores := make([]float64, 50)
	for i := range scores {
		scores[i] = float64(50 - i)
	}
	auroc := AUROCInterval(positive, scores, 0)
	if auroc.Method != Newcombe || auroc.Note == "" || auroc.Upper != 1 {
		t.Errorf("AUROC: %+v", auroc)
	}
	// scipy 1.17: brentq of (1-t)**2 - norm.ppf(0.975)**2*V(t), by Newcombe's V.
	near(t, "AUROC lower", auroc.Lower, 0.9159389279350184, 1e-12)
	worst := slices.Clone(scores)
	slices.Reverse(worst)
	slices.Reverse(positive)
	inverted := AUROCInterval(positive, scores, 0)
	near(t, "reversed", inverted.Upper, 1-auroc.Lower, 1e-12)
	slices.Reverse(positive)
	for name, got := range map[string]Interval{
		"balanced accuracy": BalancedAccuracyInterval(positive, positive, 0),
		"kappa":             KappaInterval(positive, positive, 0),
	} {
		if got.Estimate != 1 || got.Upper != 1 || !(got.Lower > 0.8 && got.Lower < 0.96) {
			t.Errorf("%s: %+v", name, got)
		}
	}
	if got := SpearmanInterval(scores, scores, 0); got.Note == "" {
		t.Errorf("Spearman: %+v", got)
	}
}

func TestAgreementIntervalNeedsEnoughRows(t *testing.T) {
	positive, scores, people := testJudge()
	few, constant := slices.Repeat([]bool{true}, 60), make([]float64, 60)
	copy(few, make([]bool, 9))
	for name, got := range map[string]Interval{
		"AUROC of nine":           AUROCInterval(few, scores, 0),
		"balanced accuracy, nine": BalancedAccuracyInterval(few, few, 0),
		"kappa of 19":             KappaInterval(positive[:19], positive[:19], 0),
		"kappa of one label":      KappaInterval(slices.Repeat([]bool{true}, 60), slices.Repeat([]bool{true}, 60), 0),
		"kappa, labels the same":  KappaInterval(make([]bool, 60), positive, 0),
		"kappa, calls the same":   KappaInterval(positive, slices.Repeat([]bool{true}, 60), 0),
		"Spearman of 19":          SpearmanInterval(scores[:19], people[:19], 0),
		"Spearman of a constant":  SpearmanInterval(constant, people, 0),
	} {
		if got.Reliable() || got.Note == "" || !math.IsNaN(got.Lower) || !math.IsNaN(got.Upper) {
			t.Errorf("%s: %+v", name, got)
		}
	}
}

// Expected values from sklearn 1.9: calibration_curve(positive, scores, n_bins=5).
func TestReliabilityMatchesSklearn(t *testing.T) {
	positive, scores, _ := testJudge()
	bins := Reliability(positive, scores, 5)
	want := []Bin{
		{0, 0.2, 15, 0.10333333333333335, 0.4},
		{0.2, 0.4, 12, 0.32916666666666666, 0.4166666666666667},
		{0.4, 0.6, 12, 0.525, 0.5},
		{0.6, 0.8, 12, 0.7291666666666666, 0.5},
		{0.8, 1, 9, 0.9055555555555556, 0.6666666666666666},
	}
	if d := cmp.Diff(want, bins, cmpopts.EquateApprox(0, 1e-14)); d != "" {
		t.Error(d)
	}
	near(t, "ECE", ECE(bins), 0.17833333333333334, 1e-14)
	if got := Reliability([]bool{true, false, true}, []float64{0, 1, math.NaN()}, 10); len(got) != 2 || got[0].N != 1 || got[1].High != 1 {
		t.Errorf("edges: %+v", got)
	}
	if Reliability(positive, scores, 0) != nil || !math.IsNaN(ECE(nil)) {
		t.Error("Reliability without bins: got bins or an error, want nil and NaN")
	}
}

func TestECEByChanceMatchesSimulation(t *testing.T) {
	r := rand.New(rand.NewPCG(1, 2))
	var seen, chance float64
	const times = 200
	for range times {
		positive, p := make([]bool, 500), make([]float64, 500)
		for i := range p {
			p[i] = r.Float64()
			positive[i] = r.Float64() < p[i]
		}
		bins := Reliability(positive, p, 10)
		seen += ECE(bins) / times
		chance += ECEByChance(bins) / times
	}
	near(t, "share", seen/chance, 1, 0.05)
}

// Expected values from sklearn 1.9: the maximum of
// balanced_accuracy_score(positive, scores >= t) over the midpoints t of
// np.unique(scores).
func TestBestThresholdMaximizesBalancedAccuracy(t *testing.T) {
	positive, scores, _ := testJudge()
	got := BestThreshold(positive, scores, nil, Options{})
	near(t, "threshold", got.Threshold, 0.525, 1e-15)
	near(t, "apparent", got.Apparent, 0.5984427141268076, 1e-14)
	near(t, "recomputed", BalancedAccuracy(positive, predictAt(scores, got.Threshold)), got.Apparent, 1e-14)
	if got.OutOfFold.Estimate >= got.Apparent || !got.OutOfFold.Reliable() || got.Low > got.Threshold || got.High < got.Threshold {
		t.Errorf("%+v", got)
	}
	apart := BestThreshold([]bool{false, false, true, true}, []float64{0.1, 0.2, 0.6, 0.9}, nil, Options{})
	near(t, "separated", apart.Threshold, 0.4, 1e-15)
	if apart.OutOfFold.Reliable() || apart.OutOfFold.Note == "" || !math.IsNaN(apart.Low) {
		t.Errorf("four rows: %+v", apart)
	}
	if one := BestThreshold([]bool{true}, []float64{1}, nil, Options{}); !math.IsNaN(one.Threshold) {
		t.Errorf("one label: %+v", one)
	}
}

func TestBestThresholdDependsOnlyOnTheSeed(t *testing.T) {
	positive, scores, _ := testJudge()
	groups := make([]string, 60)
	for i := range groups {
		groups[i] = string(rune('a' + i%55))
	}
	for name, groups := range map[string][]string{"rows": nil, "groups": groups} {
		want := BestThreshold(positive, scores, groups, Options{Seed: 3})
		r := rand.New(rand.NewPCG(1, 2))
		p, s, g := slices.Clone(positive), slices.Clone(scores), slices.Clone(groups)
		r.Shuffle(60, func(i, j int) {
			p[i], p[j] = p[j], p[i]
			s[i], s[j] = s[j], s[i]
			if g != nil {
				g[i], g[j] = g[j], g[i]
			}
		})
		if d := cmp.Diff(want, BestThreshold(p, s, g, Options{Seed: 3}), cmpopts.EquateNaNs()); d != "" {
			t.Errorf("%s: %s", name, d)
		}
	}
}

// Copies of rows within a group must not narrow the interval, and a row must not be
// tested with a threshold chosen on its copy.
func TestBestThresholdKeepsGroupsTogether(t *testing.T) {
	r := rand.New(rand.NewPCG(1, 2))
	var positive []bool
	var scores []float64
	var groups []string
	for i := range 60 {
		p, s := r.IntN(2) == 0, r.Float64()
		for range 4 {
			positive, scores, groups = append(positive, p), append(scores, s), append(groups, string(rune('a'+i)))
		}
	}
	alone, together := BestThreshold(positive, scores, nil, Options{}), BestThreshold(positive, scores, groups, Options{})
	if together.OutOfFold.Upper-together.OutOfFold.Lower < 1.5*(alone.OutOfFold.Upper-alone.OutOfFold.Lower) {
		t.Errorf("alone %+v, together %+v", alone.OutOfFold, together.OutOfFold)
	}
	if few := BestThreshold(positive, scores, slices.Repeat([]string{"one"}, 240), Options{}); few.OutOfFold.Reliable() || !strings.Contains(few.OutOfFold.Note, "too few groups") {
		t.Errorf("one group: %+v", few)
	}
}

// unlabelled returns the scores of 500 rows without a label.
func unlabelled() *Summary {
	var s Summary
	for i := range 500 {
		s.Add(math.RoundToEven(math.Pow(float64(i*211%499)/499, 0.7)*20) / 20)
	}
	return &s
}

// Expected values from ppi_py: ppi_mean_pointestimate(Y, Yhat, Yhat_unlabeled), which weighs the
// judge, and its ppi_mean_ci.
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
	near(t, "judged", got.Judged, unlabelled().Mean(), 0)
	near(t, "labelled", got.Labelled.Estimate, 29./60, 1e-15)
}

func TestCorrectedMeanEdgeCases(t *testing.T) {
	_, scores, people := testJudge()
	right := CorrectedMean(scores, scores, unlabelled(), Options{})
	if right.Lambda != 1 || right.Mean.Method != Bounded || right.Mean.Note == "" || right.Mean.Upper-right.Mean.Lower < 0.05 {
		t.Errorf("perfect judge: got %+v, want weight 1 and a bounded interval", right)
	}
	near(t, "its mean", right.Mean.Estimate, right.Judged, 1e-15)
	for i := range people {
		people[i] /= 3
	}
	alone := CorrectedMean(people, scores, &Summary{}, Options{})
	if d := cmp.Diff(alone.Labelled, alone.Mean); d != "" || alone.Lambda != 0 {
		t.Errorf("no unlabelled rows: got %+v, want the labelled mean", alone)
	}
	constant := CorrectedMean(people, make([]float64, 60), summaryOf(make([]float64, 100)...), Options{})
	if constant.Lambda != 0 || constant.Mean.Estimate != constant.Labelled.Estimate {
		t.Errorf("constant judge: got %+v, want weight 0", constant)
	}
	few := CorrectedMean(people[:10], scores[:10], unlabelled(), Options{})
	if few.Mean.Reliable() || few.Mean.Note == "" {
		t.Errorf("ten labels: got %+v, want no interval", few)
	}
	withNaN := CorrectedMean(append([]float64{math.NaN(), 1}, people...), append([]float64{1, math.NaN()}, scores...), unlabelled(), Options{})
	if d := cmp.Diff(CorrectedMean(people, scores, unlabelled(), Options{}), withNaN); d != "" {
		t.Error(d)
	}
	short := CorrectedMean(people, scores, summaryOf(0.5, 0.7), Options{})
	if short.Lambda > 0 && (short.Mean.Reliable() || !strings.Contains(short.Mean.Note, "without a label")) {
		t.Errorf("two unlabelled rows: got %+v, want no interval", short)
	}
}
