package calibrate

import (
	"errors"
	"fmt"
	"math"
	"math/rand/v2"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/ragfaith/ragfaith/internal/result"
	"github.com/ragfaith/ragfaith/internal/stats"
)

// judged is a row whose claims have these scores, cut at 0.5.
func judged(scores ...float64) *result.Row {
	r := &result.Row{Status: result.Scored}
	for i, s := range scores {
		c := result.Claim{ID: i, Verdict: result.NotMentioned, Score: s}
		if s >= 0.5 {
			c.Verdict = result.Supported
		}
		r.Claims = append(r.Claims, c)
		r.Support += s / float64(len(scores))
	}
	r.Faithfulness = float64(r.Supported()) / float64(len(scores))
	return r
}

// without is a row without a score.
func without(s result.Status) *result.Row {
	return &result.Row{Status: s, Faithfulness: math.NaN(), Support: math.NaN()}
}

// an example row has two claims and a label.
type example struct {
	scores [2]float64
	label  float64
}

// examples are rows by the linear congruential generator of ISO C, so that other
// programs can make them too.
func examples(n int) []example {
	state := uint32(12345)
	next := func() float64 {
		state = (1103515245*state + 12345) & (1<<31 - 1)
		return float64(state) / (1 << 31)
	}
	rows := make([]example, n)
	for i := range rows {
		a, b, u := math.RoundToEven(next()*1000)/1000, math.RoundToEven(next()*1000)/1000, next()
		rows[i].scores = [2]float64{a, b}
		if u < 0.25+0.6*min(a, b)+0.1*max(a, b) {
			rows[i].label = 1
		}
	}
	return rows
}

// figures adds rows to a sample and computes.
func figures(t *testing.T, o Options, rows []example) *Figures {
	t.Helper()
	s := NewSample(o)
	for i, row := range rows {
		if err := s.Add(judged(row.scores[:]...), &Label{Value: row.label}, fmt.Sprint("row ", i)); err != nil {
			t.Fatal(err)
		}
	}
	f, err := s.Figures()
	if err != nil {
		t.Fatal(err)
	}
	return f
}

// The constants are of scikit-learn 1.9.1 and SciPy 1.17.1:
//
//	def rows():
//	    x = 12345
//	    while True:
//	        x = (1103515245*x + 12345) % 2**31
//	        yield x / 2**31
//	g = rows(); least, support, faith, label = [], [], [], []
//	for i in range(60):
//	    a, b, u = round(next(g), 3), round(next(g), 3), next(g)
//	    least.append(min(a, b)); support.append((a+b)/2); faith.append(((a >= .5)+(b >= .5))/2)
//	    label.append(int(u < 0.25 + 0.6*min(a, b) + 0.1*max(a, b)))
//	roc_auc_score(label, least); spearmanr(label, least).statistic      # and of support, faith
//	wholly = [f == 1 for f in faith]
//	balanced_accuracy_score(label, wholly); cohen_kappa_score(label, wholly)
//	ece = sum(m.sum() * abs(Y[m].mean() - L[m].mean()) for k in range(10)
//	    for m in [np.clip(np.ceil(L*10) - 1, 0, 9) == k] if m.any()) / 60     # L, Y: least and label as arrays
func TestFiguresAreThoseOfScikitLearnAndSciPy(t *testing.T) {
	f := figures(t, Options{}, examples(60))
	near := func(name string, got, want float64) {
		t.Helper()
		if !(math.Abs(got-want) < 1e-12) {
			t.Errorf("%s is %v, want %v", name, got, want)
		}
	}
	near("AUROC of least", f.Scores[0].AUROC.Estimate, 0.7355555555555555)
	near("AUROC of support", f.Scores[1].AUROC.Estimate, 0.7649999999999999)
	near("AUROC of faithfulness", f.Scores[2].AUROC.Estimate, 0.6833333333333333)
	near("Spearman of least", f.Scores[0].Spearman.Estimate, 0.4080622062635216)
	near("Spearman of support", f.Scores[1].Spearman.Estimate, 0.4590636040813744)
	near("Spearman of faithfulness", f.Scores[2].Spearman.Estimate, 0.34153915233378773)
	near("balanced accuracy", f.Judged.BalancedAccuracy.Estimate, 0.65)
	near("kappa", f.Judged.Kappa.Estimate, 0.30000000000000004)
	near("ECE", f.Reliability.ECE, 0.17259999999999998)
	near("share of faithful rows", f.Positive.Estimate, 0.5)
	if f.Faithful != 30 || f.Counts.Labelled != 60 {
		t.Errorf("%d of %d rows are faithful", f.Faithful, f.Counts.Labelled)
	}
	j := f.Judged
	if j.TruePositive+j.FalsePositive+j.FalseNegative+j.TrueNegative != 60 || j.TruePositive+j.FalseNegative != 30 {
		t.Errorf("%+v", j)
	}
	for _, i := range []stats.Interval{f.Scores[0].AUROC, f.Scores[0].Spearman, j.BalancedAccuracy, j.Kappa, f.Positive, f.Best.OutOfFold} {
		if !(i.Lower < i.Estimate && i.Estimate < i.Upper) {
			t.Errorf("%+v", i)
		}
	}
}

func TestTheBestThresholdCutsClaimsAsItCutsRows(t *testing.T) {
	rows := examples(200)
	f := figures(t, Options{}, rows)
	positive, called := make([]bool, len(rows)), make([]bool, len(rows))
	for i, row := range rows {
		positive[i] = row.label == 1
		called[i] = row.scores[0] >= f.Best.Threshold && row.scores[1] >= f.Best.Threshold
	}
	if got := stats.BalancedAccuracy(positive, called); math.Abs(got-f.Best.Apparent) > 1e-12 {
		t.Errorf("rows all of whose claims reach %v: balanced accuracy %v, want %v", f.Best.Threshold, got, f.Best.Apparent)
	}
	if !(f.Best.OutOfFold.Estimate < f.Best.Apparent) {
		t.Errorf("the honest estimate %v is not below the apparent %v", f.Best.OutOfFold.Estimate, f.Best.Apparent)
	}
}

func TestTheOrderOfRowsMakesNoDifference(t *testing.T) {
	rows := examples(80)
	want := figures(t, Options{Seed: 7}, rows)
	r := rand.New(rand.NewPCG(3, 4))
	for range 5 {
		r.Shuffle(len(rows), func(i, j int) { rows[i], rows[j] = rows[j], rows[i] })
		got := figures(t, Options{Seed: 7}, rows)
		// Sums of floats in another order may differ in the last bit.
		near := cmp.Comparer(func(a, b float64) bool { return a == b || math.Abs(a-b) < 1e-12 || a != a && b != b })
		if d := cmp.Diff(want, got, near); d != "" {
			t.Fatal(d)
		}
	}
}

func TestFewLabelsGiveNotesAndNoNumbers(t *testing.T) {
	for name, rows := range map[string][]example{
		"few":     examples(12),
		"one row": examples(1),
		"one label": func() []example {
			rows := examples(60)
			for i := range rows {
				rows[i].label = 1
			}
			return rows
		}(),
	} {
		t.Run(name, func(t *testing.T) {
			f := figures(t, Options{}, rows)
			for _, i := range []stats.Interval{f.Scores[0].AUROC, f.Judged.BalancedAccuracy, f.Best.OutOfFold} {
				if i.Reliable() || i.Note == "" {
					t.Errorf("%+v", i)
				}
			}
			r := &Report{Figures: f, Results: "r.jsonl", Label: "label", Settings: lexical()}
			if c := r.Choice(); !math.IsNaN(c.Threshold) || c.Why == "" {
				t.Errorf("%+v", c)
			}
			var b strings.Builder
			if err := r.WriteTable(&b); err != nil {
				t.Fatal(err)
			}
			for _, line := range strings.Split(b.String(), "\n") {
				if strings.Contains(line, "AUROC") && strings.ContainsAny(strings.TrimSuffix(line, f.Scores[0].AUROC.Note), "0123456789") {
					t.Errorf("a number that the rows can't carry: %s", line)
				}
			}
			if len(rows) < leastReliability && (f.Reliability.Bins != nil || f.Reliability.Note == "") {
				t.Errorf("%+v", f.Reliability)
			}
		})
	}
}

func TestRatingsAreCutOnlyWhereItIsSaid(t *testing.T) {
	rows := examples(60)
	verdicts := figures(t, Options{}, rows)
	for i := range rows {
		rows[i].label = 1 + 4*rows[i].label // 1 or 5
	}
	bar := 4.0
	cut := figures(t, Options{PositiveAt: &bar}, rows)
	if cut.Kind != Ratings {
		t.Error(cut.Kind)
	}
	cut.Kind = verdicts.Kind
	nan := cmp.Comparer(func(a, b float64) bool { return a == b || a != a && b != b })
	if d := cmp.Diff(verdicts, cut, nan); d != "" {
		t.Error(d)
	}

	whole := figures(t, Options{}, rows)
	if whole.Kind != Ratings || whole.Scores[0].AUROC.Reliable() || whole.Judged.Kappa.Reliable() || whole.Best.OutOfFold.Reliable() {
		t.Errorf("%+v", whole)
	}
	if got, want := whole.Scores[0].Spearman.Estimate, verdicts.Scores[0].Spearman.Estimate; math.Abs(got-want) > 1e-12 {
		t.Errorf("Spearman %v, want %v: it is of ranks", got, want)
	}
	if whole.Mean.Note == "" || whole.Mean.Corrected.Mean.Reliable() {
		t.Errorf("a mean of ratings from 1 to 5 is no share: %+v", whole.Mean)
	}
	for i := range rows {
		rows[i].label = float64(i%5) / 4
	}
	if f := figures(t, Options{}, rows); f.Mean.Note != "" || math.Abs(f.Mean.Corrected.Labelled.Estimate-0.5) > 1e-12 {
		t.Errorf("ratings from 0 to 1 have a mean: %+v", f.Mean)
	}
}

func TestRowsThatDoNotCountAreCounted(t *testing.T) {
	s := NewSample(Options{Score: Support})
	add := func(r *result.Row, label *Label) {
		t.Helper()
		if err := s.Add(r, label, "x"); err != nil {
			t.Fatal(err)
		}
	}
	add(without(result.NoClaims), &Label{Value: 1})
	add(without(result.Failed), nil)
	if _, err := s.Figures(); !errors.Is(err, ErrNoLabelled) {
		t.Fatal(err)
	}
	add(judged(0.2, 0.9), &Label{Value: 1})
	add(judged(0.7), nil)
	filled := without(result.NoClaims) // by --no-claims 1
	filled.Faithfulness = 1
	add(filled, &Label{Value: 1})
	f, err := s.Figures()
	if err != nil {
		t.Fatal(err)
	}
	if want := (Counts{Rows: 5, Labelled: 1, Unscored: 2, Unlabelled: 1}); f.Counts != want {
		t.Errorf("%+v, want %+v", f.Counts, want)
	}
	if len(f.Notes) != 1 || !strings.Contains(f.Notes[0], "no score, which are left out: 2") {
		t.Error(f.Notes)
	}
}

func TestTheCorrectedMeanHoldsWhereTheJudgeIsWrong(t *testing.T) {
	if testing.Short() {
		t.Skip("slow, skipped with -short")
	}
	// Of 1,000 rows people call 0.3 faithful, the judge scores all much higher,
	// and 100 drawn at random are labelled.
	const share = 0.3
	held, runs := 0, 12
	for seed := range uint64(runs) {
		r := rand.New(rand.NewPCG(seed, 1))
		s := NewSample(Options{Seed: seed})
		for i := range 1000 {
			truth := 0.0
			if r.Float64() < share {
				truth = 1
			}
			score := math.Round((0.5+0.3*truth+0.2*r.Float64())*100) / 100
			var label *Label
			if i%10 == 0 {
				label = &Label{Value: truth}
			}
			if err := s.Add(judged(score), label, "x"); err != nil {
				t.Fatal(err)
			}
		}
		f, err := s.Figures()
		if err != nil {
			t.Fatal(err)
		}
		m := f.Mean.Corrected.Mean
		if m.Lower <= share && share <= m.Upper {
			held++
		}
		if f.Mean.Judged < 0.9 {
			t.Fatalf("the judge is not wrong: %v", f.Mean.Judged)
		}
		if l := f.Mean.Corrected.Labelled; m.Upper-m.Lower > 0.8*(l.Upper-l.Lower) {
			t.Errorf("%v to %v is not much narrower than by labels alone, %v to %v", m.Lower, m.Upper, l.Lower, l.Upper)
		}
	}
	if held < runs-2 { // of 12 at 95%, fewer than 10 hold with a probability of 0.02
		t.Errorf("%d of %d intervals hold the share", held, runs)
	}
}

func TestWordsAndRatingsDoNotMix(t *testing.T) {
	s := NewSample(Options{})
	for i, l := range []Label{{1, true}, {0, false}, {1, false}} {
		if err := s.Add(judged(0.5), &l, fmt.Sprint("row ", i)); err != nil {
			t.Fatal(err)
		}
	}
	err := s.Add(judged(0.5), &Label{Value: 3}, "row 3")
	if err == nil || !strings.Contains(err.Error(), "row 0") || !strings.Contains(err.Error(), "row 3") {
		t.Error(err)
	}
}

func TestScoresThatAreTurnedRoundAreCalledSo(t *testing.T) {
	rows := examples(100)
	for i := range rows {
		rows[i].label = 1 - rows[i].label
	}
	f := figures(t, Options{}, rows)
	if len(f.Notes) != 1 || !strings.Contains(f.Notes[0], "is 1 the label of what is faithful?") {
		t.Error(f.Notes)
	}
	for i := range rows {
		rows[i].label = float64(i % 2)
	}
	if f := figures(t, Options{}, rows); len(f.Notes) != 1 || !strings.Contains(f.Notes[0], "can't be told from chance") {
		t.Error(f.Notes)
	}
}
