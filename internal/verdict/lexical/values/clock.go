package values

import "math"

const halfDay = 12 * 60

// clockAt parses the time of day at token i: 9 am, 09:00, half past six, noon, 14 Uhr.
// other is the second reading of a time that may be before or after noon.
func (r *reader) clockAt(i int) (v Value, from, next int) {
	t := r.at(i)
	minutes, twelve := 0.0, false // written with 12 hours
	switch {
	case t.class&clockWord != 0:
		return clock(t.num), i, i + 1
	case t.class&fraction != 0 && (t.num == 2 || t.num == 4) && r.is(i+1, "past", "to", "after") && r.has(i+2, digits|numeral):
		hour := r.at(i + 2)
		minutes = hour.num * 60
		if r.is(i+1, "to") {
			minutes -= 60 / t.num
		} else {
			minutes += 60 / t.num
		}
		if hour.num < 1 || hour.num > 12 || hour.num != math.Trunc(hour.num) || t.num == 2 && r.is(i+1, "to") {
			return Value{}, 0, 0
		}
		next, twelve = i+3, true
		from = i
		if r.is(i-1, "a") {
			from--
		}
		return r.half(minutes, twelve, from, next)
	case t.class&(digits|numeral) == 0 || t.num < 0 || t.num > 60 && !r.is(i+1, "hours") || t.num > 2400:
		return Value{}, 0, 0
	case r.is(i+1, ":") && r.joined(i) && r.joined(i+1) && r.has(i+2, digits) && r.at(i+2).end-r.at(i+2).start == 2 &&
		t.num <= 24 && r.at(i+2).num < 60 && t.class&decimal == 0 && r.at(i+2).class&decimal == 0:
		minutes, next = t.num*60+r.at(i+2).num, i+3
		if r.is(next, ":") && r.joined(next-1) && r.joined(next) && r.has(next+1, digits) {
			next += 2
		}
		twelve = t.num >= 1 && t.num <= 12 && r.text[t.start] != '0'
		if r.is(next, "uhr", "hours", "h") {
			next++
			twelve = false
		}
	case t.end-t.start == 4 && t.class&digits != 0 && t.class&decimal == 0 && r.is(i+1, "hours") && (r.text[t.start] == '0' || r.is(i-1, "at")) && math.Mod(t.num, 100) < 60:
		minutes, next = math.Trunc(t.num/100)*60+math.Mod(t.num, 100), i+2
	case t.num > 24 && !r.is(i+1, "past", "minutes"):
		return Value{}, 0, 0
	case r.halfDay(i+1) > 0 && t.num <= 12:
		hour := math.Trunc(t.num)
		minutes, next, twelve = hour*60+math.Round((t.num-hour)*100), i+1, true
	case r.is(i+1, "o'clock") || r.is(i+1, "o’clock"), r.is(i+1, "o") && r.is(i+2, "’") && r.is(i+3, "clock"):
		minutes, next, twelve = t.num*60, i+2, t.num <= 12
		if r.is(i+1, "o") {
			next += 2
		}
	case r.is(i+1, "uhr"), r.is(i+1, "时", "時", "点", "點") && !r.is(i+2, "间", "間"):
		minutes, next = t.num*60, i+2
	case r.is(i+1, "h") && r.joined(i) && r.joined(i+1) && r.has(i+2, digits) && r.at(i+2).num < 60:
		minutes, next = t.num*60+r.at(i+2).num, i+3
	default:
		k := i + 1
		if r.is(k, "minutes") {
			k++
		}
		if !r.is(k, "past", "to") || !r.has(k+1, numeral) || !r.has(i, numeral) || r.at(k+1).num > 12 || r.at(k+1).num < 1 || t.num > 30 || k == i+1 && r.is(k, "to") && t.num != 5 && t.num != 10 && t.num != 20 {
			return Value{}, 0, 0
		}
		if _, n := r.unitAt(k + 2); n > 0 || r.is(k, "to") && r.startsNoun(k+2) {
			return Value{}, 0, 0 // five to ten days
		}
		minutes, next, twelve = r.at(k+1).num*60+t.num, k+2, true
		if r.is(k, "to") {
			minutes = r.at(k+1).num*60 - t.num
		}
	}
	return r.half(minutes, twelve, i, next)
}

// half applies the half of the day named after a time.
func (r *reader) half(minutes float64, twelve bool, from, next int) (Value, int, int) {
	v := clock(minutes)
	switch k := r.halfDay(next); {
	case k > 0:
		afternoon := r.is(next, "p", "pm")
		next = k
		v = clock(math.Mod(minutes, halfDay))
		if afternoon {
			v = clock(v.Low + halfDay)
		}
	case r.is(next, "in") && r.is(next+1, "the") && r.is(next+2, "morning"):
		next += 3
	case twelve && r.is(next, "in") && r.is(next+1, "the") && r.is(next+2, "afternoon", "evening"):
		v = clock(math.Mod(minutes, halfDay) + halfDay)
		next += 3
	case twelve && r.is(next, "at") && r.is(next+1, "night") && minutes >= 6*60:
		v = clock(math.Mod(minutes, halfDay) + halfDay)
		next += 2
	case twelve && minutes < halfDay+60:
		v.other = math.Mod(v.Low+halfDay, 2*halfDay)
	}
	return v, from, next
}

// clock returns a time of day.
func clock(minutes float64) Value {
	minutes = math.Mod(minutes+2*halfDay, 2*halfDay)
	return Value{Kind: Clock, Low: minutes, High: minutes}
}

// halfDay returns the token after am, pm, a.m. or p.m. at token i, or 0.
func (r *reader) halfDay(i int) int {
	switch {
	case r.is(i, "am", "pm"):
		return i + 1
	case r.is(i, "a", "p") && r.is(i+1, ".") && r.is(i+2, "m") && r.joined(i) && r.joined(i+1):
		if r.is(i+3, ".") && r.joined(i+2) {
			return i + 4
		}
		return i + 3
	}
	return 0
}
