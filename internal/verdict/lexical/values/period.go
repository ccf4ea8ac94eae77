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

// seasonAt parses "spring 2021", "winter of 1941", "spring", "Q3 2022" and "H1 2020".
func (r *reader) seasonAt(i int) (Value, int) {
	t := r.at(i)
	m1, months, k := int(t.num), 3, i+1
	if t.class&quarterQ != 0 {
		part := int(r.at(k).num)
		months = int(t.num)
		if !r.joined(i) || !r.has(k, digits) || r.joined(k) && r.has(k+1, word) || part < 1 || part*months > 12 {
			return Value{}, 0
		}
		m1, k = (part-1)*months+1, k+1
	} else if r.is(i-1, "mid", "hot", "artesian", "water") || r.isHyphen(k) {
		return Value{}, 0
	}
	n := k
	if r.is(n, "of", ",", "/") {
		n++
		if r.is(n, "the") || r.is(n, "fiscal") {
			n++
		}
	}
	y := r.number4(n)
	m2 := m1 + months - 1
	if y == 0 && months == 6 {
		return Value{}, 0 // H1 may be anything
	}
	if y == 0 {
		if t.class&season != 0 && !r.isTime(i-1) {
			return Value{}, 0
		}
		if m2 > 12 {
			m2 -= 12
		}
		v := recurring(m1, 1, m2, lastDay(0, m2))
		v.Approx, v.Step = t.class&season != 0, 31
		return v, k
	}
	if r.is(n+1, "/", "–", "-") && r.joined(n) && r.has(n+2, digits) {
		n += 2
	}
	z := y
	if m2 > 12 {
		z, m2 = y+1, m2-12
	}
	v := period(y, m1, z, m2)
	if t.class&season != 0 {
		v.Approx, v.Step = true, 31
		if m1 == 12 {
			v.Step = 365 // the winter of 2021 may start in 2020
		}
	}
	return v, n + 1
}

// isTime reports whether the word at token i shows that a season follows, and not the verb
// or the coil.
func (r *reader) isTime(i int) bool {
	if r.is(i, "the") {
		return r.is(i-1, "in", "during", "by", "of", "until", "since")
	}
	return r.is(i, "in", "this", "last", "next", "every", "each", "early", "late", "during", "until", "since", "by", "of")
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
	if r.has(k, fraction) {
		return r.partOfYear(k)
	}
	if r.has(i, ordinal) {
		return r.dayFirst(i, k)
	}
	return Value{}, 0
}

// partOfYear parses a quarter or half after an ordinal: "third quarter of 2022". Token i
// is the quarter or half.
func (r *reader) partOfYear(i int) (Value, int) {
	n, parts := int(r.at(i-1).num), int(r.at(i).num)
	if !r.has(i-1, ordinal) || parts != 2 && parts != 4 || n > parts || n < 1 {
		return Value{}, 0
	}
	k := i + 1
	if r.is(k, "of", "in") {
		k++
	}
	if r.is(k, "fiscal", "the") {
		k++
	}
	y := r.number4(k)
	if y == 0 {
		return Value{}, 0
	}
	months := 12 / parts
	return period(y, (n-1)*months+1, y, n*months), k + 1
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
