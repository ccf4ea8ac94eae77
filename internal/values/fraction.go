package values

// fractionAt parses the share at token i: half, a third of, two-thirds, one in five, 3 out
// of 4. Half an hour has the unit of an hour. "The second half" is not a share.
func (r *reader) fractionAt(i int) (v Value, from, next int) {
	t := r.at(i)
	from = i
	v = Value{Kind: Share, Unit: "percent", factor: 0.01, Step: 0.01, word: true}
	share := 0.0
	switch {
	case t.class&fraction != 0 && t.num == 2:
		if r.is(i-1, "the", "this", "that", "other", "each", "its", "their", "own", "same") || r.has(i-1, ordinal) || r.is(i+1, "past", "-") || r.text[t.end-1] == 's' {
			return Value{}, 0, 0
		}
		share, next = 0.5, i+1
	case t.class&(fraction|ordinal) != 0:
		if !r.is(i-1, "a", "one") || r.text[t.end-1] == 's' && t.class&fraction != 0 || t.num < 3 || t.num > 20 ||
			!r.is(i+1, "of") && r.has(i+1, word) && !r.has(i+1, stop) || r.is(i+1, "-", "to", "past") {
			return Value{}, 0, 0
		}
		share, next = 1/t.num, i+1
	case t.class&(digits|numeral) == 0 || t.num < 1 || t.class&decimal != 0:
		return Value{}, 0, 0
	default:
		if share, next = r.countedFraction(i); next == 0 {
			if share, next = r.ratio(i); next == 0 {
				return Value{}, 0, 0
			}
			v.parts = [2]float64{t.num, t.num / share}
		}
	}
	if r.is(from-1, "a", "one", "an") && t.class&(fraction|ordinal) != 0 {
		from--
	}
	v.Low, v.High = share, share
	k := next
	if r.is(k, "of") {
		k++
	}
	if u, n := r.unitAt(next); n > 0 && r.is(i+1, "/") && u.kind != Share { // 3/4 litre
		v = Value{Low: share, High: share, Step: share}
		v.setUnit(u)
		return v, from, n
	}
	if !r.is(k, "a", "an") {
		return v, from, next
	}
	if f := r.at(k + 1); f.class&(scale|dozen) != 0 && f.end-f.start > 2 { // half a million
		share *= f.num
		v, next = Value{Low: share, High: share, Step: share, written: true}, k+2
		if u, n := r.unitAt(next); n > 0 {
			v.setUnit(u)
			next = n
		}
	} else if u, n := r.unitAt(k + 1); n > 0 && u.kind != Share {
		v, next = Value{Low: share, High: share, Step: share}, n
		v.setUnit(u)
	}
	return v, from, next
}

// countedFraction parses "two thirds", "three-quarters" and "one fifth of".
func (r *reader) countedFraction(i int) (float64, int) {
	k := i + 1
	if r.is(k, "-") && r.joined(i) && r.joined(k) {
		k++
	}
	d, a := r.at(k), r.at(i)
	if d.class&(fraction|ordinal) == 0 || a.num >= d.num || d.class&ordinal != 0 && (isDigit(r.text[d.start]) || d.num < 3) {
		return 0, 0
	}
	if (r.text[d.end-1] == 's') != (a.num > 1) || a.num == 1 && k == i+1 && !r.is(k+1, "of") {
		return 0, 0
	}
	return a.num / d.num, k + 1
}

// ratio parses "one in five", "3 out of 4" and "3/4", but not "one in three weeks".
func (r *reader) ratio(i int) (float64, int) {
	k := i + 2
	switch {
	case r.is(i+1, "in"), r.is(i+1, "/") && r.joined(i) && r.joined(i+1) && r.at(i+2).num <= 10:
	case r.is(i+1, "out") && r.is(i+2, "of"):
		k++
	default:
		return 0, 0
	}
	d := r.at(k)
	const kinds = digits | numeral
	if d.class&kinds == 0 || d.class&kinds != r.at(i).class&kinds || r.at(i).num >= d.num || d.num > 1000 || d.class&decimal != 0 || r.has(k+1, scale|month|kinds) {
		return 0, 0
	}
	if _, n := r.unitAt(k + 1); n > 0 && !r.is(i+1, "/") {
		return 0, 0
	}
	return r.at(i).num / d.num, k + 1
}
