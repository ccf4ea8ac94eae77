package stats

import (
	"math"

	"gonum.org/v1/gonum/stat/distuv"
)

// leastNormal is how many differences the normal approximation of the signed
// ranks takes; below, all outcomes are gone through, which takes the fourth
// power of it in steps.
const leastNormal = 200

// signedRanks is Wilcoxon's signed-rank test (Biometrics Bulletin 1, 1945) of
// the units' mean differences. Differences of 0 are dropped, as he did and as
// scipy.stats.wilcoxon does by default: the test is of the units that changed.
// Equal differences share the mean of their ranks. Below 200 differences it is
// exact given these ranks, where there are ties too; else it is the normal
// approximation with the variance corrected for ties and without a correction
// for continuity (Lehmann, "Nonparametrics", 1975, chapter 3), as scipy's.
func (t *table) signedRanks() Test {
	steps := t.steps(unit.mean)
	if len(steps) == 0 {
		return none()
	}
	n, up := 0, 0 // up is twice the rank sum of the differences upwards
	doubled := make([]int, len(steps))
	var ties float64
	for i, s := range steps {
		doubled[i] = 2*n + s.n + 1 // twice the mean of the ranks n+1 to n+s.n
		up += doubled[i] * s.ups
		n += s.n
		ties += float64(s.n) * (float64(s.n)*float64(s.n) - 1)
	}
	if n < leastNormal {
		return exactRanks(steps, doubled, n, up)
	}
	m := float64(n)
	deviation := math.Sqrt(m*(m+1)*(2*m+1)/24 - ties/48)
	z := (float64(up)/2 - m*(m+1)/4) / deviation
	below := distuv.UnitNormal.CDF(z)
	above := distuv.UnitNormal.CDF(-z)
	return Test{TwoSided: min(1, 2*min(above, below)), Greater: above, Less: below}
}

// exactRanks counts in how many ways each rank sum comes, rank by rank.
func exactRanks(steps []step, doubled []int, n, up int) Test {
	chances := make([]float64, n*(n+1)+1) // by twice the rank sum
	chances[0] = 1
	top := 0
	for i, s := range steps {
		for range s.n {
			rank := doubled[i]
			top += rank
			for sum := top; sum >= rank; sum-- {
				chances[sum] = (chances[sum] + chances[sum-rank]) / 2
			}
			for sum := rank - 1; sum >= 0; sum-- {
				chances[sum] /= 2
			}
		}
	}
	p := Test{Exact: true}
	for sum, chance := range chances {
		if sum >= up {
			p.Greater += chance
		}
		if sum <= up {
			p.Less += chance
		}
	}
	p.Greater, p.Less = min(p.Greater, 1), min(p.Less, 1)
	p.TwoSided = min(1, 2*min(p.Greater, p.Less))
	return p
}
