package values

import (
	"slices"
	"strings"
)

// Order checks a comparison that names no number: "the train is more expensive than the
// bus", "the lake trail is the longest of the three". The words around two stated values
// of one unit must say which things they belong to; ok is false if they do not.
func Order(claim string, passages []Text) (d Derivation, ok bool) {
	w := wordsOf(claim, 0, 0)
	if !w.compares() {
		return Derivation{}, false
	}
	direction := w.cues & (cueLess | cueMore)
	than := strings.Index(claim, " than ")
	own := Find(claim)
	for _, v := range own {
		if v.Kind == Multiple || v.Kind == Number && v.Noun != "" && v.Low > 1 && than >= 0 && v.Start > than && v.End-than < 16 {
			return Derivation{}, false // "cheaper than two singles"
		}
	}
	less := direction&cueLess != 0 // "less expensive", "more"
	var found Derivation
	top := 0
	for _, unit := range units(passages) {
		if !w.measures(&unit) || unit.Kind != Number && unit.Kind != Date && slices.ContainsFunc(own, func(v Value) bool { return v.Kind == unit.Kind }) {
			continue
		}
		cs := candidates(passages, func(s *Value) bool {
			return (s.Exact() || s.Kind == Date && !s.isBound()) && sameUnit(s, &unit)
		})
		if r, ok := w.delta(cs, passages, less); ok {
			r.Said = saidWords(claim)
			return r, true
		}
		a := best(cs, w.left, w.right)
		if a < 0 {
			continue
		}
		var b int
		if w.cues&cueThan != 0 {
			b = partner(cs, a, w.left, w.right)
		} else {
			b = rival(cs, a, less)
		}
		if b < 0 || cs[a].Low == cs[b].Low && cs[a].Kind == Date {
			continue
		}
		x, y := &cs[a], &cs[b]
		r := Derivation{Holds: x.Low < y.Low == less && x.Low != y.Low, Apart: x.passage != y.passage}
		r.Text = x.relation(y)
		switch n := x.score(w.left) + y.score(w.right); {
		case n > top:
			found, top, ok = r, n, true
		case n == top:
			ok = false // two units are equally likely
		}
	}
	if ok {
		found.Said = saidWords(claim)
	}
	return found, ok
}

// Compares reports whether a claim says that one thing is larger than others.
func Compares(claim string) bool {
	w := wordsOf(claim, 0, 0)
	return w.compares()
}

func (w *claimWords) compares() bool {
	direction := w.cues & (cueLess | cueMore)
	return w.cues&(cueThan|cueMost) != 0 && direction != 0 && (direction != cueLess|cueMore || w.cues&cueMoney != 0)
}

// relation returns the comparison of two values, written out.
func (c *candidate) relation(d *candidate) string {
	op := " > "
	switch {
	case c.Low < d.Low:
		op = " < "
	case c.Low == d.Low:
		op = " = "
	}
	return c.String() + op + d.String()
}

// delta answers a comparison from a stated difference: "19,460 tonnes in 2023, 1,100
// tonnes less than in 2022".
func (w *claimWords) delta(cs []candidate, passages []Text, less bool) (Derivation, bool) {
	if w.cues&cueThan == 0 {
		return Derivation{}, false
	}
	d := derivation{passages: passages}
	for i := 1; i < len(cs); i++ {
		a, b := &cs[i-1], &cs[i]
		if b.delta == 0 || a.delta != 0 || a.passage != b.passage {
			continue
		}
		if named, missing := d.afterThan(b, w.right); named == 0 || missing > 0 {
			continue
		}
		c := *a
		c.Low -= b.delta * b.Low
		c.High = c.Low
		return Derivation{Text: a.relation(&c), Holds: b.delta < 0 == less}, true
	}
	return Derivation{}, false
}

// rival returns the candidate with the largest value except a, or the smallest if less.
func rival(cs []candidate, a int, less bool) int {
	b := -1
	for i := range cs {
		if i != a && cs[i].delta == 0 && cs[i].passage == cs[a].passage && cs[i].cell.heading == cs[a].cell.heading && (b < 0 || cs[i].Low != cs[b].Low && cs[i].Low < cs[b].Low == less) {
			b = i
		}
	}
	return b
}

// units returns one value for each unit that is stated at least twice.
func units(passages []Text) []Value {
	var out []Value
	for p := range passages {
		for _, v := range passages[p].Values {
			known := false
			for i := range out {
				known = known || sameUnit(&out[i], &v)
			}
			if !known && len(out) < maxCandidates {
				out = append(out, v)
			}
		}
	}
	return out
}

// sameUnit reports whether two values can be compared by size.
func sameUnit(a, b *Value) bool {
	if a.Kind == Number && (a.Noun == "") != (b.Noun == "") {
		return false
	}
	return a.Kind == b.Kind && (a.Noun == "" || head(a.Noun) == head(b.Noun)) && a.dimension == b.dimension && (a.Unit == b.Unit || a.Kind == Measure || a.Kind == Duration || a.Kind == Date)
}

// measures reports whether the comparative can be about a value.
func (w *claimWords) measures(v *Value) bool {
	switch {
	case w.cues&cueMoney != 0:
		return v.Kind == Money
	case w.cues&cueMass != 0:
		return v.dimension == mass
	case w.cues&cueTime != 0:
		return v.Kind == Date || v.Kind == Clock
	case w.cues&cueSize != 0:
		return v.dimension == length || v.Kind == Duration
	case w.cues&cueHeat != 0:
		return v.dimension == temperature
	}
	return v.Kind != Date && v.Kind != Clock && v.Kind != Ordinal && v.Kind != Multiple
}
