package values

import (
	"math"
	"time"
)

const secondsPerDay = 24 * 60 * 60

const daysPerWeek = 7

// day returns the number of days from 1 January 1970 to a date in the proleptic Gregorian
// calendar. The year before 1 is 0.
func day(y, m, d int) float64 {
	return float64(time.Date(y, time.Month(m), d, 0, 0, 0, 0, time.UTC).Unix() / secondsPerDay)
}

// civil returns the year, month and day of a number of days from 1 January 1970.
func civil(days float64) (y, m, d int) {
	y, month, d := time.Unix(int64(days)*secondsPerDay, 0).UTC().Date()
	return y, int(month), d
}

// lastDay returns the number of days of a month.
func lastDay(y, m int) int {
	return time.Date(y, time.Month(m+1), 0, 0, 0, 0, 0, time.UTC).Day()
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
