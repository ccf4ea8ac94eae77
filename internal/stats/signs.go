package stats

import (
	"cmp"
	"math"
	"math/rand/v2"
	"slices"

	"gonum.org/v1/gonum/stat/distuv"
)

// A Test holds the p-values of the hypothesis that a difference is as likely
// to be upwards as downwards.
type Test struct {
	TwoSided float64 // of a difference at least as large either way
	Greater  float64 // of one at least as far upwards
	Less     float64 // of one at least as far downwards
	Exact    bool    // computed from all outcomes, and not from drawn ones or by an approximation
}

// none is the test of no difference at all.
func none() Test { return Test{TwoSided: 1, Greater: 1, Less: 1, Exact: true} }

// A step is how many units differ by one size, and how many of them upwards.
type step struct {
	size   float64
	n, ups int
}

// steps returns the differences of t without those of 0, the smallest first.
// Differences that are equal up to the last digits count as equal.
func (t *table) steps(difference func(u unit) float64) []step {
	at := make(map[float64]int)
	var all []step
	for i, u := range t.units {
		d := tied(difference(u))
		if d == 0 {
			continue
		}
		j, ok := at[math.Abs(d)]
		if !ok {
			j = len(all)
			at[math.Abs(d)] = j
			all = append(all, step{size: math.Abs(d)})
		}
		all[j].n += t.counts[i]
		if d > 0 {
			all[j].ups += t.counts[i]
		}
	}
	slices.SortFunc(all, func(a, b step) int { return cmp.Compare(a.size, b.size) })
	return all
}

// outcomes is how many different outcomes a test by signs goes through at most
// before it draws some.
const outcomes = 1 << 20

// signFlips tests the sum of the differences against all sums that come of
// turning each unit's sign: were the two runs alike, each would be as likely
// (Fisher, "The Design of Experiments", 1935, section 21). A group's rows turn
// together.
//
// It is exact where there are at most 2^20 outcomes, which takes 20 different
// differences, or more units with fewer. Else it draws o.Resamples outcomes and
// counts the observed one among them: p = (b+1)/(m+1), which is never 0 and
// keeps its level (Davison and Hinkley 1997, chapter 4; Phipson and Smyth,
// Statistical Applications in Genetics and Molecular Biology 9, 2010).
func (t *table) signFlips(o Options) Test {
	steps := t.steps(func(u unit) float64 { return u.sum })
	if len(steps) == 0 {
		return none()
	}
	total := 1.0
	for _, s := range steps {
		total *= float64(s.n + 1)
	}
	if total <= outcomes {
		return exactFlips(steps)
	}
	return drawnFlips(joined(steps, bins), o)
}

// reached counts outcomes that are as far as the observed one, or as good as.
type reached struct{ sum, slack float64 }

func observed(steps []step) reached {
	var r reached
	for _, s := range steps {
		r.sum += s.size * float64(2*s.ups-s.n)
		r.slack += s.size * float64(s.n)
	}
	r.slack *= 1e-10
	return r
}

func (r reached) above(sum float64) bool  { return sum >= r.sum-r.slack }
func (r reached) below(sum float64) bool  { return sum <= r.sum+r.slack }
func (r reached) beyond(sum float64) bool { return math.Abs(sum) >= math.Abs(r.sum)-r.slack }

// exactFlips adds up the probabilities of all outcomes: of n equal steps, k go
// upwards in binomially many ways.
func exactFlips(steps []step) Test {
	chances := make([][]float64, len(steps))
	for i, s := range steps {
		coins := distuv.Binomial{N: float64(s.n), P: 0.5}
		for k := range s.n + 1 {
			chances[i] = append(chances[i], coins.Prob(float64(k)))
		}
	}
	was := observed(steps)
	p := Test{Exact: true}
	var walk func(i int, sum, chance float64)
	walk = func(i int, sum, chance float64) {
		if i < len(steps) {
			for k, c := range chances[i] {
				walk(i+1, sum+steps[i].size*float64(2*k-steps[i].n), chance*c)
			}
			return
		}
		if was.above(sum) {
			p.Greater += chance
		}
		if was.below(sum) {
			p.Less += chance
		}
		if was.beyond(sum) {
			p.TwoSided += chance
		}
	}
	walk(0, 0, 1)
	p.TwoSided, p.Greater, p.Less = min(p.TwoSided, 1), min(p.Greater, 1), min(p.Less, 1)
	return p
}

func drawnFlips(steps []step, o Options) Test {
	was := observed(steps)
	half := newBinomial(0.5)
	sums := blocks(o.Resamples, o.Seed, func(r *rand.Rand, into []float64) {
		for i := range into {
			sum := 0.0
			for _, s := range steps {
				sum += s.size * float64(2*half.draw(r, s.n)-s.n)
			}
			into[i] = sum
		}
	})
	above, below, beyond := 1, 1, 1
	for _, sum := range sums {
		if was.above(sum) {
			above++
		}
		if was.below(sum) {
			below++
		}
		if was.beyond(sum) {
			beyond++
		}
	}
	of := float64(len(sums) + 1)
	return Test{TwoSided: float64(beyond) / of, Greater: float64(above) / of, Less: float64(below) / of}
}

// joined returns at most n steps: where there are more, those of about the
// same size, in one n-th of the range, by their mean. The test is as valid, as
// the observed sum is of the joined steps as well.
func joined(steps []step, n int) []step {
	if len(steps) <= n {
		return steps
	}
	low := steps[0].size
	width := (steps[len(steps)-1].size - low) / float64(n)
	var all []step
	bin := -1
	for _, s := range steps {
		at := min(int((s.size-low)/width), n-1)
		if at != bin {
			all, bin = append(all, step{}), at
		}
		to := &all[len(all)-1]
		to.size = (to.size*float64(to.n) + s.size*float64(s.n)) / float64(to.n+s.n)
		to.n += s.n
		to.ups += s.ups
	}
	return all
}
