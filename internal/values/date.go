package values

import "math"

// dateAt parses the date, year, decade, century or weekday at token i.
// It returns the first token and the token after the date, or 0.
func (r *reader) dateAt(i int) (v Value, from, next int) {
	from = i
	t := r.at(i)
	switch {
	case t.class&weekday != 0:
		k := i + 1
		if r.is(k, ",") {
			k++
		}
		if r.is(k, "the") {
			k++
		}
		if r.has(k, digits|ordinal|month) {
			if d, _, n := r.dateAt(k); n > 0 && d.Unit != weekdayUnit && d.High-d.Low < 1 {
				return d, i, n
			}
		}
		if last := r.at(i + 2); r.has(i+2, weekday) && (!r.is(i-1, "from") || !r.changes(i-2)) && (r.isHyphen(i+1) || r.is(i+1, "to", "through", "bis", "a", "à", "al")) { // Tue–Sun
			v = Value{Kind: Date, Unit: weekdayUnit, Low: t.num, High: last.num}
			if v.High <= v.Low {
				v.High += daysPerWeek
			}
			return v, i, i + 3
		}
		return Value{Kind: Date, Unit: weekdayUnit, Low: t.num, High: t.num}, i, i + 1
	case t.class&month != 0:
		v, next = r.monthFirst(i)
	case t.class&(ordinal|numeral) != 0:
		v, next = r.ordinalDate(i)
	case t.class&digits != 0 && t.class&decimal == 0:
		if r.is(i-1, "Q") && r.joined(i-1) {
			v, next = r.quarter(int(t.num), i+1)
			from--
		} else if v, next = r.numericDate(i); next == 0 {
			if v, next = r.dayFirst(i, i+1); next == 0 {
				v, next = r.year(i)
			}
		}
	}
	if next == 0 {
		return Value{}, 0, 0
	}
	from = r.narrow(&v, from)
	return v, from, next
}

// yearNumber returns the four-digit year at token i, or 0.
func (r *reader) yearNumber(i int) int {
	t := r.at(i)
	if t.class&digits == 0 || t.class&decimal != 0 || t.end-t.start != 4 || t.num < 1000 || t.num >= 2200 {
		return 0
	}
	return int(t.num)
}

// monthFirst parses "March 14, 1879", "March 1879" and "March".
func (r *reader) monthFirst(i int) (Value, int) {
	m := int(r.at(i).num)
	k := i + 1
	if r.is(k, ".") && r.joined(i) && r.has(k+1, digits|ordinal) {
		k++
	}
	if y := r.yearNumber(k); y > 0 {
		return period(y, m, y, m), k + 1
	}
	if r.is(k, "of", ",", "de") && r.yearNumber(k+1) > 0 {
		y := r.yearNumber(k + 1)
		return period(y, m, y, m), k + 2
	}
	if r.is(k, "the") {
		k++
	}
	if d := r.dayNumber(k); d > 0 && d <= lastDay(0, m) && !r.is(k+1, ":", "%", "percent") {
		return r.withYear(d, m, k+1)
	}
	if s := r.str(i); len(s) < 4 && !r.is(i, "may") || s[0] >= 'a' && s[0] < 0x80 && !r.is(i-1, "in", "since", "until", "last", "next") || r.is(i, "may") && !r.is(i-1, "in", "of", "until", "since", "from", "to", "last", "next", "early", "late", "every", "each", "by") &&
		(!r.has(i+2, month) || !r.is(i+1, "to", "through", "until") && !r.isHyphen(i+1)) {
		return Value{}, 0
	}
	return recurring(m, 1, m, lastDay(0, m)), i + 1
}

// withYear returns the day d of month m with the year at token i, if there is one.
func (r *reader) withYear(d, m, i int) (Value, int) {
	k := i
	if r.is(k, ",", "of", "de", "del", ".") {
		k++
	}
	if y := r.yearNumber(k); y > 0 && d <= lastDay(y, m) {
		x := day(y, m, d)
		return Value{Kind: Date, Low: x, High: x}, k + 1
	}
	return recurring(m, d, m, d), i
}

// dayNumber returns the day of the month at token i, or 0.
func (r *reader) dayNumber(i int) int {
	t := r.at(i)
	if t.class&(digits|ordinal) == 0 || t.class&decimal != 0 || t.num < 1 || t.num > 31 || t.num != math.Trunc(t.num) {
		return 0
	}
	return int(t.num)
}

// dayFirst parses a date whose day is token i and whose month follows at token k:
// "14 March 1879", "14th of March", "14. März", "14 de marzo de 1879".
func (r *reader) dayFirst(i, k int) (Value, int) {
	d := r.dayNumber(i)
	if r.is(k, "of", "de", ".", "-") {
		k++
	}
	if d == 0 || !r.has(k, month) {
		return Value{}, 0
	}
	m := int(r.at(k).num)
	if d > lastDay(0, m) {
		return Value{}, 0
	}
	if r.is(k+1, ".", "-") && r.joined(k) && r.yearNumber(k+2) > 0 {
		k++
	}
	return r.withYear(d, m, k+1)
}

// numericDate parses 06/2026, 1967-01-15, 15.01.1967, 1/15/1967 and 2023年8月16日.
func (r *reader) numericDate(i int) (Value, int) {
	if r.has(i+1, ideogram) {
		if v, next := r.ideographic(i); next > 0 {
			return v, next
		}
	}
	sep := r.str(i + 1)
	if m, y := int(r.at(i).num), r.yearNumber(i+2); sep == "/" && r.joined(i) && r.joined(i+1) && m >= 1 && m <= 12 && y >= 1900 && !r.is(i+3, "/") && !r.is(i-1, "/") {
		return period(y, m, y, m), i + 3
	}
	if sep != "-" && sep != "/" && sep != "." && sep != "‑" || r.str(i+3) != sep || !r.joined(i) || !r.joined(i+1) || !r.joined(i+2) || !r.joined(i+3) {
		return Value{}, 0
	}
	a, b, c := int(r.at(i).num), int(r.at(i+2).num), int(r.at(i+4).num)
	if !r.has(i+2, digits) || !r.has(i+4, digits) {
		return Value{}, 0
	}
	onDay := func(y, m, d int) (Value, int) {
		if m < 1 || m > 12 || d < 1 || d > lastDay(y, m) {
			return Value{}, 0
		}
		x := day(y, m, d)
		return Value{Kind: Date, Low: x, High: x}, i + 5
	}
	switch {
	case r.yearNumber(i) > 0:
		return onDay(a, b, c)
	case r.yearNumber(i+4) == 0:
		return Value{}, 0
	case b > 12:
		return onDay(c, a, b)
	}
	v, next := onDay(c, b, a)
	if next > 0 && sep == "/" && a <= 12 && a != b {
		v.other = day(c, a, b)
	}
	return v, next
}

// ideographic parses Chinese and Japanese dates.
func (r *reader) ideographic(i int) (v Value, next int) {
	y, k := 0, i
	if r.is(k+1, "年") && r.yearNumber(k) > 0 {
		y, k = r.yearNumber(k), k+2
		if !r.has(k, digits) || !r.is(k+1, "月") {
			return period(y, 1, y, 12), k
		}
	}
	if !r.is(k+1, "月") || r.at(k).num < 1 || r.at(k).num > 12 {
		return Value{}, 0
	}
	m, k := int(r.at(k).num), k+2
	d := r.dayNumber(k)
	switch {
	case d > 0 && d <= lastDay(y, m) && r.is(k+1, "日", "号") && y > 0:
		x := day(y, m, d)
		return Value{Kind: Date, Low: x, High: x}, k + 2
	case d > 0 && d <= lastDay(y, m) && r.is(k+1, "日", "号"):
		return recurring(m, d, m, d), k + 2
	case y > 0:
		return period(y, m, y, m), k
	}
	return recurring(m, 1, m, lastDay(0, m)), k
}

// year parses the year, decade or years at token i: 1994, 1990s, 2021/22, 44 BC. A number of four
// digits is a year unless a unit or plural follows or the words before it say otherwise.
func (r *reader) year(i int) (Value, int) {
	t := r.at(i)
	y := r.yearNumber(i)
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
	y := r.yearNumber(i)
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
