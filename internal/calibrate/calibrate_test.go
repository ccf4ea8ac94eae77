package calibrate

import (
	"errors"
	"fmt"
	"math"
	"math/rand/v2"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/google/go-cmp/cmp/cmpopts"

	"github.com/ragfaith/ragfaith/internal/result"
	"github.com/ragfaith/ragfaith/internal/stats"
)

// scoredRow returns a row whose claims have the given scores and are supported from 0.5.
func scoredRow(scores ...float64) *result.Row {
	r := &result.Row{Status: result.Scored}
	for i, s := range scores {
		c := result.Claim{ID: i, Verdict: result.NotMentioned, Score: s, Confidence: 1 - s}
		if s >= 0.5 {
			c.Verdict, c.Confidence = result.Supported, s
		}
		if r.Confidence == 0 || c.Confidence < r.Confidence {
			r.Confidence = c.Confidence
		}
		r.Claims = append(r.Claims, c)
		r.Support += s / float64(len(scores))
	}
	r.Faithfulness = float64(r.Supported()) / float64(len(scores))
	return r
}

// unscoredRow returns a row without a score.
func unscoredRow(s result.Status) *result.Row {
	return &result.Row{Status: s, Faithfulness: math.NaN(), Support: math.NaN()}
}

// An example has the scores of two claims and a label.
type example struct {
	scores [2]float64
	label  float64
}

// examples returns n examples from the linear congruential generator in ISO C, so that
// other programs can generate the same.
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

// rated returns n examples with the ratings 1 and 5 instead of 0 and 1.
func rated(n int) []example {
	rows := examples(n)
	for i := range rows {
		rows[i].label = 1 + 4*rows[i].label
	}
	return rows
}

// newStatistics returns the statistics of a sample of rows.
func newStatistics(t *testing.T, o Options, rows []example) *Statistics {
	t.Helper()
	s := NewSample(o)
	for i, row := range rows {
		if err := s.Add(scoredRow(row.scores[:]...), &Label{Value: row.label}, fmt.Sprint("row ", i)); err != nil {
			t.Fatal(err)
		}
	}
	f, err := s.Statistics()
	if err != nil {
		t.Fatal(err)
	}
	return f
}

// The expected values were computed by scikit-learn 1.9.1 and SciPy 1.17.1:
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
func TestStatisticsAgreeWithScikitLearnAndSciPy(t *testing.T) {
	f := newStatistics(t, Options{}, examples(60))
	near := func(name string, got, want float64) {
		t.Helper()
		if !(math.Abs(got-want) < 1e-12) {
			t.Errorf("%s: got %v, want %v", name, got, want)
		}
	}
	near("AUROC of minimum", f.Agreement[MinScore].AUROC.Estimate, 0.7355555555555555)
	near("AUROC of support", f.Agreement[Support].AUROC.Estimate, 0.7649999999999999)
	near("AUROC of faithfulness", f.Agreement[Faithfulness].AUROC.Estimate, 0.6833333333333333)
	near("Spearman of minimum", f.Agreement[MinScore].Spearman.Estimate, 0.4080622062635216)
	near("Spearman of support", f.Agreement[Support].Spearman.Estimate, 0.4590636040813744)
	near("Spearman of faithfulness", f.Agreement[Faithfulness].Spearman.Estimate, 0.34153915233378773)
	near("balanced accuracy", f.Judged.BalancedAccuracy.Estimate, 0.65)
	near("kappa", f.Judged.Kappa.Estimate, 0.30000000000000004)
	near("share of faithful rows", f.Positive.Estimate, 0.5)
	if f.Counts.Faithful != 30 || f.Counts.Labelled != 60 {
		t.Errorf("got %d of %d rows faithful, want 30 of 60", f.Counts.Faithful, f.Counts.Labelled)
	}
	j := f.Judged
	if j.TruePositive+j.FalsePositive+j.FalseNegative+j.TrueNegative != 60 || j.TruePositive+j.FalseNegative != 30 {
		t.Errorf("got %+v, want 60 rows, 30 of them labelled faithful", j)
	}
	for _, i := range []stats.Interval{f.Agreement[MinScore].AUROC, f.Agreement[MinScore].Spearman, j.BalancedAccuracy, j.Kappa, f.Positive, f.Best.OutOfFold} {
		if !(i.Lower < i.Estimate && i.Estimate < i.Upper) {
			t.Errorf("%+v", i)
		}
	}
}

func TestBestThresholdAppliesToClaims(t *testing.T) {
	rows := examples(200)
	f := newStatistics(t, Options{}, rows)
	positive, called := make([]bool, len(rows)), make([]bool, len(rows))
	for i, row := range rows {
		positive[i] = row.label == 1
		called[i] = row.scores[0] >= f.Best.Threshold && row.scores[1] >= f.Best.Threshold
	}
	confusion := stats.NewConfusion(positive, called)
	if got := confusion.BalancedAccuracy().Estimate; math.Abs(got-f.Best.Apparent) > 1e-12 {
		t.Errorf("all claims at least %v: got balanced accuracy %v, want %v", f.Best.Threshold, got, f.Best.Apparent)
	}
	if !(f.Best.OutOfFold.Estimate < f.Best.Apparent) {
		t.Errorf("got cross-validated accuracy %v, want it below the apparent accuracy %v", f.Best.OutOfFold.Estimate, f.Best.Apparent)
	}
}

func TestStatisticsIgnoreRowOrder(t *testing.T) {
	rows := examples(80)
	want := newStatistics(t, Options{Seed: 7}, rows)
	r := rand.New(rand.NewPCG(3, 4))
	for range 5 {
		r.Shuffle(len(rows), func(i, j int) { rows[i], rows[j] = rows[j], rows[i] })
		got := newStatistics(t, Options{Seed: 7}, rows)
		// The order of a sum affects its last bits.
		if d := cmp.Diff(want, got, cmpopts.EquateApprox(0, 1e-12), cmpopts.EquateNaNs()); d != "" {
			t.Fatal(d)
		}
	}
}

func TestFewLabelsGiveNotes(t *testing.T) {
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
			f := newStatistics(t, Options{}, rows)
			for _, i := range []stats.Interval{f.Agreement[MinScore].AUROC, f.Judged.BalancedAccuracy, f.Best.OutOfFold} {
				if i.Reliable() || i.Note == "" {
					t.Errorf("%+v", i)
				}
			}
			c := New(f, Source{Results: "r.jsonl", Label: "label"}, lexicalSettings())
			if !math.IsNaN(c.Threshold) || c.Why == "" {
				t.Errorf("%+v", c.Choice)
			}
			for _, line := range strings.Split(c.Table(300), "\n") {
				if strings.Contains(line, "AUROC") && strings.ContainsAny(strings.TrimSuffix(line, f.Agreement[MinScore].AUROC.Note), "0123456789") {
					t.Errorf("got a statistic from too few rows: %s", line)
				}
			}
		})
	}
}

func TestRatingsAreSplitByPositiveAt(t *testing.T) {
	rows := rated(60)
	verdicts := newStatistics(t, Options{}, examples(60))
	threshold := 4.0
	split := newStatistics(t, Options{PositiveAt: &threshold}, rows)
	if c := New(split, Source{PositiveAt: &threshold}, nil); c.Kind != Ratings {
		t.Errorf("got kind %q, want %q", c.Kind, Ratings)
	}
	if d := cmp.Diff(verdicts, split, cmpopts.EquateNaNs()); d != "" {
		t.Error(d)
	}

	s := NewSample(Options{})
	if err := s.Add(scoredRow(0.5), &Label{Value: 4}, "row 7"); err != nil {
		t.Fatal(err)
	}
	if _, err := s.Statistics(); err == nil || !strings.HasPrefix(err.Error(), "the label of row 7 is a rating: set --positive-at X") {
		t.Errorf("without PositiveAt: got error %v, want one that names the row and --positive-at", err)
	}
}

func TestMinScoreIsThatOfJudgedClaims(t *testing.T) {
	r := scoredRow(0.9, 0.7)
	r.Claims = append(r.Claims, result.Claim{ID: 2, Verdict: result.Unjudged, Score: math.NaN()})
	if got := MinScore.Value(r); got != 0.7 {
		t.Errorf("got %v, want 0.7", got)
	}
	none := &result.Row{Status: result.Scored, Support: math.NaN(), Faithfulness: math.NaN()}
	for _, s := range Scores() {
		if got := s.Value(none); !math.IsNaN(got) {
			t.Errorf("%s without claims: got %v, want NaN", s, got)
		}
	}
}

func TestSampleCountsRows(t *testing.T) {
	s := NewSample(Options{})
	add := func(r *result.Row, label *Label) {
		t.Helper()
		if err := s.Add(r, label, "x"); err != nil {
			t.Fatal(err)
		}
	}
	add(unscoredRow(result.NoClaims), &Label{Value: 1})
	add(unscoredRow(result.Failed), nil)
	if _, err := s.Statistics(); !errors.Is(err, ErrNoLabelled) {
		t.Fatal(err)
	}
	add(scoredRow(0.2, 0.9), &Label{Value: 1})
	add(scoredRow(0.7), nil)
	replaced := unscoredRow(result.NoClaims) // as by --no-claims 1
	replaced.Faithfulness = 1
	add(replaced, &Label{Value: 1})
	f, err := s.Statistics()
	if err != nil {
		t.Fatal(err)
	}
	if want := (Counts{Rows: 5, Labelled: 1, Faithful: 1, Unscored: 2, Unlabelled: 1, Claims: 3}); f.Counts != want {
		t.Errorf("got %+v, want %+v", f.Counts, want)
	}
	if len(f.Notes) != 1 || !strings.Contains(f.Notes[0], "excluded rows with a label but no score: 2") {
		t.Error(f.Notes)
	}
}

func TestSampleRejectsWordsMixedWithRatings(t *testing.T) {
	s := NewSample(Options{})
	for i, l := range []Label{{1, true}, {0, false}, {1, false}} {
		if err := s.Add(scoredRow(0.5), &l, fmt.Sprint("row ", i)); err != nil {
			t.Fatal(err)
		}
	}
	err := s.Add(scoredRow(0.5), &Label{Value: 3}, "row 3")
	if err == nil || !strings.Contains(err.Error(), "row 0") || !strings.Contains(err.Error(), "row 3") {
		t.Error(err)
	}
}

// TestConfidenceFollowsTheLabels checks a judge that is less certain than it should be of
// supported claims, and at chance on others.
func TestConfidenceFollowsTheLabels(t *testing.T) {
	r := rand.New(rand.NewPCG(5, 6))
	var rows []example
	for range 400 {
		row := example{scores: [2]float64{0.2, 0.2}}
		if r.IntN(2) == 0 {
			row.scores = [2]float64{0.7, 0.7}
		}
		if share := map[float64]float64{0.2: 0.5, 0.7: 0.9}[row.scores[0]]; r.Float64() < share {
			row.label = 1
		}
		rows = append(rows, row)
	}
	c := newStatistics(t, Options{}, rows).Confidence
	if c == nil || c.Rows != 400 {
		t.Fatalf("got %+v, want a fit to 400 rows", c)
	}
	for _, tt := range []struct {
		isSupported       bool
		probability, want float64
	}{{true, 0.7, 0.9}, {false, 0.2, 0.5}} {
		if got := c.Confidence(tt.isSupported, tt.probability); math.Abs(got-tt.want) > 0.06 {
			t.Errorf("supported %t with %v: got confidence %v, want about %v", tt.isSupported, tt.probability, got, tt.want)
		}
	}
	if c.Before < 0.2 || c.After > 0.06 {
		t.Errorf("got calibration errors %v and %v, want about 0.25 and nearly 0", c.Before, c.After)
	}
}

func TestWorseConfidenceIsNotStored(t *testing.T) {
	var rows []example
	for i := range 100 { // the confidence of the judge is right: 0.8
		row := example{scores: [2]float64{0.2, 0.2}}
		if i%2 == 0 {
			row.scores = [2]float64{0.8, 0.8}
		}
		if (row.scores[0] > 0.5) != (i%10 < 2) {
			row.label = 1
		}
		rows = append(rows, row)
	}
	f := newStatistics(t, Options{}, rows)
	want := []string{"confidences are not refitted: that would not lower their calibration error (0.000 now, 0.013 in cross-validation)"}
	if d := cmp.Diff(want, f.Notes); d != "" || f.Confidence != nil {
		t.Errorf("got %+v, want no fit and a note (-want +got):\n%s", f.Confidence, d)
	}
}

func TestConfidenceNeedsLabels(t *testing.T) {
	for name, rows := range map[string][]example{
		"few rows":  examples(minConfidenceRows - 1),
		"one label": ranked(60, 0.6, 0.9, 0),
	} {
		if c := newStatistics(t, Options{}, rows).Confidence; c != nil {
			t.Errorf("%s: got %+v, want none", name, c)
		}
	}
}
