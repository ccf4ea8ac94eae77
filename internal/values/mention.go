package values

// Mentions is Compare for a value that is stated anywhere in a text, perhaps about something
// else, so only the numbers themselves count: 20 for "at least 20", both ends of "5-7 days".
// A claimed lower bound may also be exceeded.
func Mentions(claim, stated *Value) Relation {
	if claim.Kind == Date && claim.Unit == weekdayUnit && stated.Unit != weekdayUnit {
		return Incomparable // any date in a text may be on a Monday
	}
	if claim.Not != stated.Not {
		return Compare(claim, stated)
	}
	r := mention(claim, stated)
	if r == Undecided && claim.Kind == Date && stated.High-stated.Low > 31 {
		return Incomparable // the year of a day
	}
	if r != Equal && claim.isBound() && claim.Kind != Date && claim.Low == claim.at[0] && stated.Exact() && compare(claim, stated) == Entailed {
		return Entailed
	}
	return r
}

// mention returns the worst relation of an end of the claim to the end of the stated value that
// suits it best.
func mention(claim, stated *Value) Relation {
	if claim.isSingle() && stated.isSingle() {
		return Compare(claim, stated)
	}
	worst := Equal
	claimed, m := claim.ends()
	ends, n := stated.ends()
	for i := range claimed[:m] {
		best := Incomparable
		for k := range ends[:n] {
			best = better(best, Compare(&claimed[i], &ends[k]))
		}
		if better(best, worst) == worst {
			worst = best
		}
	}
	return worst
}

// isSingle reports whether v is a number or period without a bound.
func (v *Value) isSingle() bool {
	return v.side == 0 && v.at == [2]float64{v.Low, v.High} && (v.Exact() || v.Kind == Date)
}

// ends returns the number or period that v is about, or both ends of a range.
func (v *Value) ends() (ends [2]Value, n int) {
	a := *v
	a.Low, a.High, a.Open, a.side = v.at[0], v.at[1], false, 0
	if a.Exact() || v.Kind == Date {
		return [2]Value{a}, 1
	}
	b := a
	a.High, b.Low = a.Low, b.High
	return [2]Value{a, b}, 2
}

// Denies reports whether a claimed and a stated value have the same number but may differ in
// their bounds.
func Denies(claim, stated *Value) bool {
	return SameNumber(claim, stated) && (!claim.Exact() || claim.Not != stated.Not || claim.isOpposite(stated))
}

// IsBoundOf reports whether v is written as a bound of the number w, as in "at least 20", or as
// just above or below it, and w as the number itself.
func (v *Value) IsBoundOf(w *Value) bool {
	return v.limited && SameNumber(v, w) && w.isSingle() && !w.Approx && !w.Not
}
