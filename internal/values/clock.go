package values

import (
	"math"
	"strings"
)

const halfDay = 12 * 60

// clockAt parses the time of day at token i: 9 am, 09:00, nine o'clock, noon, 14 Uhr, 14h30. 14h
// is a duration unless a word such as à precedes it. A time that may be before or after noon has
// a second reading.
func (r *reader) clockAt(i int) (v Value, from, next int) {
	t := r.at(i)
	minutes, twelve := t.num*60, false // written with 12 hours
	switch {
	case t.class&clockWord != 0:
		return clock(t.num), i, i + 1
	case t.class&(digits|numeral) == 0 || t.num < 0 || t.num > 24:
		return Value{}, 0, 0
	case r.is(i+1, ":") && r.joined(i) && r.joined(i+1) && r.isMinutes(i+2) && t.class&decimal == 0:
		minutes, next = minutes+r.at(i+2).num, i+3
		twelve = t.num >= 1 && t.num <= 12 && r.text[t.start] != '0'
	case r.amPM(i+1) > 0 && t.num <= 12:
		hour := math.Trunc(t.num)
		minutes, next, twelve = hour*60+math.Round((t.num-hour)*100), i+1, true
	case r.is(i+1, "h") && r.isMinutes(i+2) && !r.hasUnit(i+3):
		minutes, next = minutes+r.at(i+2).num, i+3
	case r.is(i+1, "h") && r.is(i-1, "à", "vers", "dès", "las", "às", "at"):
		next = i + 2
	case r.is(i+1, "o'clock"):
		next, twelve = i+2, t.num <= 12
	case r.is(i+1, "uhr"), r.is(i+1, "时", "時", "点", "點") && !r.is(i+2, "间", "間"):
		next = i + 2
	default:
		return Value{}, 0, 0
	}
	v = clock(minutes)
	switch k := r.amPM(next); {
	case k > 0:
		v = clock(math.Mod(minutes, halfDay))
		if r.is(next, "p", "pm") {
			v = clock(v.Low + halfDay)
		}
		next = k
	case twelve && minutes < halfDay+60:
		v.other = math.Mod(v.Low+halfDay, 2*halfDay)
	}
	if r.isZone(next) {
		v.Unit = r.str(next)
		next++
	}
	return v, i, next
}

// isMinutes reports whether token i is the minutes of a time: two digits up to 59.
func (r *reader) isMinutes(i int) bool {
	t := r.at(i)
	return t.class&(digits|decimal) == digits && t.end-t.start == 2 && t.num < 60
}

// hasUnit reports whether token i is a unit, as in "5 h 30 min".
func (r *reader) hasUnit(i int) bool {
	_, next := r.unitAt(i)
	return next > 0
}

// isZone reports whether token i is the abbreviation of a time zone, such as EST or UTC.
func (r *reader) isZone(i int) bool {
	s := r.str(i)
	return s == "UTC" || (len(s) == 3 || len(s) == 4) && s[len(s)-1] == 'T' && strings.Trim(s, "ABCDEFGHIJKLMNOPQRSTUVWXYZ") == ""
}

// clock returns a time of day.
func clock(minutes float64) Value {
	minutes = math.Mod(minutes+2*halfDay, 2*halfDay)
	return Value{Kind: Clock, Low: minutes, High: minutes}
}

// amPM returns the token after am, pm, a.m. or p.m. at token i, or 0.
func (r *reader) amPM(i int) int {
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
