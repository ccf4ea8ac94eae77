package values

import (
	"math"
	"strconv"
	"strings"
)

// String returns the value in a standard form: "$3.5 million", "90 minutes", "12%",
// "3 May 1900", "09:00", "at least 20".
func (v Value) String() string {
	switch {
	case v.Exact():
		return v.end(v.Low)
	case math.IsInf(v.High, 1):
		return v.bound("more than ", "after ", "at least ") + v.end(v.Low)
	case math.IsInf(v.Low, -1):
		return v.bound("less than ", "before ", "at most ") + v.end(v.High)
	case v.Kind == Date:
		return v.periodString()
	}
	return v.end(v.Low) + " to " + v.end(v.High)
}

// bound returns the words of a bound.
func (v *Value) bound(open, date, closed string) string {
	switch {
	case !v.Open:
		return closed
	case v.Kind == Date:
		return date
	}
	return open
}

// end returns one end of the value.
func (v *Value) end(x float64) string {
	switch v.Kind {
	case Ordinal:
		return ordinalString(x)
	case Share:
		return strings.TrimSuffix(decimals(100*x, 1), ".0") + "%"
	case Points:
		return decimals(x, 2) + plural(" percentage point", x)
	case Multiple:
		return decimals(x, 2)
	case Money:
		return moneyString(v.Unit, x)
	case Measure, Duration:
		return v.measureString(x)
	case Clock:
		m := int(x)
		return twoDigits(m/60) + ":" + twoDigits(m%60)
	case Date:
		return v.dateString(x)
	case Number:
	}
	return decimals(x, 3)
}

// measureString returns a measure or duration in the unit as written.
func (v *Value) measureString(x float64) string {
	if v.Unit == "°F" {
		return decimals(x*9/5+32, 1) + " °F"
	}
	n := x / factorOf(v.Unit)
	switch {
	case v.Unit == "hour" && n > 1 && n < 1e6 && n != math.Trunc(n) && isClose(60*n, math.Round(60*n), exact):
		m := math.Round(60*n) - 60*math.Trunc(n)
		return decimals(math.Trunc(n), 0) + plural(" hour", math.Trunc(n)) + " " + decimals(m, 0) + plural(" minute", m)
	case v.Unit == "foot" && n != 1:
		return decimals(n, 2) + " feet"
	case v.Unit == "century" && n != 1:
		return decimals(n, 2) + " centuries"
	case v.Unit == "day", len(v.Unit) > 3 && isASCIILetter(v.Unit[len(v.Unit)-1]) && v.Unit[len(v.Unit)-2] != 'k' && !strings.Contains(v.Unit, "/"):
		return decimals(n, 2) + plural(" "+v.Unit, n)
	}
	return decimals(n, 2) + " " + v.Unit
}

// factorOf returns the value of a unit, square or cubic unit, or rate in the base unit.
func factorOf(name string) float64 {
	if u, ok := unitOf(strings.ToLower(name)); ok {
		return u.factor
	}
	if s, ok := strings.CutPrefix(name, "square "); ok {
		return factorOf(s) * factorOf(s)
	}
	if s, ok := strings.CutPrefix(name, "cubic "); ok {
		return factorOf(s) * factorOf(s) * factorOf(s) * 1000
	}
	if s, per, ok := strings.Cut(name, "/"); ok {
		return factorOf(s) / factorOf(per)
	}
	return 1
}

func plural(word string, n float64) string {
	switch {
	case n == 1:
		return word
	case strings.HasSuffix(word, "ch"):
		return word + "es"
	}
	return word + "s"
}

func moneyString(code string, x float64) string {
	s := decimals(x, 2)
	if i := strings.IndexByte(s, '.'); i >= 0 && i == len(s)-2 {
		s += "0"
	}
	switch code {
	case "USD":
		return "$" + s
	case "EUR":
		return "€" + s
	case "GBP":
		return "£" + s
	case "JPY", "CNY":
		return "¥" + s
	case "cent":
		return decimals(100*x, 0) + " cents"
	}
	if code[0] >= 'a' {
		return s + plural(" "+code, x)
	}
	return s + " " + code
}

func ordinalString(x float64) string {
	n := int(x)
	suffix := "th"
	if n/10%10 != 1 {
		switch n % 10 {
		case 1:
			suffix = "st"
		case 2:
			suffix = "nd"
		case 3:
			suffix = "rd"
		}
	}
	return strconv.Itoa(n) + suffix
}

func twoDigits(n int) string {
	if n < 10 {
		return "0" + strconv.Itoa(n)
	}
	return strconv.Itoa(n)
}

// decimals returns x with at most n decimals, groups of three digits, and the word
// million, billion or trillion if that is shorter.
func decimals(x float64, n int) string {
	for _, s := range [...]struct {
		factor float64
		name   string
	}{{1e12, " trillion"}, {1e9, " billion"}, {1e6, " million"}} {
		if y := x / s.factor; math.Abs(y) >= 1 && math.Abs(y) < 1e6 && isClose(y, math.Round(y*100)/100, exact) {
			return decimals(y, 2) + s.name
		}
	}
	s := strconv.FormatFloat(x, 'f', n, 64)
	if strings.Contains(s, ".") {
		s = strings.TrimRight(strings.TrimRight(s, "0"), ".")
	}
	whole, rest, _ := strings.Cut(s, ".")
	for i := len(whole) - 3; i > 0 && whole[i-1] != '-' && len(whole) < 40; i -= 3 {
		whole = whole[:i] + "," + whole[i:]
	}
	if rest != "" {
		return whole + "." + rest
	}
	return whole
}

// dateString returns one day.
func (v *Value) dateString(x float64) string {
	switch v.Unit {
	case weekdayUnit:
		return weekdayName(int(x))
	case yearless:
		_, m, d := civil(x + day(0, 1, 1))
		return strconv.Itoa(d) + " " + monthName(m)
	}
	y, m, d := civil(x)
	return strconv.Itoa(d) + " " + monthName(m) + " " + yearString(y)
}

// periodString returns a period: a month, a year, years, or its first and last day.
func (v *Value) periodString() string {
	low, high := v.Low, v.High
	if v.Unit == yearless {
		low, high = low+day(0, 1, 1), high+day(0, 1, 1)
	}
	y1, m1, d1 := civil(low)
	y2, m2, d2 := civil(high)
	switch {
	case d1 != 1 || d2 != lastDay(y2, m2):
		return v.dateString(v.Low) + " to " + v.dateString(v.High)
	case v.Unit == yearless && m1 == m2:
		return monthName(m1)
	case v.Unit == yearless:
		return monthName(m1) + " to " + monthName(m2)
	case y1 == y2 && m1 == m2:
		return monthName(m1) + " " + yearString(y1)
	case m1 != 1 || m2 != 12:
		return monthName(m1) + " " + yearString(y1) + " to " + monthName(m2) + " " + yearString(y2)
	case y1 == y2:
		return yearString(y1)
	case y1%10 == 0 && y2 == y1+9:
		return yearString(y1) + "s"
	}
	return yearString(y1) + " to " + yearString(y2)
}

func yearString(y int) string {
	if y <= 0 {
		return strconv.Itoa(1-y) + " BC"
	}
	return strconv.Itoa(y)
}

func monthName(m int) string {
	return [...]string{"January", "February", "March", "April", "May", "June", "July", "August", "September", "October", "November", "December"}[(m+11)%12]
}

func weekdayName(d int) string {
	return [...]string{"Sunday", "Monday", "Tuesday", "Wednesday", "Thursday", "Friday", "Saturday"}[(d%7+7)%7]
}
