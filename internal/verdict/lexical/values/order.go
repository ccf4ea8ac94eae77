package values

// Order checks a comparison that names no number: "the train is more expensive than the
// bus", "the lake trail is the longest of the three". The words around two stated values
// of one unit must say which things they belong to; ok is false if they do not.
func Order(claim string, passages []Text) (d Derivation, ok bool) {
	w := wordsOf(claim, 0, 0)
	direction := w.cues & (cueLess | cueMore)
	if direction != cueLess && direction != cueMore && w.cues&cueMoney == 0 || direction == 0 {
		return Derivation{}, false
	}
	if w.cues&(cueThan|cueMost) == 0 {
		return Derivation{}, false
	}
	less := direction&cueLess != 0 // "less expensive", "more"
	var found Derivation
	n := 0
	for _, unit := range units(passages) {
		if !w.measures(&unit) {
			continue
		}
		cs := candidates(passages, func(s *Value) bool {
			return (s.Exact() || s.Kind == Date && !s.isBound()) && s.Kind == unit.Kind && s.dimension == unit.dimension && (s.Unit == unit.Unit || s.Kind == Measure || s.Kind == Duration || s.Kind == Date)
		})
		a := best(cs, w.left, w.right, -1)
		if a < 0 {
			continue
		}
		b := -1
		if w.cues&cueThan != 0 {
			b = best(cs, w.right, w.left, a)
		} else {
			b = rival(cs, a, less)
		}
		if b < 0 || cs[a].Low == cs[b].Low && cs[a].Kind == Date {
			continue
		}
		x, y := &cs[a], &cs[b]
		r := Derivation{Holds: x.Low < y.Low == less && x.Low != y.Low}
		switch {
		case w.cues&cueThan != 0 && x.Low < y.Low && !less && !r.Holds:
			x, y = y, x
		}
		op := " > "
		switch {
		case x.Low < y.Low:
			op = " < "
		case x.Low == y.Low:
			op = " = "
		}
		r.Text = x.String() + op + y.String()
		found, n = r, n+1
	}
	return found, n == 1
}

// rival returns the candidate with the largest value except a, or the smallest if less.
func rival(cs []candidate, a int, less bool) int {
	b := -1
	for i := range cs {
		if i != a && (b < 0 || cs[i].Low != cs[b].Low && cs[i].Low < cs[b].Low == less) {
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
				known = known || out[i].Kind == v.Kind && out[i].dimension == v.dimension && (out[i].Unit == v.Unit || v.Kind == Measure || v.Kind == Duration || v.Kind == Date)
			}
			if !known && len(out) < maxCandidates {
				out = append(out, v)
			}
		}
	}
	return out
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
