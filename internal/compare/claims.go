package compare

import (
	"hash/maphash"
	"slices"

	"github.com/ragfaith/ragfaith/internal/result"
)

// A mark is what is held of a claim: its text, as the judge reads it, its place in
// the answer, and whether it is supported.
type mark struct {
	text       uint64
	start, end int32 // -1 where the place is not known
	supported  bool
}

func (m mark) one() int {
	if m.supported {
		return 1
	}
	return 0
}

// marks returns those of the claims of r that have a verdict.
func (p *pairing) marks(r *result.Row) []mark { return marksOf(p.seed, r) }

func marksOf(seed maphash.Seed, r *result.Row) []mark {
	if len(r.Claims) == 0 {
		return nil
	}
	marks := make([]mark, len(r.Claims))
	for i := range r.Claims {
		c := &r.Claims[i]
		place := result.Span{Start: c.Start, End: c.End}
		if c.From != nil {
			place = *c.From
		}
		marks[i] = mark{
			text: maphash.String(seed, c.Judged()), start: int32(place.Start), end: int32(place.End),
			supported: r.Claims[i].Verdict == result.Supported,
		}
	}
	return marks
}

// A Match is a claim of both sides by its place among the claims of each, or of
// one side alone, with -1 for the other.
type Match struct{ Baseline, Candidate int }

// match pairs claims by their text, the k-th of a text with the k-th. Those that
// are left over, as where a language model has put them in other words, are paired
// by their place in the answer, if that is the same and each side has one claim
// there. The claims of the candidate come first, in their order, and then those of
// the baseline that are left.
func match(was, is []mark, sameAnswer bool) []Match {
	all := make([]Match, 0, max(len(was), len(is)))
	taken := make([]bool, len(was))
	pair := func(i, k int) {
		taken[i] = true
		all[k].Baseline = i
	}
	for k := range is {
		all = append(all, Match{-1, k})
	}
	if slices.EqualFunc(was, is, func(a, b mark) bool { return a.text == b.text }) { // as in most rows
		for k := range is {
			all[k].Baseline = k
		}
		return all
	}
	pairBy(was, is, taken, all, pair, func(m mark) ([2]uint64, bool) { return [2]uint64{m.text}, true }, false)
	if sameAnswer {
		pairBy(was, is, taken, all, pair, func(m mark) ([2]uint64, bool) {
			return [2]uint64{uint64(m.start), uint64(m.end)}, m.start >= 0
		}, true)
	}
	for i := range was {
		if !taken[i] {
			all = append(all, Match{i, -1})
		}
	}
	return all
}

// pairBy pairs the claims that are not yet with those of the same key, in order;
// with alone, only where there is one on each side.
func pairBy(was, is []mark, taken []bool, all []Match, pair func(i, k int), key func(mark) ([2]uint64, bool), alone bool) {
	waiting := make(map[[2]uint64][]int)
	for i, m := range was {
		if name, ok := key(m); ok && !taken[i] {
			waiting[name] = append(waiting[name], i)
		}
	}
	if len(waiting) == 0 {
		return
	}
	wanted := make(map[[2]uint64]int)
	for k, m := range is {
		if name, ok := key(m); ok && all[k].Baseline < 0 {
			wanted[name]++
		}
	}
	for k, m := range is {
		name, ok := key(m)
		if !ok || all[k].Baseline >= 0 || len(waiting[name]) == 0 || alone && (len(waiting[name]) > 1 || wanted[name] > 1) {
			continue
		}
		pair(waiting[name][0], k)
		waiting[name] = waiting[name][1:]
	}
}
