package main

import (
	"math"
	"math/rand/v2"
	"slices"

	"github.com/ragfaith/ragfaith/internal/stats"
)

// headline are the suites that a judge is held to.
func headline() []string {
	return []string{"ragtruth-subset", "mtrag", "lfqa-sentences", "faithbench", "wice-claims", "summedits"}
}

// english are the suites of English answers and claims over which judges are
// compared: the headline suites and eight others.
func english() []string {
	return append(headline(), "ragtruth-subset-sentences", "qags-sentences", "frank", "cliff", "healthver", "feversym", "factcheckgpt", "xnli-en")
}

// ratedWell is the mean rating from which people found an answer faithful.
const ratedWell = 3.5

// A table collects the figures of one suite, a value a row that was scored.
type table struct {
	positive, called           []bool
	floorCalled                []bool
	least, support             []float64 // score of the least supported claim, and mean of the scores
	floorLeast                 []float64
	rows, without              int
	drawn                      []int // places of a resample, used again
	drawnPositive, drawnCalled []bool
	drawnScores                []float64
}

// judged is what one judge says of the evaluation rows.
type judged struct {
	name   string
	suites map[string]*table
	order  []string
	people table     // positive: rated well
	rating []float64 // of people
	floor  []float64 // mean of the floor's scores, of people
}

func newJudged(name string, rows, people []result, floor *floor) *judged {
	j := &judged{name: name, suites: map[string]*table{}}
	for i := range rows {
		r := &rows[i]
		t := j.suites[r.Suite]
		if t == nil {
			t = &table{}
			j.suites[r.Suite] = t
			j.order = append(j.order, r.Suite)
		}
		t.add(r, r.Label == 1, floor)
	}
	for i := range people {
		r := &people[i]
		if mean := j.people.add(r, r.HumanMean >= ratedWell, floor); r.Status == "scored" {
			j.rating = append(j.rating, r.HumanMean)
			j.floor = append(j.floor, mean)
		}
	}
	return j
}

// add adds a row and returns the mean of the floor's scores.
func (t *table) add(r *result, positive bool, floor *floor) float64 {
	t.rows++
	if r.Status != "scored" {
		t.without++
		return 0
	}
	least := math.Inf(1)
	for _, c := range r.Claims {
		least = math.Min(least, c.Score)
	}
	low, mean := floor.score(r)
	t.positive = append(t.positive, positive)
	t.called = append(t.called, *r.Faithfulness == 1)
	t.least = append(t.least, least)
	t.support = append(t.support, *r.Support)
	t.floorLeast = append(t.floorLeast, low)
	t.floorCalled = append(t.floorCalled, low >= floorThreshold)
	return mean
}

// A figure is one number of a table's rows, as the AUROC by one of its scores.
type figure func(t *table, places []int) float64

func byLeast(t *table, places []int) float64   { return t.auroc(t.least, places) }
func bySupport(t *table, places []int) float64 { return t.auroc(t.support, places) }
func byFloor(t *table, places []int) float64   { return t.auroc(t.floorLeast, places) }

func accuracy(t *table, places []int) float64      { return t.accuracy(t.called, places) }
func floorAccuracy(t *table, places []int) float64 { return t.accuracy(t.floorCalled, places) }

func (t *table) accuracy(called []bool, places []int) float64 {
	t.take(places)
	t.drawnCalled = t.drawnCalled[:0]
	for _, i := range places {
		t.drawnCalled = append(t.drawnCalled, called[i])
	}
	return stats.BalancedAccuracy(t.drawnPositive, t.drawnCalled)
}

func (t *table) auroc(scores []float64, places []int) float64 {
	t.take(places)
	t.drawnScores = t.drawnScores[:0]
	for _, i := range places {
		t.drawnScores = append(t.drawnScores, scores[i])
	}
	return stats.AUROC(t.drawnPositive, t.drawnScores)
}

func (t *table) take(places []int) {
	t.drawnPositive = t.drawnPositive[:0]
	for _, i := range places {
		t.drawnPositive = append(t.drawnPositive, t.positive[i])
	}
}

// all are the places of every row.
func (t *table) all() []int {
	places := make([]int, len(t.positive))
	for i := range places {
		places[i] = i
	}
	return places
}

// resamples is how often rows are drawn again for an interval.
const resamples = 1000

// draw takes as many rows as there are, with replacement, until both labels are
// among them.
func (t *table) draw(r *rand.Rand) []int {
	for {
		t.drawn = t.drawn[:0]
		positive := 0
		for range t.positive {
			i := r.IntN(len(t.positive))
			if t.drawn = append(t.drawn, i); t.positive[i] {
				positive++
			}
		}
		if positive > 0 && positive < len(t.drawn) || !slices.Contains(t.positive, true) || !slices.Contains(t.positive, false) {
			return t.drawn
		}
	}
}

// interval is the percentile bootstrap interval, of 95%, of the mean over suites
// of a figure, or of what it is higher by than that of another judge. Rows are
// drawn within their suite, the same of both judges.
func interval(suites []string, f figure, j, base *judged) (low, high float64) {
	r := rand.New(rand.NewPCG(1, 2)) //nolint:gosec // reproducible on purpose
	means := make([]float64, resamples)
	for n := range means {
		for _, s := range suites {
			t := j.suites[s]
			places := t.draw(r)
			x := f(t, places)
			if base != nil {
				x -= f(base.suites[s], places)
			}
			means[n] += x / float64(len(suites))
		}
	}
	slices.Sort(means)
	return means[resamples*25/1000], means[resamples*975/1000-1]
}

// mean of a figure over suites.
func (j *judged) mean(suites []string, f figure) float64 {
	sum := 0.0
	for _, s := range suites {
		sum += f(j.suites[s], j.suites[s].all())
	}
	return sum / float64(len(suites))
}
