package main

import (
	"math"
	"math/rand/v2"
	"slices"

	"github.com/ragfaith/ragfaith/internal/stats"
)

// headlineSuites returns the main suites.
func headlineSuites() []string {
	return []string{"ragtruth-subset", "mtrag", "lfqa-sentences", "faithbench", "wice-claims", "summedits"}
}

// englishSuites returns the suites of English answers and claims on which judges are
// compared.
func englishSuites() []string {
	return append(headlineSuites(), "ragtruth-subset-sentences", "qags-sentences", "frank", "cliff", "healthver", "feversym", "factcheckgpt", "xnli-en")
}

// minFaithful is the mean human rating at which an answer counts as faithful.
const minFaithful = 3.5

// A table collects the scored rows of a suite in parallel slices.
type table struct {
	positive          []bool
	predicted         []bool    // faithfulness = 1
	minScore, support []float64 // minimum and mean claim score
	baselinePredicted []bool
	baselineMin       []float64
	rows, unscored    int
}

// judged holds the results of one judge.
type judged struct {
	name     string
	suites   map[string]*table
	order    []string
	rated    table     // rows with human ratings
	rating   []float64 // human ratings of the rated rows
	baseline []float64 // mean baseline scores of the rated rows
}

func newJudged(name string, rows, rated []result, b *baseline) *judged {
	j := &judged{name: name, suites: map[string]*table{}}
	for i := range rows {
		r := &rows[i]
		t := j.suites[r.Suite]
		if t == nil {
			t = &table{}
			j.suites[r.Suite] = t
			j.order = append(j.order, r.Suite)
		}
		t.add(r, r.Label == 1, b)
	}
	for i := range rated {
		r := &rated[i]
		if mean := j.rated.add(r, r.HumanMean >= minFaithful, b); r.Status == "scored" {
			j.rating = append(j.rating, r.HumanMean)
			j.baseline = append(j.baseline, mean)
		}
	}
	return j
}

// add adds a row and returns its mean baseline score.
func (t *table) add(r *result, positive bool, b *baseline) float64 {
	t.rows++
	if r.Status != "scored" {
		t.unscored++
		return 0
	}
	minScore := math.Inf(1)
	for _, c := range r.Claims {
		minScore = math.Min(minScore, c.Score)
	}
	baselineMin, mean := b.score(r)
	t.positive = append(t.positive, positive)
	t.predicted = append(t.predicted, *r.Faithfulness == 1)
	t.minScore = append(t.minScore, minScore)
	t.support = append(t.support, *r.Support)
	t.baselineMin = append(t.baselineMin, baselineMin)
	t.baselinePredicted = append(t.baselinePredicted, baselineMin >= baselineThreshold)
	return mean
}

// A metric computes a number from the rows of a table at the given indexes.
type metric func(t *table, rows []int) float64

func aurocByMin(t *table, rows []int) float64      { return t.auroc(t.minScore, rows) }
func aurocBySupport(t *table, rows []int) float64  { return t.auroc(t.support, rows) }
func aurocByBaseline(t *table, rows []int) float64 { return t.auroc(t.baselineMin, rows) }

func accuracy(t *table, rows []int) float64         { return t.accuracy(t.predicted, rows) }
func baselineAccuracy(t *table, rows []int) float64 { return t.accuracy(t.baselinePredicted, rows) }

func (t *table) accuracy(predicted []bool, rows []int) float64 {
	c := stats.NewConfusion(pick(t.positive, rows), pick(predicted, rows))
	return c.BalancedAccuracy().Estimate
}

func (t *table) auroc(scores []float64, rows []int) float64 {
	return stats.AUROC(pick(t.positive, rows), pick(scores, rows))
}

// pick returns the values of rows.
func pick[T any](values []T, rows []int) []T {
	picked := make([]T, len(rows))
	for i, row := range rows {
		picked[i] = values[row]
	}
	return picked
}

// resamples is the number of bootstrap resamples of an interval.
const resamples = 1000

// resample draws rows with replacement until both labels are present.
func (t *table) resample(r *rand.Rand) []int {
	rows := make([]int, len(t.positive))
	for {
		positive := 0
		for i := range rows {
			rows[i] = r.IntN(len(rows))
			if t.positive[rows[i]] {
				positive++
			}
		}
		if positive > 0 && positive < len(rows) || !slices.Contains(t.positive, true) || !slices.Contains(t.positive, false) {
			return rows
		}
	}
}

// interval returns the 95% percentile bootstrap interval of the mean of a metric over
// suites, or of its difference from that of base. Rows are resampled within suites, the
// same ones for both judges.
func interval(suites []string, f metric, j, base *judged) (low, high float64) {
	r := rand.New(rand.NewPCG(1, 2)) //nolint:gosec // reproducible on purpose
	means := make([]float64, resamples)
	for n := range means {
		for _, s := range suites {
			t := j.suites[s]
			rows := t.resample(r)
			x := f(t, rows)
			if base != nil {
				x -= f(base.suites[s], rows)
			}
			means[n] += x / float64(len(suites))
		}
	}
	slices.Sort(means)
	return means[resamples*25/1000], means[resamples*975/1000-1]
}

// mean returns the mean of a metric over suites.
func (j *judged) mean(suites []string, f metric) float64 {
	sum := 0.0
	for _, s := range suites {
		t := j.suites[s]
		all := make([]int, len(t.positive))
		for i := range all {
			all[i] = i
		}
		sum += f(t, all)
	}
	return sum / float64(len(suites))
}
