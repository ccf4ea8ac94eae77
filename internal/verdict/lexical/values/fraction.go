package values

import "strings"

// fractionAt parses the share at token i: half of, a third of, two-thirds, one in five,
// 3 out of 4, 3/4. A fraction of a unit, such as half an hour, has that unit. "The fifth
// attempt" and "the second half" are not shares.
func (r *reader) fractionAt(i int) (v Value, from, next int) {
	t := r.at(i)
	share := 0.0
	from = i
	v = Value{Kind: Share, Unit: "percent", factor: 0.01, word: true}
	switch {
	case t.class&fraction != 0 && t.num == 2:
		if r.is(i-1, "the", "this", "that", "other", "each", "its", "their", "own", "same") || r.has(i-1, ordinal) || r.is(i+1, "past", "-") && !r.halfUnit(i) ||
			r.text[t.end-1] == 's' {
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
			if share, next = r.ratio(i); next > 0 {
				v.parts = [2]float64{t.num, t.num / share}
			}
		}
		if next == 0 {
			return Value{}, 0, 0
		}
	}
	if r.is(from-1, "a", "one", "an") && t.class&(fraction|ordinal) != 0 {
		from--
	}
	v.Low, v.High, v.Step = share, share, 0.01
	// half an hour, three quarters of an hour, half a million
	k := next
	if r.is(k, "of") {
		k++
	}
	if u, n := r.unitAt(next); n > 0 && r.is(i+1, "/") && u.kind != Share { // 3/4 litre
		v = Value{Low: share, High: share, Step: share}
		v.setUnit(u)
		return v, from, n
	}
	if r.is(k, "a", "an", "-") {
		if r.has(k+1, scale|dozen) && r.at(k+1).end-r.at(k+1).start > 2 {
			v = Value{Low: share * r.at(k+1).num, High: share * r.at(k+1).num, Step: share * r.at(k+1).num, written: true}
			next = k + 2
			if u, n := r.unitAt(next); n > 0 {
				v.setUnit(u)
				next = n
			}
		} else if u, n := r.unitAt(k + 1); n > 0 && u.kind != Share {
			v = Value{Low: share, High: share, Step: share}
			v.setUnit(u)
			next = n
		}
	}
	return v, from, next
}

// halfUnit reports whether a hyphen and a unit follow "half": half-hour.
func (r *reader) halfUnit(i int) bool {
	if !r.is(i+1, "-") {
		return false
	}
	_, next := r.unitAt(i + 2)
	return next > 0
}

// countedFraction parses "two thirds", "three-quarters" and "one fifth".
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
	var k int
	switch {
	case r.is(i+1, "/") && r.joined(i) && r.joined(i+1) && r.at(i+2).num <= 10:
		k = i + 2
	case r.is(i+1, "in"):
		k = i + 2
		if r.is(k, "every") {
			k++
		}
	case r.is(i+1, "out") && r.is(i+2, "of"):
		k = i + 3
		if r.is(k, "every") {
			k++
		}
	default:
		return 0, 0
	}
	d := r.at(k)
	const kinds = digits | numeral
	if d.class&kinds == 0 || d.class&kinds != r.at(i).class&kinds || r.at(i).num >= d.num || d.class&decimal != 0 {
		return 0, 0
	}
	switch d.num {
	case 2, 3, 4, 5, 6, 7, 8, 9, 10, 12, 15, 20, 25, 50, 100, 1000:
	default:
		return 0, 0
	}
	if _, n := r.unitAt(k + 1); n > 0 && !r.is(i+1, "/") || r.has(k+1, scale|month|kinds) || strings.HasPrefix(r.text[d.end:], "/") {
		return 0, 0
	}
	return r.at(i).num / d.num, k + 1
}
