package stats

import (
	"math"
	"math/rand/v2"
)

// A binomial draws how many of n trials succeed, for one probability and any n.
type binomial struct {
	p       float64 // at most 1/2
	odds    float64 // p / (1-p)
	logFail float64 // log(1-p)
	flipped bool    // p stands for the failures
}

func newBinomial(p float64) binomial {
	b := binomial{p: p}
	if p > 0.5 {
		b.p, b.flipped = 1-p, true
	}
	b.odds = b.p / (1 - b.p)
	b.logFail = math.Log1p(-b.p)
	return b
}

// few is the mean up to which counting through the probabilities is faster
// than rejection, and above which the latter's constants hold (Hörmann's 10).
const few = 10

func (b *binomial) draw(r *rand.Rand, n int) int {
	var k int
	if float64(n)*b.p < few {
		k = b.count(r, n)
	} else {
		k = b.reject(r, n)
	}
	if b.flipped {
		return n - k
	}
	return k
}

// count inverts the distribution function, from 0 on.
func (b *binomial) count(r *rand.Rand, n int) int {
	u := r.Float64()
	p := math.Exp(float64(n) * b.logFail)
	k := 0
	for u >= p && k < n {
		u -= p
		k++
		p *= b.odds * float64(n-k+1) / float64(k)
	}
	return k
}

// reject is algorithm BTRS of Hörmann, "The generation of binomial random
// variates" (Journal of Statistical Computation and Simulation 46, 1993):
// transformed rejection with a squeeze, whose constants are his.
func (b *binomial) reject(r *rand.Rand, trials int) int {
	n := float64(trials)
	spread := math.Sqrt(n * b.p * (1 - b.p))
	bb := 1.15 + 2.53*spread
	a := -0.0873 + 0.0248*bb + 0.01*b.p
	c := n*b.p + 0.5
	squeeze := 0.92 - 4.2/bb
	for {
		u, v := r.Float64()-0.5, r.Float64()
		us := 0.5 - math.Abs(u)
		k := math.Floor((2*a/us+bb)*u + c)
		if us >= 0.07 && v <= squeeze {
			return int(k)
		}
		if k < 0 || k > n {
			continue
		}
		alpha := (2.83 + 5.1/bb) * spread
		mode := math.Floor((n + 1) * b.p)
		v = math.Log(v * alpha / (a/(us*us) + bb))
		bound := (mode+0.5)*math.Log((mode+1)/(b.odds*(n-mode+1))) +
			(n+1)*math.Log((n-mode+1)/(n-k+1)) +
			(k+0.5)*math.Log(b.odds*(n-k+1)/(k+1)) +
			stirling(mode) + stirling(n-mode) - stirling(k) - stirling(n-k)
		if v <= bound {
			return int(k)
		}
	}
}

// stirling returns the error of Stirling's formula for log(k!): for small k the
// difference itself, else its series (Abramowitz and Stegun 6.1.41, at k+1).
func stirling(k float64) float64 {
	if k < 10 {
		whole, _ := math.Lgamma(k + 1)
		return whole - (math.Log(2*math.Pi)/2 + (k+0.5)*math.Log(k+1) - (k + 1))
	}
	x := k + 1
	return (1.0/12 - (1.0/360-1.0/1260/(x*x))/(x*x)) / x
}

// A multinomial draws how often each unit of a table comes among as many units
// drawn with replacement: one binomial for each different unit, of those that
// are left. That is exactly the distribution of a resample, at the cost of the
// different units and not of the rows.
type multinomial struct {
	n     int
	parts []binomial
}

func newMultinomial(t *table) *multinomial {
	m := &multinomial{n: t.n, parts: make([]binomial, len(t.units))}
	left := t.n
	for i, k := range t.counts {
		m.parts[i] = newBinomial(float64(k) / float64(left))
		left -= k
	}
	return m
}

// draw calls take with each unit that came and how often it did.
func (m *multinomial) draw(r *rand.Rand, take func(i, k int)) {
	left, last := m.n, len(m.parts)-1
	for i := 0; i < last && left > 0; i++ {
		if k := m.parts[i].draw(r, left); k > 0 {
			take(i, k)
			left -= k
		}
	}
	if left > 0 {
		take(last, left)
	}
}
