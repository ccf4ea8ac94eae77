package values

// year parses the year, decade or years at token i: 1994, 1990s, 2021/22, 44 BC. A number
// of four digits is a year unless a unit or plural follows or the words before it say
// otherwise.
func (r *reader) year(i int) (Value, int) {
	t := r.at(i)
	y := r.number4(i)
	switch {
	case r.is(i+1, "BC", "BCE") && t.num >= 1 && t.num < 10000:
		y = 1 - int(t.num)
		return period(y, 1, y, 12), i + 2
	case (r.is(i+1, "AD", "CE") || r.is(i-1, "AD")) && t.num >= 1 && t.num < 2200:
		y = int(t.num)
		next := i + 1
		if !r.is(i-1, "AD") {
			next++
		}
		return period(y, 1, y, 12), next
	case r.is(i+1, "s") && r.joined(i) && r.isAge(i-1):
		return Value{}, 0
	case r.is(i+1, "s") && r.joined(i) && (y > 0 && y%10 == 0 || t.end-t.start == 2 && t.num >= 20 && int(t.num)%10 == 0):
		if y == 0 {
			y = 1900 + int(t.num)
		}
		return period(y, 1, y+9, 12), i + 2
	case y == 0:
		return Value{}, 0
	}
	if (r.is(i+1, "/") || r.isHyphen(i+1)) && r.has(i+2, digits) && r.joined(i) && r.joined(i+1) && r.at(i+2).end-r.at(i+2).start == 2 {
		if z := y/100*100 + int(r.at(i+2).num); z > y && z-y < 50 {
			return period(y, 1, z, 12), i + 3
		}
	}
	dated := r.is(i-1, "in", "since", "from", "until", "till", "by", "during", "after", "before", "early", "late", "mid", "year",
		"of", "between", "circa", "bis", "seit", "en", "im", "desde", "depuis")
	if !dated && (y < 1500 || y > 2100) || r.is(i-1, "than", "least", "most", "about", "over", "approximately") || r.has(i-1, currency) ||
		r.joined(i-1) && (r.has(i-1, word) || r.is(i-1, "#", "_")) {
		return Value{}, 0
	}
	if _, n := r.unitAt(i + 1); n > 0 && !r.is(i+1, "h", "in", "s", "m", "an", "pa", "t", "b", "mes") {
		return Value{}, 0
	}
	if r.has(i+1, scale) || !dated && r.startsNoun(i+1) && isPlural(r.str(i+1)) && r.str(i + 1)[0] >= 'a' {
		return Value{}, 0
	}
	return period(y, 1, y, 12), i + 1
}

// isAge reports whether the words up to token i make decades an age: in her mid-40s.
func (r *reader) isAge(i int) bool {
	for k := i; k > i-4; k-- {
		if r.is(k, "his", "her", "their", "my", "our", "your") {
			return true
		}
		if !r.is(k, "early", "mid", "late", "-") {
			return false
		}
	}
	return false
}

// ordinalDate parses "the first of May", "14th March 1879", "the 19th century",
// "twenty-first century", "the third quarter of 2022" and "the first half of 2020".
func (r *reader) ordinalDate(i int) (Value, int) {
	n, k := int(r.at(i).num), i+1
	if r.has(i, numeral) {
		if !r.is(k, "-") || !r.has(k+1, ordinal) || r.at(i).num < 20 {
			return Value{}, 0
		}
		n, k = n+int(r.at(k+1).num), k+2
	}
	c := k
	if r.is(c, "-") {
		c++
	}
	if r.is(c, "century") && n > 0 && n < 30 {
		if r.is(c+1, "BC", "BCE") {
			return period(1-100*n, 1, -100*(n-1), 12), c + 2
		}
		return period(100*(n-1)+1, 1, 100*n, 12), c + 1
	}
	if r.is(k, "quarter") {
		return r.quarter(n, k+1)
	}
	if r.has(i, ordinal) {
		return r.dayFirst(i, k)
	}
	return Value{}, 0
}

// quarter returns the quarter n of the year at token i: Q3 2022, the third quarter of 2022.
func (r *reader) quarter(n, i int) (Value, int) {
	if r.is(i, "of") {
		i++
	}
	y := r.number4(i)
	if y == 0 || n < 1 || n > 4 {
		return Value{}, 0
	}
	return period(y, 3*n-2, y, 3*n), i + 1
}

// narrow limits a period to the part that the words before it name: early, mid, late,
// the end of. It returns the first token.
func (r *reader) narrow(v *Value, from int) int {
	if v.Low == v.High || v.Unit == weekdayUnit {
		return from
	}
	k := from - 1
	if r.is(k, "the") {
		k--
	}
	lo, hi := 0.0, 0.0
	switch {
	case r.is(k, "early"):
		hi = 0.4
	case r.is(k, "late"):
		lo, hi = 0.6, 1
	case r.is(k, "mid"), r.is(k, "-") && r.is(k-1, "mid"):
		lo, hi = 0.3, 0.7
	case r.is(k, "of") && r.is(k-1, "end", "close"):
		lo, hi = 0.9, 1
	case r.is(k, "of") && r.is(k-1, "start", "beginning"):
		hi = 0.1
	case r.is(k, "of") && r.is(k-1, "middle"):
		lo, hi = 0.3, 0.7
	default:
		return from
	}
	if r.is(k, "of", "-") {
		k--
	}
	days := v.High - v.Low
	v.Low, v.High = v.Low+float64(int(lo*days+0.5)), v.Low+float64(int(hi*days+0.5))
	v.Approx, v.Step = true, max(v.Step, float64(int(0.1*days)))
	return k
}
