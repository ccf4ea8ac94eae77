package stats

import (
	"cmp"
	"math"
	"math/rand/v2"
	"slices"
)

const (
	folds   = 10 // a tenth of the rows is left out at a time
	repeats = 20 // in so many random ways, for one way is a matter of luck
)

// A Threshold is where scores are best cut: a row is called positive with a
// score at or above it.
type Threshold struct {
	// Threshold has the highest balanced accuracy on all rows: the middle one
	// of several, halfway between two scores. NaN without both labels.
	Threshold float64
	// Apparent is its balanced accuracy on the rows that it was chosen by,
	// which is too high.
	Apparent float64
	// OutOfFold is the balanced accuracy to expect on other rows: each row is
	// called by a threshold that was chosen without it and without its group.
	OutOfFold Interval
	// Low and High are the least and the greatest threshold that were chosen
	// with a tenth of the rows left out.
	Low, High float64
}

type labelled struct {
	score    float64
	positive bool
	group    string
	fold     int
	right    float64 // how often it was called right
}

// BestThreshold chooses a threshold by balanced accuracy and estimates how good
// that choice is by cross-validation that holds it within: the threshold is
// chosen anew by the rows outside of each of ten folds and tried on those
// within, which avoids the optimism of choosing and trying on the same rows
// (Varma and Simon, BMC Bioinformatics 7, 2006). There is nothing else to be
// chosen, so an inner round of folds would give the same choice. The folds are
// drawn twenty times, o.Seed deciding how; each has its share of either label.
//
// The interval takes the twenty for one trial of each row: that of
// [BalancedAccuracyInterval], or with groups the mean over groups with the
// interval of [Sample.Interval] for each label. It does not hold the error of
// choosing the threshold on this sample rather than another.
//
// groups has the group of each row, and the rows of one are left out together;
// it is nil where every row stands alone. The order of rows makes no
// difference.
func BestThreshold(positive []bool, scores []float64, groups []string, o Options) Threshold {
	o = o.withDefaults()
	rows := make([]labelled, len(scores))
	pos := 0
	for i := range rows {
		rows[i] = labelled{score: scores[i], positive: positive[i]}
		if groups != nil {
			rows[i].group = groups[i]
		}
		if positive[i] {
			pos++
		}
	}
	slices.SortFunc(rows, func(a, b labelled) int {
		return cmp.Or(cmp.Compare(a.score, b.score), cmp.Compare(a.group, b.group), compareBools(a.positive, b.positive))
	})
	t := Threshold{Low: math.Inf(1), High: math.Inf(-1)}
	t.Threshold, t.Apparent = chosen(rows, -1)
	t.OutOfFold, _ = begun(math.NaN(), len(rows), o.Confidence)
	if t.OutOfFold.short(pos, len(rows)-pos) {
		t.Low, t.High = math.NaN(), math.NaN()
		return t
	}
	r := rand.New(rand.NewPCG(o.Seed, 0))
	for range repeats {
		deal(rows, groups != nil, r)
		for fold := range folds {
			at, _ := chosen(rows, fold)
			if math.IsNaN(at) {
				t.Low, t.High = math.NaN(), math.NaN()
				t.OutOfFold.Note = "the rows outside of one fold have one label only: there are too few groups"
				return t
			}
			t.Low, t.High = min(t.Low, at), max(t.High, at)
			for i := range rows {
				if row := &rows[i]; row.fold == fold && (row.score >= at) == row.positive {
					row.right += 1. / repeats
				}
			}
		}
	}
	t.OutOfFold = outOfFold(rows, pos, groups != nil, o)
	return t
}

func compareBools(a, b bool) int {
	switch {
	case a == b:
		return 0
	case b:
		return -1
	}
	return 1
}

// chosen returns the threshold of the highest balanced accuracy for the rows,
// sorted by score, that are not of the fold, and that accuracy; NaN where they
// do not have both labels.
func chosen(rows []labelled, fold int) (at, accuracy float64) {
	var pos, neg float64
	for _, row := range rows {
		switch {
		case row.fold == fold:
		case row.positive:
			pos++
		default:
			neg++
		}
	}
	if pos == 0 || neg == 0 {
		return math.NaN(), math.NaN()
	}
	// below counts the rows under a threshold; it starts under the lowest score.
	var below [2]float64
	var best []float64
	accuracy = math.Inf(-1)
	last := math.NaN()
	for _, row := range rows {
		if row.fold == fold {
			continue
		}
		if row.score != last {
			here := row.score
			if !math.IsNaN(last) {
				here = last + (row.score-last)/2
			}
			switch a := (1 - below[1]/pos + below[0]/neg) / 2; {
			case a > accuracy+1e-12:
				accuracy, best = a, append(best[:0], here)
			case a > accuracy-1e-12:
				best = append(best, here)
			}
			last = row.score
		}
		if row.positive {
			below[1]++
		} else {
			below[0]++
		}
	}
	return best[(len(best)-1)/2], accuracy
}

// deal gives every row a fold: each label's rows in turns, or each group.
func deal(rows []labelled, grouped bool, r *rand.Rand) {
	order := r.Perm(len(rows))
	var next [2]int
	byGroup := make(map[string]int)
	for _, i := range order {
		row := &rows[i]
		if grouped {
			fold, ok := byGroup[row.group]
			if !ok {
				fold = len(byGroup) % folds
				byGroup[row.group] = fold
			}
			row.fold = fold
			continue
		}
		label := 0
		if row.positive {
			label = 1
		}
		row.fold = next[label] % folds
		next[label]++
	}
}

// outOfFold is the balanced accuracy by how often the rows were called right.
func outOfFold(rows []labelled, pos int, grouped bool, o Options) Interval {
	var groups [2]Groups
	var right [2]float64
	for _, row := range rows {
		label := 0
		if row.positive {
			label = 1
		}
		groups[label].Add(row.group, row.right, 1)
		right[label] += row.right
	}
	neg := len(rows) - pos
	sensitivity, specificity := right[1]/float64(pos), right[0]/float64(neg)
	if !grouped {
		return balanced(sensitivity, specificity, pos, neg, o.Confidence)
	}
	a, b := groups[1].Sample().Interval(o), groups[0].Sample().Interval(o)
	i, _ := begun((sensitivity+specificity)/2, len(rows), o.Confidence)
	i.N = min(a.N, b.N)
	i.Note = cmp.Or(a.Note, b.Note)
	if a.Reliable() && b.Reliable() {
		i.Method = Newcombe
		i.Lower = i.Estimate - math.Hypot(a.Estimate-a.Lower, b.Estimate-b.Lower)/2
		i.Upper = i.Estimate + math.Hypot(a.Upper-a.Estimate, b.Upper-b.Estimate)/2
	}
	return i
}
