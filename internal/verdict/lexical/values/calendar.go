package values

import "math"

// Units of dates that recur.
const (
	yearless    = "yearless" // days after the start of a leap year: 24 December, March, spring
	weekdayUnit = "weekday"  // 0 (Sunday) to 6, or to 12 at the end of a range
)

// day returns the number of days from 1 January 1970 to a date in the proleptic Gregorian
// calendar. The year before 1 is 0.
func day(y, m, d int) float64 {
	if m <= 2 {
		y--
	}
	era := floorDiv(y, 400)
	yearOfEra := y - era*400
	dayOfYear := (153*((m+9)%12)+2)/5 + d - 1
	return float64(era*146097 + yearOfEra*365 + yearOfEra/4 - yearOfEra/100 + dayOfYear - 719468)
}

// civil returns the year, month and day of a number of days from 1 January 1970.
func civil(days float64) (y, m, d int) {
	z := int(days) + 719468
	era := floorDiv(z, 146097)
	n := z - era*146097
	yearOfEra := (n - n/1460 + n/36524 - n/146096) / 365
	dayOfYear := n - (365*yearOfEra + yearOfEra/4 - yearOfEra/100)
	k := (5*dayOfYear + 2) / 153
	d, m, y = dayOfYear-(153*k+2)/5+1, (k+2)%12+1, yearOfEra+era*400
	if m <= 2 {
		y++
	}
	return y, m, d
}

func floorDiv(a, b int) int {
	q := a / b
	if a%b < 0 {
		q--
	}
	return q
}

// lastDay returns the number of days of a month.
func lastDay(y, m int) int {
	if m == 12 {
		return 31
	}
	return int(day(y, m+1, 1) - day(y, m, 1))
}

// period returns the period from the first day of month m1 of year y1 to the last day of
// month m2 of year y2.
func period(y1, m1, y2, m2 int) Value {
	return Value{Kind: Date, Low: day(y1, m1, 1), High: day(y2, m2, lastDay(y2, m2))}
}

// recurring returns a period of every year. Month 13 is January of the next year.
func recurring(m1, d1, m2, d2 int) Value {
	start := day(0, 1, 1)
	y := 0
	if m2 < m1 {
		y = 1
	}
	return Value{Kind: Date, Unit: yearless, Low: day(0, m1, d1) - start, High: day(y, m2, d2) - start}
}

// yearless returns the days of a date within its year, if it is at most a month long.
func (v *Value) yearless() (low, high float64, ok bool) {
	if math.IsInf(v.Low, 0) || math.IsInf(v.High, 0) || v.High-v.Low > 31 {
		return 0, 0, false
	}
	_, m1, d1 := civil(v.Low)
	_, m2, d2 := civil(v.High)
	w := recurring(m1, d1, m2, d2)
	return w.Low, w.High, true
}

// weekday returns the day of the week of a date, if it is a single day.
func (v *Value) weekday() (float64, bool) {
	if v.Low != v.High {
		return 0, false
	}
	return math.Mod(math.Mod(v.Low+4, 7)+7, 7), true // 1 January 1970 was a Thursday
}
